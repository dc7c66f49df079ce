/** Which events a hook from a file is for. */
import { describe, expect, test, vi } from 'vitest'
import { brief, fireArmed, settingsScene, told } from './settings-kit.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, decides, prints, rule, tells } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** Of these tools, those that a hook with this matcher is asked about. */
async function toolsFor(matcher: string | undefined, tools: readonly string[]): Promise<readonly string[]> {
  const { user, arm } = settingsScene()
  user(commandOn('PreToolUse', decides('ask'), matcher))
  const { hooks, findings } = await arm()
  expect(findings).toEqual([])
  const asked = await Promise.all(
    tools.map(async tool_name => (await fireArmed({ hooks }, 'PreToolUse', { tool_name })).decision === 'ask')
  )
  return tools.filter((_, place) => asked[place])
}

const TOOLS = ['Bash', 'BashOutput', 'Edit', 'MultiEdit', 'NotebookEdit', 'Write', 'mcp__a__b', 'mcp__a__b__c', 'bash']

// R6, R7, R8
test.each<[string | undefined, readonly string[]]>([
  [undefined, TOOLS],
  ['', TOOLS],
  ['*', TOOLS],
  ['.*', TOOLS],
  ['Bash', ['Bash']],
  ['bash', ['bash']],
  ['BASH', []],
  [' Bash | Write ', ['Bash', 'Write']],
  ['Edit,Write', ['Edit', 'Write']],
  ['Edit|MultiEdit|', ['Edit', 'MultiEdit']],
  ['Edi', []],
  ['Edit.*', ['Edit', 'MultiEdit', 'NotebookEdit']],
  ['^Edit$', ['Edit']],
  ['(Multi|Notebook)Edit', ['MultiEdit', 'NotebookEdit']],
  ['*Edit', ['Edit', 'MultiEdit', 'NotebookEdit']],
  ['Bash*', ['Bash', 'BashOutput']],
  ['mcp__*', ['mcp__a__b', 'mcp__a__b__c']],
  ['mcp__a__*', ['mcp__a__b', 'mcp__a__b__c']],
  ['mcp__a__b__*', ['mcp__a__b__c']],
  ['mcp__a__b', ['mcp__a__b']],
  ['mcp__a', []],
  ['mcp__.*__b$', ['mcp__a__b']],
  ['^(?!Bash|mcp__).*', ['Edit', 'MultiEdit', 'NotebookEdit', 'Write', 'bash']],
  ['^(?!.*Edit$)[A-Z]', ['Bash', 'BashOutput', 'Write']]
])('matcher %j', async (matcher, expected) => {
  expect(await toolsFor(matcher, TOOLS)).toEqual(expected)
})

// R8
test('two underscores within the name of a server or of a tool mean nothing', async () => {
  const tools = ['mcp__a__b__read', 'mcp__a__read', 'mcp__a_b__read']
  expect(await toolsFor('mcp__a__read', tools)).toEqual(['mcp__a__read'])
  expect(await toolsFor('mcp__a__b__read', tools)).toEqual(['mcp__a__b__read'])
  expect(await toolsFor('mcp__a__b__.*', tools)).toEqual(['mcp__a__b__read'])
})

// R9
test.each(['Bаsh', 'Ｂash', 'Bash\u200B', 'Bash\u00A0', '𝐁ash', 'Ba\u0301sh'])(
  '%s looks like Bash, and is not',
  async tool => {
    expect(await toolsFor('Bash', [tool])).toEqual([])
    expect(await toolsFor('^Bash$', [tool])).toEqual([])
  }
)

// R9
test('a call without a plain name is not let past a hook that is for all', async () => {
  expect(await toolsFor('*', ['Bаsh', '', '\n'])).toEqual(['Bаsh', '', '\n'])
})

// R1, R3
test.each(['(a+)+$', 'a(.*b)*(.*c)*(.*d)*e$', `${'*'.repeat(34)}x`, `${'*a'.repeat(34)}x`, '(?<!b)(a+)+$'])(
  'a name of 10 KB against %s does not hold anyone up',
  async matcher => {
    const { user, arm } = settingsScene()
    user({ hooks: { PreToolUse: [rule('true', matcher), rule(decides('deny', 'the other'))] } })
    const outcome = await fireArmed(await arm(), 'PreToolUse', { tool_name: `${'a'.repeat(10_000)}!` })
    expect(outcome).toMatchObject({ blocked: true, reason: 'the other' })
  }
)

// R5
describe('a pattern that is none', () => {
  test.each(['[', '(?<', '\\', '(', '*(*(*(a|b)))', '+(a|aa)', 'Bash(', '|', ' , '])('%j', async matcher => {
    const { user, load, findings, arm } = settingsScene()
    const file = user({ hooks: { PreToolUse: [rule('true', matcher), rule(tells('the other'))] } })
    const found = findings().filter(({ level }) => level === 'error')
    expect(found).toMatchObject([
      { code: 'matcher-invalid', gate: true, place: { file, line: 5, key: 'hooks.PreToolUse[0].matcher' } }
    ])
    const armed = await arm()
    expect(armed.findings).toMatchObject([{ level: 'error', code: 'not-armed', gate: true, place: { file } }])
    expect(await told(armed)).toEqual(['the other'])
    expect(load().hooks).toHaveLength(2)
  })

  test('does not become one that matches everything', async () => {
    const { user, arm } = settingsScene()
    user(commandOn('PreToolUse', decides('allow'), '['))
    expect(await fireArmed(await arm())).toMatchObject({ decision: undefined, report: [] })
  })
})

// R10
test.each([
  ['a pattern', '(a)'.repeat(350_000)],
  ['a list of names', 'Bash|'.repeat(250_000)],
  ['a glob', 'a*'.repeat(500_000)]
])('%s of a megabyte is an error', (_, matcher) => {
  const { user, load } = settingsScene()
  user(commandOn('PreToolUse', 'true', matcher))
  expect(load()).toMatchObject({ hooks: [], findings: [{ level: 'error', code: 'matcher-long', gate: true }] })
  expect(load().findings[0]!.message.length).toBeLessThan(200)
})

// R11
describe('permission rules', () => {
  test.each([
    ['Bash(', 'error'],
    ['Bash()', 'error'],
    ['Bash( )', 'error'],
    ['Bash:*', 'error'],
    ['(git *)', 'error'],
    ['', 'error'],
    ['Bash(git *) && Edit', 'error'],
    ['Bash(*)', undefined],
    ['Bash', undefined],
    ['Bash(git commit -m "(x)")', undefined],
    ['mcp__github__*', undefined],
    ['Read(//etc/**)', undefined]
  ])('%j: %s', (text, level) => {
    const { user, findings } = settingsScene()
    user({ permissions: { deny: [text] } })
    expect(findings().map(brief)).toEqual(level === undefined ? [] : [`${level} rule-invalid permissions.deny[0]:4`])
  })
})

describe('"if"', () => {
  const runs = async (condition: string, tool_name: string, tool_input: object): Promise<boolean> => {
    const { user, arm, project } = settingsScene()
    user(commandOn('PreToolUse', decides('ask'), undefined, { if: condition }))
    const outcome = await fireArmed(await arm(), 'PreToolUse', {
      tool_name,
      tool_input: inside(tool_input, project),
      cwd: project
    })
    return outcome.decision === 'ask'
  }
  const inside = (input: object, project: string): object =>
    JSON.parse(JSON.stringify(input).replaceAll('$PROJECT', project)) as object

  test.each([
    ['Bash(git *)', 'git status', true],
    ['Bash(git *)', 'git', true],
    ['Bash(git *)', 'gitk', false],
    ['Bash(git:*)', 'git status', true],
    ['Bash(git *)', 'ls && git push', true],
    ['Bash(git *)', 'A=1 B=2 git push', true],
    ['Bash(git *)', 'echo $(git push)', true],
    ['Bash(git *)', 'echo `ls`', true],
    ['Bash(git *)', 'echo $X', true],
    ['Bash(git *)', 'ls -l', false],
    ['Bash(git status)', 'git status', true],
    ['Bash(git status)', 'git stash', false],
    // R11
    ['Bash(*)', 'anything', true],
    ['Bash', 'anything', true],
    // What cannot be read might be meant.
    ['Bash(git *) && x', 'ls', true]
  ])('%s, and the command is %j: %s', async (condition, command, expected) => {
    expect(await runs(condition, 'Bash', { command })).toBe(expected)
  })

  // R12, R13
  test.each([
    ['Edit(*.ts)', '$PROJECT/src/a.ts', true],
    ['Edit(*.ts)', '$PROJECT/src/a.js', false],
    ['Edit(src/**)', '$PROJECT/src/deep/a.ts', true],
    ['Edit(./src/**)', '$PROJECT/src/a.ts', true],
    ['Edit(/src/**)', '$PROJECT/src/a.ts', true],
    ['Edit(src/**)', 'src/a.ts', true],
    ['Edit(src/**)', '$PROJECT/other/src/a.ts', false],
    ['Edit(**/src/**)', '$PROJECT/other/src/a.ts', true],
    ['Edit(//etc/**)', '/etc/passwd', true],
    ['Edit(//etc/**)', '$PROJECT/etc/passwd', false],
    ['Edit(./**)', '$PROJECT/../elsewhere/a.ts', false],
    ['Edit(src/**)', '$PROJECT/other/../src/a.ts', true],
    ['Edit(package.json)', '$PROJECT/package.json', true]
  ])('%s, and the file is %j: %s', async (condition, file_path, expected) => {
    expect(await runs(condition, 'Edit', { file_path })).toBe(expected)
  })

  test('another tool is not meant', async () => {
    expect(await runs('Edit(*.ts)', 'Write', { file_path: '/x/a.ts' })).toBe(false)
  })

  test.each([
    ['WebFetch(domain:example.com)', 'https://example.com/a', true],
    ['WebFetch(domain:example.com)', 'https://example.com.evil.test/a', false]
  ])('%s, and the address is %s: %s', async (condition, url, expected) => {
    expect(await runs(condition, 'WebFetch', { url })).toBe(expected)
  })
})

test('an event that has nothing to match ignores the matcher', async () => {
  const { user, arm } = settingsScene()
  user(commandOn('Stop', prints({ decision: 'block', reason: 'go on' }), 'Bash'))
  expect(await fireArmed(await arm(), 'Stop')).toMatchObject({ blocked: true, reason: 'go on' })
})

test('other targets: how a session began', async () => {
  const { user, arm } = settingsScene()
  user(commandOn('SessionStart', tells('again', 'SessionStart'), 'resume|compact'))
  const armed = await arm()
  expect(await told(armed, 'SessionStart', { source: 'resume' })).toEqual(['again'])
  expect(await told(armed, 'SessionStart', { source: 'startup' })).toEqual([])
})
