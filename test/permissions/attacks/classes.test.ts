/** Classes of commands that walk round rules. None may be allowed; what leads into a denied folder is refused. */
import type { Rule } from '../../../src/lib/permissions/policy.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { allowRule, denyRule } from '../permission-kit.ts'
import { attackStage } from './stage.ts'
import { CLASSES } from './classes.ts'

const stage = attackStage()
afterAll(() => stage.remove())

const ruleOf = (text: string): Rule => (text.startsWith('!') ? denyRule(text.slice(1)) : allowRule(text))

describe.each(CLASSES)('$title', ({ rules, mode = 'default', commands, denied = [] }) => {
  test.each(commands)('%j', command => {
    const { decision, reason } = stage.judge(command.replaceAll('ROOT', stage.root), rules.map(ruleOf), { mode })
    expect(decision, reason).not.toBe('allow')
  })

  test.skipIf(denied.length === 0).each(denied)('%j is refused', command => {
    const { decision, reason } = stage.judge(command.replaceAll('ROOT', stage.root), rules.map(ruleOf), { mode })
    expect(decision, reason).toBe('deny')
  })
})

test('each class has at least thirty commands', () => {
  for (const { title, commands, denied = [] } of CLASSES)
    expect(commands.length + denied.length, title).toBeGreaterThanOrEqual(30)
})

describe('needless questions', () => {
  const rules = ['Bash(cat *)', 'Bash(grep *)', 'Bash(git *)', 'Bash(echo *)'].map(each => allowRule(each))
  test.each([
    'cat f | grep x',
    'git log | cat',
    'echo a && echo b',
    'git status; echo done',
    'git fetch && git log -3'
  ])('%s is allowed by rules', command => expect(stage.judge(command, rules).decision).toBe('allow'))

  test.each([
    ...[
      'ls -la',
      'git status',
      'grep -rn x src',
      'ls | head',
      'cat f',
      'wc -l f g',
      'git log | head',
      'pwd',
      'cd src && ls'
    ],
    ...['find . -name "*.ts" | sort', 'git diff --stat', 'head -n 3 f', 'git show HEAD:f', 'git branch -a', 'stat f'],
    ...[
      'grep -c x f || true',
      'sed -n 1,5p f',
      `awk '{print $1}' f`,
      'test -f f && cat f',
      'git log --oneline -5 -- src'
    ],
    ...['timeout 5 cat f', 'cat f > /dev/null', 'cat f 2>&1', 'echo "a b"', 'ls # all']
  ])('%s only reads: no rule is needed, in no mode', command => {
    for (const mode of ['default', 'plan', 'dontAsk', 'acceptEdits'] as const)
      expect(stage.judge(command, [], { mode }), mode).toMatchObject({ decision: 'allow' })
  })

  test.each([
    ...[
      'cat /etc/passwd',
      'cat ../x',
      'cd .. && ls',
      'cd && ls',
      'cat ~/x',
      'cat .env',
      'cat .git/config',
      'cat id_rsa',
      'ls /'
    ],
    ...['cat f > g', 'tee g < f', 'grep -f /etc/passwd f', 'sed -i s/a/b/ f', 'git -C .. status', 'find . -delete'],
    ...[
      'npm test',
      'node f',
      'make',
      'PATH=. ls',
      'git branch -D x',
      'git stash',
      'printenv',
      'env',
      'cat $X',
      'ls | xargs cat'
    ]
  ])('%s needs a rule', command => {
    expect(stage.judge(command, []).decision).toBe('ask')
  })
})

describe('what a rule about a program allows', () => {
  const rules = ['rm', 'cp', 'mv', 'cat', 'tar', 'unzip', 'npm', 'rsync', 'ls', 'npm install', 'pip install']
  const covered = rules.map(each => allowRule(`Bash(${each} *)`))
  test.each([
    ...[
      'rm f',
      'rm -rf src',
      'cp f src',
      'cp -r src dist',
      'cp -r src/. dist',
      'mv f src/',
      'cat f',
      'cat /dev/null f'
    ],
    ...['tar xf a.tar -C out', 'tar tf a.tar', 'unzip a.zip -d out', 'unzip -l a.zip', 'rsync -a src/ dist', 'cat < f'],
    ...['npm test -- src/a.ts', 'npm test -- -t name', 'npm run x -- --watch', 'npm install left-pad', 'npm install']
  ])('%s', command => expect(stage.judge(command, covered)).toMatchObject({ decision: 'allow' }))

  test.each([
    ['rm /tmp/x*', 'rm /tmp/x1'],
    ['rm -rf /tmp/build *', 'rm -rf /tmp/build f'],
    ['cat /var/log/*', 'cat /var/log/a/b'],
    ['node /opt/tool.js *', 'node /opt/tool.js f']
  ])('Bash(%s) names the path of %s', (rule, command) =>
    expect(stage.judge(command, [allowRule(`Bash(${rule})`)])).toMatchObject({ decision: 'allow' })
  )

  test.each([
    ['rm /tmp/x*', 'rm /tmp/x1 /etc/hosts'],
    ['rm /tmp/x*', 'rm /tmp/x/../../etc/hosts'],
    ['cat /var/log/*', 'cat /var/log/../../etc/shadow']
  ])('Bash(%s) does not name each path of %s', (rule, command) =>
    expect(stage.judge(command, [allowRule(`Bash(${rule})`)])).toMatchObject({ decision: 'ask' })
  )

  test.each([
    `git commit -m "$(cat <<'EOF'\nA title\n\n* drop; rm $(old) \`x\`\nEOF\n)"`,
    `git commit -q -m "Title: $(cat <<"E"\nx\nE\n)" && git status`
  ])('a quoted here-document through cat is a constant: %j', command => {
    const git = [allowRule('Bash(git *)'), denyRule('Bash(rm *)')]
    expect(stage.judge(command, git)).toMatchObject({ decision: 'allow' })
  })

  test.each([
    `git commit -m "$(cat <<EOF\n$(rm x)\nEOF\n)"`,
    `git commit -m "$(cat f <<'EOF'\nx\nEOF\n)"`,
    `git commit -m "$(cat <<'EOF' | sh\nrm x\nEOF\n)"`,
    `git commit -m "$(cat <<'EOF'\nx\nEOF\nrm x)"`,
    `git commit -m "$(sh <<'EOF'\nrm x\nEOF\n)"`,
    `git $(cat <<'EOF'\n-c core.pager=x log\nEOF\n)`,
    `git -c "$(cat <<'EOF'\ncore.fsmonitor=touch p\nEOF\n)" status`
  ])('and nothing else is: %j', command => {
    expect(stage.judge(command, [allowRule('Bash(git *)'), allowRule('Bash(cat *)')]).decision).not.toBe('allow')
  })

  test.each(['echo x >> f', 'echo x > src/new', `cat > src/new <<'E'\nx\nE`, 'git log > log'])(
    '%j in mode acceptEdits',
    command => {
      expect(stage.judge(command, [], { mode: 'acceptEdits' })).toMatchObject({ decision: 'allow' })
      const denied = [denyRule('Edit(f)'), denyRule('Edit(src/**)'), denyRule('Edit(log)')]
      if (command.includes('>')) {
        expect(stage.judge(command, denied, { mode: 'acceptEdits' })).toMatchObject({ decision: 'deny' })
        expect(stage.judge(command, []).decision).toBe('ask')
        expect(stage.judge(command, [], { mode: 'plan' }).decision).toBe('deny')
      }
    }
  )

  test.each([
    ...['echo x > ../f', 'echo x > /tmp/f', 'echo x > .git/config', 'echo x > .mcp.json', 'echo x > linkdir/../../f'],
    ...['echo x > $F', 'echo x > *', 'touch f > f', 'cd .. && echo x > f', 'echo x > .claude/settings.json', 'foo > f']
  ])('%j is asked about in mode acceptEdits', command =>
    expect(stage.judge(command, [], { mode: 'acceptEdits' })).toMatchObject({ decision: 'ask' })
  )

  test.each(['cat *.ts', 'ls *.ts', 'ls src/*', 'ls ../*', 'ls /etc/*', 'ls */../../*'])('%j needs a rule', command =>
    expect(stage.judge(command, [])).toMatchObject({ decision: 'ask' })
  )

  test('a folder that is added is like the project', () => {
    const more = { roots: [stage.root, '/var/tmp'] }
    expect(stage.judge('rm /var/tmp/x', covered, more)).toMatchObject({ decision: 'allow' })
    expect(stage.judge('rm /var/tmp/x', [...covered, denyRule('Bash(rm *)')], more)).toMatchObject({ decision: 'deny' })
  })
})

describe('git reads only where the repository names no program', () => {
  test.each([
    '[core]\n\tfsmonitor = ./evil.sh',
    '[core]\n\tfsmonitor = true',
    '[filter "x"]\n\tclean = ./evil.sh',
    '[diff "x"]\n\ttextconv = ./evil.sh',
    '[diff]\n\texternal = ./evil.sh',
    '[core]\n\tpager = ./evil.sh',
    '[pager]\n\tlog = ./evil.sh',
    '[gpg]\n\tprogram = ./evil.sh',
    '[alias]\n\tst = !./evil.sh',
    '[include]\n\tpath = ../evil',
    '[includeIf "gitdir:/"]\n\tpath = ../evil',
    '[core]\n\tsshCommand = ./evil.sh',
    '[CORE] fsMonitor = ./evil.sh',
    '[core]\n\thooksPath = ~/evil',
    '[core]\n\thooksPath = src/../evil'
  ])('%j', config => {
    const other = attackStage()
    try {
      expect(other.judge('git status', []).decision).toBe('allow')
      writeFileSync(join(other.root, '.git/config'), config, { flag: 'a' })
      for (const command of ['git status', 'git log | head', 'cd src && git diff'])
        expect(other.judge(command, []).decision).toBe('ask')
    } finally {
      other.remove()
    }
  })

  test('a repository in disguise, and hooks', () => {
    const other = attackStage()
    try {
      const git = [allowRule('Bash(git *)')]
      for (const file of ['bare/HEAD', 'bare/objects/x', 'bare/refs/x', '.git/hooks/pre-commit.sample']) {
        mkdirSync(join(other.root, file, '..'), { recursive: true })
        writeFileSync(join(other.root, file), '#!/bin/sh\n', { mode: 0o755 })
      }
      expect(other.judge('cd bare && git status', []).decision).toBe('ask')
      expect(other.judge('git commit -m x', git).decision).toBe('allow')
      expect(other.judge('git commit', git).decision).toBe('ask')
      writeFileSync(join(other.root, '.git/hooks/pre-commit'), '#!/bin/sh\n', { mode: 0o755 })
      expect(other.judge('git commit -m x', git).decision).toBe('ask')
      expect(other.judge('git status', git).decision).toBe('allow')
      expect(other.judge('git commit -m x', [allowRule('Bash(git commit -m x)')]).decision).toBe('allow')
    } finally {
      other.remove()
    }
  })
})
