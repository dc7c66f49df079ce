/** How little a mode lets pass. Of `plan` and `dontAsk` each refuses what the other lets pass: neither is tighter. */
const TIGHTNESS: ReadonlyMap<string, number> = new Map([
  ['bypassPermissions', 0],
  ['acceptEdits', 1],
  ['default', 2],
  ['plan', 3],
  ['dontAsk', 3]
])

/** Whether a mode lets less pass than another. A name that is none does not. */
export const isTighter = (mode: string, than: string): boolean =>
  (TIGHTNESS.get(mode) ?? 0) > (TIGHTNESS.get(than) ?? Infinity)

/** Whether a mode may stand where managed policy has chosen one, or has not. */
export const isWithinPolicy = (mode: string, managed: string | undefined): boolean =>
  managed === undefined || mode === managed || isTighter(mode, managed)
