/** Rules that cover only what is known, through a running agent with real commands. */
import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ask, project, resultsIn } from '../../support/agent-kit.ts'
import type { CanUseTool } from '../../../src/index.ts'
import { touch } from '../../support/one-call.ts'

const bash = (...commands: readonly string[]) => [
  ...commands.map(command => ({ calls: [{ name: 'Bash', input: { command } }] })),
  'Done.'
]

test('the refusal of a run without anybody to ask names the rule to add, and that rule is enough', async () => {
  const refused = await touch({})
  expect(refused.told).toContain('to allow it, add Bash(touch made) to permissions.allow or --allowedTools')
  expect(await touch({ allowedTools: ['Bash(touch made)'] })).toMatchObject({ ran: true })
  const both = 'mkdir a && touch made'
  const second = await touch({ allowedTools: ['Bash(mkdir *)'] }, both)
  expect(second.told).toContain('add Bash(touch made) to')
  expect(await touch({ allowedTools: ['Bash(mkdir *)', 'Bash(touch made)'] }, both)).toMatchObject({ ran: true })
  const written = 'echo x > made'
  expect((await touch({}, written)).told).toContain('add Bash(echo x > made) to')
  expect(await touch({ allowedTools: [`Bash(${written})`] }, written)).toMatchObject({ ran: true })
})

test('a rule to add never covers more input, code or words than the command that was refused', async () => {
  const told = async (command: string): Promise<string> => (await touch({}, command)).told
  expect(await told('cat f | sh')).toContain('add Bash(cat f | sh) to')
  expect(await told('ls | xargs touch')).toContain('add Bash(ls | xargs touch) to')
  const piped = await told("python3 - <<'EOF'\nprint(1)\nEOF")
  expect(piped).not.toContain('Bash(')
  expect(piped).toContain('no rule covers such a command, but a PreToolUse hook or sandbox.autoAllow can allow it')
  expect(await told('for f in *; do echo $f; done')).toContain('no rule covers such a command')
  expect(await told("git commit -m 'a * b'")).toContain('add Bash(git commit *) to')
  expect(await told("'*'")).toContain('no rule covers such a command')
})

test('commands that only read run in every mode, and the hooks still judge them', async () => {
  const place = project({ 'a.txt': 'one\ntwo\n' })
  for (const permissionMode of ['default', 'plan', 'dontAsk'] as const) {
    const { sent } = await ask(bash('cat a.txt | wc -l && ls'), { in: place, permissionMode })
    expect(resultsIn(sent[1]!)[0]?.text).toContain('2\na.txt')
  }
  const { sent } = await ask(bash('cat a.txt'), { in: place, disallowedTools: ['Read(a.txt)'] })
  expect(resultsIn(sent[1]!)[0]?.text).toContain('Read(a.txt)')
})

test('a program of the project that PATH puts before a known one is not taken for it', async () => {
  const place = project({ 'a.txt': 'one\n', 'node_modules/.bin/cat': '#!/bin/sh\ntouch made\n' })
  chmodSync(place.path('node_modules/.bin/cat'), 0o755)
  const PATH = `${place.path('node_modules/.bin')}:${process.env['PATH']}`
  for (const allowedTools of [[], ['Bash(cat *)']]) {
    const { sent } = await ask(bash('cat a.txt', 'head a.txt', './node_modules/.bin/cat a.txt'), {
      in: place,
      env: { ...place.env, PATH },
      allowedTools
    })
    const [cat, head] = [sent[1]!, sent[2]!].map(each => resultsIn(each).at(-1)?.text)
    expect(cat).toContain('node_modules/.bin/cat, which is not the usual cat')
    expect(head).toContain('one')
    expect(place.has('made')).toBe(false)
  }
})

test('what a command means does not depend on inherited settings of the shell', async () => {
  const place = project({ 'sub/a': 'ours\n', '.hidden': 'hidden\n', 'plain.txt': 'plain\n' })
  const outside = project({ 'sub/a': 'outside\n', env: 'touch made\n' })
  const settings = {
    CDPATH: outside.cwd,
    GLOBIGNORE: 'nothing',
    'BASH_FUNC_cat%%': '() {  touch made; }',
    BASH_ENV: outside.path('env'),
    SHELLOPTS: 'xtrace',
    PS4: '$(touch made)'
  }
  const { sent } = await ask(bash('cd sub && cat a', 'cd .. ; cat *', 'set -x; cat a'), {
    in: place,
    env: { ...place.env, ...settings },
    allowedTools: ['Bash(cat *)']
  })
  const results = resultsIn(sent.at(-1)!).map(({ text }) => text)
  expect(results[0]).toContain('ours')
  expect(results.join()).not.toContain('outside')
  expect(results.join()).not.toContain('hidden')
  expect([place.has('made'), place.has('sub/made')]).toEqual([false, false])
})

test('a reading command does not get variables that make its programs run others or read elsewhere; others get them', async () => {
  const place = project({ f: 'x\n', 'show.sh': 'echo "diff: $GIT_EXTERNAL_DIFF"; module\n' })
  const outside = project({ f: 'outside\n', diff: '#!/bin/sh\necho ran\n' })
  chmodSync(outside.path('diff'), 0o755)
  const start = 'git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm one && echo y > f'
  for (const { cwd } of [place, outside]) execFileSync('sh', ['-c', start], { cwd })
  const settings = {
    GIT_EXTERNAL_DIFF: outside.path('diff'),
    GIT_DIR: outside.path('.git'),
    GIT_TRACE: outside.path('t')
  }
  const { sent } = await ask(bash('git diff f', 'bash show.sh'), {
    in: place,
    env: { ...place.env, ...settings, 'BASH_FUNC_module%%': '() {  echo modules; }' },
    allowedTools: ['Bash(bash show.sh)']
  })
  const [diff, shown] = resultsIn(sent.at(-1)!).map(({ text }) => text)
  expect(diff).toContain('-x\n+y')
  expect(outside.has('t')).toBe(false)
  expect(shown).toContain(`diff: ${outside.path('diff')}\nmodules`)
})

test('commands that need a rule run without GIT_OPTIONAL_LOCKS', async () => {
  const place = project({ 'a.sh': 'echo "locks: $GIT_OPTIONAL_LOCKS."' })
  const { sent } = await ask(bash('sh a.sh'), { in: place, allowedTools: ['Bash'] })
  expect(resultsIn(sent[1]!)[0]?.text).toContain('locks: .')
})

test('a reading command does not refresh the index of git: neither status nor diff', async () => {
  const place = project({ f: 'x\n' })
  execFileSync(
    'sh',
    ['-c', 'git init -q . && git add f && git -c user.name=a -c user.email=a@b commit -qm one && touch -d @1 f'],
    { cwd: place.cwd }
  )
  const before = readFileSync(place.path('.git/index'))
  const { sent } = await ask(bash('git status', 'git diff HEAD:f f', 'git diff'), { in: place })
  expect(resultsIn(sent.at(-1)!)).toMatchObject([{ isError: false }, { isError: false }, { isError: false }])
  expect(readFileSync(place.path('.git/index')).equals(before)).toBe(true)
})

test('an option of a program without a row is asked about once per exact command and session', async () => {
  const place = project({ tool: '#!/bin/sh\necho ran "$@"\n' })
  const asked: unknown[] = []
  const canUseTool: CanUseTool = async (_, input) => {
    asked.push(input['command'])
    return { behavior: 'allow' }
  }
  const commands = ['sh tool', './tool a', './tool --x a', './tool --x a', './tool --x b']
  await ask(bash('chmod +x tool', ...commands), {
    in: place,
    canUseTool,
    allowedTools: ['Bash(./tool *)', 'Bash(sh tool)', 'Bash(chmod *)']
  })
  expect(asked).toEqual(['./tool --x a', './tool --x b'])
})
