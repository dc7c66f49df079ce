/** What needs no rule: literal words, a short list of options, and the repository of the project. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide } from '../../src/lib/permissions/decide.ts'
import { rulesToAdd } from '../../src/lib/permissions/suggestions.ts'
import { isThere } from '../../src/lib/world/files/paths.ts'
import { allowRule, policy } from './permission-kit.ts'
import { attackStage, type Stage } from './attacks/stage.ts'

let stage: Stage
beforeAll(() => {
  stage = attackStage()
  mkdirSync(join(stage.root, 'vendor/x'), { recursive: true })
  execFileSync('git', ['init', '-q', '--template=', join(stage.root, 'vendor/x')])
})
afterAll(() => stage.remove())

const free = (command: string): unknown => [command, stage.judge(command, []).reason]

test.each([
  ...['ls', 'ls -la', 'ls -lah src', 'cat f', 'cat -n f g', 'head -20 f', 'head -n 5 f', 'tail -n +2 f', 'wc -l f'],
  ...['grep -rn x src', 'grep -rniE -A3 "a|b" src --include=*.ts', `grep -rn 'from "a"' src | head -n5`, 'rg -n x src'],
  ...['find . -name "*.ts" -not -path "./node_modules/*" -type f', String.raw`find . \( -name a -o -name b \) -print0`],
  ...['find . -mtime -1 -size +10k', 'tree -L 2', 'du -sh src', 'stat f', 'file f', 'diff -u f g', 'cmp f g'],
  ...['sort -t, -k2,2n f | uniq -c | sort -rn', 'cut -d: -f1,3 f', "cut -d ' ' -f 2 f", 'tr a-z A-Z < f', 'nl f'],
  ...["sed -n '1,5p' f", "sed -n '/TODO/p' f", "sed -n '$=' f", 'sed -n -e 3p f'],
  ...["awk '{print $1}' f", "awk -F: '{ print $1, $NF }' f", "awk -F ',' '{print}' f"],
  ...['jq . f', `jq -r '.a.b[0].c' f`, "jq '.scripts | keys' f", `jq '.["a-b"], .c | length' f`, 'cat f | jq .a'],
  ...[
    String.raw`printf '%s\n' a b`,
    'echo a; echo "b c"',
    'echo "exit $?"',
    'true || false',
    'pwd; date +%F',
    'sleep 0'
  ],
  ...[
    'test -f f && cat f',
    '[ -d src ] || echo no',
    'timeout 5 grep -c x f',
    'nice -n 5 wc -l f',
    'time ls',
    'which node'
  ],
  ...['cat f 2>/dev/null', 'cat f 2>&1 | head', 'ls &> /dev/null', 'cd src && cat a.ts', 'command -v node'],
  ...['git status', 'git status -sb', 'git --no-pager log --oneline -5 -- src', 'git log -p -n2 --since=1.week f'],
  ...[`git log --format='%h %an: %s (%ar)' | head`, 'git log --pretty=oneline', 'git log --pretty=format:%H%x09%s'],
  ...['git diff', 'git diff --cached --stat', 'git diff HEAD~1 -- src', 'git show HEAD:f', 'git blame -L1,5 f'],
  ...[
    'git branch',
    'git branch -vv',
    `git branch --format='%(refname:short)'`,
    'git remote -v',
    'git tag -l',
    'git stash list'
  ],
  ...['git rev-parse --abbrev-ref HEAD', 'git ls-files src', 'git describe --tags --always', 'git shortlog -sn HEAD']
])('%j', command => {
  expect(free(command)).toEqual([command, undefined])
  expect(stage.judge(command, [], { mode: 'plan' }).decision).toBe('allow')
})

/** With the rule that is named, each of them is allowed. */
test.each([
  ...[
    'ls *.ts',
    'cat $X',
    'echo $HOME',
    'ls ~',
    'echo a{b,c}',
    'echo "$(pwd)"',
    'echo $((1+1))',
    'NO_COLOR=1 ls',
    'A=1; ls'
  ],
  ...['cat <<< a', 'env cat f', 'command cat f', 'nohup cat f', 'stdbuf -oL cat f', 'xargs cat', 'ls | xargs cat'],
  ...[
    'find . -exec cat {} +',
    'find . -printf %p',
    'find . -regex x',
    'find -L .',
    'ls -L',
    'grep -R x .',
    'grep -f f g'
  ],
  ...["sed 's/a/b/' f", "sed -n '1,5p;7p' f", "sed -n '1r g' f", "sed 'p;d' f", 'sed -n --posix 1p f'],
  ...["awk 'NR==1' f", "awk '{print $1 + 1}' f", `awk '{print "a"}' f`, "awk -v a=1 '{print $1}' f"],
  ...["jq '.[] | select(.a)' f", "jq 'map(.a)' f", "jq --arg a b '.a' f", "jq 'env' f"],
  ...["printf '%5s' a", "printf '%b' a", 'printf -v a b', String.raw`printf '\x41'`],
  ...[
    'git log --format=%G?',
    'git log --format=%C(red)%h',
    'git log --pretty=mine',
    'git log --submodule',
    'git log -g'
  ],
  ...[
    'git -C . status',
    'git -c a.b=c status',
    'git grep x',
    'git cat-file -p HEAD',
    'git reflog',
    'git describe --dirty'
  ],
  ...[
    'git config --list',
    'git branch new',
    'git tag v1',
    'git remote show origin',
    'git for-each-ref',
    'git rev-list HEAD'
  ],
  ...['grep -r x --include=$A', 'grep -r x --include=[a].ts', 'rg x --glob=*.ts', 'echo $$?'],
  ...[
    'ps aux',
    'shuf f',
    'expr 1 + 1',
    'xxd f g',
    'uniq f g',
    'tail -f f',
    'test -v a',
    '/bin/ls',
    'hostname',
    'constructor'
  ]
])('%j needs a rule, and it is named', command => {
  expect(stage.judge(command, []).decision).toBe('ask')
  const call = { tool: 'Bash', input: { command }, subject: { kind: 'command', command }, readOnly: false } as const
  const rules = rulesToAdd({ ...call, cwd: stage.root }, policy([], { roots: [stage.root] }))
  expect(rules).not.toEqual([])
  expect(
    stage.judge(
      command,
      rules.map(each => allowRule(each))
    ).decision
  ).toBe('allow')
})

test.each([String.raw`echo \$?/../*`, 'echo "$?"*', 'git log *', 'ls -la **'])('%j needs a rule', command =>
  expect(stage.judge(command, []).decision).toBe('ask')
)

describe('git', () => {
  test.each(['cd src && git status', 'cd vendor/x && git status', 'cd src; git log', 'cd vendor && git diff'])(
    '%j needs a rule: it does not run where the session is, nor at the top',
    command => expect(stage.judge(command, []).decision).toBe('ask')
  )
  test('the top of the repository, by its path', () =>
    expect(free(`cd ${stage.root} && git status`)).toMatchObject([{}, undefined]))
})

describe('a program of the project', () => {
  test('has no blank in its name: a row of a sub-command is not its row', () => {
    for (const command of ["'git log'", "'git status' -s", "'command -v' x"])
      expect(stage.judge(command, []).decision, command).toBe('ask')
  })
  test('that PATH leads to needs a rule, also where the system has none', () => {
    for (const name of ['rg', 'jq', 'tree', 'xxd']) {
      const bin = join(stage.root, 'node_modules/.bin')
      mkdirSync(bin, { recursive: true })
      writeFileSync(join(bin, name), '')
      const command = `${name} f`
      const subject = { kind: 'command', command } as const
      const call = { tool: 'Bash', input: { command }, subject, readOnly: false, cwd: stage.root, has: isThere }
      const decision = decide({ ...call, searchPath: bin }, policy([], { roots: [stage.root] })).decision
      expect([name, decision]).toEqual([name, 'ask'])
    }
  })
})

test('keys that start the program that checks signatures need a rule', () => {
  for (const command of ['git branch --sort=signature', 'git tag --sort=-signature:key'])
    expect(stage.judge(command, [allowRule('Bash(git *)')]).decision).toBe('ask')
  expect(free('git branch --sort=-committerdate')).toEqual(['git branch --sort=-committerdate', undefined])
})
