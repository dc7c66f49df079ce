import { fault } from '../../errors.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { Ended, Program } from '../../world/process.ts'
import {
  limitedWords,
  namespacedWords,
  shellWords,
  type Limits,
  type ShellName,
  type Words
} from '../../world/shell.ts'
import type { EventName } from '../events.ts'
import { Failed } from '../outcome.ts'
import { later, type Later, type Reply } from '../reply.ts'
import { Capture, OUTPUT_CAP } from './capture.ts'
import { anywhere, type Outside } from './outside.ts'
import { folderFor, filledIn, type Plugin } from './paths.ts'
import { Warm, type Taken } from './prewarm.ts'
import { readRaw } from './raw.ts'
import { hookOf, type OutsideContext, type OutsideHook, type OutsideSpec } from './spec.ts'

/** A hook that is a command: it reads the event on standard input and answers by exit code and standard output. */
export interface CommandSpec<E extends EventName = EventName> extends OutsideSpec<E> {
  /** For a shell; with `args`, the program itself. */
  command: string
  /** With these, even none, no shell is involved. */
  args?: readonly string[] | undefined
  /** Default: bash without its start-up files where there is one, else sh. */
  shell?: ShellName | undefined
  /** Variables in addition to what it inherits. */
  env?: Readonly<Record<string, string>> | undefined
  /** The event goes on at once; what the command answers in the end reaches the registry's `onLate`. */
  async?: boolean | undefined
  /** Start the next process ahead, so that it waits on standard input when the event comes. For scripts that read that first. */
  prewarm?: boolean | undefined
  /** The plugin that it came with. */
  plugin?: Plugin | undefined
  limits?: Limits | undefined
  /** Run in a process namespace of its own (Linux): it costs some milliseconds, and nothing can get away. */
  pidNamespace?: boolean | undefined
}

/** A hook that runs a command for each event. */
export function commandHook<const E extends EventName = EventName>(
  spec: CommandSpec<E>,
  place: Outside = anywhere()
): OutsideHook<E> {
  if (typeof spec.command !== 'string' || spec.command.trim() === '')
    throw fault(
      'E_OPTION_INVALID',
      'command',
      JSON.stringify(spec.command) ?? 'nothing',
      'a command line, or a program together with args'
    )
  const warm = spec.prewarm === true ? new Warm(spec, place) : undefined
  return hookOf(spec, place, {
    label: spec.command.trim().split('\n')[0]!.slice(0, 60),
    identity: `command\0${spec.command}\0${JSON.stringify(spec.args ?? '')}`,
    run: ctx => runCommand(spec, place, warm, ctx),
    close: () => warm?.close()
  })
}

function runCommand(
  spec: CommandSpec,
  place: Outside,
  warm: Warm | undefined,
  ctx: OutsideContext
): Later | Promise<Reply | Later | undefined> {
  const program = programFor(spec, place, ctx)
  const payload = `${ctx.wire}\n`
  const process = warm?.take(program) ?? startCold(program, place)
  const answer = follow(process, spec, place, ctx)
  process.running.write(payload)
  process.running.close()
  void process.running.ended.then(() => warm?.prepare(program))
  return spec.async === true ? later(answer as Promise<Reply>) : answer
}

function startCold(program: Program, place: Outside): Taken {
  const capture = new Capture()
  return { capture, running: place.start(program, capture) }
}

/** The words and the surroundings of one run. */
function programFor(spec: CommandSpec, place: Outside, ctx: OutsideContext): Program {
  const paths = { CLAUDE_PROJECT_DIR: place.projectDir, ...pluginPaths(spec.plugin) }
  const cwd = place.folder(folderFor(spec, place.projectDir, ctx.cwd))
  let words: Words =
    spec.args === undefined
      ? shellWords(filledIn(spec.command, paths, true), spec.shell)
      : { file: filledIn(spec.command, paths, false), args: spec.args.map(arg => filledIn(arg, paths, false)) }
  if (spec.limits !== undefined) words = limitedWords(words, spec.limits)
  if (spec.pidNamespace === true) words = namespacedWords(words)
  return place.program(words, cwd, ctx, { ...pluginPaths(spec.plugin), ...spec.env })
}

const pluginPaths = (plugin: Plugin | undefined): Record<string, string> =>
  plugin === undefined ? {} : { CLAUDE_PLUGIN_ROOT: plugin.root, CLAUDE_PLUGIN_DATA: plugin.data }

/** The answer of a process: at its end, or, when its first line says so, later. */
function follow(
  { running, capture }: Taken,
  spec: CommandSpec,
  place: Outside,
  ctx: OutsideContext
): Promise<Reply | Later | undefined> {
  const told = (exit_code?: number): void =>
    ctx.ran({
      stdout: capture.text('stdout'),
      stderr: capture.text('stderr'),
      ...(exit_code !== undefined && { exit_code })
    })
  ctx.signal.addEventListener('abort', () => {
    running.end()
    told()
  })
  capture.onPiece = (text, stream) => ctx.progress(text, stream)
  return new Promise((resolve, reject) => {
    let skipped = 0
    const atEnd = running.ended.then(ended => {
      told(ended.code ?? undefined)
      if (ended.left && !ctx.signal.aborted) ctx.note('ended and left others running')
      return answerOf(ended, capture, skipped, spec, ctx)
    })
    atEnd.then(resolve, reject)
    capture.onFlood = stream => {
      running.end()
      reject(new Failed('output', `output cap: it printed more than ${OUTPUT_CAP} bytes on ${stream} and was ended`))
    }
    capture.onFirstLine = line => {
      const said = asyncIn(line)
      if (said === undefined) return
      skipped = Buffer.byteLength(line) + 1
      if (spec.async !== true) resolve(laterBy(said, atEnd, () => running.end(), spec, place))
    }
  })
}

/** `{"async":true}` on the first line: the command goes on, and what it prints after that is the answer. */
function asyncIn(line: string): PlainObject | undefined {
  if (!line.includes('async')) return undefined
  try {
    const said: unknown = JSON.parse(line)
    return isObject(said) && said['async'] === true ? said : undefined
  } catch {
    return undefined
  }
}

/** Library hooks name seconds that the event waits; the contract names milliseconds that the command may take. */
function laterBy(
  said: PlainObject,
  answer: Promise<Reply | undefined>,
  end: () => void,
  spec: CommandSpec,
  place: Outside
): Later {
  const limit = said['asyncTimeout'] ?? said['async_timeout']
  if (typeof limit !== 'number' || !(limit > 0)) return later(answer)
  if (spec.dialect === 'library') return later(answer, { asyncTimeout: limit })
  return later(
    new Promise((resolve, reject) => {
      const cancel = place.clock.after(limit, () => {
        end()
        reject(new Failed('timeout', `gave no answer within the ${limit} ms of its asyncTimeout`))
      })
      void answer.finally(cancel).then(resolve, reject)
    })
  )
}

function answerOf(
  ended: Ended,
  capture: Capture,
  skipped: number,
  { onFailure }: CommandSpec,
  ctx: OutsideContext
): Reply | undefined {
  if (ended.error !== undefined) throw new Failed('spawn', wordsOfStart(ended.error))
  const stdout = capture.bytes('stdout').subarray(skipped)
  const { event, profile } = ctx
  return readRaw({ ...ended, stdout, stderr: capture.text('stderr') }, { event, profile, onFailure })
}

const START_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'the program was not found',
  EACCES: 'the program may not be executed',
  ENOEXEC: 'the program is not in a form that can be executed; a script needs a first line such as #!/bin/sh',
  E2BIG: 'the command or a variable of its environment is too long',
  EMFILE: 'this process has too many open files',
  ENFILE: 'the machine has too many open files',
  EAGAIN: 'the machine allows no more processes'
}

const wordsOfStart = ({ code, message }: { code: string; message: string }): string =>
  `could not be started: ${START_ERRORS[code] ?? 'the system refused'} (${message})`
