import { describe, expect, test } from 'vitest'
import { decide } from '../../src/lib/permissions/decide.ts'
import { MODES, parseMode } from '../../src/lib/permissions/modes.ts'
import {
  allowRule,
  askRule,
  bashFacts,
  decided,
  denyRule,
  fetching,
  other,
  policy,
  read,
  WORKSPACE,
  write
} from './permission-kit.ts'

const HOOK = { by: 'guard', reason: 'because' }

describe('what decides, and who is named', () => {
  test.each([
    ['a hook', [], { hook: { ...HOOK, decision: 'deny' } }, 'deny', 'hook guard', 'hook', 'because'],
    [
      'a rule',
      [denyRule('Bash(touch a)')],
      {},
      'deny',
      'Bash(touch a) (settings.json:1)',
      'rule',
      /Bash\(touch a\) in settings\.json:1/
    ],
    ['a rule', [askRule('Bash(touch a)')], {}, 'ask', 'Bash(touch a) (settings.json:1)', 'rule', /asks/],
    [
      'a rule',
      [denyRule('Bash(x)')],
      { cmd: '$X' },
      'ask',
      'Bash(x) (settings.json:1)',
      'rule',
      /is not certain whether/
    ],
    ['a rule', [allowRule('Bash(touch a)')], {}, 'allow', 'Bash(touch a) (settings.json:1)', 'rule', undefined],
    ['a hook', [], { hook: { ...HOOK, decision: 'ask' } }, 'ask', 'hook guard', 'hook', 'hook guard asks: because'],
    ['a hook', [], { hook: { ...HOOK, decision: 'allow' } }, 'allow', 'hook guard', 'hook', 'because'],
    ['a mode', [], { mode: 'bypassPermissions' }, 'allow', 'mode bypassPermissions', 'mode', undefined],
    ['a mode', [], { mode: 'plan' }, 'deny', 'mode plan', 'mode', /ExitPlanMode/],
    ['a mode', [], { mode: 'dontAsk' }, 'deny', 'mode dontAsk', 'mode', /nothing allows it/],
    ['a mode', [askRule('Bash')], { mode: 'dontAsk' }, 'deny', 'mode dontAsk', 'mode', /Bash \(settings\.json:1\)/],
    ['nothing', [], {}, 'ask', 'default', 'default', 'nothing allows it']
  ] as const)('%s: %j %j: %s by %s', (_, rules, more, decision, by, kind, reason) => {
    const { cmd = 'touch a', ...rest } = more as { cmd?: string }
    const words = reason instanceof RegExp ? expect.stringMatching(reason) : reason
    expect(decide(bashFacts(cmd), policy(rules, rest))).toEqual({ decision, by, kind, reason: words })
  })
})

describe('the order', () => {
  test('what a hook refuses is refused in every mode', () => {
    for (const mode of MODES)
      expect(decided(bashFacts('touch a'), [allowRule('Bash')], { mode, hook: { decision: 'deny', by: 'h' } })).toBe(
        'deny'
      )
  })

  test('a rule that refuses comes before all that allows, whatever the order of rules', () => {
    const hook = { decision: 'allow', by: 'h' } as const
    for (const mode of MODES) {
      expect(decided(bashFacts('touch a'), [allowRule('Bash'), denyRule('Bash(touch a)')], { mode, hook })).toBe('deny')
      expect(
        decided(bashFacts('touch a'), [denyRule('Bash(touch a)'), allowRule('Bash(touch a)')], { mode, hook })
      ).toBe('deny')
    }
  })

  // F132
  test('a hook that allows: no one is asked, but rules that refuse or ask hold', () => {
    const hook = { decision: 'allow', by: 'h' } as const
    expect(decided(bashFacts('touch a'), [], { hook })).toBe('allow')
    expect(decided(bashFacts('touch a'), [], { hook, mode: 'dontAsk' })).toBe('allow')
    expect(decided(bashFacts('touch a'), [askRule('Bash(touch a)')], { hook })).toBe('ask')
    expect(decided(bashFacts('touch a'), [denyRule('Bash(touch a)')], { hook })).toBe('deny')
  })

  // F133
  test('a hook that asks: someone is asked, whatever rules and modes allow', () => {
    const hook = { decision: 'ask', by: 'h' } as const
    expect(decided(bashFacts('touch a'), [allowRule('Bash')], { hook })).toBe('ask')
    expect(decided(bashFacts('touch a'), [allowRule('Bash')], { hook, mode: 'bypassPermissions' })).toBe('ask')
    expect(decided(bashFacts('touch a'), [denyRule('Bash')], { hook })).toBe('deny')
  })

  // FM58
  test('what is in doubt is asked about, whatever allows it, and whoever asks is told of it', () => {
    const hook = { decision: 'allow', by: 'h' } as const
    const call = { ...other('mcp__own__look', {}, true), doubt: 'it has changed' }
    const asks = { decision: 'ask', by: 'changed tool', kind: 'safety', reason: 'it has changed' }
    for (const mode of MODES) {
      const ruling = decide(call, policy([allowRule('mcp__own'), askRule('mcp__own__look')], { mode, hook }))
      expect(ruling).toMatchObject(mode === 'dontAsk' ? { decision: 'deny', kind: 'mode' } : asks)
      expect(decided(call, [denyRule('mcp__own')], { mode, hook })).toBe('deny')
    }
  })

  // F133, F153
  test('no one says anything: it is asked about, and in mode dontAsk refused', () => {
    expect(decided(bashFacts('touch a'))).toBe('ask')
    expect(decided(bashFacts('touch a'), [], { mode: 'acceptEdits' })).toBe('ask')
    expect(decided(bashFacts('touch a'), [], { mode: 'dontAsk' })).toBe('deny')
  })

  test('a rule that asks does so in mode bypassPermissions', () => {
    expect(decided(bashFacts('touch a'), [askRule('Bash')], { mode: 'bypassPermissions' })).toBe('ask')
  })
})

describe('modes', () => {
  // F187
  test('reading in the project needs no question; the rest does', () => {
    for (const tool of ['Read', 'Glob', 'Grep']) {
      expect(decided(read(`${WORKSPACE}/a`, tool))).toBe('allow')
      expect(decided(read(`${WORKSPACE}/a`, tool), [], { mode: 'dontAsk' })).toBe('allow')
      expect(decided(read('/etc/passwd', tool))).toBe('ask')
    }
    expect(decided(read('/more/a'), [], { roots: [WORKSPACE, '/more'] })).toBe('allow')
    expect(decided(write(`${WORKSPACE}/a`))).toBe('ask')
    expect(decided(bashFacts('touch a'))).toBe('ask')
    expect(decided(fetching('https://example.com/'))).toBe('ask')
    expect(decided(other('TaskOutput', {}, true))).toBe('allow')
  })

  test('what a server says of its tools is not taken for granted', () => {
    expect(decided(other('mcp__a__read', {}, true))).toBe('allow')
    expect(decided(other('mcp__a__read', {}, false))).toBe('ask')
  })

  test('acceptEdits: files of the work are changed without a question', () => {
    const more = { mode: 'acceptEdits', roots: [WORKSPACE, '/more'] } as const
    for (const tool of ['Write', 'Edit', 'NotebookEdit']) {
      expect(decided(write(`${WORKSPACE}/a`, tool), [], more)).toBe('allow')
      expect(decided(write('/more/a', tool), [], more)).toBe('allow')
      expect(decided(write('/etc/a', tool), [], more)).toBe('ask')
    }
    expect(decided({ ...write(`${WORKSPACE}/a`), tool: 'mcp__a__write' }, [], more)).toBe('ask')
    expect(decided(write(`${WORKSPACE}/a`), [askRule('Edit(a)')], more)).toBe('ask')
  })

  // P1, P2, P3
  test.each(['/home/ann/ws-evil/a', '/home/ann/ws/../a', '/home/ann', '/', '/proc/self/root/home/ann/ws/a', 'a', ''])(
    '%j is not in the project',
    path => {
      expect(decided(write(path), [], { mode: 'acceptEdits' })).toBe('ask')
      expect(decided(read(path))).toBe('ask')
    }
  )

  test('plan: nothing is changed, and how to leave it is said', () => {
    const more = { mode: 'plan' } as const
    expect(decided(read(`${WORKSPACE}/a`), [], more)).toBe('allow')
    expect(decided(read('/etc/passwd'), [], more)).toBe('ask')
    expect(decided(write(`${WORKSPACE}/a`), [allowRule('Edit'), allowRule('Write')], more)).toBe('deny')
    expect(decided(bashFacts('touch a'), [allowRule('Bash')], { ...more, hook: { decision: 'allow', by: 'h' } })).toBe(
      'deny'
    )
    expect(decided(bashFacts('touch a'), [askRule('Bash')], more)).toBe('deny')
    expect(decide(write(`${WORKSPACE}/a`), policy([], more)).reason).toContain('ExitPlanMode')
    expect(decide(other('ExitPlanMode'), policy([], more))).toMatchObject({ decision: 'ask', by: 'mode plan' })
    expect(decided(other('ExitPlanMode'), [allowRule('ExitPlanMode')], more)).toBe('ask')
    expect(decided(other('ExitPlanMode'), [], { ...more, hook: { decision: 'allow', by: 'h' } })).toBe('allow')
    expect(decided(other('ExitPlanMode'), [denyRule('ExitPlanMode')], more)).toBe('deny')
  })

  test('names of modes', () => {
    for (const mode of MODES) expect(parseMode(mode, true)).toBe(mode)
    expect(parseMode('bypassPermissions', false)).toEqual({
      problem: expect.stringContaining('bypassPermissions is not allowed here')
    })
    expect(parseMode('auto', true)).toMatchObject({ problem: expect.stringMatching(/no mode auto here.*use default/) })
    expect(parseMode('delegate', true)).toMatchObject({ problem: expect.stringContaining('no mode delegate here') })
    expect(parseMode('acceptEdit', true)).toEqual({ problem: expect.stringContaining('did you mean acceptEdits?') })
    expect(parseMode('', true)).toEqual({ problem: expect.stringContaining('use default') })
  })
})
