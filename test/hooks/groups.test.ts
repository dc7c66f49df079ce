import { describe, expect, test } from 'vitest'
import { allow, deny, HookRegistry, type HookContext, type Reply } from '../../src/hooks.ts'
import { harness, manualClock } from '../../src/testing.ts'
import { after } from '../support/hook-kit.ts'
import { bash, callOf } from '../support/hook-inputs.ts'

/** A hook that says what it says and leaves its name. */
const saying = (log: string[], name: string, reply?: Reply) => ({
  name,
  run: (): Reply | undefined => {
    log.push(name)
    return reply
  }
})

describe('a group', () => {
  // F78
  test('shares its matcher, and several groups may match one call', async () => {
    const hooks = new HookRegistry()
    const log: string[] = []
    hooks.group('PreToolUse', 'Bash', [saying(log, 'a'), saying(log, 'b')])
    hooks.group('PreToolUse', 'Bash|Read', [saying(log, 'c'), saying(log, 'd')])
    hooks.group('PreToolUse', '', [saying(log, 'e')])
    await hooks.fire('PreToolUse', bash())
    expect(log).toEqual(['a', 'b', 'c', 'd', 'e'])
    await hooks.fire('PreToolUse', callOf('Read'))
    expect(log.slice(5)).toEqual(['c', 'd', 'e'])
  })

  // F80
  test.each(['PostToolUse', 'SessionStart', 'Notification'] as const)(
    'is left at continue: false, on %s',
    async event => {
      const hooks = new HookRegistry()
      const log: string[] = []
      hooks.group(event, '', [
        saying(log, 'first', { continue: true }),
        saying(log, 'second', { continue: false, stopReason: 'enough', additionalContext: 'so far' }),
        saying(log, 'third', { additionalContext: 'never' })
      ])
      hooks.group(event, '', [saying(log, 'other', { additionalContext: 'kept' })])
      const outcome = await harness(hooks).fire(event)
      expect(log).toEqual(['first', 'second', 'other'])
      expect(outcome).toMatchObject({ continue: false, stopReason: 'enough', additionalContext: 'so far\nkept' })
      const third = outcome.report.find(line => line.name === 'third')
      expect(third).toMatchObject({ matched: true, ran: false, status: 'skipped' })
      expect(third!.why).toContain('second')
    }
  )

  // F80
  test('starts afresh with the next fire', async () => {
    const hooks = new HookRegistry()
    let stop = true
    const log: string[] = []
    hooks.group('Stop', '', [() => ({ continue: !stop }), saying(log, 'rest')])
    const { fire } = harness(hooks)
    await fire('Stop')
    stop = false
    await fire('Stop')
    expect(log).toEqual(['rest'])
  })

  // F80
  test('a hook that fails or denies does not skip the rest of its group', async () => {
    const hooks = new HookRegistry()
    const log: string[] = []
    const broken = (): never => {
      throw new Error('broken')
    }
    hooks.group('PreToolUse', '', [broken, () => deny('no'), saying(log, 'rest')])
    await hooks.fire('PreToolUse', bash())
    expect(log).toEqual(['rest'])
  })

  // F79
  test('runs what may run side by side after what may not', async () => {
    const hooks = new HookRegistry()
    const log: string[] = []
    hooks.group('PreToolUse', '', [
      { ...saying(log, 'command 1'), concurrent: true },
      saying(log, 'function 1'),
      { ...saying(log, 'command 2'), concurrent: true },
      saying(log, 'function 2')
    ])
    await hooks.fire('PreToolUse', bash())
    expect(log).toEqual(['function 1', 'function 2', 'command 1', 'command 2'])
  })

  // F93
  test('gives its timeout to members that have none of their own', async () => {
    const hooks = new HookRegistry()
    const run = (): void => undefined
    const members = [
      { name: 'own', timeout: 3, run },
      { name: 'open', timeout: undefined, run },
      { name: 'none', run }
    ]
    hooks.group('PreToolUse', 'Bash', members, { name: 'checks', timeout: 9, priority: 4, onFailure: 'continue' })
    expect(hooks.list().map(({ name, timeout }) => [name, timeout])).toEqual([
      ['own', 3],
      ['open', 9],
      ['none', 9]
    ])
    expect(hooks.describe('none')).toMatchObject({
      group: 'checks',
      priority: 4,
      onFailure: 'continue',
      matcher: '"Bash"'
    })
  })

  test('goes as a whole when it is removed', async () => {
    const hooks = new HookRegistry()
    const off = hooks.group('PreToolUse', '', [
      { name: 'a', run: () => deny() },
      { name: 'b', run: () => deny() }
    ])
    hooks.remove('a')
    off()
    expect(hooks.list()).toEqual([])
  })

  test('sequential members wait for one another, others run side by side', async () => {
    for (const sequential of [true, false]) {
      const clock = manualClock()
      const hooks = new HookRegistry({ clock })
      let open = 0
      let most = 0
      const slow = {
        concurrent: true,
        run: async (): Promise<void> => {
          most = Math.max(most, ++open)
          await new Promise<void>(resolve => void clock.after(1000, resolve))
          open--
        }
      }
      hooks.group('PreToolUse', '', [slow, slow, slow], { sequential })
      expect(await after(clock, 10, () => hooks.fire('PreToolUse', bash()))).toMatchObject({ failures: [] })
      expect(most).toBe(sequential ? 1 : 3)
    }
  })

  test('drops answers behind a continue: false although they ran, and says so', async () => {
    const hooks = new HookRegistry()
    const log: string[] = []
    hooks.group('PostToolUse', '', [
      { name: 'a', concurrent: true, run: async () => ({ continue: false, additionalContext: 'a' }) },
      { ...saying(log, 'b', { additionalContext: 'b' }), concurrent: true }
    ])
    const outcome = await harness(hooks).fire('PostToolUse')
    expect(log).toEqual(['b'])
    expect(outcome.additionalContext).toBe('a')
    expect(outcome.report[1]).toMatchObject({ ran: true, status: 'skipped' })
    expect(outcome.report[1]!.notes.join()).toMatch(/answer was dropped: a/)
  })

  test('an observer in it looks on although the group was left', async () => {
    const hooks = new HookRegistry()
    const log: string[] = []
    hooks.group('PostToolUse', '', [() => ({ continue: false }), { ...saying(log, 'audit'), observe: true }])
    await harness(hooks).fire('PostToolUse')
    expect(log).toEqual(['audit'])
  })

  test('its hook objects keep their own this', async () => {
    const counter = {
      count: 0,
      run(): void {
        this.count++
      }
    }
    const hooks = new HookRegistry()
    hooks.group('PreToolUse', '', [counter])
    await hooks.fire('PreToolUse', bash())
    expect(counter.count).toBe(1)
  })

  test('its members may be instances of a class', async () => {
    class Counter {
      count = 0
      run(): void {
        this.count++
      }
    }
    const [counter, hooks] = [new Counter(), new HookRegistry()]
    hooks.group('PreToolUse', '', [counter])
    await hooks.fire('PreToolUse', bash())
    expect(counter.count).toBe(1)
  })
})

describe('a record of callbacks', () => {
  // F76
  test('may be empty', async () => {
    const hooks = new HookRegistry()
    hooks.callbacks({})
    hooks.callbacks({ PreToolUse: [], Stop: undefined })
    expect(hooks.list()).toEqual([])
    expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ decision: undefined, failures: [] })
  })

  // F76, F78
  test('registers every callback of every matcher, and removes them together', async () => {
    const hooks = new HookRegistry({ sessionId: 's-1', cwd: '/work' })
    const log: string[] = []
    const note = (name: string) => async (input: { session_id: string; cwd: string }) => {
      log.push(`${name} ${input.session_id} ${input.cwd}`)
      return {}
    }
    const off = hooks.callbacks({
      PreToolUse: [{ matcher: 'Bash', hooks: [note('a'), note('b')] }, { hooks: [note('c')] }],
      PostToolUse: [{ matcher: 'Bash', hooks: [note('d')] }]
    })
    await hooks.fire('PreToolUse', bash())
    expect(log).toEqual(['a s-1 /work', 'b s-1 /work', 'c s-1 /work'])
    off()
    expect(hooks.list()).toEqual([])
  })

  // F93
  test('passes on timeout and failure policy', () => {
    const hooks = new HookRegistry()
    hooks.callbacks({ PreToolUse: [{ hooks: [async () => ({})], timeout: 5, onFailure: 'continue' }] })
    expect(hooks.list()[0]).toMatchObject({ timeout: 5, onFailure: 'continue', dialect: 'contract', concurrent: true })
  })
})

// F81
test('any object with fire can stand for a registry', async () => {
  const fired: unknown[] = []
  const none: Pick<HookRegistry, 'fire'> = {
    fire: (event: unknown) => {
      fired.push(event)
      return new HookRegistry().fire('PreToolUse', bash()) as never
    }
  }
  const tested = harness(none as HookRegistry)
  expect((await tested.fire('PreToolUse')).decision).toBeUndefined()
  expect(fired).toEqual(['PreToolUse'])
})

test('a typed context reaches the members of a group', async () => {
  const hooks = new HookRegistry()
  const seen: string[] = []
  const member = (ctx: HookContext<'PreToolUse', 'Bash'>): Reply => {
    seen.push(ctx.toolInput.command)
    return allow()
  }
  hooks.group('PreToolUse', 'Bash', [member, { run: ctx => void seen.push(ctx.toolInput.command) }])
  await hooks.fire('PreToolUse', bash('pwd'))
  expect(seen).toEqual(['pwd', 'pwd'])
})
