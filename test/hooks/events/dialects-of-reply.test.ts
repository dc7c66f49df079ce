import { describe, expect, it } from 'vitest'
import { allow, ask, block, defer, deny, goesOn, HookRegistry } from '../../../src/hooks.ts'
import type { Dialect, EventName, HookResult, Outcome, RegistryOptions, Reply } from '../../../src/hooks.ts'
import { harness, manualClock } from '../../../src/testing.ts'
import { bash } from '../../support/hook-inputs.ts'

const DIALECTS = ['library', 'contract'] as const

/** What comes of an event when a hook of this dialect gives this answer. */
const heard = async (
  dialect: Dialect,
  event: EventName,
  reply: HookResult,
  options?: RegistryOptions
): Promise<Outcome> => {
  const hooks = new HookRegistry(options)
  hooks.register({ events: event, dialect, run: () => reply })
  return harness(hooks).fire(event)
}

describe('continue: true on a stop', () => {
  it.each(['Stop', 'SubagentStop'] as const)('%s: a library hook makes the loop go on', async event => {
    const outcome = await heard('library', event, { continue: true })
    expect(outcome.continue).toBe(true)
    expect(goesOn(outcome)).toBe(true)
  })

  it.each(['Stop', 'SubagentStop'] as const)('%s: for a contract hook it is neutral', async event => {
    const outcome = await heard('contract', event, { continue: true })
    expect(outcome.continue).toBeUndefined()
    expect(goesOn(outcome)).toBe(false)
  })

  it('any true is enough, and an explicit false wins', async () => {
    const stop = async (...words: readonly (boolean | undefined)[]): Promise<boolean | undefined> => {
      const hooks = new HookRegistry()
      for (const word of words) hooks.on('Stop', () => ({ continue: word }))
      return (await hooks.fire('Stop', { stop_hook_active: false })).continue
    }
    expect(await stop(undefined, true, undefined)).toBe(true)
    expect(await stop(true, false)).toBe(false)
    expect(await stop(false, true)).toBe(false)
  })

  it('a false of a contract hook beats a true of a library hook', async () => {
    const hooks = new HookRegistry()
    hooks.on('Stop', () => ({ continue: true }))
    hooks.callbacks({ Stop: [{ hooks: [() => ({ continue: false, stopReason: 'enough' })] }] })
    const outcome = await hooks.fire('Stop', { stop_hook_active: false })
    expect(outcome).toMatchObject({ continue: false, stopReason: 'enough' })
    expect(goesOn(outcome)).toBe(false)
  })

  it.each(DIALECTS)('a block or a context of a %s hook makes it continue as well', async dialect => {
    expect(goesOn(await heard(dialect, 'Stop', { decision: 'block', reason: 'tests fail' }))).toBe(true)
    expect(goesOn(await heard(dialect, 'Stop', { hookSpecificOutput: { additionalContext: 'tests fail' } }))).toBe(true)
    expect(goesOn(await heard(dialect, 'Stop', {}))).toBe(false)
  })
})

describe('suppressOutput on PostToolUse', () => {
  it('of a library hook hides the output of the tool', async () => {
    expect(await heard('library', 'PostToolUse', { suppressOutput: true })).toMatchObject({ suppressOutput: true })
  })

  it('of a contract hook never touches the result', async () => {
    expect(await heard('contract', 'PostToolUse', { suppressOutput: true })).toMatchObject({
      suppressOutput: false,
      failures: []
    })
  })
})

// F56a
describe('systemMessage', () => {
  it('of a library hook is for the model, of a contract hook for the user', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => ({ systemMessage: 'mind the tests' }), { name: 'library' })
    hooks.register({
      name: 'file',
      events: 'PreToolUse',
      dialect: 'contract',
      run: () => ({ systemMessage: 'slow today' })
    })
    const outcome = await hooks.fire('PreToolUse', bash('ls'))
    expect(outcome.systemMessages).toEqual([
      { by: 'library', text: 'mind the tests', to: 'model' },
      { by: 'file', text: 'slow today', to: 'user' }
    ])
  })

  it('all are delivered in order, and the latest stands alone', async () => {
    const hooks = new HookRegistry()
    for (const text of ['one', 'two']) hooks.on('PreToolUse', () => ({ systemMessage: text }))
    const outcome = await hooks.fire('PreToolUse', bash('ls'))
    expect(outcome.systemMessage).toBe('two')
    expect(outcome.systemMessages.map(message => message.text)).toEqual(['one', 'two'])
  })
})

describe('continue: false', () => {
  it.each(DIALECTS)('of a %s hook blocks on a gate and ends the run', async dialect => {
    for (const event of ['PreToolUse', 'UserPromptSubmit', 'PermissionRequest'] as const) {
      const outcome = await heard(dialect, event, { continue: false, stopReason: 'enough' })
      expect(outcome).toMatchObject({ blocked: true, continue: false, stopReason: 'enough', reason: 'enough' })
    }
  })

  it.each(DIALECTS)('of a %s hook beats an allow in the same reply', async dialect => {
    expect(await heard(dialect, 'PreToolUse', { continue: false, decision: 'allow' })).toMatchObject({
      decision: 'deny'
    })
  })

  it.each(DIALECTS)('of a %s hook ends the run elsewhere and blocks nothing', async dialect => {
    const outcome = await heard(dialect, 'PostToolUse', { continue: false })
    expect(outcome).toMatchObject({ continue: false, decision: undefined, blocked: false })
  })

  it.each(DIALECTS)('of a %s hook stops the rest of its group, and no other hook', async dialect => {
    const seen: string[] = []
    const hooks = new HookRegistry()
    const member = (name: string, reply?: Reply) => ({
      name,
      dialect,
      run: () => {
        seen.push(name)
        return reply
      }
    })
    hooks.group('PostToolUse', '', [member('one'), member('two', { continue: false }), member('three')])
    hooks.group('PostToolUse', '', [member('other')])
    await hooks.fire('PostToolUse', { ...bash('ls'), tool_response: '' })
    expect(seen).toEqual(['one', 'two', 'other'])
  })
})

describe('continue_execution: false, block()', () => {
  it.each(DIALECTS)('of a %s hook block this, and the run continues', async dialect => {
    for (const reply of [block('not this'), { continue_execution: false, stop_reason: 'not this' } as Reply]) {
      const outcome = await heard(dialect, 'PreToolUse', reply)
      expect(outcome).toMatchObject({ blocked: true, reason: 'not this', continue: undefined })
    }
  })

  it('does not stop the rest of a group', async () => {
    const seen: string[] = []
    const hooks = new HookRegistry()
    hooks.group('PreToolUse', '', [() => block('no'), () => void seen.push('second')])
    await hooks.fire('PreToolUse', bash('ls'))
    expect(seen).toEqual(['second'])
  })
})

describe('default timeout', () => {
  it.each([
    ['library', 'PreToolUse', 60],
    ['library', 'SessionEnd', 60],
    ['contract', 'PreToolUse', 600],
    ['contract', 'UserPromptSubmit', 30],
    ['contract', 'SessionEnd', 1.5]
  ] as const)('of a %s hook on %s: %d seconds', async (dialect, event, seconds) => {
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.register({ name: 'h', events: event, dialect, run: () => new Promise(() => undefined) })
    expect(hooks.describe('h').timeout).toBe(seconds)
    const outcome = harness(hooks).fire(event)
    let done = false
    void outcome.then(() => (done = true))
    await clock.advance(seconds - 0.1)
    expect(done).toBe(false)
    await clock.advance(0.2)
    expect(await outcome).toMatchObject({ failures: [{ kind: 'timeout' }] })
  })
})

describe('precedence', () => {
  const RANKS = {
    'allow-over-ask': [deny('x'), defer(), allow(), ask('x')],
    'ask-over-allow': [deny('x'), defer(), ask('x'), allow()]
  } as const

  it.each(['allow-over-ask', 'ask-over-allow'] as const)(
    '%s holds for every pair, in either order',
    async precedence => {
      const ranks = RANKS[precedence]
      for (const [place, strong] of ranks.entries()) {
        for (const weak of [...ranks.slice(place), undefined]) {
          for (const replies of [
            [strong, weak],
            [weak, strong]
          ]) {
            const hooks = new HookRegistry({ precedence })
            for (const reply of replies) hooks.on('PreToolUse', () => reply)
            expect((await hooks.fire('PreToolUse', bash('ls'))).decision).toBe(strong.decision)
          }
        }
      }
    }
  )

  it('of a bare registry is allow over ask', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => ask())
    hooks.on('PreToolUse', () => allow())
    expect(await hooks.fire('PreToolUse', bash('ls'))).toMatchObject({ decision: 'allow' })
  })
})

describe('a key that was meant to refuse, and is not read', () => {
  it.each([{ decison: 'block' }, { Continue: false }, { desicion: 'deny' }])('%j closes a gate', async reply => {
    const strict = await heard('contract', 'PreToolUse', reply as Reply)
    expect(strict).toMatchObject({ decision: 'deny', failures: [{ kind: 'reply' }] })
    const compat = await heard('contract', 'PreToolUse', reply as Reply, { profile: 'compat' })
    expect(compat).toMatchObject({ decision: undefined, failedOpen: true })
  })

  it.each([
    { behavior: 'deny', message: 'no' },
    { action: 'deny' },
    { hookSpecificOutput: { action: 'block' } },
    { hookspecificoutput: { permissionDecision: 'deny' } },
    { ok: false, reason: 'no' },
    { permission: 'Deny' },
    { block: true },
    { allow: false },
    { hookSpecificOutput: { behavior: 'ask' } },
    { action: 'deny' },
    { hookSpecificOutput: { action: 'block' } }
  ])('A2: %j, an answer of another place, closes a gate', async reply => {
    for (const dialect of ['library', 'contract'] as const) {
      const strict = await heard(dialect, 'PreToolUse', reply as Reply)
      expect(strict).toMatchObject({ decision: 'deny', failures: [{ kind: 'reply' }] })
    }
    const compat = await heard('contract', 'PreToolUse', reply as Reply, { profile: 'compat' })
    expect(compat).toMatchObject({ decision: undefined, failedOpen: true })
  })

  it.each([{ ok: true }, { note: 'a rule: deny' }, { blocked: false }, { status: 'done' }, { action: 'accept' }])(
    'A2: %j, which refuses nothing, closes no gate',
    async reply => {
      expect(await heard('contract', 'PreToolUse', reply as Reply)).toMatchObject({ decision: undefined, failures: [] })
    }
  )

  it('other keys are no one’s business', async () => {
    expect(await heard('contract', 'PreToolUse', { precision: 1, ok: true } as Reply)).toMatchObject({ failures: [] })
  })
})
