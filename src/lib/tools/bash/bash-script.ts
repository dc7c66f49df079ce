import type { ProgramWords } from '../../world/process/shell.ts'
import { shellWords } from '../../world/process/shell.ts'

export interface Around {
  readonly envFile: string | undefined
  readonly folderFile: string | undefined
}

/**
 * A command as the shell runs it: without input, in the shell itself so that it may change the folder, and its exit
 * code is that of the shell. The folder is written when the shell ends, also by `exit`; and before, in case that the
 * command has set a trap of its own.
 */
export function commandWords(command: string, { envFile, folderFile }: Around): ProgramWords {
  const tell = folderFile === undefined ? undefined : `command pwd -P 2>/dev/null >| ${quoted(folderFile)}`
  const before = [
    'exec </dev/null',
    ...(envFile === undefined ? [] : [`if [ -f ${quoted(envFile)} ]; then . ${quoted(envFile)}; fi`]),
    ...(tell === undefined ? [] : [`trap ${quoted(tell)} EXIT`])
  ]
  const after = tell === undefined ? [] : ['set -- "$?"', tell, 'exit "$1"']
  // An argument, which the command does not see, so that errors name its lines. A new line ends a comment or a document.
  const { file, args } = shellWords([...before, 'eval "shift; $1"', ...after].join('; '), 'bash')
  return { file, args: [...args, 'bash', `${command}\n`] }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export function commandEnv(env: Readonly<Record<string, string>>, cwd: string): Record<string, string> {
  // A file that bash would read first, and a folder that is not one of this session.
  const { BASH_ENV: _, OLDPWD: __, ...rest } = env
  // Bash would take itself for the first shell of a login, and read start-up files that print.
  const level = Number(rest['SHLVL']) > 0 ? {} : { SHLVL: '1' }
  return { ...rest, ...level, PWD: cwd }
}
