/** What decides over the agent is not the agent's to write. */
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/lib/permissions/decide.ts'
import { MODES } from '../../src/lib/permissions/modes.ts'
import { allowRule, bashFacts, decided, HOME, policy, read, WORKSPACE, write } from './permission-kit.ts'

const own = ['/var/lib/own', '/etc/managed']

// S13, S14, P19
describe.each([
  `${WORKSPACE}/.claude/settings.json`,
  `${WORKSPACE}/.claude/settings.local.json`,
  `${WORKSPACE}/sub/.claude/settings.json`,
  `${HOME}/.claude/settings.json`,
  `${HOME}/.claude.json`,
  `${WORKSPACE}/.claude/hooks/guard.sh`,
  `${WORKSPACE}/.mcp.json`,
  `${HOME}/.carabiner/trust.json`,
  '/var/lib/own/transcripts/a.jsonl',
  '/etc/managed/managed-settings.json',
  `${WORKSPACE}/.git/hooks/pre-commit`,
  `${WORKSPACE}/.git/config`,
  `${WORKSPACE}/.git/modules/x/hooks/post-checkout`,
  `${WORKSPACE}/.git`,
  `${WORKSPACE}/.husky/pre-commit`,
  `${HOME}/.bashrc`,
  `${HOME}/.zshenv`,
  `${HOME}/.profile`,
  `${HOME}/.gitconfig`,
  `${HOME}/.config/fish/config.fish`,
  `${HOME}/.ssh/authorized_keys`,
  `${WORKSPACE}/.envrc`,
  `${WORKSPACE}/.vscode/tasks.json`,
  `${WORKSPACE}/.vscode/settings.json`,
  // S15, P11
  `${WORKSPACE}/.Claude/Settings.JSON`,
  `${WORKSPACE}/.GIT/hooks/x`
])('%s', path => {
  test('is not written, whatever the mode, and whatever allows it among other things', () => {
    const rules = [
      allowRule('Write'),
      allowRule('Edit(**)'),
      allowRule('Edit(//**)'),
      allowRule('Edit(~/**)'),
      allowRule('Edit(./**)')
    ]
    for (const mode of MODES) {
      const ruling = decide(write(path), policy(rules, { mode, own, hook: { decision: 'allow', by: 'h' } }))
      expect(ruling).toMatchObject({
        decision: 'deny',
        kind: 'safety',
        by: expect.stringMatching(/^protected path \//)
      })
    }
  })

  test('may be read', () => {
    expect(decided(read(path), [], { own, roots: ['/'] })).toBe('allow')
  })

  test('is written when the user has a rule that names it, and not when the project has', () => {
    const rule = allowRule(`Edit(/${path})`)
    expect(decided(write(path), [rule], { own })).toBe('allow')
    expect(decided(write(path), [{ ...rule, ofProject: true }], { own })).toBe('deny')
  })
})

test.each([
  ['Edit(.git/hooks/**)', '.git/hooks/x', 'allow'],
  ['Edit(.git/**)', '.git/config', 'allow'],
  ['Edit(**/.git/hooks/*)', 'sub/.git/hooks/x', 'allow'],
  ['Edit(.bashrc)', 'dots/.bashrc', 'allow'],
  ['Edit(**/hooks/*)', '.git/hooks/x', 'deny'],
  ['Edit(*)', '.git/hooks/x', 'deny'],
  ['Edit(.claude/commands/**)', '.claude/settings.json', 'deny'],
  ['Edit(.claude/commands/**)', '.claude/commands/x.md', 'allow']
])('%s names %s: %s', (text, path, decision) => {
  expect(decided(write(`${WORKSPACE}/${path}`), [allowRule(text)])).toBe(decision)
})

// P4, S15
test('a link from there, or to there', () => {
  expect(
    decided(write(`${WORKSPACE}/.claude/settings.json`, 'Write', `${WORKSPACE}/innocent`), [allowRule('Write')])
  ).toBe('deny')
  expect(
    decided(write(`${WORKSPACE}/innocent`, 'Write', `${WORKSPACE}/.claude/settings.json`), [allowRule('Write')])
  ).toBe('deny')
})

test.each(['.gitignore', '.github/workflows/x.yml', 'src/.claude/notes.md', '.claude/CLAUDE.md', 'hooks/x', 'config'])(
  '%s is an ordinary file',
  path => {
    expect(decided(write(`${WORKSPACE}/${path}`), [], { mode: 'acceptEdits' })).toBe('allow')
  }
)

test('the way to the project does not count', () => {
  const root = `${HOME}/.idea/.git/hooks/project`
  const more = { mode: 'acceptEdits', roots: [root] } as const
  expect(decided(write(`${root}/a`), [], more)).toBe('allow')
  expect(decided(write(`${root}/.git/hooks/a`), [], more)).toBe('deny')
  expect(decided(write(`${HOME}/.idea/.git/hooks/a`), [], more)).toBe('deny')
  expect(decided(write(`${root}/a`), [], { ...more, own: [HOME] })).toBe('deny')
})

// S13, S14: working in such a folder, or in the one around it, lifts nothing.
test.each([
  [`${HOME}/.claude`, 'settings.json'],
  [`${HOME}/.claude`, 'hooks/x.sh'],
  [`${HOME}/.claude`, 'agents/x.md'],
  [`${HOME}/.claude/hooks`, 'x.sh'],
  [`${HOME}/.claude/plugins/p`, 'hooks/hooks.json'],
  [`${HOME}/.carabiner`, 'remembered.json'],
  [`${WORKSPACE}/.claude`, 'settings.local.json'],
  [`${WORKSPACE}/.git`, 'hooks/pre-commit'],
  [`${WORKSPACE}/.git/hooks`, 'pre-commit'],
  [`${HOME}/.ssh`, 'authorized_keys'],
  [`${WORKSPACE}/.vscode`, 'tasks.json'],
  [HOME, '.claude/settings.json']
])('in %s, %s is refused', (root, path) => {
  for (const mode of MODES)
    expect(decided(write(`${root}/${path}`), [allowRule('Edit')], { mode, roots: [root] })).toBe('deny')
  expect(decided(bashFacts(`cp x ${path}`), [allowRule('Bash')], { roots: [root] })).toBe('ask')
  expect(decided(write(`${root}/${path}`), [allowRule(`Edit(/${root}/${path})`)], { roots: [root] })).toBe('allow')
})

test.each([
  [`${HOME}/.claude`, 'CLAUDE.md'],
  [`${HOME}/.claude`, 'notes.md'],
  [`${WORKSPACE}/.claude`, 'agents.md'],
  [`${WORKSPACE}/.git/worktrees/x`, 'a.ts'],
  [`${HOME}/.idea/project`, 'a.ts']
])('in %s, %s is an ordinary file', (root, path) => {
  expect(decided(write(`${root}/${path}`), [], { mode: 'acceptEdits', roots: [root] })).toBe('allow')
})

// S15: what a command would do there cannot be determined.
describe('commands', () => {
  test.each([
    'echo {} > .claude/settings.json',
    'echo {} >> .claude/"settings".json',
    'cd .claude && echo {} > settings.json',
    'mv x .claude/settings.json',
    'mv .claude old',
    'cp hook .git/hooks/pre-commit',
    'ln -s /tmp/x .git/hooks',
    'tee ~/.bashrc',
    'sed -i s/a/b/ ../ws/.vscode/tasks.json',
    'dd of=.git/config',
    'for f in .git/hooks/x; do echo > $f; done',
    'rm -rf /var/lib/own',
    'git diff --output=.git/hooks/x'
  ])('%s is asked about in every mode', command => {
    for (const mode of MODES) {
      const asked = mode === 'dontAsk' || mode === 'plan' ? 'deny' : 'ask'
      expect(decided(bashFacts(command), [allowRule('Bash')], { mode, own })).toBe(asked)
    }
  })

  test.each([
    'cat .git/config',
    'ls -la .git/hooks && cat .claude/settings.json 2>/dev/null',
    'grep -r x .vscode/settings.json | head -5',
    'git add .vscode/tasks.json',
    'git status',
    'echo fish'
  ])('%s only looks', command => {
    expect(decided(bashFacts(command), [allowRule('Bash')])).toBe('allow')
  })

  test('the user may have a rule for it', () => {
    const command = 'cp hook .git/hooks/pre-commit'
    expect(decided(bashFacts(command), [allowRule(`Bash(${command})`)])).toBe('allow')
    expect(decided(bashFacts(command), [allowRule('Bash(cp *)')])).toBe('ask')
    expect(decided(bashFacts(command), [allowRule(`Bash(${command})`, { ofProject: true })])).toBe('ask')
  })
})

const INSTRUCTIONS = ['agents/x.md', 'agents/deep/er/x.md', 'commands/git/x.md', 'skills/x/SKILL.md', 'skills/x/run.sh']

test.each([
  ...INSTRUCTIONS.map(file => [WORKSPACE, `.claude/${file}`]),
  ...INSTRUCTIONS.map(file => [WORKSPACE, `sub/.claude/${file}`]),
  ...INSTRUCTIONS.map(file => [`${WORKSPACE}/.claude`, file]),
  ...INSTRUCTIONS.map(file => [HOME, `.claude/${file}`])
])('B1: in %s, %s is not written unless a rule of the user names it', (root, path) => {
  for (const mode of MODES)
    expect(decided(write(`${root}/${path}`), [allowRule('Edit'), allowRule('Write')], { mode, roots: [root] })).toBe(
      'deny'
    )
  expect(decided(bashFacts(`cp x ${path}`), [allowRule('Bash')], { roots: [root] })).toBe('ask')
  expect(decided(bashFacts(`echo x > ${path}`), [allowRule('Bash')], { roots: [root] })).toBe('ask')
  const rule = allowRule(`Edit(/${root}/${path})`)
  expect(decided(write(`${root}/${path}`), [rule], { roots: [root] })).toBe('allow')
  expect(decided(write(`${root}/${path}`), [{ ...rule, ofProject: true }], { roots: [root] })).toBe('deny')
})
