import { describe, expect, test } from 'vitest'
import { commandHook, httpHook, workerHook } from '../../src/external.ts'
import { HookRegistry } from '../../src/hooks.ts'
import { manualClock } from '../../src/testing.ts'
import { effectOf, fireFault, faultScene } from './scene.ts'
import { gone, POLL } from '../support/waiting.ts'
import { PROFILES } from '../support/hook-inputs.ts'

const NO_TIME = [0, -0, -1, Number.NaN, Infinity, -Infinity, 2 ** 31, 2_147_483.648, '5s', '60', '', {}, [], true]

// FM8
describe('a timeout that is no time is an error when the hook is registered', () => {
  test.each(NO_TIME.map(time => ({ time, shown: typeof time === 'number' ? String(time) : JSON.stringify(time) })))(
    '$shown',
    async ({ time }) => {
      const { place } = faultScene()
      const hooks = new HookRegistry()
      hooks.register(commandHook({ name: 'armed', events: 'PreToolUse', command: 'exit 2' }, place))
      const spec = {
        events: 'PreToolUse',
        command: 'true',
        url: 'http://127.0.0.1:9',
        timeout: time as number
      } as const
      for (const make of [commandHook, workerHook, httpHook])
        expect(() => hooks.register(make(spec, place))).toThrow(expect.objectContaining({ code: 'E_TIMEOUT_INVALID' }))
      expect(hooks.list().map(({ name }) => name)).toEqual(['armed'])
      expect(effectOf(await fireFault(hooks))).toBe('refused')
    }
  )

  test('the longest time there is does not end a command at once', async () => {
    const { ask } = faultScene()
    expect(effectOf(await ask({ command: 'sleep 0.2; exit 2', timeout: 2_147_483 }))).toBe('refused')
  })
})

// FM8
describe('an asyncTimeout that is no time ends nothing and no one', () => {
  const answer = '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"late"}}'

  for (const dialect of ['contract', 'library'] as const) {
    test.each(['0', '-1', '1e999', '3e9', '"5s"', 'null'])(`%s, said by a ${dialect} command`, async limit => {
      const { place } = faultScene()
      const heard: unknown[] = []
      const hooks = new HookRegistry({ onLate: late => heard.push(late.contexts[0]?.text ?? late.failure?.kind) })
      const command = `echo '{"async":true,"asyncTimeout":${limit}}'; sleep 0.2; echo '${answer}'`
      hooks.register(commandHook({ events: 'PostToolUse', command, dialect }, place))
      await fireFault(hooks, { event: 'PostToolUse' })
      await expect.poll(() => heard, POLL).toEqual(['late'])
    })
  }
})

// FM7
describe('a command that takes too long', () => {
  test.each(PROFILES)('is given up exactly when its time is over, a hundred times (%s)', async profile => {
    const { place, running } = faultScene()
    const clock = manualClock()
    const hooks = new HookRegistry({ clock, profile })
    hooks.register(
      commandHook({ name: 'gate', events: 'PreToolUse', command: 'sleep', args: ['60'], timeout: 5 }, place)
    )
    const effects: string[] = []
    const fires = Array.from({ length: 100 }, async () => effects.push(effectOf(await fireFault(hooks))))
    await clock.advance(4.999)
    expect(effects).toEqual([])
    await clock.advance(0.001)
    await Promise.all(fires)
    expect(new Set(effects)).toEqual(new Set([profile === 'strict' ? 'closed: timeout' : 'open, marked: timeout']))
    await gone(running)
  })

  // F108, F43
  test('or whose run is aborted is ended, with all that it has started', async () => {
    const { ask, running } = faultScene()
    const controller = new AbortController()
    const outcome = ask({ command: 'sleep 60 & sleep 60' }, { signal: controller.signal })
    await expect.poll(() => running().length, POLL).toBe(3)
    controller.abort()
    expect(effectOf(await outcome)).toBe('closed: aborted')
    await gone(running)
  })
})

// FM13
test.each(PROFILES)('a byte now and then does not put the end off (%s)', async profile => {
  const { place } = faultScene()
  const clock = manualClock()
  let pieces = 0
  const hooks = new HookRegistry({
    clock,
    profile,
    sink: message => message.subtype === 'hook_progress' && pieces++
  })
  const command = 'while :; do printf x; sleep 0.02; done'
  hooks.register(commandHook({ name: 'gate', events: 'PreToolUse', command, timeout: 10 }, place))
  let outcome: string | undefined
  const fired = fireFault(hooks).then(result => (outcome = effectOf(result)))
  for (let second = 1; second < 10; second++) {
    const before = pieces
    await expect.poll(() => pieces, POLL).toBeGreaterThan(before)
    await clock.advance(1)
    expect(outcome).toBeUndefined()
  }
  await clock.advance(1)
  expect(await fired).toBe(profile === 'strict' ? 'closed: timeout' : 'open, marked: timeout')
})
