/** How long a command may take, in milliseconds, unless it is told otherwise. */
export const TIMEOUT = 120_000
/** And at most. */
export const LONGEST = 600_000
/** The same in the background. */
export const TIMEOUT_BEHIND = 1_800_000
export const LONGEST_BEHIND = 7_200_000
