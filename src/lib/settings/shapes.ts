import { nearest } from '../errors.ts'
import { EVENT_NAMES, parseEvent, rowOf, type EventName } from '../hooks/events.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import type { Findings, Path } from './finding.ts'
import { HANDLERS, isHandlerType, KEY_TYPES, rulesOf, type HandlerType } from './handlers.ts'

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
  readonly path: Path
  /** Hooks of one rule have this in common. */
  readonly rule: string
  /** Seconds, where neither the file nor the contract says otherwise. */
  readonly defaultTimeout: number | undefined
}

/** Events of the contract that have no place here. */
const FOREIGN = 'PreModelSwitch PostModelSwitch WorktreeCreate WorktreeRemove DirectoryAdded MessageDisplay'.split(' ')

/** More than all events in all spellings. */
const MOST_EVENTS = 500

/** The older forms have a name or nothing beside their command, and a minute of time. */
const SIMPLE_TIMEOUT = 60

/** Reads a map from events to hooks, in any of the shapes that are in use. A bad entry costs that entry. */
export function readHooks(value: unknown, path: Path, findings: Findings): readonly Declared[] {
  if (!isObject(value)) {
    findings.add(
      'error',
      'hooks-shape',
      path,
      'hooks should be an object from events to rules',
      'write "hooks": { "PreToolUse": [ … ] }',
      true
    )
    return []
  }
  const names = Object.keys(value)
  if (names.length > MOST_EVENTS) {
    findings.add(
      'error',
      'too-many',
      path,
      `${names.length} keys are not events`,
      'docs/hooks.md lists the events',
      true
    )
    return []
  }
  return names.flatMap(name => {
    const event = eventOf(name, [...path, name], findings)
    return event === undefined ? [] : new EventReader(event, findings).read(value[name], [...path, name])
  })
}

function eventOf(name: string, path: Path, findings: Findings): EventName | undefined {
  try {
    return parseEvent(name)
  } catch {
    if (FOREIGN.includes(name)) {
      findings.add(
        'info',
        'event-not-here',
        path,
        `${name} is an event of Claude Code that Carabiner does not fire`,
        'nothing to do: these hooks stay for Claude Code'
      )
    } else if (name !== 'description') {
      const near = nearest(name, [...EVENT_NAMES, ...FOREIGN])
      const fix = near === undefined ? 'docs/hooks.md lists the events' : `did you mean ${near}?`
      findings.add('error', 'event-unknown', path, `there is no event ${JSON.stringify(name)}`, fix, true)
    }
    return undefined
  }
}

const LONGEST_MATCHER = 10_000
const RULE_KEYS = ['matcher', 'hooks', 'description']

/** Reads what stands under one event. */
class EventReader {
  readonly #event: EventName
  readonly #findings: Findings

  constructor(event: EventName, findings: Findings) {
    this.#event = event
    this.#findings = findings
  }

  read(value: unknown, path: Path): readonly Declared[] {
    if (Array.isArray(value)) return value.flatMap((item, place) => this.#item(item, [...path, place]))
    if (!isObject(value))
      return this.#bad(
        'rules-shape',
        path,
        `${this.#event} should hold a list of rules`,
        'write [ { "matcher": "…", "hooks": [ … ] } ]'
      )
    if (Array.isArray(value['hooks'])) {
      this.#foreign(
        'rules-shape',
        path,
        'a single rule stands here without a list around it; Claude Code would ignore the whole file',
        'put [ ] around it'
      )
      return this.#rule(value, path)
    }
    this.#foreign(
      'named-map',
      path,
      'hooks by name are a form that Claude Code ignores, together with the whole file',
      'move them under carabiner.hooks, or write a list of rules'
    )
    return Object.keys(value).flatMap(name => this.#named(name, value[name], [...path, name]))
  }

  /** `"name": "command"` or `"name": { "command": …, "matcher": … }`. */
  #named(name: string, value: unknown, path: Path): readonly Declared[] {
    if (typeof value === 'string') return this.#simple(value, path, name)
    if (!isObject(value))
      return this.#bad('handler-shape', path, `${name} is neither a command nor an object`, 'write { "command": "…" }')
    return this.#flat({ name, ...value }, path, SIMPLE_TIMEOUT)
  }

  #item(value: unknown, path: Path): readonly Declared[] {
    if (typeof value === 'string') {
      this.#foreign(
        'bare-command',
        path,
        'a bare command is a form that Claude Code ignores, together with the whole file',
        'write { "hooks": [ { "type": "command", "command": "…" } ] }'
      )
      return this.#simple(value, path, undefined)
    }
    if (!isObject(value))
      return this.#bad('rule-shape', path, 'a rule should be an object', 'write { "matcher": "…", "hooks": [ … ] }')
    if (value['hooks'] !== undefined) return this.#rule(value, path)
    if (value['hook'] !== undefined)
      return this.#bad('rule-hook', path, 'a rule has "hooks", a list, and not "hook"', 'write "hooks": [ … ]')
    if (value['type'] === undefined && value['command'] === undefined && value['url'] === undefined)
      return this.#bad(
        'rule-empty',
        path,
        'this rule has no hooks',
        'add "hooks": [ { "type": "command", "command": "…" } ]'
      )
    return this.#flat(value, path, undefined)
  }

  #simple(command: string, path: Path, name: string | undefined): readonly Declared[] {
    return this.#declare({ type: 'command', command }, path, {
      name,
      matcher: undefined,
      defaultTimeout: SIMPLE_TIMEOUT
    })
  }

  /** A handler that carries its matcher itself. */
  #flat(value: PlainObject, path: Path, defaultTimeout: number | undefined): readonly Declared[] {
    const { matcher, ...handler } = value
    const tested = this.#matcher(matcher, path)
    return tested === BAD ? [] : this.#declare(handler, path, { name: undefined, matcher: tested, defaultTimeout })
  }

  #rule(rule: PlainObject, path: Path): readonly Declared[] {
    const matcher = this.#matcher(rule['matcher'], path)
    if (matcher === BAD) return []
    const handlers = rule['hooks']
    if (!Array.isArray(handlers))
      return this.#bad('rule-hooks', [...path, 'hooks'], 'hooks of a rule should be a list', 'put [ ] around it')
    for (const key of Object.keys(rule)) {
      if (RULE_KEYS.includes(key)) continue
      const near = nearest(key, RULE_KEYS)
      const fix = near === undefined ? 'delete it' : `did you mean ${near}?`
      const isOfHook = Object.hasOwn(HANDLERS.command, key)
      this.#warn('rule-key', [...path, key], `${key} is not read on a rule`, isOfHook ? 'move it into the hook' : fix)
    }
    return handlers.flatMap((handler: unknown, place) =>
      this.#handler(handler, [...path, 'hooks', place], path, matcher)
    )
  }

  #handler(handler: unknown, path: Path, rule: Path, matcher: string | undefined): readonly Declared[] {
    if (typeof handler === 'string')
      return this.#bad(
        'handler-shape',
        path,
        'a hook of a rule should be an object',
        'write { "type": "command", "command": "…" }'
      )
    if (!isObject(handler))
      return this.#bad(
        'handler-shape',
        path,
        'a hook should be an object',
        'write { "type": "command", "command": "…" }'
      )
    return this.#declare(handler, path, { name: undefined, matcher, defaultTimeout: undefined, rule })
  }

  #declare(
    given: PlainObject,
    path: Path,
    {
      rule = path,
      name,
      matcher,
      defaultTimeout
    }: { rule?: Path; name: string | undefined; matcher: string | undefined; defaultTimeout: number | undefined }
  ): readonly Declared[] {
    const handler = this.#withType(renamed(given), path)
    const { type } = handler
    if (!isHandlerType(type)) {
      const near = nearest(String(type), Object.keys(HANDLERS))
      return this.#bad(
        'type-unknown',
        [...path, 'type'],
        `there is no kind of hook ${JSON.stringify(type)}`,
        near === undefined ? `use ${Object.keys(HANDLERS).join(', ')}` : `did you mean ${JSON.stringify(near)}?`
      )
    }
    if (!this.#fits(type, handler, path)) return []
    const { name: own, ...spec } = handler
    const named = name ?? (typeof own === 'string' ? own : undefined)
    return [
      {
        event: this.#event,
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

  #withType(handler: PlainObject, path: Path): PlainObject {
    if (handler['type'] !== undefined) return handler
    const type = handler['url'] === undefined ? 'command' : 'http'
    if (path.at(-2) === 'hooks')
      this.#foreign(
        'type-missing',
        path,
        'it does not say its type; Claude Code would ignore the whole file',
        `add "type": "${type}"`
      )
    return { type, ...handler }
  }

  #fits(type: HandlerType, handler: PlainObject, path: Path): boolean {
    const rules = rulesOf(type)
    let fits = true
    const fail = (code: string, key: string, message: string, fix: string): void => {
      this.#bad(code, [...path, key], message, fix)
      fits = false
    }
    for (const [key, rule] of Object.entries(rules)) {
      const value = handler[key]
      if (rule.required === true && (value === undefined || (typeof value === 'string' && value.trim() === '')))
        fail('key-missing', key, `a ${type} hook needs ${key}`, `add "${key}": ${rule.words}`)
      else if (value !== undefined && !KEY_TYPES[rule.takes].fits(value))
        fail('key-type', key, `${key} cannot be ${JSON.stringify(value)}`, `give ${KEY_TYPES[rule.takes].words}`)
    }
    for (const key of Object.keys(handler)) if (!Object.hasOwn(rules, key)) this.#stray(key, Object.keys(rules), path)
    return fits
  }

  #stray(key: string, known: readonly string[], path: Path): void {
    const near = nearest(key, known)
    this.#warn(
      'key-unknown',
      [...path, key],
      `${key} is not read here`,
      near === undefined ? 'delete it' : `did you mean ${near}?`
    )
  }

  #matcher(value: unknown, path: Path): string | undefined | typeof BAD {
    if (typeof value === 'string' && value.length > LONGEST_MATCHER) {
      const message = `a matcher of ${value.length} characters is longer than ${LONGEST_MATCHER}`
      this.#bad('matcher-long', [...path, 'matcher'], message, 'make several rules of it')
      return BAD
    }
    if (value === undefined || typeof value === 'string') return value
    this.#bad(
      'matcher-type',
      [...path, 'matcher'],
      `a matcher is text, not ${JSON.stringify(value)}`,
      'write a name, names joined by |, or a regular expression'
    )
    return BAD
  }

  #bad(code: string, path: Path, message: string, fix: string): readonly never[] {
    this.#findings.add('error', code, path, message, fix, rowOf(this.#event).failure === 'closed')
    return []
  }

  /** Something that only Claude Code minds; under `carabiner` it does not look. */
  #foreign(code: string, path: Path, message: string, fix: string): void {
    if (path[0] !== 'carabiner') this.#warn(code, path, message, fix)
  }

  #warn(code: string, path: Path, message: string, fix: string): void {
    this.#findings.add('warning', code, path, message, fix)
  }
}

/** The one key that says what a handler does, with all that a program is given. */
function runsOf(type: HandlerType, { command, url, prompt, tool, args }: PlainObject): string {
  const words = [command, url, prompt, tool].find(value => typeof value === 'string') ?? type
  const given: readonly unknown[] = Array.isArray(args) ? args : []
  return [words, ...given.map(arg => (/^[\w@%+=:,./-]+$/.test(String(arg)) ? String(arg) : JSON.stringify(arg)))].join(
    ' '
  )
}

const BAD = Symbol('bad')

/** Other spellings of keys that are in use. */
const RENAMED: Readonly<Record<string, string>> = { timeout_secs: 'timeout', timeoutSecs: 'timeout', hook_type: 'type' }

const renamed = (handler: PlainObject): PlainObject =>
  Object.fromEntries(
    Object.entries(handler).map(([key, value]) => [Object.hasOwn(RENAMED, key) ? RENAMED[key]! : key, value])
  )
