import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandHook } from '../../../src/external.ts'
import { HookRegistry } from '../../../src/hooks.ts'
import { effectOf, fireFault, inTurn, faultScene } from '../scene.ts'
import { POLL } from '../../support/waiting.ts'
import { endAll } from '../../support/process-table.ts'

const ALLOW = `echo '{"decision":"allow"}'`
const DENY = `echo '{"decision":"deny","reason":"no"}'`
/** The second is said of each hook on every tool that has only ever allowed. */
const NOTES = ['ended and left others running', 'has allowed every call so far (1); permission is not asked for']

// FM10, F112
describe('a process that a hook leaves behind', () => {
  test.each([
    ['stdout and stderr', 'sleep 60 &'],
    ['stdout', 'sleep 60 2>/dev/null &'],
    ['stderr', 'sleep 60 >/dev/null &'],
    ['nothing', 'sleep 60 >/dev/null 2>&1 </dev/null &'],
    ['all, in a session of its own', 'setsid sleep 60 &']
  ])('holds %s: the answer counts, and it continues running', async (_, helper) => {
    const { ask, running } = faultScene()
    const outcome = await ask({ command: `${helper} ${ALLOW}` })
    const left = running()
    endAll(left)
    expect(left.length).toBe(1)
    expect(effectOf(outcome)).toBe('allowed')
    expect(outcome.report[0]?.notes).toEqual(NOTES)
  })

  test('takes no refusal back', async () => {
    const { ask, running } = faultScene()
    const inJson = await ask({ command: `sleep 60 & ${DENY}` })
    const byCode = await ask({ command: 'sleep 60 & echo no >&2; exit 2' })
    endAll(running())
    for (const outcome of [inJson, byCode])
      expect(outcome).toMatchObject({ decision: 'deny', reason: 'no', failures: [] })
  })

  test('adds nothing to the answer', async () => {
    const { ask, folder } = faultScene()
    const chatter = join(folder, 'chatter')
    writeFileSync(chatter, '#!/bin/sh\nsleep 0.5\necho garbage\n', { mode: 0o755 })
    expect(effectOf(await ask({ command: `${chatter} & ${ALLOW}` }))).toBe('allowed')
  })

  test('may flood the pipes without harm', async () => {
    const { ask } = faultScene()
    // What comes while its last output is still read would count as output of the hook.
    const flood = '{ while kill -0 $$ 2>/dev/null; do sleep 0.05; done; sleep 0.2; exec timeout 2 yes; }'
    const outcome = await ask({ command: `${flood} & ${ALLOW}` })
    expect(effectOf(outcome)).toBe('allowed')
  })

  test('is not waited for, two hundred times', async () => {
    const { ask, running } = faultScene()
    const effects = await inTurn(Array.from({ length: 200 }), 20, async () =>
      effectOf(await ask({ command: '/bin/sh', args: ['-c', `sleep 60 & ${ALLOW}`] }))
    )
    const left = running()
    endAll(left)
    expect(new Set(effects)).toEqual(new Set(['allowed']))
    expect(left.length).toBe(200)
  })
})

/** Nothing else happens in this process in the meantime. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

// FM10
test('a refusal is not lost when the event loop stands still after the end of its hook', async () => {
  const { place, folder } = faultScene()
  const flag = join(folder, 'flag')
  const hooks = new HookRegistry({
    // The first hook has printed and ended: its end is about to be noticed, and the other's together with it.
    sink: message => {
      if (message.subtype !== 'hook_progress' || message.hook_name !== 'first') return
      writeFileSync(flag, '')
      holdUp(500)
      setImmediate(() => holdUp(500))
    }
  })
  const waits = `until [ -e ${flag} ]; do sleep 0.01; done; ${DENY}`
  hooks.register(commandHook({ name: 'first', events: 'PreToolUse', command: ALLOW }, place))
  hooks.register(
    commandHook({ name: 'second', events: 'PreToolUse', command: waits, timeout: POLL.timeout / 1000 }, place)
  )
  const fired = fireFault(hooks)
  holdUp(500)
  expect(await fired).toMatchObject({ decision: 'deny', reason: 'no', by: 'second' })
})
