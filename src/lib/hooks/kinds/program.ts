import { engineFault } from '../../errors.ts'
import type { Program } from '../../world/process/program.ts'
import {
  limitedWords,
  namespacedWords,
  shellWords,
  type Limits,
  type ShellName,
  type ProgramWords
} from '../../world/process/shell.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { HookEnvironment } from './hook-environment.ts'
import { filledIn, folderFor, type Plugin } from './paths.ts'
import type { OutsideContext } from './spec.ts'

/** The program of a hook. */
export interface ProgramSpec {
  /** For a shell; with `args`, the program itself. */
  command: string
  /** With these, even if empty, no shell is used. */
  args?: readonly string[] | undefined
  /** Default: bash without its start-up files where there is one, else sh. */
  shell?: ShellName | undefined
  env?: Readonly<Record<string, string>> | undefined
  /** It came with the project: its paths are relative to the project's root. */
  ofProject?: boolean | undefined
  plugin?: Plugin | undefined
  limits?: Limits | undefined
  /** Run in a separate process namespace (Linux): it costs some milliseconds, and no process can escape. */
  pidNamespace?: boolean | undefined
}

export function checkCommand({ command }: ProgramSpec): void {
  if (typeof command !== 'string' || command.trim() === '')
    throw engineFault(
      'E_OPTION_INVALID',
      'command',
      JSON.stringify(command) ?? 'nothing',
      'a command line, or a program together with args'
    )
}

/** The first line of the command, with paths relative to the project: that is what people look for. */
export function labelOf({ command, plugin }: ProgramSpec): string {
  const line = command
    .trim()
    .replace(/\n.*/s, '')
    .replaceAll(/("?)\$(?:CLAUDE_PROJECT_DIR|\{CLAUDE_PROJECT_DIR\})\1\//g, '')
  return `${plugin?.name === undefined ? '' : `${plugin.name}: `}${line.length > 60 ? `${line.slice(0, 59)}…` : line}`
}

export const identityOf = ({ command, args }: ProgramSpec): string => `${command}\0${JSON.stringify(args ?? '')}`

export function programFor(spec: ProgramSpec, place: HookEnvironment, ctx: OutsideContext): Program {
  const paths = { CLAUDE_PROJECT_DIR: place.projectDir, ...pluginPaths(spec.plugin) }
  const cwd = place.folder(folderFor(spec, place.projectDir, ctx.cwd))
  let words: ProgramWords =
    spec.args === undefined
      ? shellWords(filledIn(spec.command, paths, true), spec.shell)
      : { file: filledIn(spec.command, paths, false), args: spec.args.map(arg => filledIn(arg, paths, false)) }
  if (spec.limits !== undefined) words = limitedWords(words, spec.limits)
  // A sandbox has a process namespace, and allows no further one.
  if (spec.pidNamespace === true && place.options.sandbox === undefined) words = namespacedWords(words)
  return place.program(words, cwd, ctx, { ...pluginPaths(spec.plugin), ...effortIn(ctx.input), ...spec.env })
}

function effortIn({ effort }: PlainObject): Record<string, string> {
  return isObject(effort) && typeof effort['level'] === 'string' ? { CLAUDE_EFFORT: effort['level'] } : {}
}

const pluginPaths = (plugin: Plugin | undefined): Record<string, string> =>
  plugin === undefined ? {} : { CLAUDE_PLUGIN_ROOT: plugin.root, CLAUDE_PLUGIN_DATA: plugin.data }

const START_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'the program was not found',
  EACCES: 'the program may not be executed',
  ENOEXEC: 'the program is not in a form that can be executed; a script needs a first line such as #!/bin/sh',
  E2BIG: 'the command or a variable of its environment is too long',
  EMFILE: 'this process has too many open files',
  ENFILE: 'the machine has too many open files',
  EAGAIN: 'the machine allows no more processes'
}

export const startErrorText = ({ code, message }: { code: string; message: string }): string =>
  `could not be started: ${START_ERRORS[code] ?? 'the system refused'} (${message})`
