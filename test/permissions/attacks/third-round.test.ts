/** Commands whose words the shell, find or git reads in another way than their form says. None of them is allowed. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allowRule, denyRule } from '../permission-kit.ts'
import { attackStage, type Stage } from './stage.ts'

const FILES = [
  ...['a/emb/HEAD', 'a/emb/objects', 'a/emb/refs', 'a/x/y', 'a/b/c/f', 'u/a', 'u/b', 'tmpl/settings.json'],
  ...['.claude/settings.json', 'docs3/a', 'docs5/a', 'src/config.json', 'emb2/HEAD', 'emb2/config', 'R/a', 'plain/a']
]
const LINKS = [
  ...[
    ['pl', 'a/b'],
    ['pk', 'a/b/c'],
    ['lnkd', '../'],
    ['é', '../'],
    ['a/x/lnk', '/etc/hostname']
  ],
  ...[
    ['docs/lk', '/etc/hostname'],
    ['docs3/é', '/etc/hostname'],
    ['docs5/s', '../secrets/k']
  ]
] as const

let stage: Stage
beforeAll(() => {
  stage = attackStage()
  const put = (path: string): string => {
    mkdirSync(dirname(join(stage.root, path)), { recursive: true })
    return join(stage.root, path)
  }
  for (const file of FILES) writeFileSync(put(file), 'x\n')
  for (const [path, target] of LINKS) symlinkSync(target!, put(path!))
  execFileSync('git', ['init', '-q', '--template=', join(stage.root, 'R')])
  for (const part of ['objects', 'refs']) chmodSync(join(stage.root, 'a/emb', part), 0o755)
  writeFileSync(Buffer.concat([Buffer.from(put('docs2/x').slice(0, -1)), Buffer.from([0xff])]), 'x\n')
})
afterAll(() => stage.remove())

const under = (programs: string): ReturnType<typeof allowRule>[] =>
  programs.split(' ').map(program => allowRule(`Bash(${program} *)`))

describe('without a rule', () => {
  test.each([
    // If the target is not there by its words, cd takes the kernel's reading.
    'cd pl/../emb && git status',
    'cd pl/../x && cat lnk',
    `cd -PL pk/../.. && grep -r ''`,
    'cd -P -L pk/../.. && ls',
    'cd -P src && cat a.ts',
    'cd src/../docs && cat a',
    'cd pl && git status',
    // find puts several operands where the row has one.
    'find u -type f -exec uniq {} +',
    'find u -type f -exec xxd {} +',
    'find tmpl .claude -name settings.json -type f -exec uniq {} +',
    'find u -type f -exec cat {} +',
    // Patterns that the shell expands in another way.
    'ls [[:alpha:]]nkd/',
    'LC_ALL=C; ls ??/',
    'ls ??/',
    'echo ~/*',
    'echo ~/.ssh/*',
    'echo $HOME/*',
    'echo $PWD/../*',
    'echo ~+/../*',
    'echo ~root/*',
    'basename -a ~/*'
  ])('%j', command => {
    expect(stage.judge(command, []).decision).not.toBe('allow')
    expect(stage.judge(command, [], { mode: 'plan' }).decision).not.toBe('allow')
  })

  test('behind a folder that is not known, a denied file is still found', () => {
    for (const command of ['cd -P . && cd secrets && cat k', 'cd -P secrets && cd deep && cat k'])
      expect(stage.judge(command, [allowRule('Bash'), denyRule('Read(secrets/**)')]).decision).not.toBe('allow')
  })

  test('acceptEdits writes no file in a folder that is not known', () =>
    expect(stage.judge('cd pl/../x && echo x > lnk', [], { mode: 'acceptEdits' }).decision).not.toBe('allow'))

  test.each(['cd R && git diff ../secrets ../src', 'cd R && git diff .. ../src', 'cd R && git diff .. .'])(
    '%j compares any files',
    command => expect(stage.judge(command, [denyRule('Read(secrets/k)')]).decision).not.toBe('allow')
  )

  test.each(['cd src && cat a.ts', 'cd a/b && cd ../.. && git status', 'cd ./src/ && cat ../f'])(
    '%j stays allowed',
    command => expect([command, stage.judge(command, []).reason]).toEqual([command, undefined])
  )
})

describe('under rules for the programs', () => {
  test.each([
    ['mkdir', 'mkdir emb2/objects emb2/refs && cd emb2 && git status'],
    ['git', 'cd src && git checkout evil && git status'],
    ['git gh', 'git clone https://example.com/x && cd x && gh pr view'],
    ['mkdir gh', 'mkdir emb2/objects emb2/refs && cd emb2 && gh pr status'],
    ['git gh', 'git checkout evil && gh pr create -t x -F lnk9'],
    ['git', 'cd src && git switch evil && git status'],
    ['git', 'timeout 9 git checkout evil && cd embedded && git status'],
    ['git', 'env git checkout evil && cat lnk9'],
    ['git', 'nice git checkout evil && cat lnk9'],
    ['git', 'command git switch evil && cat lnk9'],
    ['git sh', `sh -c 'git switch evil' && cat lnk9`],
    ['cat', 'cat docs/[[:alpha:]]k'],
    ['cat', 'cat docs/[[=l=]]k'],
    ['cat', 'cat docs/[[.l.]]k'],
    ['cat', 'cat plain/[a]'],
    ['cat', 'LC_ALL=C; cat docs3/??'],
    ['cat', 'cat docs2/*'],
    ['cat', 'cat docs5/*'],
    ['cat', `cat 'a\\'*`],
    ['echo', 'echo ~/*'],
    ['find tee', `cat tmpl/settings.json | find . -path '*claude/settings.json' -type f -exec tee {} +`],
    ['find rm', `find . -path './.claude/*' -type f -exec rm {} +`],
    ['find truncate', `find . -path './.claude/*' -type f -exec truncate -s 0 {} +`],
    ['find mv', String.raw`find . -path './.claude/*' -type f -exec mv {} x \;`],
    ['find chmod', `find . -path '*git/hooks/*' -type f -exec chmod 755 {} +`],
    ['find sed', `find . -path '*claude/settings.json' -type f -exec sed -i s/a/b/ {} +`],
    ['find timeout rm', String.raw`find . -type f -exec timeout 5 rm {} \;`],
    ['find uniq', 'find u -type f -exec uniq {} +']
  ])('%s: %j', (programs, command) => {
    const rules = [...under(programs), ...(programs.includes('sed') ? [allowRule('Bash(sed -i *)')] : [])]
    expect(stage.judge(command, rules).decision).not.toBe('allow')
  })

  test.each([
    `sed -i 's/evil/worse/' .claude/*`,
    `sed -i 's/bare = false/bare = true/' .git/c*`,
    'eslint --fix .claude/*',
    'rubocop -a .git/c*',
    'markdownlint-cli2 --fix .claude/*'
  ])('%j writes what it finds', command =>
    expect(
      stage.judge(command, [allowRule('Bash(sed -i *)'), ...under('eslint rubocop markdownlint-cli2')]).decision
    ).not.toBe('allow')
  )

  test.each([
    ['rm', 'find . -name config.json -type f -exec rm {} +'],
    ['tee', 'find src -name config.json -type f -exec tee {} +'],
    ['sed -i', `sed -i s/a/b/ src/config.json`],
    ['sed -i', `sed -i s/a/b/ src/c*`]
  ])('%s: %j changes a file that a rule names', (program, command) => {
    const rules = [allowRule(`Bash(${program} *)`), denyRule('Edit(src/config.json)')]
    expect(stage.judge(command, rules).decision).not.toBe('allow')
  })

  test('what a pattern finds through a link is denied', () => {
    for (const command of ['cat docs5/[[:alpha:]]', 'cat docs5/*'])
      expect(stage.judge(command, [...under('cat'), denyRule('Read(secrets/**)')]).decision).not.toBe('allow')
  })

  test.each([
    ['cat', 'cat plain/*'],
    ['ls', 'ls plain/*'],
    ['echo', 'echo $HOME'],
    ['mkdir git', 'mkdir -p build && git status'],
    ['sed -i', `sed -i s/a/b/ src/a.ts`],
    ['eslint', 'eslint --fix src'],
    ['git', 'cd src && git add a.ts && git status']
  ])('%s: %j stays allowed', (programs, command) => {
    const rules = [...programs.split(' -').slice(0, 1).flatMap(under), allowRule(`Bash(${programs} *)`)]
    expect([command, stage.judge(command, rules).reason]).toEqual([command, undefined])
  })
})

test.each(['uniq u/*', 'uniq .claude/settings*', 'xxd u/*', 'tar cf u/*', 'git init --bare n && cd n && git log -p'])(
  'under a rule of its program, %s asks: a pattern may become several words, and a repository may appear',
  command => {
    const rules = ['uniq', 'xxd', 'tar', 'git'].map(name => allowRule(`Bash(${name} *)`))
    expect(stage.judge(command, rules).decision).toBe('ask')
  }
)
