import { readFileSync } from 'node:fs'

// A chunk of the package is as deep in it as this file.
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The version of this package. */
export const VERSION = version

/** The contract that the compat profile follows. */
export const CONTRACT = 'claude-code 2.1.325'
