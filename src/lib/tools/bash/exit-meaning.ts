import { isProgramOf } from '../../shell/programs.ts'
import { simpleCommand } from '../../shell/command-words.ts'

/** What can be said of a command without running it. Whatever is not one simple command says nothing. */
const programOf = (command: string): string => simpleCommand(command)?.[0] ?? ''

export const isSilent = (command: string): boolean => isProgramOf('silent', programOf(command))

const MEANINGS: Readonly<Record<string, string>> = {
  grep: 'No matches found',
  rg: 'No matches found',
  diff: 'Files differ',
  cmp: 'Files differ',
  test: 'Condition is false'
}

/** What an exit code other than 0 means where it is no failure. */
export function meaningOf(command: string, code: number): string | undefined {
  const program = code === 1 ? programOf(command) : ''
  return Object.hasOwn(MEANINGS, program) ? MEANINGS[program] : undefined
}

const LIMITED =
  /Read-only file system|EROFS|Device or resource busy|could not resolve|EAI_AGAIN|ENOTFOUND|name resolution|network is unreachable|ENETUNREACH|Couldn't connect|connection refused|ECONNREFUSED|socket: operation not permitted|EPERM.*socket/i

/** Programs do not know of the sandbox, and report its limits as errors of the system. */
export const sandboxNote = (output: string): string | undefined => (LIMITED.test(output) ? CONFINED : undefined)

const CONFINED =
  "The command ran in the sandbox, which can be the cause of the error. The user's settings decide: sandbox.network (access to the network), sandbox.allowWrite (folders outside the project), sandbox.unixSockets (docker, ssh-agent)."
