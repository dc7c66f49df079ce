import { nearest } from '../errors.ts'
import { EVENT_NAMES, parseEvent, type EventName } from '../hooks/events.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { declare, Remarks, type Declared } from './declared.ts'
import type { Findings, Path } from './finding.ts'
import { HANDLERS, isAnnotation } from './handlers.ts'

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
      `use one of ${EVENT_NAMES.join(', ')}`,
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
      const fix = near === undefined ? `use one of ${EVENT_NAMES.join(', ')}` : `did you mean ${near}?`
      findings.add('error', 'event-unknown', path, `there is no event ${JSON.stringify(name)}`, fix, true)
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

  read(value: unknown, path: Path): readonly Declared[] {
    const { event } = this.#remarks
    if (path.at(-1) !== event)
      this.#remarks.foreign(
        'event-spelling',
        path,
        `Claude Code knows this event as ${event} only, and would not run what stands here`,
        `write ${event}, or move it under carabiner.hooks`
      )
    if (Array.isArray(value)) return value.flatMap((item, place) => this.#item(item, [...path, place]))
    if (!isObject(value))
      return this.#remarks.bad(
        'rules-shape',
        path,
        `${event} should hold a list of rules`,
        'write [ { "matcher": "…", "hooks": [ … ] } ]'
      )
    if (Array.isArray(value['hooks'])) {
      this.#remarks.foreign(
        'rules-shape',
        path,
        'a single rule stands here without a list around it; Claude Code would ignore the whole file',
        'put [ ] around it'
      )
      return this.#rule(value, path)
    }
    this.#remarks.foreign(
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
      return this.#remarks.bad(
        'handler-shape',
        path,
        `${name} is neither a command nor an object`,
        'write { "command": "…" }'
      )
    return this.#flat({ name, ...value }, path, SIMPLE_TIMEOUT)
  }

  #item(value: unknown, path: Path): readonly Declared[] {
    if (typeof value === 'string') {
      this.#remarks.foreign(
        'bare-command',
        path,
        'a bare command is a form that Claude Code ignores, together with the whole file',
        'write { "hooks": [ { "type": "command", "command": "…" } ] }'
      )
      return this.#simple(value, path, undefined)
    }
    if (!isObject(value))
      return this.#remarks.bad(
        'rule-shape',
        path,
        'a rule should be an object',
        'write { "matcher": "…", "hooks": [ … ] }'
      )
    if (value['hooks'] !== undefined) return this.#rule(value, path)
    if (value['hook'] !== undefined)
      return this.#remarks.bad('rule-hook', path, 'a rule has "hooks", a list, and not "hook"', 'write "hooks": [ … ]')
    if (value['type'] === undefined && value['command'] === undefined && value['url'] === undefined)
      return this.#remarks.bad(
        'rule-empty',
        path,
        'this rule has no hooks',
        'add "hooks": [ { "type": "command", "command": "…" } ]'
      )
    this.#remarks.foreign(
      'rule-missing',
      path,
      'a hook stands here without a rule around it; Claude Code would ignore the whole file',
      'write { "hooks": [ … ] } around it, or move it under carabiner.hooks'
    )
    return this.#flat(value, path, undefined)
  }

  #simple(command: string, path: Path, name: string | undefined): readonly Declared[] {
    const around = { name, matcher: undefined, defaultTimeout: SIMPLE_TIMEOUT }
    return declare({ type: 'command', command }, path, around, this.#remarks)
  }

  /** A handler that carries its matcher itself. */
  #flat(value: PlainObject, path: Path, defaultTimeout: number | undefined): readonly Declared[] {
    const { matcher, ...handler } = value
    const tested = this.#matcher(matcher, path)
    return tested === BAD
      ? []
      : declare(handler, path, { name: undefined, matcher: tested, defaultTimeout }, this.#remarks)
  }

  #rule(rule: PlainObject, path: Path): readonly Declared[] {
    const matcher = this.#matcher(rule['matcher'], path)
    if (matcher === BAD) return []
    const handlers = rule['hooks']
    if (!Array.isArray(handlers))
      return this.#remarks.bad(
        'rule-hooks',
        [...path, 'hooks'],
        'hooks of a rule should be a list',
        'put [ ] around it'
      )
    for (const key of Object.keys(rule)) {
      if (RULE_KEYS.includes(key) || isAnnotation(key)) continue
      const near = nearest(key, RULE_KEYS)
      const fix = near === undefined ? 'delete it' : `did you mean ${near}?`
      const isOfHook = Object.hasOwn(HANDLERS.command, key)
      this.#remarks.warn(
        'rule-key',
        [...path, key],
        `${key} is not read on a rule`,
        isOfHook ? 'move it into the hook' : fix
      )
    }
    return handlers.flatMap((handler: unknown, place) =>
      this.#handler(handler, [...path, 'hooks', place], path, matcher)
    )
  }

  #handler(handler: unknown, path: Path, rule: Path, matcher: string | undefined): readonly Declared[] {
    if (typeof handler === 'string')
      return this.#remarks.bad(
        'handler-shape',
        path,
        'a hook of a rule should be an object',
        'write { "type": "command", "command": "…" }'
      )
    if (!isObject(handler))
      return this.#remarks.bad(
        'handler-shape',
        path,
        'a hook should be an object',
        'write { "type": "command", "command": "…" }'
      )
    return declare(handler, path, { name: undefined, matcher, defaultTimeout: undefined, rule }, this.#remarks)
  }

  #matcher(value: unknown, path: Path): string | undefined | typeof BAD {
    if (typeof value === 'string' && value.length > LONGEST_MATCHER) {
      const message = `a matcher of ${value.length} characters is longer than ${LONGEST_MATCHER}`
      this.#remarks.bad('matcher-long', [...path, 'matcher'], message, 'make several rules of it')
      return BAD
    }
    if (value === undefined || typeof value === 'string') return value
    this.#remarks.bad(
      'matcher-type',
      [...path, 'matcher'],
      `a matcher is text, not ${JSON.stringify(value)}`,
      'write a name, names joined by |, or a regular expression'
    )
    return BAD
  }
}

const BAD = Symbol('bad')
