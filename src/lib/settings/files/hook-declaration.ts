import { nearest } from '../../errors.ts'
import { isGate, type EventName } from '../../hooks/events/event-table.ts'
import type { PlainObject } from '../../util/plain.ts'
import { problemsIn, type KeyPath } from '../../schema/check.ts'
import { problemWords, type Findings, type Words } from './finding.ts'
import { HANDLERS, isAnnotation, isHandlerType, type HandlerType } from './handlers.ts'

/** A hook as a file declares it, checked. */
export interface Declared {
  readonly event: EventName
  readonly matcher: string | undefined
  readonly type: HandlerType
  readonly name: string | undefined
  /** What it runs, asks or calls, for people. */
  readonly runs: string
  /** The keys of its handler. */
  readonly spec: Readonly<PlainObject>
  readonly path: KeyPath
  /** Hooks of one rule have this in common. */
  readonly rule: string
  /** Seconds, where neither the file nor the contract says otherwise. */
  readonly defaultTimeout: number | undefined
}

/** What is to be said about the hooks of one event. */
export class Remarks {
  readonly event: EventName
  readonly #findings: Findings

  constructor(event: EventName, findings: Findings) {
    this.event = event
    this.#findings = findings
  }

  bad(path: KeyPath, ...words: Words): readonly never[] {
    if (isGate(this.event)) this.#findings.gate('error', path, ...words)
    else this.#findings.add('error', path, ...words)
    return []
  }

  /** Something that only Claude Code minds; under `carabiner` it does not look. */
  foreign(path: KeyPath, ...words: Words): void {
    if (path[0] !== 'carabiner') this.warn(path, ...words)
  }

  warn(path: KeyPath, ...words: Words): void {
    this.#findings.add('warning', path, ...words)
  }
}

/** What a file says of a handler outside of it. */
interface Around {
  readonly rule?: KeyPath
  readonly name: string | undefined
  readonly matcher: string | undefined
  readonly defaultTimeout: number | undefined
}

/** Checks a handler. What is wrong with it is remarked, and then it is none. */
export function declare(
  given: PlainObject,
  path: KeyPath,
  { rule = path, name, matcher, defaultTimeout }: Around,
  remarks: Remarks
): readonly Declared[] {
  const handler = withType(renamed(given), path, remarks)
  const { type } = handler
  if (!isHandlerType(type)) {
    const near = nearest(String(type), Object.keys(HANDLERS))
    const fix = near === undefined ? `use ${Object.keys(HANDLERS).join(', ')}` : `did you mean ${JSON.stringify(near)}?`
    return remarks.bad([...path, 'type'], 'type-unknown', `there is no kind of hook ${JSON.stringify(type)}`, fix)
  }
  if (!fits(type, handler, path, remarks)) return []
  const { name: own, ...spec } = handler
  const named = name ?? (typeof own === 'string' ? own : undefined)
  return [
    {
      event: remarks.event,
      matcher,
      type,
      name: named,
      runs: runsOf(type, spec),
      spec,
      path,
      rule: JSON.stringify(rule),
      defaultTimeout
    }
  ]
}

function withType(handler: PlainObject, path: KeyPath, remarks: Remarks): PlainObject {
  if (handler['type'] !== undefined) return handler
  const type = handler['url'] === undefined ? 'command' : 'http'
  const message = 'it does not say its type; Claude Code would ignore the whole file'
  if (path.at(-2) === 'hooks') remarks.foreign(path, 'type-missing', message, `add "type": "${type}"`)
  return { type, ...handler }
}

/** Says what is wrong with a handler. A key that is not read does no harm to the others. */
function fits(type: HandlerType, handler: PlainObject, path: KeyPath, remarks: Remarks): boolean {
  const problems = problemsIn(HANDLERS[type], handler, path)
  for (const problem of problems) {
    const [code, message, fix] = problemWords(problem)
    if (code !== 'key-unknown') remarks.bad(problem.path, code, message, fix)
    else if (!isAnnotation(String(problem.value))) remarks.warn(problem.path, code, message, fix)
  }
  return problems.every(({ code }) => code === 'key-unknown')
}

/** The one key that says what a handler does, with all that a program is given. */
function runsOf(type: HandlerType, { command, url, prompt, tool, args }: PlainObject): string {
  const words = [command, url, prompt, tool].find(value => typeof value === 'string') ?? type
  const given: readonly unknown[] = Array.isArray(args) ? args : []
  return [words, ...given.map(arg => (/^[\w@%+=:,./-]+$/.test(String(arg)) ? String(arg) : JSON.stringify(arg)))].join(
    ' '
  )
}

/** Other spellings of keys that are in use. */
const RENAMED: Readonly<Record<string, string>> = { timeout_secs: 'timeout', timeoutSecs: 'timeout', hook_type: 'type' }

const renamed = (handler: PlainObject): PlainObject =>
  Object.fromEntries(
    Object.entries(handler).map(([key, value]) => [Object.hasOwn(RENAMED, key) ? RENAMED[key]! : key, value])
  )
