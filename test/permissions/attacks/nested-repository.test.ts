/** Repositories inside the project, and what the files of its own one hide. Where git runs something, it is run here as well. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isThere } from '../../../src/lib/world/files/paths.ts'
import { allowRule, denyRule } from '../permission-kit.ts'
import { configure, onStage, runGit, writeProgram, type Stage } from './stage.ts'

const RULES = [allowRule('Bash(git *)')]

/** What the shell prints for a command, if it runs. */
const shell = (root: string, command: string): string =>
  execFileSync('bash', ['--noprofile', '--norc', '-c', `${command}; true`], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  })

/** A repository that makes git start a program, which leaves a file in the project. */
function evilRepository(root: string, folder: string): void {
  const path = join(root, folder)
  runGit(path, 'init', '-q', '--template=')
  writeFileSync(join(path, 'f'), 'x')
  runGit(path, 'add', 'f')
  runGit(path, 'commit', '-qm', 'a')
  writeFileSync(join(root, 'monitor.sh'), `#!/bin/sh\ntouch ${root}/ran\n`, { mode: 0o755 })
  configure(path, `[core]\n\tfsmonitor = ${root}/monitor.sh`)
}

interface IndexEntry {
  readonly mode: number
  readonly path: string
}

/** An index as git writes it, but with these entries and extensions. */
function writeIndex(root: string, entries: readonly IndexEntry[], extensions = ''): void {
  const head = Buffer.alloc(12)
  head.write('DIRC')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(entries.length, 8)
  const bodies = entries.map(({ mode, path }) => {
    const bytes = Buffer.alloc((62 + path.length + 8) & ~7)
    bytes.writeUInt32BE(mode, 24)
    bytes.write('11'.repeat(20), 40, 'hex')
    bytes.writeUInt16BE(path.length, 60)
    bytes.write(path, 62)
    return bytes
  })
  // Git takes twenty zeros for a checksum that was not computed.
  const parts = [head, ...bodies, Buffer.from(extensions, 'latin1'), Buffer.alloc(20)]
  writeFileSync(join(root, '.git/index'), Buffer.concat(parts))
}

const isAsked = ({ judge }: Stage, command: string): void => {
  expect(judge(command, []).decision, `${command}, without a rule`).toBe('ask')
  expect(judge(command, RULES).decision, `${command}, under a rule`).toBe('ask')
}

describe('an index that git itself would not write', () => {
  test.each<readonly [string, (root: string) => void]>([
    ['a link with permissions', root => writeIndex(root, [{ mode: 0o160644, path: 'sub' }])],
    ['a link with an absolute path', root => writeIndex(root, [{ mode: 0o160000, path: join(root, 'sub') }])],
    ['a link with a path through another folder', root => writeIndex(root, [{ mode: 0o160000, path: 'src/../sub' }])]
  ])('%s runs a program', (_, prepare) =>
    onStage(stage => {
      evilRepository(stage.root, 'sub')
      prepare(stage.root)
      isAsked(stage, 'git status')
      isAsked(stage, 'git diff')
      shell(stage.root, 'git status; git diff')
      expect(isThere(join(stage.root, 'ran'))).toBe(true)
    })
  )

  test('a folder that stands for all that is in it runs a program', () =>
    onStage(stage => {
      const { root } = stage
      evilRepository(root, 'd/sub')
      runGit(root, 'add', 'd/sub')
      runGit(root, 'commit', '-qm', 'a')
      const tree = execFileSync('git', ['rev-parse', 'HEAD:d'], { cwd: root, encoding: 'utf8' }).trim()
      writeIndex(root, [{ mode: 0o040000, path: 'd/' }], 'sdir\0\0\0\x01X')
      const bytes = readFileSync(join(root, '.git/index'))
      bytes.write(tree, 12 + 40, 'hex')
      writeFileSync(join(root, '.git/index'), bytes)
      isAsked(stage, 'git status')
    }))

  test('a file outside of the project is shown', () =>
    onStage(stage => {
      writeIndex(stage.root, [{ mode: 0o100644, path: '/etc/passwd' }])
      isAsked(stage, 'git diff')
    }))

  test.each([
    ['offsets of entries for threads', 'IEOT\0\0\0\0'],
    ['the end of entries', 'EOIE\0\0\0\0'],
    ['a second index', 'link\0\0\0\0'],
    ['a length that leads further than the file', 'TREE\0\0\0\x09'],
    ['bytes behind the last one', 'TREE\0\0\0\0xx']
  ])('%s', (_, extension) =>
    onStage(stage => {
      writeIndex(stage.root, [{ mode: 0o100644, path: 'f' }], 'TREE\0\0\0\0')
      expect(stage.judge('git status', []).decision).toBe('allow')
      writeIndex(stage.root, [{ mode: 0o100644, path: 'f' }], extension)
      isAsked(stage, 'git status')
    })
  )

  test.each([['.git/config'], ['a/.GIT/x'], ['../f'], ['a//b'], ['a/./b'], ['a/'], ['']])('the path %j', path =>
    onStage(stage => {
      writeIndex(stage.root, [{ mode: 0o100644, path }])
      isAsked(stage, 'git diff')
    })
  )

  test('another version', () =>
    onStage(stage => {
      runGit(stage.root, 'add', 'f')
      expect(stage.judge('git status', []).decision).toBe('allow')
      runGit(stage.root, 'update-index', '--index-version', '4')
      isAsked(stage, 'git status')
    }))

  test('a name that its length does not fit', () =>
    onStage(stage => {
      writeIndex(stage.root, [{ mode: 0o100644, path: 'f' }])
      const file = join(stage.root, '.git/index')
      const bytes = readFileSync(file)
      bytes.writeUInt16BE(9, 12 + 60)
      writeFileSync(file, bytes)
      isAsked(stage, 'git status')
    }))
})

describe('links in the folder of a repository', () => {
  test.each([
    ['.git/branches/x', '../../secrets/k', 'git remote get-url x'],
    ['.git/remotes/x', '../../secrets/k', 'git remote get-url x'],
    ['.git/rebase-merge/git-rebase-todo', '/etc/passwd', 'git status'],
    ['.git/rebase-apply/next', '/etc/passwd', 'git status'],
    ['.git/worktrees/x/locked', '/etc/passwd', 'git worktree list'],
    ['.git/logs/refs/heads/x', '/etc/passwd', 'git log -g x'],
    ['.git/info/exclude', '/etc/passwd', 'git status'],
    ['.git/refs/heads/hooks/x', '/etc/passwd', 'git log'],
    ['.git/objects/4f', '/tmp', 'git log'],
    ['.git/modules', '/tmp', 'git log'],
    ['.git/hooks', '../src', 'git status'],
    ['.git/sequencer', '/tmp', 'git status'],
    ['.git/packed-refs', '/etc/passwd', 'git log']
  ])('%s', (path, target, command) =>
    onStage(stage => {
      expect(stage.judge('git status', []).decision).toBe('allow')
      const file = join(stage.root, path)
      mkdirSync(dirname(file), { recursive: true })
      symlinkSync(target, file)
      isAsked(stage, command)
    })
  )

  test.each(['HEAD', 'config', 'index', 'commondir', 'packed-refs'])(
    'a pipe in the place of %s, which is not read',
    name =>
      onStage(stage => {
        rmSync(join(stage.root, '.git', name), { force: true })
        execFileSync('mkfifo', [join(stage.root, '.git', name)])
        isAsked(stage, 'git status')
      })
  )

  test.each(['ref:\u00A0refs/heads/main\n', `ref:${' '.repeat(300)}refs/heads/main\n`])(
    'a HEAD that git does not take for one: %j',
    head =>
      onStage(stage => {
        configure(stage.root, `[core]\n\tfsmonitor = touch ${stage.root}/ran;:`)
        runGit(join(stage.root, 'in'), 'init', '-q')
        writeFileSync(join(stage.root, 'in/.git/HEAD'), head)
        shell(stage.root, 'cd in && git status')
        expect(isThere(join(stage.root, 'ran'))).toBe(true)
        isAsked(stage, 'cd in && git status')
      })
  )

  test('the content of a denied file is not printed', () =>
    onStage(stage => {
      writeFileSync(join(stage.root, 'secrets/k'), 'S3CRET\n')
      mkdirSync(join(stage.root, '.git/branches'))
      symlinkSync('../../secrets/k', join(stage.root, '.git/branches/x'))
      expect(shell(stage.root, 'git remote get-url x')).toContain('S3CRET')
      expect(stage.judge('git remote get-url x', [denyRule('Read(secrets/**)')]).decision).not.toBe('allow')
    }))

  test('one that is a hook, and leads to nothing yet', () =>
    onStage(stage => {
      mkdirSync(join(stage.root, '.git/hooks'))
      symlinkSync('../../.githooks/post-checkout', join(stage.root, '.git/hooks/post-checkout'))
      expect(stage.judge('git status', []).decision).toBe('allow')
      expect(stage.judge('git checkout evil', RULES).decision).toBe('ask')
    }))
})

describe('keys that only seem to be plain', () => {
  test.each([
    '[status]\n\tsubmoduleSummary = true',
    '[tag]\n\tsort = signature',
    '[branch]\n\tsort = signature',
    '[format]\n\tpretty = %(trailers)%G?',
    '[core]\n\tsplitIndex = true',
    '[core]\n\tbare = true',
    '[extensions]\n\tobjectFormat = sha256',
    '[feature]\n\tmanyFiles = true',
    '[index]\n\tsparse = true',
    '[stash]\n\tx = y',
    '[fetch]\n\trecurseSubmodules = true',
    '[status]\n\tshowUntrackedFiles = $(touch p)'
  ])('%j', text =>
    onStage(stage => {
      configure(stage.root, text)
      isAsked(stage, 'git status')
    })
  )

  test('an editor for the rest of a rebase', () =>
    onStage(stage => {
      configure(stage.root, '[remote "origin"]\n\turl = https://example.com/x')
      for (const value of ['interactive', 'i', 'preserve'])
        expect(stage.judge(`git pull --rebase=${value}`, RULES).decision, value).toBe('ask')
      for (const value of ['', '=true', '=false', '=merges'])
        expect(stage.judge(`git pull --rebase${value}`, RULES).decision, value).toBe('allow')
      configure(stage.root, '[sequence]\n\teditor = touch p')
      isAsked(stage, 'git status')
    }))

  test.each(['git tag --sort=signature', 'git branch --sort=-signature', 'git for-each-ref --sort signature:key'])(
    '%s',
    command => onStage(stage => isAsked(stage, command))
  )
})

test.each([
  'git show :0:secrets/k',
  `git show 'HEAD@{0:00}:secrets/k'`,
  `git show 'HEAD@{0:/}:secrets/k'`,
  `git show 'HEAD@{0:(}:secrets/k'`,
  `git show 'HEAD^{/^[^:]}:secrets/k'`,
  `git show 'HEAD^{/:!}:secrets/k'`,
  'git diff HEAD :0:secrets/k',
  'git diff HEAD:f :2:secrets/k',
  'git cat-file -p :0:secrets/k'
])('%s names a denied file', command =>
  onStage(({ judge }) => expect(judge(command, [denyRule('Read(secrets/**)')]).decision).toBe('deny'))
)

/** A branch `evil` that names a repository, or brings hooks, which are not in the current one. */
function evilBranch(root: string, fill: () => void): void {
  runGit(root, 'add', 'f')
  runGit(root, 'commit', '-qm', 'a')
  runGit(root, 'checkout', '-qb', 'evil')
  fill()
  runGit(root, 'commit', '-qm', 'b')
  runGit(root, 'checkout', '-qf', '-')
}

describe('a repository that the index does not name yet', () => {
  test.each(['git add -A && git status', 'git add . && git commit -m x', 'git add sub; git diff', 'git stash -u'])(
    '%s',
    command =>
      onStage(stage => {
        evilRepository(stage.root, 'sub')
        expect(stage.judge('git status', RULES).decision).toBe('allow')
        expect(stage.judge(command, RULES).decision).toBe('ask')
      })
  )

  test('runs its program in the second command', () =>
    onStage(({ root }) => {
      evilRepository(root, 'sub')
      shell(root, 'git add -A && git status')
      expect(isThere(join(root, 'ran'))).toBe(true)
    }))

  test('a rule for exactly the first command does not cover the second', () =>
    onStage(stage => {
      evilRepository(stage.root, 'sub')
      const rules = [allowRule('Bash(git add -A)')]
      expect(stage.judge('git add -A', rules).decision).toBe('allow')
      expect(stage.judge('git add -A && git status', rules).decision).toBe('ask')
    }))

  test.each([
    ...[
      'git checkout evil',
      'git switch evil',
      'git merge evil',
      'git reset evil && git status',
      'git pull origin evil'
    ],
    ...['git rebase evil', 'git cherry-pick evil', 'git stash pop', 'git restore -s evil .', 'git fetch origin']
  ])('%s', command =>
    onStage(stage => {
      const { root } = stage
      configure(root, '[remote "origin"]\n\turl = https://example.com/x')
      expect(stage.judge(command, RULES).decision).toBe('allow')
      evilRepository(root, 'deep/in/sub')
      expect(stage.judge(command, RULES).decision).toBe('ask')
    })
  )

  test('runs its program when a branch that names it is checked out', () =>
    onStage(({ root }) => {
      evilRepository(root, 'sub')
      evilBranch(root, () => runGit(root, 'add', 'sub'))
      rmSync(join(root, 'ran'), { force: true })
      shell(root, 'git checkout evil')
      expect(isThere(join(root, 'ran'))).toBe(true)
    }))

  test('behind a link', () =>
    onStage(stage => {
      evilRepository(stage.root, '.git/x')
      symlinkSync('.git/x', join(stage.root, 'sub'))
      expect(stage.judge('git reset evil && git status', RULES).decision).toBe('ask')
    }))

  test.each(['ln -s ../x sub && git status', 'tar xf a.tar -C src && git status', 'rsync -a src/ d && git add -A'])(
    '%s puts one there',
    command =>
      onStage(stage =>
        expect(
          stage.judge(command, [...RULES, ...['ln', 'tar', 'rsync'].map(each => allowRule(`Bash(${each} *)`))])
        ).toMatchObject({
          decision: 'ask'
        })
      )
  )

  test('of a submodule that is not there', () =>
    onStage(stage => {
      const { root } = stage
      configure(root, '[remote "origin"]\n\turl = https://example.com/x')
      evilRepository(root, 'x')
      mkdirSync(join(root, '.git/modules/a'), { recursive: true })
      renameSync(join(root, 'x/.git'), join(root, '.git/modules/a/b'))
      expect(stage.judge('git status', []).decision).toBe('allow')
      for (const command of ['git fetch origin', 'git pull', 'git remote update', 'git checkout evil'])
        expect(stage.judge(command, RULES).decision, command).toBe('ask')
    }))

  test.each([
    'update --init',
    'update',
    'init',
    'sync',
    'add ./x',
    'deinit x',
    'summary',
    'absorbgitdirs',
    'set-url a b'
  ])('git submodule %s always asks', command => onStage(stage => isAsked(stage, `git submodule ${command}`)))

  test.each(['git grep --recurse-submodules x HEAD', 'git ls-files --recurse-submodules'])('%s asks', command =>
    onStage(stage => isAsked(stage, command))
  )
})

describe('hooks that come with a branch', () => {
  test.each(['.githooks', './.githooks', 'a/hooks'])('core.hooksPath = %s', folder =>
    onStage(stage => {
      const { root } = stage
      configure(root, `[core]\n\thooksPath = ${folder}`)
      for (const command of ['git status', 'git add f', 'git add f && git commit -m x'])
        expect(stage.judge(command, RULES).decision, command).toBe('allow')
      for (const verb of ['checkout', 'switch', 'merge', 'rebase', 'reset --hard', 'stash apply', 'restore -s'])
        expect(stage.judge(`git ${verb} evil .`, RULES).decision, verb).toBe('ask')
    })
  )

  test('run in the same command', () =>
    onStage(({ root }) => {
      evilBranch(root, () => {
        writeProgram(join(root, '.githooks/post-checkout'))
        writeFileSync(join(root, '.githooks/post-checkout'), `#!/bin/sh\ntouch ${root}/ran\n`)
        runGit(root, 'add', '.githooks')
      })
      configure(root, '[core]\n\thooksPath = .githooks')
      shell(root, 'git checkout evil')
      expect(isThere(join(root, 'ran'))).toBe(true)
    }))

  test.each(['.git/hooks', '/usr/share/no-hooks'])('not from %s', folder =>
    onStage(stage => {
      configure(stage.root, `[core]\n\thooksPath = ${folder}`)
      expect(stage.judge('git checkout evil', RULES).decision).toBe('allow')
    })
  )
})

test('an ordinary clone, with other repositories in it, needs no prompt', () =>
  onStage(({ root, judge }) => {
    runGit(join(root, 'module'), 'init', '-q')
    runGit(join(root, 'module'), 'commit', '-qm', 'a', '--allow-empty')
    runGit(join(root, 'main'), 'init', '-q')
    runGit(join(root, 'main'), 'submodule', 'add', '../module', 'lib/sub')
    runGit(join(root, 'main'), 'submodule', 'add', '../module', 'lib/gone')
    runGit(join(root, 'main'), 'commit', '-qm', 'a')
    runGit(join(root, 'main'), 'submodule', 'deinit', 'lib/gone')
    runGit(join(root, 'main'), 'worktree', 'add', '-q', 'tree')
    configure(join(root, 'main'), ORDINARY)
    // The remotes of its submodules are folders.
    const commands = [
      ...['git status', 'git log', 'git diff', 'git add -A && git commit -m x', 'git checkout -b y', 'git stash'],
      ...['git stash pop', 'git merge y', 'git rebase y', 'git reset --hard', 'mv a b && git add -A && git status']
    ]
    for (const command of commands)
      expect([command, judge(`cd main && ${command}`, [...RULES, allowRule('Bash(mv *)')]).reason], command).toEqual([
        command,
        undefined
      ])
  }))

test('nor does one with the usual configuration', () =>
  onStage(({ root, judge }) => {
    configure(root, ORDINARY)
    for (const command of ['git status', 'git log --oneline', 'git diff', 'git show HEAD', 'git branch -a'])
      expect(judge(command, []).reason, command).toBeUndefined()
    for (const command of [
      'git add -A && git commit -m x && git push',
      'git pull --rebase',
      'git fetch',
      'git switch -c x'
    ])
      expect(judge(command, RULES).reason, command).toBeUndefined()
  }))

const ORDINARY = `[index]
	sparse = false
[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
	ignorecase = true
	precomposeunicode = true
	autocrlf = input
	eol = lf
	safecrlf = warn
	quotePath = off
	compression = -1
[user]
	name = Ann O'Neil (work)
	email = ann@example.com
[remote "origin"]
	url = git@github.com:a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
	gh-resolved = base
[branch "feature/a-b"]
	remote = origin
	merge = refs/heads/feature/a-b
	vscode-merge-base = origin/main
	rebase = true
[pull]
	rebase = true
	ff = only
[push]
	default = current
	autoSetupRemote = true
[init]
	defaultBranch = main
[color]
	ui = auto
[color "diff"]
	meta = yellow bold
[fetch]
	prune = true
[merge]
	conflictStyle = zdiff3
[diff]
	algorithm = histogram
[rerere]
	enabled = true
[lfs]
	repositoryformatversion = 0
[commit]
	gpgSign = false
[gc]
	auto = 0
`
