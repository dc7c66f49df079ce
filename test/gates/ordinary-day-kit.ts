/** An ordinary day of an agent: a small repository, the hook files that people have, and the calls of a typical session. */
import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import { cliStage, type CliStage } from '../support/cli-stage.ts'
import { rule } from '../support/command-settings.ts'

export type DayCall = { readonly name: string; readonly input: Readonly<Record<string, unknown>> }
export type DayTurn = string | { readonly calls: readonly DayCall[] }

const PARTS = ['cart', 'price', 'user', 'order', 'stock', 'mail', 'search', 'report', 'tax', 'login', 'basket'] as const

/** The rules that a user has after a week: the programs of the project, by their names. */
export const PREFIX_RULES = (
  'cat cp curl date df diff du echo find git grep head jq ls mkdir mv node npm pwd python3 rm sed sleep sort stat tail ' +
  'touch tr true uniq uname wc which'
)
  .split(' ')
  .map(program => `Bash(${program} *)`)

/** What teams put into `.claude/settings.json`, apart from a policy: each appears in public repositories in this form. */
const HOOKS = {
  PreToolUse: [
    rule('jq -c \'{at: now, tool: .tool_name}\' >> "$HOME/calls.jsonl"', '*'),
    rule(
      `jq -r '.tool_input | (.content // .new_string // "")' | grep -Eq 'AKIA[0-9A-Z]{16}|-----BEGIN' && { echo 'a secret' >&2; exit 2; }; exit 0`,
      'Edit|Write'
    )
  ],
  PostToolUse: [
    rule(
      `jq -r '.tool_input.file_path // empty' | { read -r file && sed -i 's/[ \\t]*$//' "$file"; exit 0; }`,
      'Edit|Write'
    ),
    rule(
      `file=$(jq -r .tool_input.file_path); case "$file" in *.js) node --check "$file" || exit 2;; esac`,
      'Edit|Write'
    )
  ],
  UserPromptSubmit: [rule('git status --short 2>/dev/null | head -5')],
  SessionStart: [rule('echo "Branch: $(git branch --show-current)"')],
  Notification: [rule('cat >> "$HOME/notifications.jsonl"')],
  SubagentStop: [rule('cat >> "$HOME/agents.jsonl"')],
  Stop: [rule('echo "done at $(date +%H:%M)" >> "$HOME/stops.log"')]
}

const part = (name: string): string => `export function ${name}(value) {\n  return value + 1\n}\n`
const partTest = (name: string): string =>
  `import assert from 'node:assert'\nimport { test } from 'node:test'\nimport { ${name} } from '../src/${name}.js'\n\n` +
  `test('${name}', () => assert.equal(${name}(1), 2))\n`

/** A repository with a history, the starter policy and the hooks above, trusted; `allow` are the user's own rules. */
export async function ordinaryRepository(allow: readonly string[]): Promise<CliStage> {
  const here = cliStage()
  const { write, run, project, env, user } = here
  write('home/.gitconfig', '[user]\n\tname = Day\n\temail = day@example.com\n[init]\n\tdefaultBranch = main\n')
  write('project/package.json', {
    name: 'shop',
    type: 'module',
    scripts: { test: 'node --test', build: 'node build.js', lint: 'node --check src/main.js' }
  })
  write('project/build.js', "import { cpSync } from 'node:fs'\ncpSync('src', 'dist', { recursive: true })\n")
  write('project/src/main.js', "import { cart } from './cart.js'\nconsole.log('total', cart(41))\n")
  for (const name of PARTS) write(`project/src/${name}.js`, part(name))
  write('project/README.md', '# Shop\n\nA small shop.\n\n## Use\n\nnpm test\n')
  write('project/docs/guide.md', '# Guide\n\nNever `git push --force`.\n')
  write('project/.gitignore', 'node_modules\ndist\ntmp\n.env\n')
  write('project/.env', 'TOKEN=of-a-test\n')
  write('project/.env.example', 'TOKEN=\n')
  write('project/.claude/settings.json', { hooks: HOOKS })
  user({ permissions: { allow: [...allow, 'WebFetch(domain:127.0.0.1)'], defaultMode: 'acceptEdits' } })
  expect((await run(['hooks', 'init'])).code).toBe(0)
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'The shop']
  ])
    execFileSync('git', args, { cwd: project, env: { ...env } })
  expect((await run(['hooks', 'trust'])).code).toBe(0)
  return here
}

const bash = (command: string): DayCall => ({ name: 'Bash', input: { command, description: 'as every day' } })
const call = (name: string, input: DayCall['input']): DayCall => ({ name, input })

/** Look around, as every session begins. */
const LOOK: readonly DayCall[] = [
  ...['pwd', 'ls', 'ls -la', 'ls src', 'git status', 'git status --short', 'git log --oneline -5', 'git branch'].map(
    bash
  ),
  ...['git branch -a', 'git diff', 'git diff --stat', 'git show --stat HEAD', 'git remote -v', 'git stash list'].map(
    bash
  ),
  ...['cat package.json', 'cat README.md', 'cat .env.example', 'head -n 5 README.md', 'tail -n 3 README.md'].map(bash),
  ...['wc -l src/main.js', 'du -sh src', 'date', 'which node', 'node --version', 'uname -a'].map(bash),
  ...['find . -name "*.md"', 'find src -type f', 'grep -rn "export" src', "grep -rn 'git push --force' docs"].map(bash),
  call('Read', { file_path: 'README.md' }),
  call('Read', { file_path: 'package.json' }),
  call('Read', { file_path: 'docs/guide.md', offset: 1, limit: 2 }),
  call('Glob', { pattern: '**/*.js' }),
  call('Glob', { pattern: 'docs/*' }),
  call('Grep', { pattern: 'function', path: 'src', output_mode: 'files_with_matches' }),
  call('Grep', { pattern: 'TODO|FIXME' }),
  call('Grep', { pattern: 'env', output_mode: 'content' })
]

/** One piece of work: read, change, test, look at the difference, commit. */
const workOn = (name: string): readonly DayCall[] => [
  call('Read', { file_path: `src/${name}.js` }),
  call('Grep', { pattern: `${name}\\(`, path: 'src', output_mode: 'content' }),
  call('Edit', {
    file_path: `src/${name}.js`,
    old_string: `export function ${name}(value) {`,
    new_string: `/** One more. Not process.env.SHOP: see .env.example.   */\nexport function ${name}(value) {`
  }),
  call('Write', { file_path: `test/${name}.test.js`, content: partTest(name) }),
  bash(`node --test test/${name}.test.js`),
  bash(`git diff src/${name}.js`),
  bash(`git add src/${name}.js test/${name}.test.js`),
  bash(`git commit -q -m "Explain ${name}; don't rm -rf, and no git push --force"`)
]

/** Simple commands that change something, and what they change is there. */
const CHANGE: readonly DayCall[] = [
  ...[
    'mkdir -p tmp/notes',
    'touch tmp/notes/a.txt',
    'cp README.md tmp/notes/b.md',
    'mv tmp/notes/b.md tmp/notes/c.md'
  ].map(bash),
  ...['diff README.md tmp/notes/c.md', 'rm tmp/notes/a.txt', 'rm -rf tmp/notes', 'npm run build', 'rm -rf dist'].map(
    bash
  ),
  ...['npm test', 'npm run lint', 'node src/main.js'].map(bash),
  ...['git switch -q -c feature', 'git rev-parse HEAD', 'git show HEAD:README.md', 'git blame README.md'].map(bash),
  ...[
    'git tag v1',
    'git stash list',
    'git restore README.md',
    'git rm -q docs/guide.md',
    'git commit -q -m "Less"'
  ].map(bash),
  ...['git switch -q main', 'git merge -q feature', 'git branch -d feature', 'sort README.md', 'stat README.md'].map(
    bash
  )
]

/** Pipelines and lists of simple commands, as models write them all day. */
const LISTS: readonly DayCall[] = [
  'npm test 2>&1 | tail -20',
  'git log --oneline | head -3',
  'ls -la | grep src',
  'cat package.json | jq .scripts',
  'cd src && ls && cd ..',
  'git status --short && git diff --stat',
  'test -d node_modules || echo "no modules"',
  'NODE_ENV=test node --test 2>&1 | grep -c "^# pass" || true',
  'mkdir -p dist && npm run build --silent && rm -rf dist',
  'grep -rn "export" src | sort | uniq -c | sort -rn | head -5',
  'sed -n "1,5p" README.md | tr a-z A-Z',
  'git diff HEAD~1 --name-only | cat',
  'sleep 0.1 & wait'
].map(bash)

/** Loops, files that the shell writes, substitutions and programs on the command line: rules for each program do not allow them. */
const SHELL_TEXT: readonly DayCall[] = [
  'find . -name "*.js" -not -path "./node_modules/*" | xargs wc -l | tail -1',
  'echo "a line" >> notes.txt && cat notes.txt',
  'node src/main.js > tmp.out; cat tmp.out; rm tmp.out',
  'for f in src/*.js; do wc -l "$f"; done',
  'if [ -f package.json ]; then echo yes; fi',
  'python3 -c "print(6 * 7)"',
  'node -e "console.log(process.env.HOME)"',
  "node -e \"const { scripts } = JSON.parse(require('fs').readFileSync('package.json')); console.log(scripts)\"",
  "git add -A && git commit -q -m \"$(cat <<'EOF'\nKeep notes (#12)\n\nIt's only a note: `rm -rf src` isn't run here.\nEOF\n)\"",
  "cat > notes.md <<'EOF'\n# Notes\n\nDon't `git reset --hard`.\nEOF",
  'echo more >> README.md && git stash -q && git stash pop -q && git restore README.md',
  'git rm -q --cached notes.md 2>/dev/null; rm -f notes.md',
  'printf "%s\\n" one two | while read -r word; do echo "$word"; done'
].map(bash)

const inTurns = (calls: readonly DayCall[], size: number): readonly DayTurn[] =>
  Array.from({ length: Math.ceil(calls.length / size) }, (_, turn) => ({
    calls: calls.slice(turn * size, (turn + 1) * size)
  }))

const TASKS: readonly DayCall[] = [
  call('TaskCreate', { subject: 'Explain the parts', description: 'A comment for each' }),
  call('TaskList', {}),
  call('TaskUpdate', { taskId: '1', status: 'in_progress' }),
  call('TaskUpdate', { taskId: '1', status: 'completed' })
]

/** A page of a server on this machine. The text is what the model says about it to WebFetch. */
const fetched = (url: string): readonly DayTurn[] => [
  { calls: [call('WebFetch', { url, prompt: 'What does it say?' })] },
  'It is a page.',
  { calls: [bash(`curl -s ${url}`)] }
]

/** Two subagents of four calls each; the answers that are text end one. */
const SUBAGENTS: readonly DayTurn[] = ['Explore', 'general-purpose'].flatMap((subagent_type): readonly DayTurn[] => [
  { calls: [call('Agent', { subagent_type, description: 'Find the parts', prompt: 'Where are the parts?' })] },
  { calls: [call('Glob', { pattern: 'src/*.js' }), call('Grep', { pattern: 'export' })] },
  { calls: [call('Read', { file_path: 'src/cart.js' }), call('Read', { file_path: 'src/price.js' })] },
  'They are in src.'
])

/** All of the day. `url`: a page on this machine. `withShellText`: also commands that need the shell itself. */
export const ordinaryDay = (url: string, withShellText: boolean): readonly DayTurn[] => [
  ...inTurns(LOOK, 3),
  ...PARTS.flatMap(name => inTurns(workOn(name), 1)),
  ...inTurns(CHANGE, 1),
  ...inTurns(LISTS, 1),
  ...(withShellText ? inTurns(SHELL_TEXT, 1) : []),
  ...inTurns(TASKS, 1),
  ...fetched(url),
  ...SUBAGENTS,
  ...inTurns(LOOK.slice(0, 12), 4),
  'That was the day.'
]
