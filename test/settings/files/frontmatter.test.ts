/** Hooks of skills and subagents: in force while their owner is active. */
import { describe, expect, test, vi } from 'vitest'
import { brief, fireArmed, settingsScene, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** A Markdown file whose settings are these. */
const markdown = (settings: string): string => `---\n${settings}\n---\n\n# What it is about\n\nhooks: this is text\n`

const hooksIn = (command: string, event = 'PreToolUse'): string =>
  `hooks:\n  ${event}:\n    - matcher: "Write|Edit|Bash"\n      hooks:\n        - type: command\n          command: ${JSON.stringify(command)}\n          timeout: 10`

describe.each([
  ['skill', 'skills/format/SKILL.md'],
  ['agent', 'agents/format.md']
] as const)('a %s', (scope, file) => {
  // F122, F123
  test('its hooks are in force while it is active, and at no other time', async () => {
    const { write, load, arm } = settingsScene()
    const place = write(`home/.claude/${file}`, markdown(`name: formatter\n${hooksIn(tells('formatted'))}`))
    expect(load().hooks).toMatchObject([
      {
        scope,
        owner: 'formatter',
        ofProject: false,
        event: 'PreToolUse',
        matcher: 'Write|Edit|Bash',
        spec: { timeout: 10 },
        place: { file: place, line: 7, key: 'hooks.PreToolUse[0].hooks[0]' }
      }
    ])
    const resting = await arm()
    expect(await told(resting)).toEqual([])
    expect(resting.statuses()).toMatchObject([{ off: `only active while ${scope} formatter is active` }])
    expect(await told(await arm({ owners: ['another'] }))).toEqual([])
    expect(await told(await arm({ owners: ['formatter'] }))).toEqual(['formatted'])
  })

  // F122, F123
  test('it becomes active and rests again while events are fired', async () => {
    const { write, load } = settingsScene()
    write(`home/.claude/${file}`, markdown(`name: formatter\n${hooksIn(tells('formatted'))}`))
    const { armHooks } = await import('../../../src/settings.ts')
    let owners: readonly string[] = []
    const armed = await armHooks(() => ({ projectTrusted: true, owners, loaded: load() }))
    try {
      expect(await told(armed)).toEqual([])
      owners = ['formatter']
      expect(await armed.reload(file)).toMatchObject({ counts: true })
      expect(await told(armed)).toEqual(['formatted'])
      owners = []
      await armed.reload(file)
      expect(await told(armed)).toEqual([])
    } finally {
      await armed.close()
    }
  })

  test('without a name it is called as its file is', () => {
    const { write, load } = settingsScene()
    write(`home/.claude/${file}`, markdown(hooksIn('true')))
    expect(load().hooks).toMatchObject([{ owner: 'format' }])
  })

  test('one of the project counts only where the project is trusted', async () => {
    const { write, arm } = settingsScene()
    write(`project/.claude/${file}`, markdown(`name: formatter\n${hooksIn(tells('formatted'))}`))
    const untrusted = await arm({ projectTrusted: false, owners: ['formatter'] })
    expect(await told(untrusted)).toEqual([])
    expect(untrusted.statuses()).toMatchObject([{ off: 'the project is not trusted', hook: { ofProject: true } }])
    expect(await told(await arm({ owners: ['formatter'] }))).toEqual(['formatted'])
  })

  test('the map of names works there as well', async () => {
    const { write, arm } = settingsScene()
    write(`home/.claude/${file}`, markdown(`name: f\nhooks:\n  Stop:\n    note: ${JSON.stringify(tells('x', 'Stop'))}`))
    expect(await told(await arm({ owners: ['f'] }), 'Stop')).toEqual(['x'])
  })

  test.each([
    ['no settings at its top', '# Just text\n\n---\nhooks: 7\n---\n'],
    ['settings without hooks', markdown('name: x\ndescription: "y"')],
    ['nothing between the lines', '---\n---\n'],
    ['no second line of dashes', '---\nname: x\n\nWords about hooks: many.\n'],
    ['an empty file', '']
  ])('%s: nothing to say', (_, text) => {
    const { write, load } = settingsScene()
    write(`home/.claude/${file}`, text)
    expect(load()).toMatchObject({ hooks: [], findings: [] })
  })

  // S19
  test('a byte order mark, and lines that end in CR LF', () => {
    const { write, load } = settingsScene()
    write(`home/.claude/${file}`, `\uFEFF${markdown(`name: x\n${hooksIn('true')}`).replaceAll('\n', '\r\n')}`)
    expect(load()).toMatchObject({ hooks: [{ owner: 'x', spec: { command: 'true' } }], findings: [] })
  })

  // F126
  test.each(['---\nname: x\nhooks: 7\n', '--- \r\ndisallowedTools: Bash\r\n--\r\nWords.\r\n'])(
    'settings that do not end, where a gate may be meant: %j',
    text => {
      const { write, load } = settingsScene()
      const place = write(`home/.claude/${file}`, text)
      const finding = { level: 'error', code: 'not-closed', gate: true, place: { file: place } }
      expect(load()).toMatchObject({ hooks: [], findings: [finding] })
    }
  )

  // F126
  test.each([
    ['broken', 'hooks: [', 'not-yaml'],
    ['a key twice', 'hooks:\n  Stop: []\n  Stop: []', 'not-yaml'],
    ['an indent that is none', 'hooks:\n  Stop:\n - a', 'not-yaml'],
    ['hooks that are text', 'hooks: none', 'hooks-shape'],
    ['an event that there is not', 'hooks:\n  BeforeLunch: []', 'event-unknown'],
    ['a handler without its command', 'hooks:\n  PreToolUse:\n    - hooks:\n        - type: command', 'key-missing'],
    ['aliases within aliases', bomb(), 'not-yaml'],
    ['deeper than anybody writes', `hooks: ${'['.repeat(50_000)}${']'.repeat(50_000)}`, 'not-yaml']
  ])('%s: one finding names the file', (_, settings, code) => {
    const { write, load } = settingsScene()
    const place = write(`home/.claude/${file}`, markdown(settings))
    expect(load()).toMatchObject({ hooks: [], findings: [{ level: 'error', code, place: { file: place } }] })
  })

  test('the line of a finding is the line of the file', () => {
    const { write, load } = settingsScene()
    write(`home/.claude/${file}`, markdown(`name: x\n${hooksIn('true')}\n          tiemout: 3`))
    expect(load().findings.map(brief)).toEqual(['warning key-unknown hooks.PreToolUse[0].hooks[0].tiemout:10'])
  })

  test('what YAML could execute elsewhere is text here', () => {
    const { write, load } = settingsScene()
    const settings = `name: !!js/function "function () { globalThis.wasHere = true }"\n${hooksIn('true')}`
    write(`home/.claude/${file}`, markdown(settings))
    expect(load().hooks).toHaveLength(1)
    expect(globalThis).not.toHaveProperty('wasHere')
  })
})

test('a skill and a subagent of one name have their own hooks each', async () => {
  const { write, load } = settingsScene()
  write('home/.claude/skills/a/SKILL.md', markdown(`name: same\n${hooksIn('one')}`))
  write('home/.claude/agents/a.md', markdown(`name: same\n${hooksIn('two')}`))
  expect(load().hooks.map(({ scope, owner }) => [scope, owner])).toEqual([
    ['skill', 'same'],
    ['agent', 'same']
  ])
})

test('once means once', async () => {
  const { write, arm } = settingsScene()
  const command = JSON.stringify(tells('first time'))
  write(
    'home/.claude/skills/a/SKILL.md',
    markdown(`hooks:\n  PreToolUse:\n    - hooks:\n        - { type: command, once: true, command: ${command} }`)
  )
  const armed = await arm({ owners: ['a'] })
  expect(await told(armed)).toEqual(['first time'])
  expect(await fireArmed(armed)).toMatchObject({ contexts: [], report: [] })
})

/** Each line expands to ten of the line before. */
function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 9; level++) {
    const before = Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')
    lines.push(`a${level}: &a${level} [${before}]`)
  }
  return [...lines, 'hooks: *a8'].join('\n')
}
