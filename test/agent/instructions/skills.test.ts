/** Skills and slash commands: words from files, read when they are wanted, and the hooks that come with them. */
import { expect, test } from 'vitest'
import { ask, inputsOf, project, registry } from '../../support/agent-kit.ts'

const SKILL = `---
name: review
description: Reviews code.
hooks:
  PreToolUse:
    - matcher: Bash
      hooks: [{ type: command, command: "echo seen >> calls.log" }]
---
Look at $0, then at the rest: $ARGUMENTS. Notes are in \${CLAUDE_SKILL_DIR}.
`
const FILES = { '.claude/skills/review/SKILL.md': SKILL, '.claude/commands/git/tidy.md': 'Tidy up.\n' }
const bash = { calls: [{ name: 'Bash', input: { command: 'echo hello' } }] }
const free = { trust: true, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const

test('the model calls a skill: its words, with arguments, and its hooks from then on', async () => {
  const place = project(FILES)
  const { sent, messages } = await ask(
    [bash, { calls: [{ name: 'Skill', input: { skill: 'review', args: 'src and more' } }] }, bash, 'done'],
    { in: place, ...free }
  )
  const told = JSON.stringify(sent.at(-1))
  expect(told).toContain(
    `Look at src, then at the rest: src and more. Notes are in ${place.path('.claude/skills/review')}.`
  )
  expect(place.text('calls.log')).toBe('seen\n')
  expect(messages[0]).toMatchObject({
    subtype: 'init',
    skills: ['git:tidy', 'review'],
    slash_commands: ['git:tidy', 'review']
  })
})

test('a skill that is not there is an error that says which is meant', async () => {
  const { sent } = await ask([{ calls: [{ name: 'Skill', input: { skill: 'reviewx' } }] }, 'done'], {
    in: project(FILES),
    ...free
  })
  expect(JSON.stringify(sent.at(-1))).toContain('there is no skill reviewx; did you mean review?')
})

test('without skills there is no such tool', async () => {
  const { messages } = await ask(['done'])
  expect(JSON.stringify(messages[0])).not.toContain('"Skill"')
})

test('a skill that is typed: words by their places, and the session that it is in', async () => {
  const place = project({
    '.claude/skills/m/SKILL.md': '$ARGUMENTS[0], $ARGUMENTS[1], $0, $2, $3, $ARGUMENTS in ${CLAUDE_SESSION_ID}'
  })
  const { sent, messages } = await ask(['done'], { in: place, prompt: "/m Button 'React js' Vue", ...free })
  const { session_id: id } = messages[0]!
  expect(sent[0]).toEqual([
    { role: 'user', content: `Button, React js, Button, Vue, $3, Button 'React js' Vue in ${id}` }
  ])
})

// F199
test('a slash command becomes its words; hooks see the prompt first, then the expansion', async () => {
  const { sent, events, names } = await ask(['done'], {
    in: project(FILES),
    prompt: '/git:tidy  the build folder',
    ...free
  })
  expect(sent[0]).toEqual([{ role: 'user', content: 'Tidy up.\n\n\nARGUMENTS: the build folder' }])
  expect(names.slice(0, 3)).toEqual(['SessionStart', 'UserPromptSubmit', 'UserPromptExpansion'])
  expect(inputsOf({ events }, 'UserPromptSubmit')).toMatchObject([{ prompt: '/git:tidy  the build folder' }])
  expect(inputsOf({ events }, 'UserPromptExpansion')).toMatchObject([
    {
      expansion_type: 'slash_command',
      command_name: 'git:tidy',
      command_args: 'the build folder',
      command_source: 'projectSettings',
      prompt: '/git:tidy  the build folder'
    }
  ])
})

test('a hook may refuse the expansion: the model is not asked', async () => {
  const { result, sent } = await ask(['done'], {
    in: project(FILES),
    prompt: '/review src',
    ...free,
    hooks: registry(hooks =>
      hooks.on('UserPromptExpansion', 'review', () => ({ decision: 'block', reason: 'not today' }), { name: 'gate' })
    )
  })
  expect(result).toMatchObject({ terminal_reason: 'prompt_blocked', result: '/review was refused: not today [gate]' })
  expect(sent).toEqual([])
})

test('what looks like a command and is none is a prompt', async () => {
  const { sent, names } = await ask(['done'], { in: project(FILES), prompt: '/etc/hosts is what?', ...free })
  expect(sent[0]).toEqual([{ role: 'user', content: '/etc/hosts is what?' }])
  expect(names).not.toContain('UserPromptExpansion')
})

test('a question to the user: asked in any case, and answered with the permission', async () => {
  const questions = [
    { question: 'Which?', header: 'One', options: [{ label: 'a' }, { label: 'b' }], multiSelect: false }
  ]
  const asked: string[] = []
  const { sent } = await ask([{ calls: [{ name: 'AskUserQuestion', input: { questions } }] }, 'done'], {
    ...free,
    canUseTool: async (name, input) => {
      asked.push(name)
      return { behavior: 'allow', updatedInput: { ...input, answers: { 'Which?': 'b' } } }
    }
  })
  expect(asked).toEqual(['AskUserQuestion'])
  expect(JSON.stringify(sent.at(-1))).toContain('The user answered:\\nWhich?: b')
})

test('where no one can be asked, there is no such tool', async () => {
  const { messages } = await ask(['done'])
  expect(JSON.stringify(messages[0])).not.toContain('AskUserQuestion')
})
