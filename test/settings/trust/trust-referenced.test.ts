/** Files that a command runs without naming them in one word: through folders, variables, patterns, interpreters. */
import { existsSync, symlinkSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { giveTrust, trustOf } from '../../../src/settings.ts'
import { fireArmed, settingsScene, type SettingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** A project with such files, and this hook. */
function holding(files: readonly string[], hook: string | object): SettingsScene {
  const here = settingsScene()
  for (const file of files) here.write(`project/${file}`, 'exit 0\n')
  const handler = typeof hook === 'string' ? { command: hook } : hook
  here.ofProject({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', ...handler }] }] } })
  giveTrust(here.load(), here.where)
  expect(trustOf(here.load(), here.where).state).toBe('trusted')
  return here
}

/** Whether a change of the first file voids the trust. */
function covers(files: readonly string[], hook: string | object): boolean {
  const here = holding(files, hook)
  here.write(`project/${files[0]}`, 'exit 1\n')
  return trustOf(here.load(), here.where).state === 'changed'
}

describe('a script that is run as', () => {
  test.each([
    'cd .. && cd project && cd tools && ./t.sh',
    'cd "$(git rev-parse --show-toplevel)/tools" && ./t.sh',
    'cd "$(dirname "$0")/tools"; ./t.sh',
    'cd -- tools && ./t.sh',
    'cd -P tools; sh t.sh',
    '(cd tools; exec ./t.sh)',
    'pushd tools; ./t.sh',
    'env -C tools ./t.sh',
    'env -Ctools ./t.sh',
    'env --chdir=tools ./t.sh',
    'D=tools; $D/t.sh',
    'D=tools; cd $D; ./t.sh',
    'export D="tools"; sh "${D}/t.sh"',
    'A=too; B=ls/t; sh $A$B.sh',
    'X=tools/t; sh $X.sh',
    'D=$(pwd)/tools; $D/t.sh',
    'sh ${X:-tools/t.sh}',
    'sh ${X:-tools}/t.sh',
    'sh -c \'too"ls"/t.sh\'',
    `bash -c "sh -c 'tool\\\\s/t.sh'"`,
    'tools/*.sh',
    'sh tools/t.?h',
    'sh tools/[st].sh',
    'tools/{t,u}.sh',
    '*/t.sh',
    'sh tools/$NAME.sh',
    'for f in tools/*; do $f; done',
    'for n in t u; do sh tools/$n.sh; done',
    'set -- tools/*; "$1"',
    'cat tools/* | sh',
    'ls tools | xargs sh',
    'find tools -exec {} ;',
    'run-parts tools',
    'cat tools/t.sh | sh',
    'PATH=$PWD/tools:$PATH t.sh',
    'PATH=tools:$PATH; t.sh',
    'export PATH="$CLAUDE_PROJECT_DIR/tools:$PATH"; t.sh',
    'env PATH=tools:$PATH t.sh'
  ])('%s', command => {
    expect(covers(['tools/t.sh'], command)).toBe(true)
  })

  test('cd .claude && cd hooks && ./t.sh', () => {
    expect(covers(['.claude/hooks/t.sh'], 'cd .claude && cd hooks && ./t.sh')).toBe(true)
  })
})

describe('what an interpreter makes of a name', () => {
  test.each<readonly [string | object, string]>([
    ['node tools', 'tools/index.js'],
    ['node tools', 'tools/other.js'],
    ['node --no-warnings tools', 'tools/index.js'],
    ['"$NODE" tools', 'tools/index.js'],
    ['node .', 'index.js'],
    ['node -r ./tools x.js', 'tools/index.js'],
    ['node tools/i', 'tools/i.js'],
    ['node i', 'i.js'],
    ['cd tools && node i', 'tools/i.js'],
    ['python3 tools', 'tools/__main__.py'],
    ['python3 -m tools', 'tools/__main__.py'],
    ['python3 -m tools.m', 'tools/m.py'],
    ['python3 -Bm tools.deep.m', 'tools/__init__.py'],
    ['PYTHONPATH=tools python3 -m m', 'tools/m.py'],
    ['uv run python tools', 'tools/__main__.py'],
    ['X="$(node tools)"; echo "$X"', 'tools/index.js'],
    [{ command: 'node', args: ['tools'] }, 'tools/index.js'],
    [{ command: 'python3', args: ['-m', 'tools.m'] }, 'tools/m.py'],
    [{ command: 'sh', args: ['-c', 'cd tools && node i'] }, 'tools/i.js']
  ])('%j runs %s', (hook, file) => {
    expect(covers([file], hook)).toBe(true)
  })
})

describe('what is only looked at is not covered', () => {
  test.each<readonly [string | object, string]>([
    ['npm test', 'test/a.js'],
    ['npm run build --if-present', 'build/index.js'],
    ['bun test', 'test/a.js'],
    ['make docs', 'docs/a.md'],
    ['eslint src', 'src/index.ts'],
    ['npx prettier --check "src/**/*.ts"', 'src/index.ts'],
    ['cd src && npx tsc -p .', 'src/index.ts'],
    ['python3 -m ruff check src', 'src/a.py'],
    ['node scripts/check.mjs src', 'src/index.js'],
    ['NODE_ENV=test npx vitest', 'test/a.js'],
    ['echo "test failed" >&2; exit 2', 'test/a.js'],
    [{ command: 'eslint', args: ['src'] }, 'src/index.ts']
  ])('%j and %s', (hook, file) => {
    expect(covers([file, 'scripts/check.mjs'], hook)).toBe(false)
  })
})

test.each([
  ['cd tools && ./t.sh', 'tools/t.sh'],
  ['tools/*.sh', 'tools/new.sh'],
  ['node tools/i', 'tools/i.js'],
  ['PATH=tools:$PATH t', 'tools/t']
])('a file that appears later closes the gate: %s', async (command, file) => {
  const here = holding(['tools/lib.sh'], command)
  const armed = await here.arm()
  here.write(`project/${file}`, `#!/bin/sh\ntouch ${here.path('ran')}\n`)
  expect(await fireArmed(armed)).toMatchObject({ blocked: true, failures: [{ kind: 'untrusted' }] })
  expect(existsSync(here.path('ran'))).toBe(false)
})

describe('a bare name that PATH finds in the project is refused', () => {
  test.each([
    'true && guard',
    'true\nguard',
    'env guard',
    'env -u X A=1 guard --now',
    'if guard; then exit 2; fi',
    'timeout 5 guard',
    'echo x | xargs guard',
    "sh -c 'guard'",
    'sh guard',
    'X=$(guard); echo "$X"',
    'echo "$(guard)"',
    'G=guard; $G'
  ])('%j', async command => {
    const { write, path, ofProject, arm } = settingsScene()
    write('project/bin/guard', '#!/bin/sh\nexit 0\n')
    const before = process.env['PATH']
    process.env['PATH'] = `${path('project/bin')}:${before}`
    onTestFinished(() => void (process.env['PATH'] = before))
    ofProject(commandOn('PreToolUse', command))
    expect((await fireArmed(await arm())).failures).toMatchObject([
      { kind: 'untrusted', message: expect.stringContaining('guard would be found in the project') }
    ])
  })

  test('one that is only said is not', async () => {
    const { write, path, ofProject, arm } = settingsScene()
    write('project/bin/guard', '#!/bin/sh\nexit 0\n')
    const before = process.env['PATH']
    process.env['PATH'] = `${path('project/bin')}:${before}`
    onTestFinished(() => void (process.env['PATH'] = before))
    ofProject(commandOn('PreToolUse', 'test -n "a guard" && true guard'))
    expect((await fireArmed(await arm())).failures).toEqual([])
  })
})

test.each([
  ['values without end', `${Array.from({ length: 400 }, (_, at) => `A=${at}`).join(';')}; sh $A$A$A$A`],
  ['values in values', `A='x $A'; A='y $A'; A='z $A'; ${'sh -c "$A $A"; '.repeat(500)}`],
  ['brackets', `sh ${'['.repeat(9000)}`],
  ['bars', `sh ${'|'.repeat(9000)}`],
  ['a folder in itself', 'cd loop; '.repeat(50)],
  ['folders without end', `${'*/'.repeat(200)}x.sh`]
])('%s are no trouble', (_, command) => {
  const here = settingsScene()
  here.write('project/a/b/c/x.sh', 'exit 0\n')
  symlinkSync('..', here.path('project/a/loop'))
  symlinkSync('.', here.path('project/loop'))
  here.ofProject(commandOn('PreToolUse', command))
  expect(trustOf(here.load(), here.where).state).toBe('untrusted')
})
