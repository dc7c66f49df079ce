/** Names that are options, sub-commands and options that no row describes, and values that are paths. None of it is allowed. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exactRule } from '../../../src/lib/permissions/suggestions.ts'
import { isThere } from '../../../src/lib/world/files/paths.ts'
import { allowRule, denyRule } from '../permission-kit.ts'
import { configure, onStage, runGit, writeProgram, type Stage } from './stage.ts'

const under = (programs: readonly string[]): ReturnType<typeof allowRule>[] =>
  programs.map(program => allowRule(`Bash(${program} *)`))

function put(root: string, path: string, text = 'x\n'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** What the shell prints for a command, if it runs. */
const shell = (root: string, command: string): string =>
  execFileSync('bash', ['--noprofile', '--norc', '-c', `${command}; true`], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore']
  })

const asked = ({ judge }: Stage, programs: readonly string[], command: string): void =>
  expect(judge(command, under(programs)).decision, command).not.toBe('allow')

describe('a file of the project has the name of an option or a sub-command', () => {
  test.each([
    ['bash', '+c', `bash +c 'touch p'`],
    ['sh', '+c', `sh +c 'touch p'`],
    ['bash', '+e', 'bash +e evil.sh']
  ])('%s runs %s', (program, name, command) =>
    onStage(stage => {
      put(stage.root, name)
      put(stage.root, 'evil.sh', 'touch p\n')
      shell(stage.root, command)
      expect(isThere(join(stage.root, 'p'))).toBe(true)
      asked(stage, [program], command)
    })
  )

  test.each([
    ['node', 'inspect', `node inspect -e "require('fs').writeFileSync('p','')"`],
    ['node', 'debug', 'node debug -e x'],
    ['tsx', 'watch', 'tsx watch -e x']
  ])('%s takes %s for a sub-command', (program, name, command) =>
    onStage(stage => {
      put(stage.root, name)
      asked(stage, [program], command)
    })
  )

  test('ls takes what a pattern finds for options, and goes through links', () =>
    onStage(stage => {
      put(stage.root, 'in/-LR')
      put(stage.root, 'in/d/a')
      symlinkSync('/etc', join(stage.root, 'in/d/out'))
      expect(shell(stage.root, 'cd in && ls *')).toContain('hostname')
      for (const command of ['ls *', 'ls -la *', 'ls ?*']) asked(stage, ['ls'], `cd in && ${command}`)
    }))
})

describe('git', () => {
  const CONFIG = '[alias]\n\tlfs = !touch p\n[core]\n\teditor = touch p;:'

  test.each([
    ['git lfs', 'git lfs'],
    ['git notes', 'git notes add'],
    ['git worktree add', 'git worktree add x'],
    ['gh pr checkout', 'gh pr checkout 5'],
    ['gh repo clone', 'gh repo clone a']
  ])('a rule for %s does not say what the repository makes of it', (program, command) =>
    onStage(stage => {
      runGit(stage.root, 'commit', '-qm', 'a', '--allow-empty')
      configure(stage.root, CONFIG)
      asked(stage, [program, 'git', 'gh'], command)
    })
  )

  test('these two run a program', () =>
    onStage(({ root }) => {
      runGit(root, 'commit', '-qm', 'a', '--allow-empty')
      configure(root, CONFIG)
      for (const command of ['git lfs', 'git notes add']) {
        rmSync(join(root, 'p'), { force: true })
        shell(root, command)
        expect(isThere(join(root, 'p')), command).toBe(true)
      }
    }))

  test.each(['-C in', '--git-dir=in/.git', '--git-dir in/.git', '--work-tree=in', '-c a.b=c -C in'])(
    'a rule that contains %s does not say what is in the repository there',
    options =>
      onStage(stage => {
        runGit(join(stage.root, 'in'), 'init', '-q')
        configure(join(stage.root, 'in'), `[core]\n\tfsmonitor = touch ${stage.root}/p;:`)
        asked(stage, [`git ${options}`], `git ${options} status`)
      })
  )

  test.each<readonly [string, string]>([
    ['git mv a b', 'cat b/secrets/k'],
    ['git add -f .', 'git diff --cached'],
    ['git add --force --all', 'git diff --cached'],
    ['git stash -a', 'git stash show -p --include-untracked'],
    ['git stash push --all', 'git show stash@{0}^3']
  ])('%s makes a denied file one that is not', (command, shows) =>
    onStage(stage => {
      runGit(stage.root, 'commit', '-qm', 'a', '--allow-empty')
      put(stage.root, '.git/info/exclude', '.env\n')
      put(stage.root, 'a/secrets/k', 'S3CRET\n')
      put(stage.root, '.env', 'S3CRET\n')
      runGit(stage.root, 'add', 'a')
      const rules = [...under(['git']), denyRule('Read(./a/secrets/**)'), denyRule('Read(.env)')]
      expect(stage.judge(command, rules).decision).not.toBe('allow')
      shell(stage.root, `git config user.name a; git config user.email a@b.c; ${command}`)
      expect(shell(stage.root, shows)).toContain('S3CRET')
    })
  )

  // Git looks for a program of this name, which PATH may have.
  test.each([`git 'stash list'`, `git 'remote get-url' x`, `git 'branch #'`, `git 'tag #' -d x`])(
    '%j is no sub-command that is known',
    command =>
      onStage(stage => {
        asked(stage, [], command)
        asked(stage, ['git'], command)
      })
  )

  // The repository says which editor or pager that is.
  test.each([
    ...[
      'git rebase -i',
      'git rebase --interactive',
      'git rebase --continue',
      'git rebase --skip',
      'git rebase --edit-todo'
    ],
    ...['git commit -m x -e', 'git commit -m x --edit', 'git merge -e', 'git merge --continue', 'git cherry-pick -e'],
    ...['git cherry-pick --continue', 'git revert -e', 'git revert --continue', 'git tag -m x -e', 'git grep -O'],
    ...['git branch --edit-description', 'git grep --open-files-in-pager', 'git add -e', 'git -p', 'git --paginate']
  ])('a rule that contains %s does not say what it opens', program =>
    onStage(stage => asked(stage, [program], `${program} ${/-(?:p|-paginate)$/.test(program) ? 'log' : 'main'}`))
  )

  test('a rebase that squashes opens the editor', () =>
    onStage(stage => asked(stage, ['git'], 'git rebase --autosquash main')))
})

test.each(['./build.sh\u00A0', './build.sh\f', './build.sh\v', './build.sh\r', './build.sh\uFEFF', './build.sh\u2028'])(
  'a rule for exactly one command does not cover another file: %j',
  command =>
    onStage(stage => {
      writeProgram(join(stage.root, 'build.sh'))
      writeFileSync(join(stage.root, command), '#!/bin/sh\ntouch p\n', { mode: 0o755 })
      shell(stage.root, command)
      expect(isThere(join(stage.root, 'p'))).toBe(true)
      expect(stage.judge(command, [allowRule('Bash(./build.sh)')]).decision).not.toBe('allow')
      expect(stage.judge(' ./build.sh \n', [allowRule('Bash(./build.sh)')]).decision).toBe('allow')
      expect(exactRule({ command })).toMatchObject([{ rules: [{ ruleContent: command }] }])
    })
)

describe('programs that run others and have no row', () => {
  test.each([
    ...['tmux new-session touch p', 'screen touch p', 'socat STDIO EXEC:./x', 'nc example.com 80', 'lldb x', 'view f'],
    ...['valgrind touch p', 'perf stat touch p', 'prlimit touch p', 'faketime now touch p', 'xvfb-run touch p'],
    ...['hyperfine touch', 'gtimeout 5 touch p', 'genv touch p', 'gxargs touch', 'ld.so ./x', 'torsocks touch p'],
    ...['pipenv run touch p', 'conda run touch p', 'direnv exec . touch p', 'hatch run rm f', 'mise exec mv f g'],
    ...['asdf exec git status', 'op run bash f', 'rustup run nightly touch p', 'mytool x /bin/touch p'],
    ...['bmake CC=./x', 'scons CC=x all', 'java @args', 'gcc @args', 'mytool +x', 'uvx evil', 'uvx ruff check .'],
    ...['bunx eslint src', 'pnpx eslint src', 'pipx run black src', 'uv tool run black src', 'pnpm dlx eslint src'],
    ...['patch', 'patch f x', 'npx make', 'npx attw', 'npx tsc']
  ])('%j', command => onStage(stage => asked(stage, [command.split(' ')[0]!], command)))

  test.each([
    ['awk -f f', 'awk -f f /etc/passwd'],
    ['sed -f f', 'sed -f f /etc/passwd']
  ])('a rule for %s is about files of the project', (program, command) =>
    onStage(stage => {
      asked(stage, [program], command)
      expect(stage.judge(command.replace('/etc/passwd', 'g'), under([program])).reason).toBeUndefined()
    })
  )

  test('a builtin that sets a variable changes what follows', () =>
    onStage(stage => {
      writeFileSync(join(stage.root, 'path'), join(stage.root, 'bin'))
      mkdirSync(join(stage.root, 'bin'))
      writeFileSync(join(stage.root, 'bin/ls'), '#!/bin/sh\n/bin/touch p\n', { mode: 0o755 })
      shell(stage.root, 'read PATH < path; ls f')
      expect(isThere(join(stage.root, 'p'))).toBe(true)
      for (const command of ['read PATH < path; ls f', 'getopts x PATH', 'readonly PATH', 'typeset x', 'fc x'])
        asked(stage, ['read', 'ls', 'getopts', 'readonly', 'typeset', 'fc'], command)
    }))

  test.skipIf(!isThere('/usr/bin/patch'))('a patch names its files itself', () =>
    onStage(stage => {
      put(stage.root, 'x.patch', '--- /dev/null\n+++ .envrc\n@@ -0,0 +1 @@\n+touch p\n')
      shell(stage.root, 'patch < x.patch')
      expect(isThere(join(stage.root, '.envrc'))).toBe(true)
      asked(stage, ['patch'], 'patch < x.patch')
      asked(stage, ['patch', 'cat'], 'cat x.patch | patch')
    })
  )

  test.each([
    ['pnpm exec', 'pnpm exec rm f'],
    ['pnpm exec', 'pnpm exec git status'],
    ['pnpm add', 'pnpm add -g x'],
    ['pnpm add', 'pnpm add x --global-bin-dir=bin'],
    ['yarn add', 'yarn add x --modules-folder bin'],
    ['pnpm install', 'pnpm install --modules-dir x']
  ])('a rule for %s does not make a script of it: %j', (program, command) =>
    onStage(stage => asked(stage, [program], command))
  )

  test.each(['uvx ruff', 'pnpm dlx eslint', 'pipx run black', 'bunx eslint', 'yarn dlx eslint', 'npx eslint'])(
    'a rule that contains %s covers it, and no other program',
    program =>
      onStage(stage => {
        const command = `${program}${program.endsWith('ruff') ? ' check' : ''} src`
        expect([command, stage.judge(command, under([program])).reason]).toEqual([command, undefined])
        asked(stage, [program.replace(/ \w+$/, '')], command)
        asked(stage, [program.replace(/ \w+$/, '')], command.replace(/\w+( check)? src$/, 'evil'))
      })
  )

  test('npx runs what is installed, here or above', () =>
    onStage(stage => {
      writeProgram(join(stage.root, 'node_modules/.bin/tsc'))
      for (const command of ['npx tsc --noEmit', 'cd src && npx tsc --noEmit'])
        expect([command, stage.judge(command, under(['npx'])).reason]).toEqual([command, undefined])
      expect(stage.judge('npx --no-install eslint src', under(['npx'])).reason).toBeUndefined()
      expect(stage.judge('npx tsc --noEmit && npx eslint src', under(['npx'])).decision).toBe('ask')
    }))
})

describe('words that a row took for harmless', () => {
  test.each([
    ...['bun run touch p', 'bun run ls', 'tox exec -- touch p', 'tox e -- touch p', 'cargo nextest self update'],
    ...['ruby -W0r/tmp/x.rb x.rb', 'ruby -W0e x.rb', 'ruby -Wno x.rb', 'ruff check @args', 'ruff format @args'],
    ...['python3 -m http.server', 'python3 -m venv --clear .', 'echo /etc/passwd | python3 -m py_compile -'],
    ...['python3 -m py_compile -', `echo 'import "/x.json"' | esbuild --bundle`, 'base64 -i f -o g'],
    ...[
      'typedoc --readme=/etc/passwd',
      'typedoc --entryPoints=/etc/passwd',
      'typedoc --readme ../x',
      'pyright -p /etc'
    ],
    ...['commitlint --edit=/etc/passwd', 'webpack --json=/tmp/p', 'phpunit --coverage-text=/tmp/p'],
    ...['deno test --coverage=/tmp/p', 'prettier --parser=/tmp/x.js f', 'prettier --parser ./x.js f'],
    ...['jest --changedSince=--output=/tmp/p', 'vitest --changed=--output=/tmp/p', 'commitlint --from=--output=/tmp/p'],
    ...[`pnpm --filter='...[--output=/tmp/p]' test`, `pnpm -F '[--output=/tmp/p]' test`, `pnpm test --filter=/tmp/x`],
    ...['gh pr list --json number -q env', `gh pr view --json body --jq '$ENV.GH_TOKEN'`, 'npm run env', 'yarn run env']
  ])('%j', command =>
    onStage(stage => {
      put(stage.root, 'x.rb')
      asked(
        stage,
        command.split(/ \| /).map(each => each.split(' ')[0]!),
        command
      )
    })
  )
})

test.each([
  ...[
    'bun run build',
    'ruby -W0 x.rb',
    'ruff check .',
    'base64 -d f',
    'esbuild f --bundle',
    'deno test --coverage=cov'
  ],
  ...[
    'jest --changedSince=origin/main',
    'vitest --changed=HEAD~1',
    'pnpm --filter=@a/b test',
    'pnpm -F ./packages/a test'
  ],
  ...[
    `gh pr list --json number -q '.[].number'`,
    'npm run build',
    'tox -e py312',
    'webpack --json',
    'prettier --parser=ts f'
  ],
  ...[
    'python3 -m py_compile f',
    'pytest',
    'git add -A',
    'git stash -u',
    'mytool run test',
    'bash ./evil.sh',
    'git mv f h'
  ]
])('%j stays allowed', command =>
  onStage(stage => {
    put(stage.root, 'x.rb')
    expect([command, stage.judge(command, under([command.split(' ')[0]!])).reason]).toEqual([command, undefined])
  })
)
