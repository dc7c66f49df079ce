import { nearest } from '../../errors.ts'
import { EVENT_NAMES, parseEvent, type EventName } from '../../hooks/events/event-table.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { declare, Remarks, type Declared } from './hook-declaration.ts'
import { rowsIn, type KeyPath } from '../../schema/check.ts'
import type { Findings } from './finding.ts'
import { HANDLERS, isAnnotation } from './handlers.ts'

/** Events of the contract that have no place here. */
const FOREIGN = 'PreModelSwitch PostModelSwitch WorktreeCreate WorktreeRemove DirectoryAdded MessageDisplay'.split(' ')

const ONE_OF_ALL = `use one of ${EVENT_NAMES.join(', ')}`

/** More than all events in all spellings. */
const MOST_EVENTS = 500

/** The older forms have a name or nothing beside their command, and a minute of time. */
const SIMPLE_TIMEOUT = 60

/** Reads a map from events to hooks, in any of the shapes that are in use. A bad entry costs that entry. */
export function readHooks(value: unknown, path: KeyPath, findings: Findings): readonly Declared[] {
  if (!isObject(value)) {
    findings.gate('error', path, 'hooks-shape', 'hooks should be an object from events to rules')
    return []
  }
  const names = Object.keys(value)
  if (names.length > MOST_EVENTS) {
    findings.gate('error', path, 'too-many', `${names.length} keys are not events`, ONE_OF_ALL)
    return []
  }
  return names.flatMap(name => {
    if (/^[$_#/]/.test(name) && typeof value[name] === 'string') return []
    const event = eventOf(name, [...path, name], findings)
    return event === undefined ? [] : new EventReader(event, findings).read(value[name], [...path, name])
  })
}

function eventOf(name: string, path: KeyPath, findings: Findings): EventName | undefined {
  try {
    return parseEvent(name)
  } catch {
    if (FOREIGN.includes(name)) {
      const message = `${name} is an event of Claude Code that Carabiner does not fire`
      findings.add('info', path, 'event-not-here', message)
    } else if (name !== 'description') {
      const near = nearest(name, [...EVENT_NAMES, ...FOREIGN])
      const fix = near === undefined ? ONE_OF_ALL : `did you mean ${near}?`
      findings.gate('error', path, 'event-unknown', `there is no event ${JSON.stringify(name)}`, fix)
    }
    return undefined
  }
}

const LONGEST_MATCHER = 10_000
const RULE_KEYS = ['matcher', 'hooks']

/** Reads what stands under one event. */
class EventReader {
  readonly #remarks: Remarks

  constructor(event: EventName, findings: Findings) {
    this.#remarks = new Remarks(event, findings)
  }

  read(value: unknown, path: KeyPath): readonly Declared[] {
    const { event } = this.#remarks
    if (path.at(-1) !== event)
      this.#remarks.foreign(
        path,
        'event-spelling',
        `Claude Code knows this event as ${event} only, and would not run what stands here`,
        `write ${event}, or move it under carabiner.hooks`
      )
    if (Array.isArray(value)) return value.flatMap((item, place) => this.#item(item, [...path, place]))
    if (!isObject(value)) return this.#remarks.bad(path, 'rules-shape', `${event} should hold a list of rules`)
    if (Array.isArray(value['hooks'])) {
      this.#remarks.foreign(
        path,
        'rules-shape',
        'a single rule stands here without a list around it; Claude Code would ignore the whole file',
        'put [ ] around it'
      )
      return this.#rule(value, path)
    }
    this.#remarks.foreign(
      path,
      'named-map',
      'hooks by name are a form that Claude Code ignores, together with the whole file'
    )
    return Object.keys(value).flatMap(name => this.#named(name, value[name], [...path, name]))
  }

  /** `"name": "command"` or `"name": { "command": …, "matcher": … }`. */
  #named(name: string, value: unknown, path: KeyPath): readonly Declared[] {
    if (typeof value === 'string') return this.#simple(value, path, name)
    if (!isObject(value))
      return this.#remarks.bad(
        path,
        'handler-shape',
        `${name} is neither a command nor an object`,
        'write { "command": "…" }'
      )
    return this.#flat({ name, ...value }, path, SIMPLE_TIMEOUT)
  }

  #item(value: unknown, path: KeyPath): readonly Declared[] {
    if (typeof value === 'string') {
      this.#remarks.foreign(
        path,
        'bare-command',
        'a bare command is a form that Claude Code ignores, together with the whole file'
      )
      return this.#simple(value, path, undefined)
    }
    if (!isObject(value)) return this.#remarks.bad(path, 'rule-shape', 'a rule should be an object')
    if (value['hooks'] !== undefined) return this.#rule(value, path)
    if (value['hook'] !== undefined)
      return this.#remarks.bad(path, 'rule-hook', 'a rule has "hooks", a list, and not "hook"')
    if (value['type'] === undefined && value['command'] === undefined && value['url'] === undefined)
      return this.#remarks.bad(path, 'rule-empty', 'this rule has no hooks')
    this.#remarks.foreign(
      path,
      'rule-missing',
      'a hook stands here without a rule around it; Claude Code would ignore the whole file'
    )
    return this.#flat(value, path, undefined)
  }

  #simple(command: string, path: KeyPath, name: string | undefined): readonly Declared[] {
    const around = { name, matcher: undefined, defaultTimeout: SIMPLE_TIMEOUT }
    return declare({ type: 'command', command }, path, around, this.#remarks)
  }

  /** A handler that carries its matcher itself. */
  #flat(value: PlainObject, path: KeyPath, defaultTimeout: number | undefined): readonly Declared[] {
    const { matcher, ...handler } = value
    const tested = this.#matcher(matcher, path)
    return tested === BAD
      ? []
      : declare(handler, path, { name: undefined, matcher: tested, defaultTimeout }, this.#remarks)
  }

  #rule(rule: PlainObject, path: KeyPath): readonly Declared[] {
    const matcher = this.#matcher(rule['matcher'], path)
    if (matcher === BAD) return []
    const handlers = rule['hooks']
    if (!Array.isArray(handlers))
      return this.#remarks.bad([...path, 'hooks'], 'rule-hooks', 'hooks of a rule should be a list')
    for (const key of Object.keys(rule)) {
      if (RULE_KEYS.includes(key) || isAnnotation(key)) continue
      const near = nearest(key, RULE_KEYS)
      const fix = near === undefined ? 'delete it' : `did you mean ${near}?`
      const isOfHook = rowsIn(HANDLERS.command).some(({ name }) => name === key)
      const message = `${key} is not read on a rule`
      this.#remarks.warn([...path, key], 'rule-key', message, isOfHook ? 'move it into the hook' : fix)
    }
    return handlers.flatMap((handler: unknown, place) =>
      this.#handler(handler, [...path, 'hooks', place], path, matcher)
    )
  }

  #handler(handler: unknown, path: KeyPath, rule: KeyPath, matcher: string | undefined): readonly Declared[] {
    if (typeof handler === 'string')
      return this.#remarks.bad(path, 'handler-shape', 'a hook of a rule should be an object')
    if (!isObject(handler)) return this.#remarks.bad(path, 'handler-shape', 'a hook should be an object')
    return declare(handler, path, { name: undefined, matcher, defaultTimeout: undefined, rule }, this.#remarks)
  }

  #matcher(value: unknown, path: KeyPath): string | undefined | typeof BAD {
    if (typeof value === 'string' && value.length > LONGEST_MATCHER) {
      const message = `a matcher of ${value.length} characters is longer than ${LONGEST_MATCHER}`
      this.#remarks.bad([...path, 'matcher'], 'matcher-long', message)
      return BAD
    }
    if (value === undefined || typeof value === 'string') return value
    this.#remarks.bad([...path, 'matcher'], 'matcher-type', `a matcher is text, not ${JSON.stringify(value)}`)
    return BAD
  }
}

const BAD = Symbol('bad')
