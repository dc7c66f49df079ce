/** What decides over the agent is not the agent's to write. */
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/lib/permissions/decide.ts'
import { MODES } from '../../src/lib/permissions/modes.ts'
import { allow, bash, decided, HOME, policy, read, ROOT, write } from './permission-kit.ts'

const own = ['/var/lib/own', '/etc/managed']

// S13, S14, P19
describe.each([
  `${ROOT}/.claude/settings.json`,
  `${ROOT}/.claude/settings.local.json`,
  `${ROOT}/sub/.claude/settings.json`,
  `${HOME}/.claude/settings.json`,
  `${HOME}/.claude.json`,
  `${ROOT}/.claude/hooks/guard.sh`,
  `${ROOT}/.mcp.json`,
  `${HOME}/.carabiner/trust.json`,
  '/var/lib/own/transcripts/a.jsonl',
  '/etc/managed/managed-settings.json',
  `${ROOT}/.git/hooks/pre-commit`,
  `${ROOT}/.git/config`,
  `${ROOT}/.git/modules/x/hooks/post-checkout`,
  `${ROOT}/.git`,
  `${ROOT}/.husky/pre-commit`,
  `${HOME}/.bashrc`,
  `${HOME}/.zshenv`,
  `${HOME}/.profile`,
  `${HOME}/.gitconfig`,
  `${HOME}/.config/fish/config.fish`,
  `${HOME}/.ssh/authorized_keys`,
  `${ROOT}/.envrc`,
  `${ROOT}/.vscode/tasks.json`,
  `${ROOT}/.vscode/settings.json`,
  // S15, P11
  `${ROOT}/.Claude/Settings.JSON`,
  `${ROOT}/.GIT/hooks/x`
])('%s', path => {
  test('is not written, whatever the mode, and whatever allows it among other things', () => {
    const rules = [allow('Write'), allow('Edit(**)'), allow('Edit(//**)'), allow('Edit(~/**)'), allow('Edit(./**)')]
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
    const rule = allow(`Edit(/${path})`)
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
  expect(decided(write(`${ROOT}/${path}`), [allow(text)])).toBe(decision)
})

// P4, S15
test('a link from there, or to there', () => {
  expect(decided(write(`${ROOT}/.claude/settings.json`, 'Write', `${ROOT}/innocent`), [allow('Write')])).toBe('deny')
  expect(decided(write(`${ROOT}/innocent`, 'Write', `${ROOT}/.claude/settings.json`), [allow('Write')])).toBe('deny')
})

test.each(['.gitignore', '.github/workflows/x.yml', 'src/.claude/notes.md', '.claude/CLAUDE.md', 'hooks/x', 'config'])(
  '%s is an ordinary file',
  path => {
    expect(decided(write(`${ROOT}/${path}`), [], { mode: 'acceptEdits' })).toBe('allow')
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
  [`${ROOT}/.claude`, 'settings.local.json'],
  [`${ROOT}/.git`, 'hooks/pre-commit'],
  [`${ROOT}/.git/hooks`, 'pre-commit'],
  [`${HOME}/.ssh`, 'authorized_keys'],
  [`${ROOT}/.vscode`, 'tasks.json'],
  [HOME, '.claude/settings.json']
])('in %s, %s is refused', (root, path) => {
  for (const mode of MODES)
    expect(decided(write(`${root}/${path}`), [allow('Edit')], { mode, roots: [root] })).toBe('deny')
  expect(decided(bash(`cp x ${path}`), [allow('Bash')], { roots: [root] })).toBe('ask')
  expect(decided(write(`${root}/${path}`), [allow(`Edit(/${root}/${path})`)], { roots: [root] })).toBe('allow')
})

test.each([
  [`${HOME}/.claude`, 'CLAUDE.md'],
  [`${HOME}/.claude`, 'notes.md'],
  [`${ROOT}/.claude`, 'agents.md'],
  [`${ROOT}/.git/worktrees/x`, 'a.ts'],
  [`${HOME}/.idea/project`, 'a.ts']
])('in %s, %s is an ordinary file', (root, path) => {
  expect(decided(write(`${root}/${path}`), [], { mode: 'acceptEdits', roots: [root] })).toBe('allow')
})

// S15: what a command would do there cannot be told.
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
      expect(decided(bash(command), [allow('Bash')], { mode, own })).toBe(asked)
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
    expect(decided(bash(command), [allow('Bash')])).toBe('allow')
  })

  test('the user may have a rule for it', () => {
    const command = 'cp hook .git/hooks/pre-commit'
    expect(decided(bash(command), [allow(`Bash(${command})`)])).toBe('allow')
    expect(decided(bash(command), [allow('Bash(cp *)')])).toBe('ask')
    expect(decided(bash(command), [allow(`Bash(${command})`, { ofProject: true })])).toBe('ask')
  })
})

const INSTRUCTIONS = ['agents/x.md', 'agents/deep/er/x.md', 'commands/git/x.md', 'skills/x/SKILL.md', 'skills/x/run.sh']

test.each([
  ...INSTRUCTIONS.map(file => [ROOT, `.claude/${file}`]),
  ...INSTRUCTIONS.map(file => [ROOT, `sub/.claude/${file}`]),
  ...INSTRUCTIONS.map(file => [`${ROOT}/.claude`, file]),
  ...INSTRUCTIONS.map(file => [HOME, `.claude/${file}`])
])('B1: in %s, %s is not written unless a rule of the user names it', (root, path) => {
  for (const mode of MODES)
    expect(decided(write(`${root}/${path}`), [allow('Edit'), allow('Write')], { mode, roots: [root] })).toBe('deny')
  expect(decided(bash(`cp x ${path}`), [allow('Bash')], { roots: [root] })).toBe('ask')
  expect(decided(bash(`echo x > ${path}`), [allow('Bash')], { roots: [root] })).toBe('ask')
  const rule = allow(`Edit(/${root}/${path})`)
  expect(decided(write(`${root}/${path}`), [rule], { roots: [root] })).toBe('allow')
  expect(decided(write(`${root}/${path}`), [{ ...rule, ofProject: true }], { roots: [root] })).toBe('deny')
})
