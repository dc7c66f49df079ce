import { describe, expect, it } from 'vitest'
import {
  HookRegistry,
  later,
  type Callback,
  type ErrorCode,
  type EventName,
  type Hook,
  type RegistryOptions
} from '../../../src/hooks.ts'
import { bash } from '../../support/hook-inputs.ts'

const quietly = (): undefined => undefined
const odd = <T>(value: unknown): T => value as T
const coded = (code: ErrorCode): unknown => expect.objectContaining({ name: 'CarabinerError', code })

/** Each way to add a hook, with one thing about it chosen. */
const WAYS: Record<
  string,
  (hooks: HookRegistry, what: { matcher?: unknown; timeout?: unknown; event?: unknown }) => unknown
> = {
  on: (hooks, { matcher = '', timeout, event = 'PreToolUse' }) =>
    hooks.on(odd<EventName>(event), odd<string>(matcher), quietly, { timeout: odd<number>(timeout) }),
  register: (hooks, { matcher, timeout, event = 'PreToolUse' }) =>
    hooks.register({
      events: odd<EventName>(event),
      matcher: odd<string>(matcher),
      timeout: odd<number>(timeout),
      run: quietly
    }),
  group: (hooks, { matcher = '', timeout, event = 'PreToolUse' }) =>
    hooks.group(odd<EventName>(event), odd<string>(matcher), [quietly, quietly], { timeout: odd<number>(timeout) }),
  callbacks: (hooks, { matcher, timeout, event = 'PreToolUse' }) =>
    hooks.callbacks({
      [odd<'Stop'>(event)]: [{ matcher: odd<string>(matcher), timeout: odd<number>(timeout), hooks: [quietly] }]
    })
}

describe.each(Object.keys(WAYS))('%s()', way => {
  const add = WAYS[way]!
  const refuses = (what: Parameters<typeof add>[1], error: unknown): void => {
    const hooks = new HookRegistry()
    expect(() => add(hooks, what)).toThrow(error as Error)
    expect(hooks.list()).toEqual([])
  }

  // F62
  it.each(['(', '[a-', '*(', '|', ' , ', 5, true, {}, [], ['('], [5], [['Bash']]])(
    'refuses the matcher %j',
    matcher => {
      refuses({ matcher }, coded('E_MATCHER_INVALID'))
    }
  )

  it.each([0, -1, -0, Number.NaN, Infinity, -Infinity, 2 ** 31, 2 ** 31 / 1000, 2 ** 53, '5', true])(
    'refuses a timeout of %s',
    timeout => {
      refuses({ timeout }, coded('E_TIMEOUT_INVALID'))
    }
  )

  it.each([0.001, 2_147_483])('takes a timeout of %d seconds', timeout => {
    const hooks = new HookRegistry()
    add(hooks, { timeout })
    expect(hooks.list()[0]?.timeout).toBe(timeout)
  })

  it('refuses an unknown event and suggests the nearest', () => {
    refuses({ event: 'PreToolUsed' }, coded('E_EVENT_UNKNOWN'))
    refuses({ event: 'PreToolUsed' }, /did you mean PreToolUse\?/)
  })
})

describe('the registry stays as it was', () => {
  it('when one member of a group is refused', () => {
    const hooks = new HookRegistry()
    expect(() => hooks.group('PreToolUse', '', [quietly, { run: quietly, timeout: 0 }])).toThrow(
      coded('E_TIMEOUT_INVALID') as Error
    )
    expect(hooks.list()).toEqual([])
  })

  it('when one of several callback matchers is refused', () => {
    const hooks = new HookRegistry()
    const good = { hooks: [quietly] }
    expect(() => hooks.callbacks({ PreToolUse: [good, { matcher: '(', hooks: [quietly] }] })).toThrow(/matcher/)
    expect(() => hooks.callbacks(odd({ PreToolUse: [good], PreToolUsed: [good] }))).toThrow(/PreToolUsed/)
    expect(hooks.list()).toEqual([])
  })

  it('when one of several events is unknown', () => {
    const hooks = new HookRegistry()
    expect(() => hooks.register({ events: ['Stop', odd<'Stop'>('Stopp')], run: quietly })).toThrow(
      /did you mean Stop\?/
    )
    expect(hooks.list()).toEqual([])
  })
})

describe('duplicate names', () => {
  it('are an error that says where the first is', () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', quietly, { name: 'guard' })
    const again = (): unknown => hooks.register({ name: 'guard', events: 'Stop', run: quietly })
    expect(again).toThrow(coded('E_HOOK_DUPLICATE') as Error)
    expect(again).toThrow(/bad-input\.test\.ts:\d+/)
    expect(hooks.describe('guard').events).toEqual(['PreToolUse'])
  })

  it('within one group as well, and then none is added', () => {
    const hooks = new HookRegistry()
    const member = { name: 'twin', run: quietly }
    expect(() => hooks.group('PreToolUse', '', [member, member])).toThrow(coded('E_HOOK_DUPLICATE') as Error)
    expect(hooks.has('twin')).toBe(false)
  })

  it('a name can be taken again once it is free', () => {
    const hooks = new HookRegistry()
    const remove = hooks.on('PreToolUse', quietly, { name: 'guard' })
    remove()
    hooks.on('Stop', quietly, { name: 'guard' })
    remove()
    expect(hooks.describe('guard').events).toEqual(['Stop'])
  })
})

describe('what is no hook', () => {
  it.each([
    undefined,
    null,
    'x',
    5,
    {},
    { events: 'Stop' },
    { events: 'Stop', run: 'x' },
    { events: [], run: quietly },
    { run: quietly }
  ])('register(%j) is an error', hook => {
    const hooks = new HookRegistry()
    expect(() => hooks.register(odd<Hook>(hook))).toThrow(coded('E_HOOK_INVALID') as Error)
    expect(hooks.list()).toEqual([])
  })

  it('on() without a function is an error', () => {
    const hooks = new HookRegistry()
    expect(() => hooks.on('Stop', 'Bash', odd(undefined))).toThrow(coded('E_HOOK_INVALID') as Error)
    expect(() => hooks.on('Stop', odd({ run: quietly }))).toThrow(coded('E_HOOK_INVALID') as Error)
  })

  it('a callback that is no function is an error', () => {
    const hooks = new HookRegistry()
    expect(() => hooks.callbacks({ Stop: [{ hooks: [odd<Callback<'Stop'>>(undefined)] }] })).toThrow(
      coded('E_HOOK_INVALID') as Error
    )
    expect(hooks.list()).toEqual([])
  })

  it('an event without callbacks is not', () => {
    const hooks = new HookRegistry()
    hooks.callbacks({ Stop: undefined, PreToolUse: [{ hooks: [quietly] }] })
    expect(hooks.list().map(hook => hook.events)).toEqual([['PreToolUse']])
  })

  it('what only looks like a record is not one: a registry of another copy, a map, matchers without callbacks', () => {
    class HookRegistryOfAnotherCopy {
      readonly on = quietly
    }
    const hooks = new HookRegistry()
    const refused = coded('E_HOOK_INVALID') as Error
    expect(() => hooks.callbacks(odd(new HookRegistryOfAnotherCopy()))).toThrow(refused)
    expect(() => hooks.callbacks(odd(new HookRegistryOfAnotherCopy()))).toThrow(/this installation of carabiner/)
    expect(() => hooks.callbacks(odd(new Map([['PreToolUse', []]])))).toThrow(refused)
    expect(() => hooks.callbacks(odd({ PreToolUse: [{ matcher: 'Bash' }] }))).toThrow(refused)
    expect(hooks.list()).toEqual([])
  })

  it.each(['', '  ', 5])('the name %j is an error', name => {
    expect(() => new HookRegistry().on('Stop', quietly, { name: odd<string>(name) })).toThrow(
      coded('E_HOOK_INVALID') as Error
    )
  })

  it.each([
    { priority: Number.NaN },
    { priority: '5' },
    { onFailure: 'maybe' },
    { once: 'yes' },
    { observe: 1 },
    { concurrent: 'no' },
    { dialect: 'latin' }
  ])('the option %j is an error', option => {
    const hooks = new HookRegistry()
    expect(() => hooks.register({ events: 'Stop', run: quietly, ...odd<object>(option) })).toThrow(
      coded('E_OPTION_INVALID') as Error
    )
    expect(hooks.list()).toEqual([])
  })
})

describe('other wrong arguments', () => {
  it.each<[object, ErrorCode]>([
    [{ precedence: 'strongest' }, 'E_OPTION_INVALID'],
    [{ profile: 'lenient' }, 'E_OPTION_INVALID'],
    [{ budget: 0 }, 'E_TIMEOUT_INVALID'],
    [{ budget: 2 ** 31 }, 'E_TIMEOUT_INVALID']
  ])('new HookRegistry(%j)', (options, code) => {
    expect(() => new HookRegistry(odd<RegistryOptions>(options))).toThrow(coded(code) as Error)
  })

  it.each([0, -1, Number.NaN, 2 ** 31])('later(promise, { asyncTimeout: %d })', asyncTimeout => {
    expect(() => later(Promise.resolve(), { asyncTimeout })).toThrow(coded('E_TIMEOUT_INVALID') as Error)
  })

  it.each([undefined, null, 'x', 5, []].map(input => ({ input })))('fire with $input for an input', ({ input }) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', quietly)
    expect(() => hooks.fire('PreToolUse', odd(input))).toThrow(coded('E_INPUT_INVALID') as Error)
  })

  it('fire with an unknown event', () => {
    const fire = (): unknown => new HookRegistry().fire(odd<'Stop'>('stopp'), { stop_hook_active: false })
    expect(fire).toThrow(coded('E_EVENT_UNKNOWN') as Error)
    expect(fire).toThrow(/did you mean Stop\?/)
  })

  it('names that no one has', () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', quietly, { name: 'no-force-push' })
    for (const act of ['describe', 'enable', 'disable', 'remove'] as const) {
      expect(() => hooks[act]('no-force-pus')).toThrow(/did you mean "no-force-push"\?/)
    }
    expect(() => hooks.list(odd<'Stop'>('Stopp'))).toThrow(coded('E_EVENT_UNKNOWN') as Error)
  })

  it('messages end with what to do next', async () => {
    expect(() => new HookRegistry().on('Stop', quietly, { timeout: 0 })).toThrow(/; use a number of seconds above 0/)
    expect(await new HookRegistry().fire('PreToolUse', bash('ls'))).toMatchObject({ failures: [] })
  })
})
