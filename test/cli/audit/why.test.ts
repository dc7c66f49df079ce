/** `carabiner why`: for each way in which a call can end, the true story, told from the transcript alone. */
import { hostname, userInfo } from 'node:os'
import { describe, expect, test, vi } from 'vitest'
import { allow, ask, deny, defer, HookRegistry, transform } from '../../../src/index.ts'
import { bashTurn, callTurn, ownTool, type Asking } from '../../support/agent-scene.ts'
import { noSandbox } from '../../support/host.ts'
import { HANG } from '../../support/waiting.ts'
import { desk, type Desk } from '../sessions/sessions-kit.ts'
import { hasTmux, terminal } from '../terminal/terminal-kit.ts'

vi.setConfig({ testTimeout: HANG })

/** What differs from run to run. */
const plain = (text: string, { home, project }: Desk): readonly string[] =>
  text
    .replaceAll(project, 'PROJECT')
    .replaceAll(home, 'HOME')
    .replaceAll(/\d+(?:\.\d+)? ms/g, 'N ms')
    .replaceAll(/\(\S*why\.test\.ts:\d+:\d+\)/g, '(HERE)')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/(?<=policy {4})[0-9a-f]{16}/g, 'DIGEST')
    .replaceAll(`${userInfo().username}@${hostname()}`, 'USER@HOST')
    .trimEnd()
    .split('\n')

const hooked = (fill: (hooks: HookRegistry) => unknown): HookRegistry => {
  const hooks = new HookRegistry()
  fill(hooks)
  return hooks
}

async function why(at: Desk, ...args: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await at.run(['why', ...args])
  expect([code, stderr]).toEqual([0, ''])
  return plain(stdout, at)
}

/** One call of `touch`, by an agent with these options, and what `why` says of it. */
async function story(asking: Omit<Asking, 'in'>, at = desk(), turn: object = bashTurn('touch done')) {
  await at.agent('s', [turn, 'Done.'], { watch: false, ...asking })
  return why(at, 'last')
}

const HEAD = ['Bash  toolu_1, session s, TIME', '  input    {"command":"touch done"}']
const NO_HOOK = 'no hook listened to PreToolUse'
const END = ['result    ok, N ms', 'record    signed, and not changed since']
const REFUSED = ['result    refused', 'record    signed, and not changed since']
const policy = (words: string): string => `policy    DIGEST: mode ${words}`
const PLAIN = policy('default, profile strict, ask-over-allow, 0 rules, 0 hooks')
const ONE_HOOK = policy('default, profile strict, ask-over-allow, 0 rules, 1 hook')
const NOTHING = 'nothing allows it'

describe('who allowed it', () => {
  test('a rule, also after it is gone', async () => {
    const at = desk()
    at.user({ permissions: { allow: ['Bash(touch *)'] } })
    await at.agent('s', [bashTurn('touch done'), 'Done.'], { watch: false })
    at.user({ permissions: { deny: ['Bash(touch *)'] } })
    expect(await why(at, 'last')).toEqual([
      ...HEAD,
      NO_HOOK,
      'decision  allow, by Bash(touch *) (HOME/.claude/settings.json:4)',
      policy('default, profile strict, ask-over-allow, 1 rule, 0 hooks'),
      '  rule allow Bash(touch *) (HOME/.claude/settings.json:4)',
      ...END
    ])
  })

  test('a hook, beside one that did not match', async () => {
    const hooks = hooked(each => {
      each.on('PreToolUse', 'Bash', () => ({ decision: 'allow', reason: 'harmless' }), { name: 'gate' })
      each.on('PreToolUse', 'Read', () => deny('no'), { name: 'reader' })
    })
    expect(await story({ hooks })).toEqual([
      ...HEAD,
      'PreToolUse  profile strict',
      '  gate  N ms',
      '    {"decision":"allow","reason":"harmless"}',
      '  reader  did not run: matcher "Read" does not fit "Bash"  (HERE)',
      '  outcome  allow, by gate: harmless',
      'decision  allow, by hook gate: harmless',
      policy('default, profile strict, ask-over-allow, 0 rules, 2 hooks'),
      ...END
    ])
  })

  test('the mode', async () => {
    const asking = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const
    expect(await story(asking)).toEqual([
      ...HEAD,
      NO_HOOK,
      'decision  allow, by mode bypassPermissions',
      policy('bypassPermissions, profile strict, ask-over-allow, 0 rules, 0 hooks'),
      ...END
    ])
  })

  test('a person', async () => {
    expect(await story({ canUseTool: async () => ({ behavior: 'allow' }) })).toEqual([
      ...HEAD,
      NO_HOOK,
      `decision  allow, by the user (canUseTool): ${NOTHING}`,
      '  decided by USER@HOST (canUseTool)',
      PLAIN,
      ...END
    ])
  })

  test('a person whom the program names', async () => {
    const lines = await story({ canUseTool: async () => ({ behavior: 'allow', approver: 'ada, by the page' }) })
    expect(lines).toContain('  decided by ada, by the page')
  })

  test('a hook on PermissionRequest', async () => {
    const hooks = hooked(each => each.on('PermissionRequest', () => allow(), { name: 'clerk' }))
    expect(await story({ hooks })).toEqual([
      ...HEAD,
      'PermissionRequest  profile strict',
      '  clerk  N ms',
      '    {"decision":"allow"}',
      '  outcome  allow, by clerk',
      NO_HOOK,
      `decision  allow, by clerk: ${NOTHING}`,
      '  decided by hook clerk',
      ONE_HOOK,
      ...END
    ])
  })

  test.skipIf(!hasTmux)('a person at the terminal', async () => {
    const at = desk()
    const { line, ready, shows } = terminal(at, [bashTurn('touch done'), 'Done.'])
    await ready()
    line('go')
    await shows(/say why \[n\]$/)
    line('y')
    await shows(/Done\.\n\n>$/)
    expect(await why(at, 'last')).toEqual(
      expect.arrayContaining([
        `decision  allow, by the user (canUseTool): ${NOTHING}`,
        '  decided by USER@HOST at the terminal'
      ])
    )
  })

  test.skipIf(noSandbox !== undefined)('the sandbox', async () => {
    const at = desk()
    at.user({ sandbox: { enabled: true, autoAllow: true } })
    expect(await story({}, at)).toEqual([...HEAD, NO_HOOK, 'decision  allow, by sandbox.autoAllow', PLAIN, ...END])
  })

  test('no one has to: it changes nothing', async () => {
    const look = ownTool('look', () => 'seen', true)
    expect(await story({ tools: [look] }, desk(), callTurn('look'))).toEqual([
      'look  toolu_1, session s, TIME',
      '  input    {}',
      NO_HOOK,
      'decision  allow, by default: it changes nothing',
      PLAIN,
      ...END
    ])
  })
})

describe('who refused it', () => {
  test('a rule', async () => {
    const at = desk()
    at.user({ permissions: { deny: ['Bash(touch *)'] } })
    expect(await story({}, at)).toContain(
      'decision  deny, by Bash(touch *) (HOME/.claude/settings.json:4): the rule Bash(touch *) in HOME/.claude/settings.json:4 refuses it'
    )
  })

  test('a hook', async () => {
    const hooks = hooked(each => each.on('PreToolUse', 'Bash', () => deny('not today'), { name: 'gate' }))
    expect(await story({ hooks })).toEqual([
      ...HEAD,
      'PreToolUse  profile strict',
      '  gate  N ms',
      '    {"decision":"deny","reason":"not today"}',
      '  outcome  deny, by gate: not today',
      'decision  deny, by hook gate: not today',
      ONE_HOOK,
      ...REFUSED
    ])
  })

  test('a gate that failed', async () => {
    const broken = (): never => {
      throw new Error('broken')
    }
    const hooks = hooked(each => each.on('PreToolUse', 'Bash', broken, { name: 'gate' }))
    const lines = await story({ hooks })
    expect(lines).toContain('    failed (threw): broken')
    expect(lines).toContainEqual(expect.stringMatching(/^decision {2}deny, by hook gate: .*broken/))
    expect(lines).toContain('result    refused')
  })

  test('the mode', async () => {
    expect(await story({ permissionMode: 'plan' })).toContainEqual(
      expect.stringMatching(/^decision {2}deny, by mode plan: plan mode allows only/)
    )
  })

  test('a person', async () => {
    const lines = await story({ canUseTool: async () => ({ behavior: 'deny', message: 'no' }) })
    expect(lines).toEqual([
      ...HEAD,
      NO_HOOK,
      'decision  deny, by the user (canUseTool): no',
      '  decided by USER@HOST (canUseTool)',
      PLAIN,
      ...REFUSED
    ])
  })

  test('no one, since no one could be asked', async () => {
    const hooks = hooked(each => each.on('PreToolUse', 'Bash', () => ask('sure?'), { name: 'gate' }))
    const lines = await story({ hooks })
    expect(lines).toContain(
      'decision  deny, by default: it needs permission (hook gate asks: sure?), and no one was available to approve it'
    )
    expect(lines).toContain('  asked for by hook gate')
  })

  test('the call itself', async () => {
    expect(await story({}, desk(), callTurn('Bush', { command: 'x' }))).toContainEqual(
      expect.stringMatching(/^decision {2}deny, by carabiner: No such tool: Bush\./)
    )
  })
})

test('a hook of an untrusted project was not active, and the story says so', async () => {
  const at = desk()
  const command = 'echo no >&2; exit 2'
  at.settings({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] } })
  const lines = await story({ projectHooks: false, allowedTools: ['Bash'] }, at)
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}echo no >&2; exit 2.* is not active: .*\(PROJECT\/\.claude/))
  expect(lines).toContain('decision  allow, by Bash (allowedTools)')
})

test('two rewrites are one difference, and each hook is named', async () => {
  const hooks = hooked(each => {
    each.on('PreToolUse', 'Bash', ctx => transform({ command: ctx.toolInput.command.replace('done', 'one') }), {
      name: 'first'
    })
    each.on('PreToolUse', 'Bash', ctx => transform({ command: ctx.toolInput.command.replace(/ one$/, ' one two') }), {
      name: 'second'
    })
  })
  const lines = await story({ hooks, allowedTools: ['Bash'] })
  expect(lines.slice(0, 5)).toEqual([...HEAD, '  changed  command', '    - "touch done"', '    + "touch one two"'])
  expect(lines.filter(line => /^ {2}(?:first|second) /.test(line))).toEqual(['  first  N ms', '  second  N ms'])
})

test('a call that waits', async () => {
  const hooks = hooked(each => each.on('PreToolUse', 'Bash', () => defer(), { name: 'gate' }))
  const lines = await story({ hooks })
  expect(lines).toContainEqual(expect.stringMatching(/^decision {2}defer, by gate/))
  expect(lines.some(line => line.startsWith('result'))).toBe(false)
})

test('what a hook says after the call belongs to the story', async () => {
  const hooks = hooked(each => each.on('PostToolUse', () => ({ additionalContext: 'well done' }), { name: 'after' }))
  expect(await story({ hooks, allowedTools: ['Bash'] })).toContain('  context  well done')
})

test('an answer counts also for a call that only reads, and has no line before its result', async () => {
  const look = ownTool('look', () => 'seen', true)
  const hooks = hooked(each => each.on('PreToolUse', 'look', () => ask('sure?'), { name: 'gate' }))
  const asking = { tools: [look], hooks, canUseTool: async () => ({ behavior: 'allow' }) as const }
  const lines = await story(asking, desk(), callTurn('look'))
  expect(lines).toContain('decision  allow, by the user (canUseTool): hook gate asks: sure?')
  expect(lines.filter(line => line.startsWith('  gate '))).toEqual(['  gate  N ms'])
  expect(lines.slice(-2)).toEqual(END)
})

test('a call that was running when its process ended was allowed by whom it was', async () => {
  const at = desk()
  await at.agent('s', [bashTurn('touch done'), 'Done.'], { watch: false, allowedTools: ['Bash'] })
  at.cut('s', ({ type }) => type === 'tool-intent')
  await at.agent('s', ['What now?'], { watch: false })
  const lines = await why(at, 'toolu_1')
  expect(lines).toContain('decision  allow, by Bash (allowedTools)')
  expect(lines.slice(-2)).toEqual(['result    error', 'record    changed since it was written'])
})

test('a policy that changes while the agent runs: each call has the one of its time', async () => {
  const at = desk()
  const canUseTool = async () => {
    const rules = [{ toolName: 'Bash' }]
    const added = { type: 'addRules', rules, behavior: 'allow', destination: 'session' } as const
    return { behavior: 'allow', updatedPermissions: [added] } as const
  }
  await at.agent('s', [bashTurn('touch one'), bashTurn('touch two'), 'Done.'], { watch: false, canUseTool })
  expect(await why(at, 'toolu_1')).toContainEqual(expect.stringMatching(/^decision {2}allow, by the user/))
  expect(await why(at, 'toolu_2')).toEqual(
    expect.arrayContaining(['decision  allow, by Bash (session)', '  rule allow Bash (session)'])
  )
})

test('a call of a subagent', async () => {
  const at = desk()
  const errand = callTurn('Agent', { description: 'help', prompt: 'do it', subagent_type: 'general-purpose' })
  const turns = [errand, bashTurn('touch done'), 'Did it.', 'Done.']
  await at.agent('s', turns, { watch: false, allowedTools: ['Bash', 'Agent'] })
  const { stdout } = await at.run(['audit', 'show', 's', '--tool', 'Bash'])
  const [id] = /toolu_\w+/.exec(stdout) ?? []
  expect(await why(at, 's', id ?? '')).toContainEqual(
    expect.stringMatching(/^ {2}agent {4}general-purpose \w+, depth 1$/)
  )
})

test('neither the input nor a reply shows a secret', async () => {
  const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
  const hooks = hooked(each => each.on('PreToolUse', 'Bash', () => deny(`saw ${secret}`), { name: 'gate' }))
  const at = desk()
  await at.agent('s', [bashTurn(`echo ${secret}`), 'Done.'], { watch: false, hooks })
  const { stdout } = await at.run(['why', 'last', '--json'])
  expect(stdout).toContain('gate')
  expect(stdout + JSON.stringify(at.lines('s').map(({ decision }) => decision))).not.toContain(secret)
})

test('with hooks that ask not to be logged, only who answered is kept', async () => {
  const quiet = () => ({ suppressLogging: true, additionalContext: 'quiet words' })
  const hooks = hooked(each => each.on('PreToolUse', 'Bash', quiet, { name: 'gate' }))
  const lines = await story({ hooks, allowedTools: ['Bash'] })
  expect(lines).toContain('  gate  N ms')
  expect(lines.join('\n')).not.toContain('quiet words')
})

test('a call that is not there', async () => {
  const at = desk()
  const { code, stderr } = await at.run(['why', 'toolu_9'])
  expect([code, stderr]).toEqual([64, expect.stringContaining('no call toolu_9 is in the sessions of this folder')])
})
