import { delimiter, isAbsolute, join } from 'node:path'
import { isProgram } from '../files/paths.ts'

export type ShellName = 'bash' | 'sh' | 'powershell'

export interface ProgramWords {
  readonly file: string
  readonly args: readonly string[]
  /** Whether it runs in the sandbox. By default, as everything in the session. */
  readonly isConfined?: boolean
  /** Further descriptors that it inherits, as 3, 4, … */
  readonly descriptors?: readonly number[] | undefined
}

const found = new Map<string, string | undefined>()

/** Of the system: `npx` puts folders of the project in `PATH`. */
export function findProgram(name: string): string | undefined {
  const path = process.env['PATH'] ?? ''
  const key = `${name}${delimiter}${path}`
  if (!found.has(key)) {
    const isOfSystem = (folder: string): boolean => isAbsolute(folder) && !/[/\\]node_modules[/\\]/.test(folder)
    const folders = ['/bin', '/usr/bin', ...path.split(delimiter)].filter(isOfSystem)
    found.set(key, folders.map(folder => join(folder, name)).find(isProgram))
  }
  return found.get(key)
}

/**
 * A command as a shell runs it: bash if there is one, since many commands rely on it, else sh. Bash takes a socket on
 * its standard input for a remote login and would read start-up files that print; options prevent that.
 */
export function shellWords(
  command: string,
  shell: ShellName = process.platform === 'win32' ? 'powershell' : 'bash'
): ProgramWords {
  if (shell === 'powershell') {
    const file = findProgram('pwsh') ?? 'powershell.exe'
    return { file, args: ['-NoProfile', '-NonInteractive', '-Command', command] }
  }
  const bash = shell === 'bash' ? findProgram('bash') : undefined
  if (bash !== undefined) return { file: bash, args: ['--noprofile', '--norc', '-c', command] }
  return { file: findProgram('sh') ?? 'sh', args: ['-c', command] }
}

export interface Limits {
  /** Megabytes of address space, each. Programs that reserve more than they use, such as Node, need a lot. */
  readonly memory?: number | undefined
  /** Processes of the user, in total; does not apply to the superuser. */
  readonly processes?: number | undefined
}

export function limitedWords({ file, args }: ProgramWords, { memory, processes }: Limits): ProgramWords {
  const limits = [
    ...(memory === undefined ? [] : [`--as=${Math.round(memory * 1024 * 1024)}`]),
    ...(processes === undefined ? [] : [`--nproc=${Math.round(processes)}`])
  ]
  return limits.length === 0 ? { file, args } : { file: 'prlimit', args: [...limits, file, ...args] }
}

/** The same in a separate process namespace: when it ends, no process of it is left. */
export const namespacedWords = ({ file, args }: ProgramWords): ProgramWords => ({
  file: 'unshare',
  args: ['--user', '--map-current-user', '--pid', '--fork', '--kill-child', file, ...args]
})
