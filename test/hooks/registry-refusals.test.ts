import { describe, expect, test } from 'vitest'
import {
  HookRegistry,
  later,
  type GroupHook,
  type Hook,
  type HookOptions,
  type RegistryOptions
} from '../../src/hooks.ts'
import { bash } from '../support/hook-inputs.ts'

const silent = (): void => undefined
const coded = (code: string): unknown => expect.objectContaining({ name: 'CarabinerError', code })

/** What people write where seconds are meant. */
const NO_TIME: readonly unknown[] = [
  0,
  -0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  JSON.parse('1e999'),
  2 ** 31,
  2_147_483.648,
  '5s',
  '60',
  null,
  {},
  true
]

describe('a time that is none is an error at once', () => {
  // FM8
  test.each(NO_TIME.map(time => [time]))('%j', async time => {
    const hooks = new HookRegistry()
    const timeout = time as number
    if (time !== null) {
      expect(() => hooks.on('PreToolUse', silent, { name: 'gate', timeout })).toThrow(coded('E_TIMEOUT_INVALID'))
      expect(() => hooks.on('PreToolUse', silent, { name: 'gate', timeout })).toThrow(/timeout of gate .*seconds/)
      expect(() => hooks.register({ events: 'Stop', timeout, run: silent })).toThrow(coded('E_TIMEOUT_INVALID'))
      expect(() => hooks.group('Stop', '', [silent], { timeout })).toThrow(coded('E_TIMEOUT_INVALID'))
    }
    expect(hooks.list()).toEqual([])
    expect(() => new HookRegistry({ budget: timeout })).toThrow(coded('E_TIMEOUT_INVALID'))
    expect(() => later(Promise.resolve(), { asyncTimeout: timeout })).toThrow(coded('E_TIMEOUT_INVALID'))
  })

  // FM8
  test('an asyncTimeout that is none closes a gate', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => later(Promise.resolve({}), { asyncTimeout: 0 }), { name: 'gate' })
    expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ decision: 'deny', failures: [{ kind: 'threw' }] })
  })

  test('fractions and the longest time are fine', () => {
    const hooks = new HookRegistry({ budget: 0.5 })
    hooks.on('Stop', silent, { name: 'short', timeout: 0.001 })
    hooks.on('Stop', silent, { name: 'long', timeout: 2_147_483 })
    expect(hooks.list().map(hook => hook.timeout)).toEqual([0.001, 2_147_483])
  })
})

const INVALID: readonly (readonly [string, unknown, string])[] = [
  ['no object', undefined, 'E_HOOK_INVALID'],
  ['a function', silent, 'E_HOOK_INVALID'],
  ['no run', { events: 'Stop' }, 'E_HOOK_INVALID'],
  ['a run that cannot be called', { events: 'Stop', run: 'echo' }, 'E_HOOK_INVALID'],
  ['no events', { run: silent }, 'E_HOOK_INVALID'],
  ['an empty list of events', { events: [], run: silent }, 'E_HOOK_INVALID'],
  ['events that are no names', { events: { Stop: true }, run: silent }, 'E_HOOK_INVALID'],
  ['an unknown event', { events: ['Stop', 'Stopp'], run: silent }, 'E_EVENT_UNKNOWN'],
  ['an empty name', { name: ' ', events: 'Stop', run: silent }, 'E_HOOK_INVALID'],
  ['a name that is no text', { name: 5, events: 'Stop', run: silent }, 'E_HOOK_INVALID'],
  ['a priority that is no number', { priority: 'high', events: 'Stop', run: silent }, 'E_OPTION_INVALID'],
  ['a priority of NaN', { priority: Number.NaN, events: 'Stop', run: silent }, 'E_OPTION_INVALID'],
  ['an unknown failure policy', { onFailure: 'deny', events: 'Stop', run: silent }, 'E_OPTION_INVALID'],
  ['an unknown dialect', { dialect: 'file', events: 'Stop', run: silent }, 'E_OPTION_INVALID'],
  ['once as text', { once: 'yes', events: 'Stop', run: silent }, 'E_OPTION_INVALID'],
  ['observe as a number', { observe: 1, events: 'Stop', run: silent }, 'E_OPTION_INVALID'],
  ['concurrent as text', { concurrent: 'true', events: 'Stop', run: silent }, 'E_OPTION_INVALID'],
  ['an invalid matcher', { matcher: '(', events: 'PreToolUse', run: silent }, 'E_MATCHER_INVALID']
]

describe('what is no hook is refused, and nothing is registered', () => {
  test.each(INVALID)('%s', (_, hook, code) => {
    const hooks = new HookRegistry()
    expect(() => hooks.register(hook as Hook)).toThrow(coded(code))
    expect(hooks.list()).toEqual([])
  })

  test('on without a function', () => {
    const hooks = new HookRegistry()
    expect(() => hooks.on('Stop', undefined as never)).toThrow(coded('E_HOOK_INVALID'))
    expect(() => hooks.on('Stop', 'Bash', {} as never)).toThrow(coded('E_HOOK_INVALID'))
    expect(() => hooks.on('Stopp' as 'Stop', silent)).toThrow(/did you mean Stop\?/)
    expect(() => hooks.on('Stop', silent, { onFailure: 'open' } as unknown as HookOptions)).toThrow(/block or continue/)
  })

  test('a group with one bad member', () => {
    const hooks = new HookRegistry()
    const bad = { name: 'bad', run: 7 } as unknown as GroupHook<'Stop'>
    expect(() => hooks.group('Stop', '', [{ name: 'good', run: silent }, bad])).toThrow(coded('E_HOOK_INVALID'))
    expect(() => hooks.group('Stop', '(', [silent])).toThrow(coded('E_MATCHER_INVALID'))
    expect(() => hooks.group('Stop', '', [silent], { sequential: 'yes' as never })).toThrow(coded('E_OPTION_INVALID'))
    expect(hooks.list()).toEqual([])
  })

  // F62
  test('a record of callbacks with one bad entry', () => {
    const hooks = new HookRegistry()
    const fine = [{ matcher: 'Bash', hooks: [async () => ({})] }]
    expect(() => hooks.callbacks({ PreToolUse: [...fine, { matcher: '(', hooks: [async () => ({})] }] })).toThrow(
      coded('E_MATCHER_INVALID')
    )
    expect(() => hooks.callbacks({ PreToolUse: fine, Nonsense: fine } as never)).toThrow(coded('E_EVENT_UNKNOWN'))
    expect(() => hooks.callbacks({ PreToolUse: [{ match: 'Bash', hooks: [] }] } as never)).toThrow(
      /"match"; use matcher/
    )
    expect(hooks.list()).toEqual([])
  })
})

describe('a registry says what is wrong with its own options', () => {
  const bad: readonly (readonly [RegistryOptions, RegExp])[] = [
    [{ precedence: 'allow' as never }, /precedence cannot be "allow"; use allow-over-ask or ask-over-allow/],
    [{ profile: 'lenient' as never }, /profile cannot be "lenient"; use strict or compat/],
    [{ budget: -5 }, /budget cannot be -5/]
  ]
  test.each(bad)('%j', (options, words) => {
    expect(() => new HookRegistry(options)).toThrow(words)
  })
})
