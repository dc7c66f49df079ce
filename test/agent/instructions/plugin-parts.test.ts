/** What comes with plugins: skills, slash commands and subagents, under the name of their plugin. */
import { expect, test } from 'vitest'
import { ask, inputsOf, project, type Asking, type Project } from '../../support/agent-kit.ts'

const seen = (word: string): string => `hooks:
  PreToolUse:
    - matcher: Bash
      hooks: [{ type: command, command: "echo ${word} \${CLAUDE_PLUGIN_ROOT} >> calls.log" }]
`
const PLUGIN = {
  'plug/skills/review/SKILL.md': `---
name: review
description: Reviews code.
${seen('skill')}---
Look at \${CLAUDE_PLUGIN_ROOT}/a and \${CLAUDE_PLUGIN_ROOT}/b. The task: $ARGUMENTS
`,
  'plug/commands/review.md': 'This is the command.\n',
  'plug/commands/git/tidy.md': `---
description: Tidies up.
${seen('command')}---
Tidy \${CLAUDE_PLUGIN_ROOT} up.
`,
  'plug/agents/reader.md': `---
name: reader
description: Looks things up.
tools: Bash
${seen('agent')}---
You live in \${CLAUDE_PLUGIN_ROOT}, and only in \${CLAUDE_PLUGIN_ROOT}.
`
}
const bash = { calls: [{ name: 'Bash', input: { command: 'echo hello' } }] }
const free = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const
const plugins = (place: Project, ...names: readonly string[]): Pick<Asking, 'plugins'> => ({
  plugins: names.map(name => ({ type: 'local', path: place.path(name) }))
})

// F122
test('the model calls a skill of a plugin; its hooks are in force from then on, and not before', async () => {
  const place = project(PLUGIN)
  const root = place.path('plug')
  const skill = { calls: [{ name: 'Skill', input: { skill: 'plug:review', args: 'all of it' } }] }
  const { sent, messages } = await ask([bash, skill, bash, 'done'], { in: place, ...free, ...plugins(place, 'plug') })
  expect(JSON.stringify(sent.at(-1))).toContain(`Look at ${root}/a and ${root}/b. The task: all of it`)
  expect(place.text('calls.log')).toBe(`skill ${root}\n`)
  expect(messages[0]).toMatchObject({
    subtype: 'init',
    skills: ['plug:git:tidy', 'plug:review'],
    slash_commands: ['plug:git:tidy', 'plug:review'],
    agents: ['general-purpose', 'Explore', 'plug:reader'],
    plugins: [{ name: 'plug', path: root }]
  })
})

test('a slash command of a plugin; a skill of its name beats one', async () => {
  const place = project(PLUGIN)
  const root = place.path('plug')
  const tidy = await ask([bash, 'done'], { in: place, prompt: '/plug:git:tidy', ...free, ...plugins(place, 'plug') })
  expect(tidy.sent[0]).toEqual([{ role: 'user', content: `Tidy ${root} up.\n` }])
  expect(inputsOf(tidy, 'UserPromptExpansion')).toMatchObject([
    { command_name: 'plug:git:tidy', command_source: 'plugin' }
  ])
  expect(place.text('calls.log')).toBe(`command ${root}\n`)
  const review = await ask(['done'], { in: place, prompt: '/plug:review x', ...free, ...plugins(place, 'plug') })
  expect(JSON.stringify(review.sent[0])).toContain('The task: x')
})

// F123
test('a subagent of a plugin: its words, and its hooks while it runs', async () => {
  const place = project(PLUGIN)
  const root = place.path('plug')
  const call = { name: 'Agent', input: { description: 'look', prompt: 'Look', subagent_type: 'plug:reader' } }
  const { systems, events } = await ask([bash, { calls: [call] }, bash, 'seen', bash, 'done'], {
    in: place,
    ...free,
    ...plugins(place, 'plug')
  })
  expect(systems[2]).toContain(`You live in ${root}, and only in ${root}.`)
  expect(place.text('calls.log')).toBe(`agent ${root}\n`)
  expect(inputsOf({ events }, 'SubagentStart')).toMatchObject([{ agent_type: 'plug:reader' }])
})

test('its manifest says what it is called', async () => {
  const place = project({ ...PLUGIN, 'plug/.claude-plugin/plugin.json': '{ "name": "tools" }' })
  const { messages } = await ask(['done'], { in: place, ...plugins(place, 'plug') })
  expect(messages[0]).toMatchObject({
    skills: ['tools:git:tidy', 'tools:review'],
    plugins: [{ name: 'tools', path: place.path('plug') }]
  })
})

test('it counts even where no settings files do', async () => {
  const place = project({ ...PLUGIN, '.claude/commands/own.md': 'Own.' })
  const { messages } = await ask(['done'], { in: place, settingSources: [], ...plugins(place, 'plug') })
  expect(messages[0]).toMatchObject({ skills: ['plug:git:tidy', 'plug:review'] })
})

test('no one takes the name of what comes with a plugin', async () => {
  const place = project({ ...PLUGIN, '.claude/commands/plug/review.md': 'Something else.' })
  const { sent } = await ask(['done'], { in: place, prompt: '/plug:review x', trust: true, ...plugins(place, 'plug') })
  expect(JSON.stringify(sent[0])).toContain('The task: x')
})

test('two plugins of one name: an error that says which', async () => {
  const place = project({ ...PLUGIN, 'other/plug/skills/a/SKILL.md': 'A.' })
  const { result } = await ask(['done'], { in: place, ...plugins(place, 'plug', 'other/plug') })
  expect(result).toMatchObject({ is_error: true, error_code: 'E_SETTINGS' })
  expect(result.result).toContain(`two plugins are called plug: ${place.path('plug')} and ${place.path('other/plug')}`)
})

test('the same plugin, named twice, is one', async () => {
  const place = project(PLUGIN)
  const { messages } = await ask(['done'], { in: place, ...plugins(place, 'plug', 'plug') })
  expect(messages[0]).toMatchObject({ plugins: [{ name: 'plug' }], skills: ['plug:git:tidy', 'plug:review'] })
})

test.each([
  ['a plugin', { 'plug/.claude-plugin/plugin.json': '{ "name": "a:b" }' }, 'the plugin "a:b" has a : in its name'],
  ['a skill', { 'plug/skills/x/SKILL.md': '---\nname: a:b\n---\nX.' }, 'the skill "a:b" has a : in its name'],
  ['a subagent', { 'plug/agents/x.md': '---\nname: a:b\n---\nX.' }, 'the agent "a:b" has a : in its name'],
  ['a slash command', { 'plug/commands/a:b.md': 'X.' }, 'the command "a:b" has a : in its name'],
  ['a skill of the project', { '.claude/skills/x/SKILL.md': '---\nname: plug:review\n---\nX.' }, '"plug:review"']
])('%s with the separator in its name: an error that says which', async (_, files, words) => {
  const place = project({ ...PLUGIN, ...files })
  const { result } = await ask(['done'], { in: place, ...plugins(place, 'plug') })
  expect(result).toMatchObject({ is_error: true, error_code: 'E_SETTINGS', result: expect.stringContaining(words) })
})

test('one that a project enables counts when the project is trusted', async () => {
  const place = project({
    ...PLUGIN,
    '.claude/settings.json': JSON.stringify({ enabledPlugins: { 'plug@market': true } })
  })
  place.write(
    '../home/.claude/plugins/installed_plugins.json',
    JSON.stringify({ plugins: { 'plug@market': [{ installPath: place.path('plug') }] } })
  )
  const trusted = await ask(['done'], { in: place, trust: true })
  expect(trusted.messages[0]).toMatchObject({ plugins: [{ name: 'plug' }], skills: ['plug:git:tidy', 'plug:review'] })
  const without = await ask(['done'], { in: place, projectHooks: false })
  expect(without.messages[0]).toMatchObject({ plugins: [], skills: [], agents: ['general-purpose', 'Explore'] })
})
