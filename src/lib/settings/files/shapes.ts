import { nearest } from '../../errors.ts'
import { EVENT_NAMES, isGate, parseEvent, type EventName } from '../../hooks/events/event-table.ts'
import { problemsIn, rowsIn, type KeyPath } from '../../schema/check.ts'
import { attempt } from '../../util/attempt.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { problemWords, type Findings, type FindingWords } from './finding.ts'
import { HANDLERS, isAnnotation, isHandlerType, type HandlerType } from './handlers.ts'

export interface Declared {
  readonly event: EventName
  readonly matcher: string | undefined
  readonly type: HandlerType
  readonly name: string | undefined
  /** What it runs, asks or calls, for display. */
  readonly runs: string
  readonly spec: Readonly<PlainObject>
  readonly path: KeyPath
  /** Equal for the hooks of one rule. */
  readonly rule: string
  /** In seconds; used where neither the file nor the contract sets one. */
  readonly defaultTimeout: number | undefined
}

/** Events of Claude Code that are not fired here, since worktrees are not part of this agent. */
const FOREIGN = ['WorktreeCreate', 'WorktreeRemove']

const ONE_OF_ALL = `use one of ${EVENT_NAMES.join(', ')}`
const VOIDS_FILE = 'Claude Code would ignore the whole file'

/** More than all events in all spellings. */
const MOST_EVENTS = 500
const LONGEST_MATCHER = 10_000
const RULE_KEYS = ['matcher', 'hooks']

/** In seconds; for the older shapes, which have no `timeout` of their own. */
const SIMPLE_TIMEOUT = 60

const meant = (near: string | undefined, otherwise: string): string =>
  near === undefined ? otherwise : `did you mean ${near}?`

/** Accepts every shape that is in use. A bad entry costs that entry only. */
export function readHooks(value: unknown, path: KeyPath, findings: Findings): readonly Declared[] {
  const names = isObject(value) ? Object.keys(value) : []
  if (!isObject(value)) findings.gate('error', path, 'hooks-shape', 'hooks should be an object from events to rules')
  else if (names.length <= MOST_EVENTS)
    return names.flatMap(name => {
      if (/^[$_#/]/.test(name) && typeof value[name] === 'string') return []
      const event = eventOf(name, [...path, name], findings)
      return event === undefined ? [] : new EventReader(event, findings).read(value[name], [...path, name])
    })
  else findings.gate('error', path, 'too-many', `${names.length} keys are not events`, ONE_OF_ALL)
  return []
}

function eventOf(name: string, path: KeyPath, findings: Findings): EventName | undefined {
  const event = attempt(() => parseEvent(name))
  if (event !== undefined || name === 'description') return event
  if (FOREIGN.includes(name))
    findings.add('info', path, 'event-not-here', `${name} is an event of Claude Code, and this agent has no worktrees`)
  else {
    const fix = meant(nearest(name, [...EVENT_NAMES, ...FOREIGN]), ONE_OF_ALL)
    findings.gate('error', path, 'event-unknown', `there is no event ${JSON.stringify(name)}`, fix)
  }
  return undefined
}

const BAD = Symbol('bad')

class EventReader {
  readonly #event: EventName
  readonly #findings: Findings

  constructor(event: EventName, findings: Findings) {
    this.#event = event
    this.#findings = findings
  }

  #bad(path: KeyPath, ...words: FindingWords): readonly never[] {
    if (isGate(this.#event)) this.#findings.gate('error', path, ...words)
    else this.#findings.add('error', path, ...words)
    return []
  }

  /** For what only Claude Code objects to; it does not read what is under `carabiner`. */
  #foreign(path: KeyPath, ...words: FindingWords): void {
    if (path[0] !== 'carabiner') this.#findings.add('warning', path, ...words)
  }

  read(value: unknown, path: KeyPath): readonly Declared[] {
    const event = this.#event
    if (path.at(-1) !== event) {
      const message = `Claude Code knows this event as ${event} only, and would not run these hooks`
      this.#foreign(path, 'event-spelling', message, `write ${event}, or move it under carabiner.hooks`)
    }
    if (Array.isArray(value)) return value.flatMap((item, place) => this.#item(item, [...path, place]))
    if (!isObject(value)) return this.#bad(path, 'rules-shape', `${event} should hold a list of rules`)
    if (Array.isArray(value['hooks'])) {
      this.#foreign(path, 'rules-shape', `a single rule has no list around it; ${VOIDS_FILE}`, 'put [ ] around it')
      return this.#rule(value, path)
    }
    this.#foreign(path, 'named-map', `these are hooks by name; ${VOIDS_FILE}`)
    return Object.keys(value).flatMap(name => this.#namedHook(name, value[name], [...path, name]))
  }

  /** `"name": "command"` or `"name": { "command": …, "matcher": … }`. */
  #namedHook(name: string, value: unknown, path: KeyPath): readonly Declared[] {
    const handler = typeof value === 'string' ? { type: 'command', command: value } : value
    if (isObject(handler)) return this.#flat({ name, ...handler }, path, SIMPLE_TIMEOUT)
    return this.#bad(path, 'handler-shape', `${name} is not a command or an object`, 'write { "command": "…" }')
  }

  #item(value: unknown, path: KeyPath): readonly Declared[] {
    if (typeof value === 'string') {
      this.#foreign(path, 'bare-command', `this is a bare command; ${VOIDS_FILE}`)
      return this.#declare({ type: 'command', command: value }, path, { defaultTimeout: SIMPLE_TIMEOUT })
    }
    if (!isObject(value)) return this.#bad(path, 'rule-shape', 'a rule should be an object')
    if (value['hooks'] !== undefined) return this.#rule(value, path)
    if (value['hook'] !== undefined) return this.#bad(path, 'rule-hook', 'a rule has "hooks", a list, and not "hook"')
    if (['type', 'command', 'url'].every(key => value[key] === undefined))
      return this.#bad(path, 'rule-empty', 'this rule has no hooks')
    this.#foreign(path, 'rule-missing', `this hook has no rule around it; ${VOIDS_FILE}`)
    return this.#flat(value, path, undefined)
  }

  #flat(value: PlainObject, path: KeyPath, defaultTimeout: number | undefined): readonly Declared[] {
    const { matcher: given, ...handler } = value
    const matcher = this.#matcher(given, path)
    return matcher === BAD ? [] : this.#declare(handler, path, { matcher, defaultTimeout })
  }

  #rule(rule: PlainObject, path: KeyPath): readonly Declared[] {
    const matcher = this.#matcher(rule['matcher'], path)
    if (matcher === BAD) return []
    const handlers = rule['hooks']
    if (!Array.isArray(handlers)) return this.#bad([...path, 'hooks'], 'rule-hooks', 'hooks of a rule should be a list')
    if (handlers.length === 0)
      this.#findings.gate('warning', [...path, 'hooks'], 'rule-empty', 'this rule has no hooks, so nothing runs')
    for (const key of Object.keys(rule)) {
      if (RULE_KEYS.includes(key) || isAnnotation(key)) continue
      const isOfHook = rowsIn(HANDLERS.command).some(({ name }) => name === key)
      const fix = isOfHook ? 'move it into the hook' : meant(nearest(key, RULE_KEYS), 'delete it')
      this.#findings.add('warning', [...path, key], 'rule-key', `${key} is not read on a rule`, fix)
    }
    return handlers.flatMap((handler: unknown, place) => {
      const own = [...path, 'hooks', place]
      if (!isObject(handler)) return this.#bad(own, 'handler-shape', 'a hook of a rule should be an object')
      return this.#declare(handler, own, { matcher }, path)
    })
  }

  #matcher(value: unknown, path: KeyPath): string | undefined | typeof BAD {
    const own = [...path, 'matcher']
    if (value !== undefined && typeof value !== 'string')
      this.#bad(own, 'matcher-type', `a matcher is text, not ${JSON.stringify(value)}`)
    else if (value === undefined || value.length <= LONGEST_MATCHER) return value
    else this.#bad(own, 'matcher-long', `a matcher of ${value.length} characters is longer than ${LONGEST_MATCHER}`)
    return BAD
  }

  #declare(
    given: PlainObject,
    path: KeyPath,
    { matcher, defaultTimeout }: Partial<Pick<Declared, 'matcher' | 'defaultTimeout'>>,
    rule = path
  ): readonly Declared[] {
    const { name, ...spec } = this.#withType(renamed(given), path)
    const { type } = spec
    if (!isHandlerType(type)) {
      const kinds = Object.keys(HANDLERS)
      const near = nearest(String(type), kinds)
      const fix = meant(near && JSON.stringify(near), `use ${kinds.join(', ')}`)
      return this.#bad([...path, 'type'], 'type-unknown', `there is no kind of hook ${JSON.stringify(type)}`, fix)
    }
    const handler = name === undefined ? spec : { ...spec, name }
    if (!this.#fits(type, handler, path)) return []
    const common = { event: this.#event, matcher, type, name: name as string | undefined, runs: runsOf(type, spec) }
    return [{ ...common, spec, path, rule: JSON.stringify(rule), defaultTimeout }]
  }

  #withType(handler: PlainObject, path: KeyPath): PlainObject {
    if (handler['type'] !== undefined) return handler
    const type = handler['url'] === undefined ? 'command' : 'http'
    if (path.at(-2) === 'hooks')
      this.#foreign(path, 'type-missing', `it has no type; ${VOIDS_FILE}`, `add "type": "${type}"`)
    return { type, ...handler }
  }

  /** An unknown key does not invalidate the others. */
  #fits(type: HandlerType, handler: PlainObject, path: KeyPath): boolean {
    const problems = problemsIn(HANDLERS[type], handler, path)
    for (const problem of problems) {
      const words = problemWords(problem)
      if (problem.code !== 'key-unknown') this.#bad(problem.path, ...words)
      else if (!isAnnotation(String(problem.value))) this.#findings.add('warning', problem.path, ...words)
    }
    return problems.every(({ code }) => code === 'key-unknown')
  }
}

function runsOf(type: HandlerType, { command, url, prompt, tool, args }: PlainObject): string {
  const words = [command, url, prompt, tool].find(value => typeof value === 'string') ?? type
  const more = (Array.isArray(args) ? args : []).map(arg => {
    const word = String(arg)
    return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)
  })
  return [words, ...more].join(' ')
}

const RENAMED: Readonly<Record<string, string>> = { timeout_secs: 'timeout', timeoutSecs: 'timeout', hook_type: 'type' }

const renamed = (handler: PlainObject): PlainObject =>
  Object.fromEntries(
    Object.entries(handler).map(([key, value]) => [(Object.hasOwn(RENAMED, key) && RENAMED[key]) || key, value])
  )
