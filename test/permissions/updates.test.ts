import type { CallFacts } from '../../src/lib/permissions/policy.ts'
import { describe, expect, test } from 'vitest'
import { suggestionsFor } from '../../src/lib/permissions/suggestions.ts'
import type { PermissionUpdate } from '../../src/index.ts'
import { applyUpdate, type Changeable } from '../../src/lib/permissions/updates.ts'
import {
  allowRule,
  askRule,
  bashFacts,
  decided,
  denyRule,
  fetching,
  HOME,
  other,
  policy,
  read,
  WORKSPACE,
  write
} from './permission-kit.ts'

const NOW: Changeable = { rules: [denyRule('Bash(rm *)')], mode: 'default', roots: [WORKSPACE], mayBypass: false }

const add = (behavior: 'allow' | 'deny', toolName: string, ruleContent?: string): PermissionUpdate => ({
  type: 'addRules',
  rules: [{ toolName, ...(ruleContent !== undefined && { ruleContent }) }],
  behavior,
  destination: 'session'
})

describe('updates', () => {
  test('rules are added under the name of their destination, once', () => {
    const { rules = [], ...rest } = applyUpdate(add('allow', 'Bash', 'git *'), NOW)
    expect(rest).toEqual({})
    expect(rules).toEqual([
      ...NOW.rules,
      { behavior: 'allow', tool: 'Bash', specifier: 'git *', source: 'session', text: 'Bash(git *)' }
    ])
    expect(applyUpdate(add('allow', 'Bash', 'git *'), { ...NOW, rules }).rules).toEqual(rules)
  })

  // S5
  test('what stands in a file is neither removed nor replaced', () => {
    for (const type of ['removeRules', 'replaceRules'] as const)
      for (const destination of ['session', 'userSettings', 'localSettings'] as const) {
        const rules = [{ toolName: 'Bash', ruleContent: 'rm *' }]
        const after = applyUpdate({ type, rules, behavior: 'deny', destination }, NOW).rules
        expect(after).toContain(NOW.rules[0])
      }
  })

  test('rules of the same destination and behavior are', () => {
    const { rules = [] } = applyUpdate(add('allow', 'Read'), {
      ...NOW,
      rules: applyUpdate(add('allow', 'Bash'), NOW).rules!
    })
    const change = (type: 'removeRules' | 'replaceRules', toolName: string): readonly string[] =>
      applyUpdate(
        { type, rules: [{ toolName }], behavior: 'allow', destination: 'session' },
        { ...NOW, rules }
      ).rules!.map(({ text }) => text)
    expect(change('removeRules', 'Bash')).toEqual(['Bash(rm *)', 'Read'])
    expect(change('replaceRules', 'Grep')).toEqual(['Bash(rm *)', 'Grep'])
  })

  test('a mode, as far as it may be chosen', () => {
    const to = (mode: 'acceptEdits' | 'bypassPermissions' | 'auto', mayBypass = false) =>
      applyUpdate({ type: 'setMode', mode, destination: 'session' }, { ...NOW, mayBypass })
    expect(to('acceptEdits')).toEqual({ mode: 'acceptEdits' })
    expect(to('bypassPermissions')).toEqual({ problem: expect.stringContaining('not allowed') })
    expect(to('bypassPermissions', true)).toEqual({ mode: 'bypassPermissions' })
    expect(to('auto')).toMatchObject({ problem: expect.stringContaining('no mode auto') })
  })

  test('folders; the project stays', () => {
    const to = (type: 'addDirectories' | 'removeDirectories', directories: string[], roots = [WORKSPACE, '/more']) =>
      applyUpdate({ type, directories, destination: 'session' }, { ...NOW, roots })
    expect(to('addDirectories', ['/x/../y', '/more'])).toEqual({ roots: [WORKSPACE, '/more', '/y'] })
    expect(to('removeDirectories', ['/more', WORKSPACE])).toEqual({ roots: [WORKSPACE] })
    expect(to('addDirectories', ['../x'])).toEqual({ problem: expect.stringContaining('absolute') })
  })

  test.each([
    null,
    'x',
    {},
    { type: 'addRules', rules: [], behavior: 'allow' },
    { type: 'addRules', rules: [{ toolName: 'Bash', ruleContents: 'ls' }], behavior: 'allow', destination: 'session' },
    { type: 'addRules', rules: [], behavior: 'ALLOW', destination: 'session' },
    { type: 'addRules', rules: 'Bash', behavior: 'allow', destination: 'session' },
    { type: 'addRules', rules: [{ toolName: 1 }], behavior: 'allow', destination: 'session' },
    { type: 'addRules', rules: [{ toolName: 'Bash(' }], behavior: 'allow', destination: 'session' },
    { type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: ' ' }], behavior: 'allow', destination: 'session' },
    { type: 'setMode', mode: 7, destination: 'session' },
    { type: 'addDirectories', directories: '/x', destination: 'session' },
    { type: 'constructor', destination: 'session' }
  ])('%j changes nothing', update => {
    expect(applyUpdate(update as unknown as PermissionUpdate, NOW)).toMatchObject({ problem: expect.any(String) })
  })
})

test('a wrong update names the key and the values that it can have', () => {
  const problem = (update: object) => applyUpdate(update as PermissionUpdate, NOW).problem
  expect(problem({ type: 'addRules', rules: [], behavior: 'ALLOW', destination: 'session' })).toBe(
    'addRules: "behavior" must be "allow", "deny" or "ask", not "ALLOW"'
  )
  expect(problem({ type: 'setMode', mode: 'plan' })).toMatch(/^setMode: "destination" is missing: add "userSettings", /)
  expect(problem({ type: 'allow' })).toMatch(
    /^"allow" is not a permission update; use addRules, .*, removeDirectories$/
  )
  expect(
    problem({
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContents: 'ls' }],
      behavior: 'allow',
      destination: 'session'
    })
  ).toBe('addRules: there is no key "rules[0].ruleContents" (did you mean ruleContent?)')
})

describe('what may be allowed for good', () => {
  const offered = (call: CallFacts, rules = NOW.rules): readonly PermissionUpdate[] =>
    suggestionsFor(call, policy(rules))

  test('the one command', () => {
    expect(offered(bashFacts(' touch x.txt'))).toEqual([
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'touch x.txt' }],
        behavior: 'allow',
        destination: 'localSettings'
      }
    ])
  })

  test.each(['a; b', 'touch $X', `find . -name '*.ts'`, 'a > b', ''])(
    '%j: nothing that could be told apart',
    command => {
      expect(offered(bashFacts(command), [])).toEqual([])
    }
  )

  test('edits in the project, the folder of a file outside, the file where that would be too much', () => {
    const accept = { type: 'setMode', mode: 'acceptEdits', destination: 'session' }
    expect(offered(write(`${WORKSPACE}/a`))).toEqual([accept])
    expect(offered(write('/srv/x/a'))).toEqual([
      { type: 'addDirectories', directories: ['/srv/x'], destination: 'session' },
      accept
    ])
    expect(offered(read('/srv/x/a'))).toEqual([
      { type: 'addDirectories', directories: ['/srv/x'], destination: 'session' }
    ])
    for (const path of ['/a*[b]', `${HOME}/a`])
      expect(offered(read(path))).toMatchObject([
        { type: 'addRules', rules: [{ toolName: 'Read' }], destination: 'session' }
      ])
  })

  test('the host, the tool, the one subagent', () => {
    const rules = (call: CallFacts) => offered(call).map(update => ('rules' in update ? update.rules : update))
    expect(rules(fetching('https://docs.example.com/x?y'))).toEqual([
      [{ toolName: 'WebFetch', ruleContent: 'domain:docs.example.com' }]
    ])
    expect(rules(other('mcp__a__t', { query: 'x' }))).toEqual([[{ toolName: 'mcp__a__t' }]])
    expect(rules(other('Task', { subagent_type: 'x' }))).toEqual([[{ toolName: 'Agent', ruleContent: 'x' }]])
    expect(rules(other('Skill', { skill: 'a*' }))).toEqual([])
    expect(rules(other('Bad name', {}))).toEqual([])
  })

  test('nothing where it would not help', () => {
    expect(offered(bashFacts('touch a'), [askRule('Bash')])).toEqual([])
    expect(offered(bashFacts('rm x'))).toEqual([])
    expect(offered(bashFacts('touch a'), [allowRule('Bash')])).toEqual([])
    expect(offered(bashFacts('cp x .git/hooks/y'))).toEqual([])
    expect(suggestionsFor(other('ExitPlanMode'), policy([], { mode: 'plan' }))).toEqual([])
  })

  test('afterwards the call is allowed, and others are not', () => {
    const calls: readonly (readonly [CallFacts, readonly CallFacts[]])[] = [
      [
        bashFacts('touch x.txt'),
        [bashFacts('touch y.txt'), bashFacts('touch x.txt y'), bashFacts('touch x.txt; rm y'), read('/srv/x')]
      ],
      [bashFacts(`touch 'a b'`), [bashFacts('touch a b')]],
      [write(`${WORKSPACE}/a`), [bashFacts('touch a'), write('/srv/x/a'), write(`${WORKSPACE}/.git/config`)]],
      [write('/srv/x/a'), [write('/srv/a'), write('/srv/x-evil/a')]],
      [read('/a*[b]'), [read('/ab'), write('/a*[b]')]],
      [fetching('https://example.com/x'), [fetching('https://example.com.evil.test/')]],
      [other('mcp__a__t'), [other('mcp__a__u')]]
    ]
    for (const [call, others] of calls) {
      const now = { ...NOW }
      for (const update of suggestionsFor(call, policy(now.rules))) Object.assign(now, applyUpdate(update, now))
      const { rules, mode, roots } = now
      expect(decided(call, rules, { mode, roots })).toBe('allow')
      for (const each of others) expect(decided(each, rules, { mode, roots })).not.toBe('allow')
    }
  })
})
