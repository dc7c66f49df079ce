/** What the files of a repository say about other places, and about hooks: judged by the same rules as git reads them. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allowRule } from '../permission-kit.ts'
import { configure, onStage, runGit, writeProgram } from './stage.ts'

const RULE = [allowRule('Bash(git *)')]

const config = (text: string) => (root: string) => configure(root, text)

type Case = readonly [name: string, prepare: (root: string) => void, command: string]

const outside = (root: string): string => {
  runGit(join(root, 'other'), 'init', '-q')
  return join(root, 'other/.git')
}

describe('reading needs a prompt where a repository', () => {
  test.each<Case>([
    ['shows a file as revisions', config('[blame]\n\tignoreRevsFile = /etc/passwd'), 'git blame f'],
    ['checks signatures', config('[log]\n\tshowSignature = true'), 'git log'],
    ['prints signatures', config('[format]\n\tpretty = "%G?"'), 'git log'],
    ['looks into what were submodules', config('[diff]\n\tsubmodule = diff'), 'git log -p'],
    [
      'fetches what is missing',
      config('[remote "origin"]\n\tpromisor = true\n[extensions]\n\tpartialClone = origin'),
      'git show HEAD:f'
    ],
    [
      'borrows objects',
      root => {
        mkdirSync(join(root, '.git/objects/info'), { recursive: true })
        writeFileSync(join(root, '.git/objects/info/alternates'), '../../../other/.git/objects\n')
      },
      'git cat-file --batch-all-objects --batch'
    ],
    [
      'has a link to packs',
      root => symlinkSync('/tmp', join(root, '.git/objects/pack/x')),
      'git cat-file --batch-all-objects --batch'
    ],
    [
      'is that of another folder, by a file',
      root => {
        mkdirSync(join(root, 'here'))
        writeFileSync(join(root, 'here/.git'), `gitdir: ${outside(root)}\n`)
      },
      'cd here && git log -p'
    ],
    [
      'is that of another folder, by a link',
      root => {
        mkdirSync(join(root, 'here'))
        symlinkSync(outside(root), join(root, 'here/.git'))
      },
      'cd here && git log -p'
    ],
    [
      'names another one as its own worktree would',
      root => {
        const here = join(root, 'here')
        runGit(here, 'init', '-q')
        writeFileSync(join(here, '.git/commondir'), `${outside(root)}\n`)
        renameSync(join(here, '.git'), join(here, 'g'))
        writeFileSync(join(here, 'g/gitdir'), `${here}/.git\n`)
        writeFileSync(join(here, '.git'), 'gitdir: g\n')
      },
      'cd here && git log -p'
    ]
  ])('%s', (_, prepare, command) =>
    onStage(stage => {
      prepare(stage.root)
      expect(stage.judge(command, []).decision).toBe('ask')
    })
  )

  test.each(['git log -p --submodule=diff', 'git grep --untracked x', 'git show --submodule'])('says %s', command =>
    onStage(stage => expect(stage.judge(command, []).decision).toBe('ask'))
  )
})

describe('names that programs can open, and that are not text', () => {
  const raw = (root: string, ...bytes: number[]): Buffer => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(bytes)])
  test.each(['cat n', 'cat nd/passwd', 'cd nd && ls'])('a link to bytes that are not valid UTF-8: %s', command =>
    onStage(({ root, judge }) => {
      symlinkSync('/etc/passwd', raw(root, 0xff))
      symlinkSync(Buffer.from([0xff]), join(root, 'n'))
      symlinkSync('/etc', raw(root, 0xfe))
      symlinkSync(Buffer.from([0xfe]), join(root, 'nd'))
      expect(judge(command, []).decision).toBe('ask')
    })
  )

  test('a path that is too long for the system as a whole, and not from the folder of the command', () =>
    onStage(({ root, judge }) => {
      const names = Array.from({ length: 16 }, (_, at) => String(at).padStart(250, 'd'))
      execFileSync(
        'bash',
        ['-c', 'for d; do mkdir "$d" && cd "$d" || exit; done; ln -s /etc/passwd l', 'bash', ...names],
        {
          cwd: root
        }
      )
      const path = [...names, 'l'].join('/')
      expect(execFileSync('cat', [path], { cwd: root }).length).toBeGreaterThan(0)
      expect(judge(`cat ${path}`, []).decision).toBe('ask')
    }))

  test('a submodule whose name is not valid UTF-8', () =>
    onStage(({ root, judge }) => {
      const id = 'a'.repeat(40)
      execFileSync('bash', ['-c', `git update-index --add --cacheinfo "160000,${id},s$(printf '\\377')"`], {
        cwd: root
      })
      expect(judge('git status', []).decision).toBe('ask')
    }))

  test('a sparse index, in which a folder may hide a submodule', () =>
    onStage(({ root, judge }) => {
      runGit(root, 'add', 'src')
      runGit(root, 'commit', '-qm', 'a')
      runGit(root, 'sparse-checkout', 'init', '--cone', '--sparse-index')
      expect(judge('git status', []).decision).toBe('ask')
    }))

  test('a folder that is a repository for git, with files in the place of folders', () =>
    onStage(({ root, judge }) => {
      for (const name of ['objects', 'refs']) writeProgram(join(root, 'emb', name))
      writeFileSync(join(root, 'emb/HEAD'), 'ref: refs/heads/main\n')
      writeFileSync(join(root, 'emb/config'), '[core]\n\tfsmonitor = touch p\n')
      expect(judge('cd emb && git status', []).decision).toBe('ask')
    }))
})

describe('a commit under a rule needs a prompt where a hook or an editor would run', () => {
  test.each<Case>([
    ['in quotes', config('[core]\n\thooksPath = "evil"'), 'git commit -m x'],
    ['partly in quotes', config('[core]\n\thooksPath = ev"il"'), 'git commit -m x'],
    ['before a comment', config('[core]\n\thooksPath = evil # c'), 'git commit -m x'],
    ['below the home folder', config('[core]\n\thooksPath = ~/evil'), 'git commit -m x'],
    [
      'although a configuration that does not count names another folder',
      root => {
        writeProgram(join(root, '.git/hooks/pre-commit'))
        writeFileSync(join(root, '.git/config.worktree'), '[core]\n\thooksPath = empty\n')
      },
      'git commit -m x'
    ],
    ['in a rebase that asks', config('[pull]\n\trebase = interactive'), 'git pull'],
    ['in a rebase of a branch that asks', config('[branch "main"]\n\trebase = i'), 'git pull'],
    ['in a dialogue', () => {}, 'yes e | git stash -p'],
    ['in the rest of a rebase', () => {}, 'git rebase --skip'],
    ['in the rest of a revert', () => {}, 'git revert --skip'],
    ['in a submodule that is pushed as well', config('[submodule]\n\trecurse = true'), 'git push origin main']
  ])('%s', (_, prepare, command) =>
    onStage(stage => {
      runGit(stage.root, 'remote', 'add', 'origin', 'https://example.com/x')
      writeProgram(join(stage.root, 'evil/pre-commit'))
      prepare(stage.root)
      expect(stage.judge(command, [...RULE, allowRule('Bash(yes *)')]).decision).toBe('ask')
    })
  )
})

describe('no prompt is needed', () => {
  test('under a rule, in a worktree, and in a submodule and above it', () =>
    onStage(({ root, judge }) => {
      runGit(join(root, 'module'), 'init', '-q')
      runGit(join(root, 'module'), 'commit', '-qm', 'a', '--allow-empty')
      runGit(join(root, 'main'), 'init', '-q')
      runGit(join(root, 'main'), 'submodule', 'add', '../module', 'sub')
      runGit(join(root, 'main'), 'commit', '-qm', 'a')
      runGit(join(root, 'main'), 'worktree', 'add', '../tree')
      for (const folder of ['main', 'main/sub', 'tree'])
        for (const command of ['git status', 'git log -p'])
          expect(judge(`cd ${folder} && ${command}`, RULE), `${command} in ${folder}`).toMatchObject({
            decision: 'allow'
          })
    }))

  test('where commondir names the folder that it is in, as in the sandbox', () =>
    onStage(({ root, judge }) => {
      writeFileSync(join(root, '.git/commondir'), '.\n')
      expect(judge('git status', []).decision).toBe('allow')
    }))

  test('for values in quotes and comments', () =>
    onStage(({ root, judge }) => {
      config('[user]\n\tname = "A B" ; a person\n[pull]\n\trebase = merges # see')(root)
      expect(judge('git status', []).decision).toBe('allow')
    }))
})

describe('the format of printf', () => {
  test.each(['ab%n', 'ab%((%n)T', '%5n', '%-n', '%ln', '%*n', '%%%n', '%'])('%s asks', format =>
    onStage(({ judge }) => expect(judge(`printf '${format}' PATH; cat f`, []).decision).toBe('ask'))
  )
  test.each(['%s\\n', '%d%%\\n', 'none\\n'])('%s prints', format =>
    onStage(({ judge }) => expect(judge(`printf "${format}" 1`, []).decision).toBe('allow'))
  )
  test.each(['%-5s %ld\\n', '%(%F)T\\n', "%'d"])('%s prints under a rule', format =>
    onStage(({ judge }) => {
      expect(judge(`printf "${format}" 1`, []).decision).toBe('ask')
      expect(judge(`printf "${format}" 1`, [allowRule('Bash(printf *)')]).decision).toBe('allow')
    })
  )
})

test.each([
  "jq -n '$#x\nENV'",
  "git log -1 --format='%+G?'",
  "git log -1 --pretty='%-GK'",
  'git describe --dirty',
  'ls -R --deref',
  'ls --derefer -R src'
])('%s asks as well', command => onStage(({ judge }) => expect(judge(command, []).decision).toBe('ask')))

test.each(['xxd -ps f g', 'xxd -bc f g', "jq -n '$ ENV'", "jq -n '$\t__loc__'"])('%s asks', command =>
  onStage(({ judge }) => expect(judge(command, []).decision).toBe('ask'))
)
