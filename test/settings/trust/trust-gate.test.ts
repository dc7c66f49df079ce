/** Between trust and start: what has changed does not run, and its gate is closed. */
import { existsSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { armHooks, giveTrust, trustOf, type ArmedHooks } from '../../../src/settings.ts'
import { manualClock } from '../../../src/testing.ts'
import { fireArmed, settingsScene, type SettingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const SCRIPT = 'project/.claude/hooks/check.sh'
const ALLOWING = '#!/bin/sh\ncat > /dev/null\nexit 0\n'
/** A script that leaves a trace when it runs. */
const spying = (path: string): string => `#!/bin/sh\ntouch ${path}\ncat > /dev/null\nexit 0\n`

/** A trusted project whose hook is the script. */
function trusted(more?: object, type = 'command'): SettingsScene {
  const here = settingsScene()
  here.write(SCRIPT, ALLOWING)
  const hooks = { PreToolUse: [{ hooks: [{ type, command: '.claude/hooks/check.sh', ...more }] }] }
  here.ofProject(type === 'command' ? { hooks } : { carabiner: { hooks } })
  giveTrust(here.load(), here.where)
  return here
}

const untrusted = {
  blocked: true,
  failures: [{ kind: 'untrusted', message: expect.stringContaining('since it was trusted') }]
}

// S10
test('a script that is changed after it was trusted does not run: the gate is closed', async () => {
  const { arm, write, path } = trusted()
  const armed = await arm()
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
  write(SCRIPT, spying(path('ran')))
  expect(await fireArmed(armed)).toMatchObject(untrusted)
  expect(existsSync(path('ran'))).toBe(false)
})

test('when it is what it was, it runs again', async () => {
  const { arm, write } = trusted()
  const armed = await arm()
  write(SCRIPT, 'exit 0\n')
  expect(await fireArmed(armed)).toMatchObject(untrusted)
  write(SCRIPT, ALLOWING)
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
})

test('a script that only looks different runs: a new date, another inode', async () => {
  const { arm, path } = trusted()
  const armed = await arm()
  utimesSync(path(SCRIPT), 1, 1)
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
  writeFileSync(`${path(SCRIPT)}.new`, ALLOWING, { mode: 0o755 })
  renameSync(`${path(SCRIPT)}.new`, path(SCRIPT))
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
})

test('as many bytes with the date put back are found all the same', async () => {
  const { arm, write, path } = trusted()
  utimesSync(path(SCRIPT), 1, 1)
  const armed = await arm()
  write(SCRIPT, ALLOWING.replace('exit 0', 'exit 1'))
  utimesSync(path(SCRIPT), 1, 1)
  expect(await fireArmed(armed)).toMatchObject(untrusted)
})

test.each([
  ['changed', (here: SettingsScene) => here.write('project/.claude/hooks/lib.sh', 'x')],
  ['added', (here: SettingsScene) => here.write('project/.claude/hooks/json.py', 'x')]
])('a file beside it that is %s closes the gate', async (_, change) => {
  const here = trusted()
  here.write('project/.claude/hooks/lib.sh', '')
  giveTrust(here.load(), here.where)
  const armed = await here.arm()
  change(here)
  expect(await fireArmed(armed)).toMatchObject(untrusted)
})

test('a script that is gone closes the gate', async () => {
  const { arm, path } = trusted()
  const armed = await arm()
  rmSync(path(SCRIPT))
  expect((await fireArmed(armed)).blocked).toBe(true)
})

// S10
test('changed between the question and the arming: what was shown is what runs, or nothing', async () => {
  const { load, where, write, path } = trusted()
  const loaded = load()
  const projectTrusted = trustOf(loaded, where).state === 'trusted'
  write(SCRIPT, spying(path('ran')))
  const armed = await armHooks(() => ({ loaded, projectTrusted }))
  expect(await fireArmed(armed)).toMatchObject(untrusted)
  expect(existsSync(path('ran'))).toBe(false)
  await armed.close()
})

// S10
test('changed between the question and the answer: what was shown is what is trusted', () => {
  const { load, where, write } = trusted()
  write(SCRIPT, 'exit 0\n')
  const loaded = load()
  const { digest } = trustOf(loaded, where)
  write(SCRIPT, 'exit 1\n')
  giveTrust(loaded, where)
  expect(trustOf(load(), where).state).toBe('changed')
  write(SCRIPT, 'exit 0\n')
  expect(trustOf(load(), where)).toMatchObject({ state: 'trusted', digest })
})

test('a module that is changed after it was trusted is not loaded', async () => {
  const { ofProject, write, load, where, path } = settingsScene()
  ofProject({ carabiner: { modules: ['.claude/own.mjs'] } })
  write('project/.claude/own.mjs', 'export default () => undefined\n')
  const loaded = load()
  giveTrust(loaded, where)
  write(
    'project/.claude/own.mjs',
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(path('ran'))}, '')\nexport default () => undefined\n`
  )
  const armed = await armHooks(() => ({ loaded, projectTrusted: true }))
  expect(armed.findings).toMatchObject([
    { code: 'module', gate: true, message: expect.stringContaining('since it was trusted') }
  ])
  expect(existsSync(path('ran'))).toBe(false)
  await armed.close()
})

/** Fires until the hook has a process waiting. */
async function warmedUp(armed: ArmedHooks): Promise<void> {
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
}

test('a process that was started ahead does not answer for a script that has changed since', async () => {
  const { arm, write, path } = trusted({ prewarm: true })
  const armed = await arm()
  await warmedUp(armed)
  write(SCRIPT, spying(path('ran')))
  expect(await fireArmed(armed)).toMatchObject(untrusted)
  expect(existsSync(path('ran'))).toBe(false)
})

/** Whether a file appears, given the time to. */
const appears = (file: string): Promise<boolean> =>
  vi
    .waitUntil(() => existsSync(file), { timeout: 1500, interval: 20 })
    .then(
      () => true,
      () => false
    )

// S10
test('a script that has changed is not started ahead either', async () => {
  const { arm, write, path, load, where } = trusted({ prewarm: true })
  // It is changed while it runs: the next process would be started from what it is then.
  write(SCRIPT, `#!/bin/sh\ncat > /dev/null\ncp ${path('other.sh')} ${path(SCRIPT)}\nexit 0\n`)
  write('other.sh', spying(path('ran')))
  giveTrust(load(), where)
  const armed = await arm()
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
  expect(await appears(path('ran'))).toBe(false)
  expect(await fireArmed(armed)).toMatchObject(untrusted)
})

/** A worker in shell: it answers each request with no opinion. */
const ANSWERING = `#!/bin/sh
while read -r line; do
  id=$(printf %s "$line" | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  echo "{\\"id\\":$id,\\"reply\\":{}}"
done
`

test('a worker whose script has changed is not asked any more', async () => {
  const { arm, write, load, where } = trusted(undefined, 'worker')
  write(SCRIPT, ANSWERING)
  giveTrust(load(), where)
  const armed = await arm()
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
  write(SCRIPT, `${ANSWERING}# changed\n`)
  expect(await fireArmed(armed)).toMatchObject(untrusted)
})

// S10
test('a worker whose script has changed is not started again either', async () => {
  const { arm, write, load, where, path } = trusted(undefined, 'worker')
  write(SCRIPT, '#!/bin/sh\nread -r line\nexit 1\n')
  giveTrust(load(), where)
  const clock = manualClock()
  const armed = await arm({}, {}, { outside: { clock } })
  expect(await fireArmed(armed)).toMatchObject({ blocked: true, failures: [{ kind: 'worker' }] })
  write(SCRIPT, spying(path('ran')))
  await clock.advance(600)
  expect(await appears(path('ran'))).toBe(false)
})

test('what a hook writes to may change: it is no script', async () => {
  const here = settingsScene()
  const command = 'cat >> "$CLAUDE_PROJECT_DIR"/calls.log 2>> err.log'
  here.ofProject({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } })
  giveTrust(here.load(), here.where)
  const armed = await here.arm()
  for (const _ of [1, 2, 3]) expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
})

test('unless it is run as well', async () => {
  const here = settingsScene()
  const command = 'echo exit 0 > made.sh; sh made.sh'
  here.ofProject({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } })
  giveTrust(here.load(), here.where)
  const armed = await here.arm()
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
  expect(await fireArmed(armed)).toMatchObject(untrusted)
})

test('hooks that are not the project’s are not watched', async () => {
  const { user, write, arm, path } = settingsScene()
  write('home/check.sh', ALLOWING)
  user(commandOn('PreToolUse', path('home/check.sh')))
  const armed = await arm()
  write('home/check.sh', '#!/bin/sh\nexit 2\n')
  expect(await fireArmed(armed)).toMatchObject({ decision: 'deny', failures: [] })
})
