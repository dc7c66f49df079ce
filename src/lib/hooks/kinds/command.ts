import { isObject } from '../../util/plain.ts'
import { isFolder } from '../../world/files/paths.ts'
import { maskCredentials } from '../../util/credentials.ts'
import type { Ended } from '../../world/process/process.ts'
import type { Program } from '../../world/process/program.ts'
import type { EventName } from '../events/event-table.ts'
import { later, type Later, type Reply } from '../reply.ts'
import { Capture, OUTPUT_CAP } from './capture.ts'
import {
  asyncReply,
  withTimeLimit,
  buildHook,
  type OutsideContext,
  type OutsideHook,
  type OutsideSpec
} from './spec.ts'
import { defaultEnvironment, type HookEnvironment } from './hook-environment.ts'
import { WarmProcesses, type HookProcess } from './prewarm.ts'
import { checkCommand, identityOf, labelOf, programFor, startErrorText, type ProgramSpec } from './program.ts'
import { readProcessReply } from './process-reply.ts'
import { scriptsNamedBy } from './paths.ts'
import { jsonIn } from '../../util/attempt.ts'
import { HookFailure } from '../dispatch/hook-failure.ts'

/** A hook that is a command: it reads the event on standard input and answers by exit code and standard output. */
export interface CommandSpec<E extends EventName = EventName> extends OutsideSpec<E>, ProgramSpec {
  /** The event does not wait; the answer reaches the registry's `onLate`. */
  async?: boolean | undefined
  /** The same; and exit code 2 wakes the agent with `rewakeMessage` and the command's output. */
  asyncRewake?: boolean | undefined
  rewakeMessage?: string | undefined
  rewakeSummary?: string | undefined
  /** Start the next process ahead, so that it waits on standard input for the event. For scripts that read first. */
  prewarm?: boolean | undefined
}

/** A hook that runs a command for each event. */
export function commandHook<const E extends EventName = EventName>(
  spec: CommandSpec<E>,
  place: HookEnvironment = defaultEnvironment()
): OutsideHook<E> {
  checkCommand(spec)
  const warm = spec.prewarm === true ? new WarmProcesses(spec, place) : undefined
  return buildHook(spec, place, {
    label: labelOf(spec),
    identity: `command\0${identityOf(spec)}`,
    run: ctx => runCommand({ spec, place, ctx }, warm),
    close: () => warm?.close()
  })
}

interface CommandRun {
  readonly spec: CommandSpec
  readonly place: HookEnvironment
  readonly ctx: OutsideContext
}

function runCommand(run: CommandRun, warm: WarmProcesses | undefined): Later | Promise<Reply | Later | undefined> {
  const { spec, place, ctx } = run
  const program = programFor(spec, place, ctx)
  const scripts = scriptsNamedBy([program.file, ...program.args], program.cwd, program.env)
  let payload: string | undefined
  const ask = (process: HookProcess): Promise<Reply | Later | undefined> => {
    payload ??= eventPayload(ctx, process)
    const followed = follow(process, run).then(reply => checkScripts(reply, scripts))
    const answer = spec.asyncRewake === true ? wakeAgent(followed, process, run) : followed
    process.running.write(payload)
    process.running.close()
    void process.running.ended.then(() => warm?.prepare(program))
    return answer
  }
  const waiting = warm?.take(program)
  const answer = ask(waiting ?? startCold(program, place, warm)).catch((error: unknown) => {
    // A process that ended before it got the event has answered something else.
    if (error !== MISSED) throw error
    warm?.giveUp()
    return ask(startCold(program, place, undefined))
  })
  return isAsync(spec) ? later(answer as Promise<Reply>) : answer
}

/** If the script became a folder before it was opened, the shell reads nothing, does nothing and reports success. */
function checkScripts<T>(reply: T | undefined, scripts: readonly string[]): T | undefined {
  const lost = reply === undefined ? scripts.find(isFolder) : undefined
  if (lost === undefined) return reply
  throw new HookFailure('spawn', `its script became a folder while it ran, so an empty answer means nothing: ${lost}`)
}

const isAsync = (spec: CommandSpec): boolean => spec.async === true || spec.asyncRewake === true

/** In seconds. */
const USUAL_TIME = 600

/** Applies the time limit; the answer decides nothing any more, but exit code 2 wakes the agent. */
function wakeAgent(
  answer: Promise<Reply | Later | undefined>,
  { running, capture }: HookProcess,
  { spec, place, ctx: { event } }: CommandRun
): Promise<Reply | undefined> {
  const pending = { answer: answer as Promise<Reply | undefined>, end: () => running.end() }
  const late = withTimeLimit(pending, (spec.timeout ?? USUAL_TIME) * 1000, place.clock)
  const woken = Promise.all([late, running.ended]).then(([, { code }]) => {
    if (code !== 2) return undefined
    const printed = (capture.text('stderr').trim() || capture.text('stdout').trim()).slice(0, LONGEST_WAKING)
    const before = spec.rewakeMessage ?? `${event} hook ${spec.name ?? labelOf(spec)} reports:`
    return { text: `<system-reminder>\n${before}\n${printed}\n</system-reminder>`, summary: spec.rewakeSummary }
  })
  woken.catch(() => undefined)
  place.options.onWake?.(woken)
  return Promise.all([late, running.ended]).then(([reply, { code }]) => (code === 2 ? undefined : reply))
}

/** Characters of a hook's output that an agent is woken with. */
const LONGEST_WAKING = 10_000

/** Written while the process starts. A process that accepts no input must not wait for it. */
function eventPayload(ctx: OutsideContext, { running }: HookProcess): string {
  try {
    return `${maskCredentials(ctx.wire)}\n`
  } catch (error) {
    running.end()
    throw error
  }
}

const MISSED = new HookFailure('spawn', 'ended before it was given the event')

function startCold(program: Program, place: HookEnvironment, warm: WarmProcesses | undefined): HookProcess {
  const capture = new Capture()
  const begun = place.clock.now()
  const running = place.start(program, capture)
  void running.ended.then(() => warm?.learn(place.clock.now() - begun))
  return { capture, running, ahead: false }
}

function follow({ running, capture, ahead }: HookProcess, run: CommandRun): Promise<Reply | Later | undefined> {
  const { spec, place, ctx } = run
  const report = (exit_code?: number): void =>
    ctx.ran({
      stdout: capture.text('stdout'),
      stderr: capture.text('stderr'),
      ...(exit_code !== undefined && { exit_code })
    })
  ctx.signal.addEventListener('abort', () => {
    running.end()
    report()
  })
  capture.onPiece = (text, stream) => ctx.progress(text, stream)
  return new Promise((resolve, reject) => {
    let skipped = 0
    const atEnd = running.ended.then(ended => {
      if (ahead && !ended.fed) throw MISSED
      report(ended.code ?? undefined)
      if (ended.left && !ctx.signal.aborted) ctx.note('ended and left others running')
      return readAnswer(ended, capture, skipped, run)
    })
    atEnd.then(resolve, reject)
    capture.onFlood = stream => {
      running.end()
      reject(
        new HookFailure('output', `output cap: it printed more than ${OUTPUT_CAP} bytes on ${stream} and was ended`)
      )
    }
    capture.onFirstLine = line => {
      // `{"async":true}`: the command continues, and its output after that is the answer.
      const options = line.includes('async') ? jsonIn(line) : undefined
      if (!isObject(options) || options['async'] !== true) return
      skipped = Buffer.byteLength(line) + 1
      if (!isAsync(spec)) resolve(asyncReply(options, { answer: atEnd, end: () => running.end() }, spec, place.clock))
    }
  })
}

function readAnswer(ended: Ended, capture: Capture, skipped: number, { spec, ctx }: CommandRun): Reply | undefined {
  if (ended.error !== undefined) throw new HookFailure('spawn', startErrorText(ended.error))
  const stdout = capture.bytes('stdout').subarray(skipped)
  return readProcessReply({ ...ended, stdout, stderr: capture.text('stderr') }, ctx, spec.onFailure)
}
