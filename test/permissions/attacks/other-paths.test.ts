/** A path that a command uses is not among its words: a pattern finds it, or a link leads there. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide } from '../../../src/lib/permissions/decide.ts'
import { isThere, resolvePath } from '../../../src/lib/world/files/paths.ts'
import { allowRule, denyRule, policy, read, write } from '../permission-kit.ts'
import { attackStage, type Stage } from './stage.ts'

let stage: Stage
beforeAll(() => {
  stage = attackStage()
  const put = (path: string): string => {
    mkdirSync(dirname(join(stage.root, path)), { recursive: true })
    return join(stage.root, path)
  }
  for (const file of [
    ...[
      'tmpl/x',
      'tmpl/sub/x',
      'tmpl/.cx',
      't2/config.toml',
      't2/config',
      't2/alternates',
      't2/git-rebase-todo',
      't2/attributes'
    ],
    ...[
      't2/plugins/a.cjs',
      'plain/p1',
      'plain/p2',
      'emb/HEAD',
      'emb/objects',
      'emb/refs',
      '.claude/settings.json',
      'a/b/secrets/k'
    ],
    ...['.git/info/x', '.git/rebase-merge/x', '.cargo/x', '.vscode/x', 'hooked/config', 'par/l/x']
  ])
    writeFileSync(put(file), 'x\n')
  for (const folder of ['empty', '.git/objects/info', '.bundle', '.yarn', 'dst3'])
    mkdirSync(join(stage.root, folder), { recursive: true })
  for (const [path, target] of [
    ...[
      ['dst/x', '../../victim'],
      ['docs/x', '../.claude/settings.json'],
      ['dst2/sub/x', '../../../victim']
    ],
    ...[
      ['dst4/.cx', '../../victim'],
      ['ab', 'a/b'],
      ['dst5/par', '/tmp'],
      ['dst6/x', '../../victim']
    ]
  ])
    symlinkSync(target!, put(path!))
})
afterAll(() => stage.remove())

const RULES = ['cp', 'mv', 'rsync', 'ln'].map(program => allowRule(`Bash(${program} *)`))

describe('what is copied by a pattern keeps its name', () => {
  test.each([
    ...[
      'cp tmpl/* dst',
      'cp tmpl/? dst/',
      'cp -r tmpl/* dst',
      'cp tmpl/* docs',
      'cp -r tmpl/* dst2',
      'cp tmpl/.c* dst4'
    ],
    ...[
      'cp t2/* .cargo',
      'cp t2/* .git/rebase-merge',
      'cp t2/* .git/objects/info',
      'cp t2/* .git/info',
      'cp t2/* .bundle'
    ],
    ...[
      'cp -r t2/* .yarn',
      'mv t2/* .cargo',
      'cp t2/* emb',
      'mv t2/* emb',
      'CI=1 cp t2/* .cargo',
      'cd t2 && cp * ../.cargo'
    ],
    ...['cp -r t?/* .cargo', 'cp t2/config* .bundle', 'cp plain/* t2/config* .cargo']
  ])('%j', command => {
    expect(stage.judge(command, RULES).decision).not.toBe('allow')
    expect(stage.judge(`true && ${command}`, RULES).decision).not.toBe('allow')
  })

  test.each([
    ...[
      'mv -T t2 .git/info',
      'cp -rT t2 .git/rebase-merge',
      'cp -r t2 .git/rebase-merge2',
      'cp f .git/x',
      'mv f .git/x'
    ],
    ...[
      'cd .git && cp ../f x',
      'cp f .vscode/x',
      'cp -r t2 .config',
      'mv t2 .cargo',
      'cp -rT tmpl dst',
      'cp -rT tmpl dst6',
      'mv t2 .git/info'
    ],
    ...[
      'cp --parents par/l/x dst5',
      'CI=1 cp t2/config.toml .cargo',
      'CI=1 cp t2/config .bundle',
      'cp --parents p*/l/x dst5'
    ]
  ])('%j is put where files control the agent or git, or where a link leads', command =>
    expect(stage.judge(command, RULES).decision).not.toBe('allow')
  )

  test.each([
    ...['cp plain/* dst3', 'cp plain/* .', 'mv plain/* dst3', 'cp -r tmpl/* empty'],
    ...['cp -r tmpl app', 'cp -rT tmpl app', 'cp --parents plain/p1 dst3', 'mv f g', 'cp f g']
  ])('%j stays allowed', command => expect([command, stage.judge(command, RULES).reason]).toEqual([command, undefined]))

  test('copying by a pattern does write through a link', () => {
    const victim = join(dirname(stage.root), 'victim')
    writeFileSync(victim, 'untouched\n')
    execFileSync('bash', ['--norc', '-c', 'cp tmpl/* dst 2>/dev/null; true'], { cwd: stage.root })
    expect(readFileSync(victim, 'utf8')).toBe('x\n')
    execFileSync('rm', [victim])
  })
})

describe('a denied file', () => {
  const DENIED = [denyRule('Read(secrets/**)')]
  test.each([
    ...[
      'cat ~+/secrets/k',
      'cat ~-/secrets/k',
      'cat $OLDPWD/secrets/k',
      'cat "${OLDPWD}/secrets/k"',
      'cat ~0/secrets/k'
    ],
    ...[
      'cat ~+0/secrets/k',
      'cd src; cat ~-/secrets/k',
      'cd src; cat $OLDPWD/secrets/k',
      'head < ~+/secrets/k',
      'cd ~+/secrets; cat k'
    ],
    ...[
      'find . -name k -type f -exec cat {} +',
      'find . -type f -exec cat {} +',
      String.raw`find -name k -exec head {} \;`
    ],
    ...[
      'find . -type f | xargs cat',
      'ls | xargs grep -r x',
      'find . -name k -print0 | xargs -0 head',
      'xargs cat < f'
    ],
    ...['ls -d s* | xargs -I{} cat {}/k', 'find . -type f | xargs -n 1 timeout 5 cat', 'git ls-files | xargs -P4 tail']
  ])('may be read by %j, which needs a prompt in every mode', command => {
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect(stage.judge(command, [allowRule('Bash'), ...DENIED], { mode }).decision).not.toBe('allow')
  })

  test('in the home of a user, by the name of the user', () => {
    const rules = [allowRule('Bash'), denyRule('Read(~/.ssh/**)')]
    for (const command of ['cat ~ann/.ssh/id', 'cat ~root/.ssh/id', 'cp ~ann/.ssh/id x'])
      expect(stage.judge(command, rules).decision).not.toBe('allow')
  })

  test.each(['ls | xargs echo', 'find . -type f | xargs wc -l', 'echo x | xargs mkdir -p', 'cd src && cat ~/notes'])(
    '%j stays allowed',
    command => expect(stage.judge(command, [allowRule('Bash'), denyRule('Read(other/**)')]).decision).toBe('allow')
  )
})

describe('a rule whose path leads through a link', () => {
  const rules = [denyRule('Read(ab/secrets/k)'), allowRule('Bash')]
  const decideFile = (path: string, rule = rules): string =>
    decide(
      { ...read(join(stage.root, path)), cwd: stage.root, real: resolvePath, has: isThere },
      policy(rule, { roots: [stage.root] })
    ).decision

  test.each(['cat ab/secrets/k', 'cat a/b/secrets/k', 'cd a && cat b/secrets/k', 'cat ab/../b/secrets/k'])(
    '%j is refused',
    command => expect(stage.judge(command, rules).decision).toBe('deny')
  )
  test.each(["grep -r '' a", "grep -r '' a/b", 'tar cf - a', 'cp -r a x'])('%j needs a prompt', command =>
    expect(stage.judge(command, rules).decision).toBe('ask')
  )
  test('file tools are refused, by both paths', () => {
    for (const rule of ['Read(ab/secrets/k)', 'Read(ab/**)', 'Read(./ab/s*/k)', 'Read(/ab)'])
      for (const path of ['a/b/secrets/k', 'ab/secrets/k'])
        expect([rule, path, decideFile(path, [denyRule(rule)])]).toEqual([rule, path, 'deny'])
    const call = { ...write(join(stage.root, 'a/b/c')), cwd: stage.root, real: resolvePath, has: isThere }
    const ruled = policy([denyRule('Edit(ab/**)'), allowRule('Edit')], { roots: [stage.root] })
    expect(decide(call, ruled).decision).toBe('deny')
  })
  test('a rule that allows is not widened', () => {
    const call = { ...write(join(stage.root, 'a/b/c')), cwd: stage.root, real: resolvePath, has: isThere }
    expect(decide(call, policy([allowRule('Edit(ab/**)')], { roots: [stage.root] })).decision).toBe('ask')
  })
})

describe('a rule with a URL is about its host', () => {
  test.each([
    ['https://*.a.com/*', 'https://evil.com/.a.com/x'],
    ['https://*.a.com/*', 'https://evil.com?.a.com/x'],
    ['https://*.a.com/*', 'https://evil.com#.a.com/x'],
    ['https://*.a.com/*', 'https://u@evil.com:80/.a.com/'],
    ['https://*.a.com/*', `'https://{evil.com,x}.a.com/'`],
    ['https://a.com*', 'https://a.com.evil.com/x'],
    ['https://a.com*', 'https://a.com@evil.com/'],
    ['https://a.com*', `'https://a.com\\@evil.com/'`],
    ['https://a.com/*', 'https://a.com/x https://evil.com']
  ])('%s does not cover %s', (rule, url) =>
    expect(stage.judge(`curl ${url}`, [allowRule(`Bash(curl ${rule})`)]).decision).toBe('ask')
  )

  test.each([
    ['https://*.a.com/*', 'https://x.a.com/y'],
    ['https://a.com*', 'https://a.com/x'],
    ['https://a.com/*', 'https://a.com/x/y'],
    ['https://*', 'https://a.com/x'],
    ['http://localhost:3000/*', 'http://localhost:3000/x']
  ])('%s covers %s', (rule, url) =>
    expect(stage.judge(`curl ${url}`, [allowRule(`Bash(curl ${rule})`)]).reason).toBeUndefined()
  )
})
