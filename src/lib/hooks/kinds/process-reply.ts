import { stripVTControlCharacters } from 'node:util'
import { errorMessage } from '../../errors.ts'
import { parseObject } from '../../util/json.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { Profile } from '../dialect.ts'
import { rowOf, type EventName } from '../events/event-table.ts'
import type { Reply } from '../reply.ts'
import { attempt } from '../../util/attempt.ts'
import { HookFailure } from '../dispatch/hook-failure.ts'

/** The response of a hook outside this process. One without exit codes has ended with 0. */
export interface Raw {
  readonly code: number | null
  readonly signal?: string | null
  readonly stdout: Uint8Array | string
  readonly stderr: string
}

interface RawOccasion {
  readonly event: EventName
  readonly profile: Profile
  letPass(why: string): void
}

/** Reads exit codes, JSON or text. Throws a `HookFailure` for an unusable response. Only this file knows exit codes. */
export function readProcessReply(raw: Raw, asked: RawOccasion, onFailure?: 'block' | 'continue'): Reply | undefined {
  if (raw.code === 0) return readOutput(outputText(raw.stdout), asked)
  if (raw.code === 2) return readRefusal(raw, asked)
  const reply = replyIn(raw.stdout)
  const obeys = asked.profile === 'compat' && onFailure !== 'block' && raw.code !== null
  const { refuses } = reply === undefined ? { refuses: false } : refusalIn(reply)
  if (obeys && reply !== undefined && !refuses)
    asked.letPass(`exit code ${raw.code} is a failure in the strict profile`)
  if (reply !== undefined && (obeys || refuses)) return reply
  throw endedBadly(raw)
}

function readOutput(text: string, asked: RawOccasion): Reply | undefined {
  const trimmed = trimmedJson(text)
  if (trimmed === '') return undefined
  if (!trimmed.startsWith('{')) return readText(trimmed, asked)
  try {
    return parseObject(trimmed)
  } catch (error) {
    if (asked.profile === 'compat' && takesText(asked)) {
      asked.letPass('broken JSON is text in the compat profile')
      return contextOf(trimmed, asked)
    }
    throw new HookFailure('reply', `what it printed begins with { but ${errorMessage(error)}`)
  }
}

const BLANKS = ' \t\r\n'

/** Trims only the whitespace that JSON allows; `trim` removes more. */
function trimmedJson(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && BLANKS.includes(text.charAt(from))) from++
  while (to > from && BLANKS.includes(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

const DECISION =
  /["'](?:permission_?decision|decision|continue(?:_?execution)?|hook_?specific_?output|behavior)["']\s*:/i

function readText(text: string, asked: RawOccasion): Reply | undefined {
  if (DECISION.test(text)) {
    const why = 'it printed text with a decision in it, which would not be read'
    const advice = 'print the JSON alone: nothing before it, nothing after it'
    if (asked.profile === 'strict') throw new HookFailure('reply', `${why}; ${advice}`)
    asked.letPass(why)
  }
  return takesText(asked) ? contextOf(text, asked) : undefined
}

/** When a session or a prompt begins, or the model was changed, printed text is for the model. */
function takesText({ event }: RawOccasion): boolean {
  const { answer } = rowOf(event)
  if (event === 'PostModelSwitch') return true
  return answer === 'session' || answer === 'prompt' || answer === 'expansion'
}

const contextOf = (text: string, { event }: RawOccasion): Reply => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: text }
})

/** Exit code 2 refuses, whatever was printed. JSON beside it may give a reason, and add what does not contradict. */
function readRefusal(raw: Raw, asked: RawOccasion): Reply {
  const said = replyIn(raw.stdout)
  const stderr = stripVTControlCharacters(raw.stderr).trim()
  const launcher = said === undefined ? launcherError(stderr, asked) : undefined
  if (launcher !== undefined) throw new HookFailure('spawn', `its script could not be opened: ${launcher}`)
  if (asked.profile === 'compat' && rowOf(asked.event).answer === 'permission')
    throw new HookFailure('exit', `exit code 2 refuses nothing on ${asked.event} in the compat profile`)
  const { reason } = said === undefined ? { reason: undefined } : refusalIn(said)
  const reply: Reply = { decision: 'deny', reason: reason ?? (stderr || 'exit code 2, without a reason on stderr') }
  if (said !== undefined) addHarmless(reply, said, asked)
  return reply
}

function addHarmless(reply: Reply, said: PlainObject, { event }: RawOccasion): void {
  const text = (object: PlainObject, key: string): string | undefined => {
    const value = read(object, key)
    return typeof value === 'string' ? value : undefined
  }
  const context = text(specificOf(said), 'additionalContext')
  if (context !== undefined) reply.hookSpecificOutput = { hookEventName: event, additionalContext: context }
  const [systemMessage, stopReason] = [text(said, 'systemMessage'), text(said, 'stopReason')]
  if (systemMessage !== undefined) reply.systemMessage = systemMessage
  if (stopReason !== undefined) reply.stopReason = stopReason
  if (said['continue'] === false) reply.continue = false
}

/** Interpreters that cannot open their script also exit with 2. That is not a refusal: the script never ran. */
const LAUNCHERS = [
  /^.*python[\d.]*: can't open file .*/im,
  /^.*: \d+: (?:\.: )?(?:cannot|can't) open .*/im,
  /^can't open perl script .*/im,
  /^could not open input file: .*/im
]

/** The contract's reference host distinguishes this only where a hook could keep an agent from stopping. */
function launcherError(stderr: string, { event, profile }: RawOccasion): string | undefined {
  if (profile === 'compat' && rowOf(event).answer !== 'stop') return undefined
  for (const launcher of LAUNCHERS) {
    const line = launcher.exec(stderr)?.[0]
    if (line !== undefined) return line
  }
  return undefined
}

const NOT_STARTED =
  /not found|no such file|permission denied|cannot execute|bad interpreter|is a directory|not a directory|exec format/i

function endedBadly({ code, signal, stderr }: Raw): HookFailure {
  const said = firstWords(stderr)
  if (code === null) return new HookFailure('signal', `was ended by ${signal ?? 'a signal'}${said}`)
  if ((code === 126 || code === 127) && NOT_STARTED.test(stderr))
    return new HookFailure('spawn', `could not be started${said}`)
  return new HookFailure('exit', `ended with exit code ${code}; only 0 is an answer and only 2 a refusal${said}`)
}

function firstWords(stderr: string): string {
  const words = stripVTControlCharacters(stderr).trim()
  if (words === '') return ' (nothing on stderr)'
  return `: ${words.length > 500 ? `${words.slice(0, 500)}…` : words}`
}

const replyIn = (stdout: Raw['stdout']): PlainObject | undefined =>
  attempt(() => parseObject(outputText(stdout).trim()))

function refusalIn(reply: PlainObject): { readonly refuses: boolean; readonly reason: string | undefined } {
  const specific = specificOf(reply)
  const permission = read(specific, 'decision')
  const behaviour = isObject(permission) ? permission : {}
  const found = [
    [isRefusal(read(specific, 'permissionDecision')), read(specific, 'permissionDecisionReason')],
    [isRefusal(read(behaviour, 'behavior')), read(behaviour, 'message')],
    [isRefusal(reply['decision']), reply['reason']],
    [read(reply, 'continueExecution') === false, read(reply, 'stopReason')],
    [reply['continue'] === false, read(reply, 'stopReason')]
  ].find(([refuses]) => refuses === true)
  const reason = found?.[1]
  return { refuses: found !== undefined, reason: typeof reason === 'string' && reason !== '' ? reason : undefined }
}

const isRefusal = (word: unknown): boolean => word === 'deny' || word === 'block'

const specificOf = (reply: PlainObject): PlainObject => {
  const specific = read(reply, 'hookSpecificOutput')
  return isObject(specific) ? specific : {}
}

/** Both spellings are read, and camel case wins. */
const read = (object: PlainObject, key: string): unknown =>
  object[key] ?? object[key.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)]

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** A byte order mark is accepted once, at the start. */
function outputText(output: Raw['stdout']): string {
  let text: string
  try {
    text = typeof output === 'string' ? output.replace(/^\uFEFF/, '') : UTF_8.decode(output)
  } catch {
    throw new HookFailure('output', 'what it printed is not UTF-8')
  }
  if (text.includes('\0')) throw new HookFailure('output', 'what it printed holds NUL bytes')
  return text
}
