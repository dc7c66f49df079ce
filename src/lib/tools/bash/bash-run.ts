import { randomUUID } from 'node:crypto'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ended, Running } from '../../world/process/process.ts'
import type { BashInput } from './bash.ts'
import { BASH_TIMEOUT } from '../../tool-table.ts'
import { keepInBackground, newTaskId } from './bash-background.ts'
import { folderIn, keepFolder, startFolder, type CommandFolder } from './bash-folder.ts'
import { follow, type CommandEnding } from './bash-follow.ts'
import { FLOOD, Output, Progress } from './bash-output.ts'
import { isSilent, meaningOf, sandboxNote } from './exit-meaning.ts'
import { onlyReads } from '../../shell/only-reads.ts'
import { isInherited } from '../../shell/variables.ts'
import { processesOf, startProblem } from './processes.ts'
import type { ToolCall, ToolResult, ToolSession } from '../tool.ts'
import { type ProgramWords, shellWords } from '../../world/process/shell.ts'

export async function runBash(input: BashInput, call: ToolCall): Promise<ToolResult> {
  if (call.signal.aborted) return failed('The command was interrupted before it was started.', true)
  const folder = await startFolder(call)
  if (folder === undefined) {
    return failed(
      `There is no folder to run commands in: ${call.session.root} is gone. Create it again, or start a session in another folder.`
    )
  }
  return input.run_in_background === true ? runBehind(input, call, folder) : runHere(input, call, folder)
}

async function runHere(input: BashInput, call: ToolCall, { cwd, note }: CommandFolder): Promise<ToolResult> {
  const { session } = call
  const output = new Output(wholeFile(session, call.id))
  const progress = new Progress(text => call.progress(text))
  output.onText = text => progress.add(text)
  const name = `carabiner-folder-${randomUUID()}`
  const isConfined = isSandboxed(input.command, session)
  const folderFile = join(isConfined ? '/tmp' : tmpdir(), name)
  const timeout = timeoutOf(input, 'foreground')
  const running = start(input.command, session, cwd, { output, isConfined, folderFile })
  const ending = await follow(running, output, timeout, call.signal)
  output.close()
  // The shell writes it when it ends, also when it is terminated.
  const after = running.ended.then(() => folderIn(join((isConfined && session.sandbox?.scratch) || tmpdir(), name)))
  const moved = ending.why === 'ended' ? await keepFolder(call, cwd, await after) : undefined
  const left = ending.ended?.left === true && ending.why === 'ended' ? LEFT : undefined
  return resultOf({ command: input.command, ending, output, timeout, isConfined }, [note, moved, left])
}

const LEFT = 'It has ended, and left processes running in the background. Their further output is lost.'

function runBehind(input: BashInput, { session, id: callId }: ToolCall, { cwd, note }: CommandFolder): ToolResult {
  const id = newTaskId()
  const output = new Output(wholeFile(session, callId))
  const running = start(input.command, session, cwd, { output, isConfined: isSandboxed(input.command, session) })
  const timeout = timeoutOf(input, 'background')
  const told = { id, toolUseId: callId, command: input.command, description: input.description ?? input.command }
  keepInBackground(session, told, { running, output, timeout })
  const words = `It runs in the background as ${id}. TaskOutput shows its output, TaskStop ends it.`
  return {
    content: note === undefined ? words : `${words}\n${note}`,
    output: {
      stdout: '',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
      backgroundTaskId: id
    }
  }
}

function timeoutOf({ timeout }: BashInput, where: keyof typeof BASH_TIMEOUT): number {
  const { standard, most } = BASH_TIMEOUT[where]
  return Math.min(timeout ?? standard, most)
}

interface Streams {
  readonly output: Output
  readonly isConfined: boolean
  readonly folderFile?: string
}

const isSandboxed = (command: string, { sandbox, sandboxes }: ToolSession): boolean =>
  sandboxes?.(command) ?? sandbox?.isForAll === true

function start(command: string, session: ToolSession, cwd: string, streams: Streams): Running {
  const { output, isConfined, folderFile } = streams
  const isReading = onlyReads(command)
  // Confined hooks write it, which must run nothing outside; and what only reads was judged by the usual `PATH`.
  const isSourced = !isReading && (isConfined || session.sandbox?.isForAll !== true)
  const words = { ...commandWords(command, isSourced ? session.envFile : undefined, folderFile), isConfined }
  const env = commandEnv(session.env, cwd, isReading)
  return processesOf(session).start(words, cwd, isReading ? readOnlyGit(env) : env, output)
}

/** What only reads does not refresh the index of git either. `git diff` has a setting of its own for that. */
export function readOnlyGit(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const count = Number(env['GIT_CONFIG_COUNT'] ?? 0)
  const setting = { [`GIT_CONFIG_KEY_${count}`]: 'diff.autoRefreshIndex', [`GIT_CONFIG_VALUE_${count}`]: 'false' }
  return { ...env, GIT_OPTIONAL_LOCKS: '0', GIT_CONFIG_COUNT: String(count + 1), ...setting }
}

const wholeFile = ({ outputFolder }: ToolSession, callId: string): string | undefined =>
  outputFolder === undefined ? undefined : join(outputFolder, `${callId.replaceAll(/[^\w-]/g, '_')}.txt`)

interface Finished {
  readonly command: string
  readonly ending: CommandEnding
  readonly output: Output
  readonly timeout: number
  readonly isConfined: boolean
}

function resultOf(finished: Finished, notes: readonly (string | undefined)[]): ToolResult {
  const { command, ending, output, timeout, isConfined } = finished
  const { stdout, stderr } = output.excerpts()
  const meaning = ending.why === 'ended' ? meaningOf(command, ending.ended?.code ?? 0) : undefined
  const trouble = meaning === undefined ? troubleOf(ending, timeout) : undefined
  const noOutputExpected = isSilent(command)
  const limit = isConfined && trouble !== undefined ? sandboxNote(stdout + stderr) : undefined
  const words = [trouble, stdout, stderr, meaning, limit, ...notes]
    .filter(text => text !== undefined && text !== '')
    .join('\n')
  const content = words === '' ? (noOutputExpected ? 'Done' : '(no output)') : words
  return {
    content,
    output: {
      stdout,
      stderr,
      interrupted: ending.why === 'aborted',
      isImage: false,
      ...(meaning !== undefined && { returnCodeInterpretation: meaning }),
      noOutputExpected,
      ...(output.file !== undefined && { persistedOutputPath: output.file, persistedOutputSize: output.size })
    },
    ...(trouble !== undefined && { error: content })
  }
}

function troubleOf({ why, ended }: CommandEnding, timeout: number): string | undefined {
  if (why === 'aborted') return 'The command was interrupted and ended. Its output until then:'
  if (why === 'timeout') return `The command took longer than ${timeout} ms and was ended. Its output until then:`
  if (why === 'flood') return `The command printed more than ${FLOOD / 1024 / 1024} MB and was ended.`
  if (ended?.error !== undefined) return `The command could not be started: ${startProblem(ended.error)}`
  return ended === undefined || ended.code === 0 ? undefined : exitOf(ended)
}

function exitOf({ code, signal }: Ended): string {
  if (signal === null) return `Exit code ${code}`
  return `Exit code ${128 + constants.signals[signal as NodeJS.Signals]} (${signal})`
}

function failed(words: string, interrupted = false): ToolResult {
  return { content: words, output: { stdout: '', stderr: '', interrupted, isImage: false }, error: words }
}

/**
 * The command as the shell runs it: without input, in the shell itself so that it can change the folder, and with the
 * exit code of the shell. The folder is written when the shell ends, also by `exit`; and once before, in case the
 * command sets its own trap.
 */
function commandWords(command: string, envFile: string | undefined, folderFile: string | undefined): ProgramWords {
  const tell = folderFile === undefined ? undefined : `command pwd -P 2>/dev/null >| ${quoted(folderFile)}`
  const before = [
    'exec </dev/null',
    ...(envFile === undefined ? [] : [`if [ -f ${quoted(envFile)} ]; then . ${quoted(envFile)}; fi`]),
    ...(tell === undefined ? [] : [`trap ${quoted(tell)} EXIT`])
  ]
  const after = tell === undefined ? [] : ['set -- "$?"', tell, 'exit "$1"']
  // Passed as an argument, so that errors show its own line numbers. The newline ends a comment or a here-document.
  const { file, args } = shellWords([...before, 'eval "shift; $1"', ...after].join('; '), 'bash')
  return { file, args: [...args, 'bash', `${command}\n`] }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function commandEnv(
  env: Readonly<Record<string, string>>,
  cwd: string,
  isReading: boolean
): Readonly<Record<string, string>> {
  const inherited = Object.entries(env).filter(entry => isInherited(entry, isReading))
  // Bash would take itself for a login shell, and read start-up files that print.
  const level = Number(env['SHLVL']) > 0 ? {} : { SHLVL: '1' }
  return { ...Object.fromEntries(inherited), ...level, PWD: cwd }
}
