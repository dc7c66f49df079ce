import { createRequire } from 'node:module'

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

/** The version of this package. */
export const VERSION = version

/** The contract that the compat profile follows. */
export const CONTRACT = 'claude-code 2.1.325'
