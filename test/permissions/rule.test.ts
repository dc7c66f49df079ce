import { describe, expect, test } from 'vitest'
import { parseRule } from '../../src/lib/permissions/rule.ts'
import { patternOf } from '../../src/lib/permissions/path-pattern.ts'
import { allowRule, askRule, decided, denyRule, fetching, HOME, other, WORKSPACE } from './permission-kit.ts'

describe('reading a rule', () => {
  test.each([
    ['Bash', { tool: 'Bash' }],
    // R11
    ['Bash(*)', { tool: 'Bash' }],
    ['Bash(git *)', { tool: 'Bash', specifier: 'git *' }],
    [' Bash( git * ) ', { tool: 'Bash', specifier: 'git *' }],
    ['Bash(git commit -m "(x)")', { tool: 'Bash', specifier: 'git commit -m "(x)"' }],
    ['Read(//etc/**)', { tool: 'Read', specifier: '//etc/**' }],
    ['mcp__github', { tool: 'mcp__github' }],
    ['mcp__github__*', { tool: 'mcp__github__*' }],
    ['mcp__github__get-issue', { tool: 'mcp__github__get-issue' }],
    ['Task(explorer)', { tool: 'Agent', specifier: 'explorer' }]
  ])('%s', (text, parts) => {
    expect(parseRule(text, 'deny', 'a.json:3')).toEqual({
      behavior: 'deny',
      source: 'a.json:3',
      text: text.trim(),
      ...parts
    })
  })

  // R9, R11
  test.each([
    ['Bash(', 'is not a rule'],
    ['Bash()', 'has an empty pattern'],
    ['Bash(  )', 'has an empty pattern'],
    ['', 'is not a rule'],
    ['(git *)', 'is not a rule'],
    ['Bash(git *) && Edit', 'is not a rule'],
    ['Bash:*', 'is not a rule'],
    ['Вash', 'is not a rule'],
    ['Bash(a\nb)', 'is not a rule'],
    ['Bash(\u001B[2J)', 'is not a rule'],
    ['Ba*', 'has a * in the name'],
    ['*', 'is not a rule'],
    ['Bash(FOO=1 rm *)', 'begins with a variable, and fits nothing; write Bash(rm *)'],
    ['Bash(A=1 B=2 rm x)', 'write Bash(rm x)'],
    ['Edit(!src/**)', 'excludes something'],
    ['Read(~root/x)', "another user's home directory"],
    ['WebFetch(domain:)', 'names no domain'],
    ['WebFetch(domain:a/b)', 'names no domain'],
    [`Bash(${'x'.repeat(10_000)})`, 'longer than']
  ])('%j is none', (text, why) => {
    const parsed = parseRule(text, 'deny', 'a.json:3')
    expect(parsed).toMatchObject({ problem: expect.stringContaining(why) })
    // It says what to do, and not at length.
    expect((parsed as { problem: string }).problem).toMatch(/; (?:write|only)/)
    expect((parsed as { problem: string }).problem.length).toBeLessThan(300)
  })
})

// R12
test.each([
  ['Read(//etc/**)', '/etc/**'],
  ['Read(/etc/**)', `${WORKSPACE}/etc/**`],
  ['Read(./etc/**)', `${WORKSPACE}/etc/**`],
  ['Read(etc/**)', `${WORKSPACE}/etc/**`],
  ['Read(~/.ssh/**)', `${HOME}/.ssh/**`]
])('%s stands for the files of %s', (text, glob) => {
  const { globs } = patternOf(denyRule(text).specifier!, { roots: [WORKSPACE], home: HOME }, true)
  expect(globs[0]!.replaceAll(/(?<=\/)(?:\.?\/)+/g, '')).toBe(glob)
})

test('a rule keeps the words in which it was written, and where', () => {
  expect(allowRule('Bash(git *)')).toMatchObject({ behavior: 'allow', text: 'Bash(git *)', source: 'settings.json:1' })
})

describe('names of tools', () => {
  test('an old name means the tool of today, and the other way round', () => {
    expect(decided(other('Agent'), [denyRule('Task')])).toBe('deny')
    expect(decided(other('Task'), [denyRule('Agent')])).toBe('deny')
    expect(decided(other('Agent', { subagent_type: 'explorer' }), [allowRule('Task(explorer)')])).toBe('allow')
    expect(decided(other('Agent', { subagent_type: 'writer' }), [allowRule('Task(explorer)')])).toBe('ask')
  })

  // R8: `mcp__a__b__t` belongs to the server `a`, or to the server `a__b`: this cannot be determined.
  test.each([
    ['mcp__a', 'mcp__a__t', 'allow', 'deny'],
    ['mcp__a__*', 'mcp__a__t', 'allow', 'deny'],
    ['mcp__a__t', 'mcp__a__t', 'allow', 'deny'],
    ['mcp__*', 'mcp__a__t', 'allow', 'deny'],
    ['mcp__a__get_*', 'mcp__a__get_x', 'allow', 'deny'],
    ['mcp__a__get_*', 'mcp__a__set_x', 'ask', 'ask'],
    ['mcp__a', 'mcp__ab__t', 'ask', 'ask'],
    ['mcp__a', 'mcp__a__b__t', 'ask', 'deny'],
    ['mcp__a__*', 'mcp__a__b__t', 'ask', 'deny'],
    ['mcp__a__b', 'mcp__a__b__t', 'ask', 'ask'],
    ['mcp__a__b__*', 'mcp__a__b__t', 'allow', 'deny'],
    ['mcp__a__t', 'mcp__a__T', 'ask', 'ask']
  ])('%s and %s: allowed %s, denied %s', (text, tool, allowed, denied) => {
    expect(decided(other(tool), [allowRule(text)])).toBe(allowed)
    expect(decided(other(tool), [denyRule(text)])).toBe(denied)
  })

  // R7, R9
  test.each(['bash', 'BASH', 'Bаsh', 'Bash ', 'constructor', '__proto__'])('%j is not Bash', tool => {
    expect(decided(other(tool, { command: 'ls' }), [allowRule('Bash')])).toBe('ask')
  })
})

describe('domains', () => {
  test.each([
    ['https://example.com/a', 'yes'],
    ['http://EXAMPLE.com:8080/', 'yes'],
    ['https://docs.example.com/', 'yes'],
    ['https://example.com./', 'yes'],
    ['https://example.com.evil.test/', 'no'],
    ['https://evilexample.com/', 'no'],
    ['https://example.com@evil.test/', 'no'],
    ['https://evil.test/example.com', 'no'],
    ['https://evil.test/?u=https://example.com/', 'no'],
    ['https://еxample.com/', 'no']
  ])('domain:example.com and %s: %s', (url, fits) => {
    expect(decided(fetching(url), [allowRule('WebFetch(domain:example.com)')])).toBe(fits === 'yes' ? 'allow' : 'ask')
    expect(decided(fetching(url), [denyRule('WebFetch(domain:example.com)')])).toBe(fits === 'yes' ? 'deny' : 'ask')
  })

  test('what is no address is never allowed by it, and other schemes are not', () => {
    const rules = [allowRule('WebFetch(domain:example.com)')]
    for (const url of ['example.com', 'ftp://example.com/', 'file://example.com/etc', 'javascript:x'])
      expect(decided(fetching(url), rules)).toBe('ask')
  })
})

describe('other tools are told apart by their most telling field', () => {
  test.each([
    ['Skill(deploy)', 'Skill', { skill: 'deploy' }, 'allow'],
    ['Skill(deploy)', 'Skill', { skill: 'deployed' }, 'ask'],
    ['Skill(dep*)', 'Skill', { skill: 'deployed' }, 'allow'],
    ['WebSearch(cats)', 'WebSearch', { query: 'cats' }, 'allow'],
    ['Unknown(x)', 'Unknown', { y: 'x' }, 'ask']
  ] as const)('%s, and %s is called with %j: %s', (text, tool, input, decision) => {
    expect(decided(other(tool, input), [allowRule(text)])).toBe(decision)
  })

  test('where there is no such field, a rule that refuses asks', () => {
    expect(decided(other('Unknown', { y: 1 }), [denyRule('Unknown(x)')], { mode: 'bypassPermissions' })).toBe('ask')
    expect(decided(other('Unknown', { y: 1 }), [askRule('Unknown(x)')], { mode: 'bypassPermissions' })).toBe('ask')
  })
})
