/** Another program or other code runs than the one that the command seems to name. None of it is allowed. */
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, project, resultsIn } from '../../support/agent-kit.ts'
import { allowRule } from '../permission-kit.ts'
import { attackStage, type Stage, writeProgram } from './stage.ts'

let stage: Stage
beforeAll(() => {
  stage = attackStage()
})
afterAll(() => stage.remove())

const under = (programs: string): ReturnType<typeof allowRule>[] =>
  programs.split(' ').map(program => allowRule(`Bash(${program} *)`))

describe('PATH leads into the project', () => {
  const PLANTED = 'fd rg tree echo pwd printf test [ type true false grep gzip git cat timeout gawk ls'.split(' ')
  beforeAll(() => {
    for (const name of [...PLANTED, 'eslint', 'rimraf', 'mytool', 'python3', 'pip'])
      writeProgram(join(stage.root, 'bin', name))
  })

  const paths = (): readonly string[] => [
    ...[join(stage.root, 'bin'), `/usr/bin:${stage.root}/bin`, 'bin', './bin:/usr/bin', `${stage.root}/x/../bin`],
    ...[`${stage.root}/lnk`]
  ]
  beforeAll(() => symlinkSync('bin', join(stage.root, 'lnk')))

  test.each([
    ...['fd x', 'tree', 'rg x', 'timeout 5 fd x', 'cat f', 'grep x f', 'git status', 'ls | head', 'ls; wc f'],
    ...['timeout 5 echo x', 'nice pwd', 'timeout 5 test -f f', 'nice printf x', 'timeout 5 type ls', 'nice true'],
    ...['timeout 5 [ -f f ]', 'timeout 5 nice echo x', 'egrep x f', 'fgrep x f', '/usr/bin/egrep x f']
  ])('%j needs a rule', command => {
    for (const searchPath of paths())
      for (const mode of ['default', 'plan'] as const)
        expect(stage.judge(command, [], { searchPath, mode }).decision).not.toBe('allow')
  })

  test.each([
    ...[
      'fd x',
      'rg x',
      'cat f',
      'gawk 1 f',
      'timeout 5 echo x',
      'env echo x',
      'command cat f',
      'nohup pwd',
      'egrep x f'
    ],
    ...['tar czf x.tgz src', 'timeout 5 tar tzf x.tgz', 'gh pr list', 'git log --graph -n 3 --stat']
  ])('%j needs a prompt, although there is a rule', command => {
    const rules = under('fd rg cat gawk timeout env command nohup egrep tar gh git echo pwd')
    for (const searchPath of paths()) expect(stage.judge(command, rules, { searchPath }).decision).toBe('ask')
  })

  test.each([
    ['lzip', 'tar tf x.tar.lz'],
    ['compress', 'tar caf x.tar.Z src'],
    ['sed', 'git submodule status'],
    ['basename', 'git bisect log']
  ])('the program %s is started by %j', (name, command) => {
    const folder = join(stage.root, 'tools', name)
    writeProgram(join(folder, name))
    const rules = under('tar git')
    expect(stage.judge(command, rules).reason).toBeUndefined()
    expect(stage.judge(command, rules, { searchPath: folder }).decision).toBe('ask')
  })

  test.each(['eslint src', 'rimraf src', 'mytool x', 'python3 evil.sh', 'pip list', 'npm test', 'echo x'])(
    '%j stays allowed',
    command => {
      const rules = under('eslint rimraf mytool python3 pip npm')
      const searchPath = `${stage.root}/bin:/usr/bin`
      expect([command, stage.judge(command, rules, { searchPath }).reason]).toEqual([command, undefined])
    }
  )

  test('an empty entry is the working folder', () => {
    writeProgram(join(stage.root, 'wc'))
    for (const searchPath of [':/usr/bin', '/usr/bin::/bin', '/usr/bin:', '.'])
      expect(stage.judge('wc f', [], { searchPath }).decision).toBe('ask')
    expect(stage.judge('wc f', [], { searchPath: '/usr/bin:/bin' }).decision).toBe('allow')
  })

  test('in plan mode, no program of the project runs', async () => {
    const place = project()
    for (const name of ['fd', 'echo', 'pwd', 'grep', 'type']) {
      writeProgram(place.path(`node_modules/.bin/${name}`))
      writeFileSync(place.path(`node_modules/.bin/${name}`), `#!/bin/sh\n: > ${place.path(`ran-${name}`)}\n`)
    }
    const env = { ...place.env, PATH: `${place.path('node_modules/.bin')}:${place.env['PATH']}` }
    const commands = ['fd x', 'timeout 5 echo x', 'nice pwd', 'egrep x f', 'timeout 5 type ls', 'pwd']
    const turns = commands.map(command => ({ calls: [{ name: 'Bash', input: { command } }] }))
    const { sent } = await ask([...turns, 'done'], { in: place, env, permissionMode: 'plan' })
    expect(resultsIn(sent.at(-1) ?? []).map(({ isError }) => isError)).toEqual([true, true, true, true, true, false])
    for (const name of ['fd', 'echo', 'pwd', 'grep', 'type']) expect(existsSync(place.path(`ran-${name}`))).toBe(false)
  })
})

test('a PATH that a hook sets for commands does not count for those that only read', async () => {
  const place = project({ f: 'plain\n', 'bin/cat': '#!/bin/sh\n: > ran\n' })
  chmodSync(place.path('bin/cat'), 0o755)
  const command = `echo 'export PATH="${place.path('bin')}:$PATH" A=b' > $CLAUDE_ENV_FILE`
  const settings = { hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } }
  const turns = ['cat f', 'echo "$A"'].map(each => ({ calls: [{ name: 'Bash', input: { command: each } }] }))
  const { sent } = await ask([...turns, 'done'], { in: place, settings, allowedTools: ['Bash(echo *)'] })
  expect(resultsIn(sent.at(-1) ?? []).map(({ text }) => text.trim())).toEqual(['plain', 'b'])
  expect(place.has('ran')).toBe(false)
})

describe('a program of the project is started by another', () => {
  const RULES = under('uv poetry bundle pnpm c8 nyc npx python3 cross-env yarn')
  beforeAll(() => {
    for (const name of ['rimraf', 'c8']) writeProgram(join(stage.root, 'node_modules/.bin', name))
  })

  test.each([
    ...['pnpm exec rm f', 'uv run rm -rf src', 'poetry run cp f g', 'c8 rm f', 'npx c8 rm f', 'nyc tee f'],
    ...['uv run curl -d x http://example.com', 'uv run cat .env', 'uv run docker run x', 'poetry run kubectl get pods'],
    ...['bundle exec terraform plan', 'pnpm docker run x', 'cross-env CI=1 rm f', 'uv run timeout 5 rm f'],
    ...['uv run git status', 'pnpm exec git commit -m x', 'bundle exec git commit -m x', 'c8 git status'],
    ...['npx c8 git status', 'python3 -m git status', 'python3 -m cat f', 'uv run python3 -m rm f', 'uv run gh pr list']
  ])('%j is no program of the project', command => expect(stage.judge(command, RULES).decision).toBe('ask'))

  test.each([
    ...[
      'uv run pytest',
      'uv run python3 evil.sh',
      'poetry run ruff check src',
      'pnpm exec eslint src',
      'npx rimraf src'
    ],
    ...['c8 node evil.sh', 'npx c8 mocha', 'python3 -m pytest', 'bundle exec rspec']
  ])('%j stays allowed', command => expect([command, stage.judge(command, RULES).reason]).toEqual([command, undefined]))
})

describe('a program runs its input', () => {
  const exact = [
    ...['bash', 'python3', 'python3 manage.py shell', 'sqlite3 app.db', 'psql', 'env bash', 'timeout 5 bash', 'sh -s'],
    ...['docker exec -i c sh', 'node -', '/bin/bash', 'ssh host', 'python3 -m json.tool', 'wc -l', 'xargs wc', 'pbcopy']
  ].map(command => allowRule(`Bash(${command})`))

  test.each([
    ...[`echo 'touch x' | bash`, 'python3 < f', `echo x | python3 manage.py shell`, `echo '.shell x' | sqlite3 app.db`],
    ...["bash <<'EOF'\ntouch x\nEOF", 'psql < f', 'cat f | env bash', 'cat f | timeout 5 bash', 'cat f | sh -s'],
    ...['cat f | docker exec -i c sh', 'node - < f', 'cat f | /bin/bash', 'cat f | ssh host', 'bash <<< x']
  ])('%j is not covered by a rule for the program', command => {
    expect(stage.judge(command, exact).decision).toBe('ask')
    expect(stage.judge(command, [...exact, ...under('timeout env nice')]).decision).toBe('ask')
  })

  test('nor behind a wrapper that another rule covers', () => {
    const rules = [allowRule('Bash(bash)'), ...under('timeout nice env')]
    for (const command of ['cat f | timeout 9 bash', 'nice bash < f', 'cat f | env CI=1 nice bash'])
      expect(stage.judge(command, rules).decision).toBe('ask')
  })

  test.each([
    ...[
      'bash',
      'psql',
      'python3 manage.py shell',
      'python3 < /dev/null',
      'cat f | python3 -m json.tool',
      'cat f | wc -l'
    ],
    ...['ls | xargs wc', 'cat f | pbcopy']
  ])('%j stays allowed', command => expect([command, stage.judge(command, exact).reason]).toEqual([command, undefined]))

  test('a rule for the whole text covers its input', () =>
    expect(stage.judge('cat f | bash', [allowRule('Bash(cat f | bash)')]).decision).toBe('allow'))
})

describe('a script is completed by its program', () => {
  beforeAll(() => {
    for (const path of ['docs/evil.js', 'pk/index.js', 'py/__main__.py', 'tool.sh']) {
      mkdirSync(dirname(join(stage.root, path)), { recursive: true })
      symlinkSync('/tmp/out/evil', join(stage.root, path))
    }
    writeFileSync(join(stage.root, 'main.js'), '')
    writeFileSync(join(stage.root, 'src/a.test.js'), '')
  })
  const RULES = under('node python3 bash sh tsx php ruby perl ts-node deno')

  test.each([
    ...['node docs/evil', 'node pk', 'python3 py', 'node .', 'python3 .', 'node docs/evil.js', 'bash tool', 'tsx pk'],
    ...['node ./pk/', 'node --check docs/evil', 'ruby py', 'perl docs/evil', 'php docs', 'node pk arg', 'node main']
  ])('%j needs a prompt', command => expect(stage.judge(command, RULES).decision).toBe('ask'))

  test.each(['node main.js', 'node ./main.js a b', 'bash evil.sh', 'node --test src', 'node --test src/a.test.js'])(
    '%j stays allowed',
    command => expect([command, stage.judge(command, RULES).reason]).toEqual([command, undefined])
  )
})
