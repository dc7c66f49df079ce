/** A process that was started ahead is used only for exactly what it was started for. */
import { mkdirSync, statSync, utimesSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { commandHook, type CommandSpec } from '../../../../src/external.ts'
import { HookRegistry } from '../../../../src/hooks.ts'
import { manualClock } from '../../../../src/testing.ts'
import { hookScene, type HookScene } from '../../../support/external-scene.ts'
import { WARM, warmScene, watching, type WarmScene } from './warm-scene.ts'
import { gone, HANG } from '../../../support/waiting.ts'
import { isAlive } from '../../../support/process-table.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

/** It was ended, and it never took its end for an event. */
async function droppedUnheard(where: HookScene, pid: number): Promise<void> {
  await gone([pid])
  expect(where.has('empty')).toBe(false)
}

const saying = (version: string): string =>
  `echo $$ >> "$CLAUDE_PROJECT_DIR/started"; read -r event; echo '{"hookSpecificOutput":{"additionalContext":"${version}"}}'\n`

/** The ways in which commands name their script. */
const SPELLINGS: readonly (readonly [string, string, Partial<CommandSpec>])[] = [
  ['a relative path', 'hooks/check.sh', { command: 'hooks/check.sh' }],
  ['a relative path for an interpreter', 'hooks/check.sh', { command: 'bash ./hooks/check.sh' }],
  [
    'a variable within the quotes',
    '.claude/hooks/check.sh',
    { command: 'bash "$CLAUDE_PROJECT_DIR/.claude/hooks/check.sh"' }
  ],
  ['a variable in braces', 'check.sh', { command: 'bash "${CLAUDE_PROJECT_DIR}/check.sh"' }],
  [
    'a variable in quotes of its own',
    '.claude/hooks/check.sh',
    { command: 'bash "$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh' }
  ],
  ['a path with a blank', 'my hooks/check.sh', { command: 'bash "$CLAUDE_PROJECT_DIR/my hooks/check.sh"' }],
  ['a blank behind a backslash', 'my hooks/check.sh', { command: 'bash ./my\\ hooks/check.sh' }],
  ['the home of the user', 'check.sh', { command: 'bash ~/check.sh' }],
  ['exec form', 'check.sh', { command: 'bash', args: ['./check.sh'] }],
  [
    'exec form, with a blank',
    'my hooks/check.sh',
    { command: 'bash', args: ['${CLAUDE_PROJECT_DIR}/my hooks/check.sh'] }
  ],
  ['a program of the PATH', 'bin/check-it', { command: 'check-it' }],
  ['a program of the PATH, in exec form', 'bin/check-it', { command: 'check-it', args: [] }],
  ['a script behind a pipe', 'check.sh', { command: 'cat|./check.sh' }]
]

test.each(SPELLINGS)(
  'an edited script is never answered for by a process of its old text: %s',
  async (_, file, spec) => {
    const where = hookScene()
    const env = { HOME: where.folder, PATH: `${where.path('bin')}:${process.env['PATH']}` }
    where.command({ command: '', prewarm: true, env, ...spec })
    const { waiting } = watching(where)
    const text = (version: string): string => `#!/bin/bash\n${saying(version)}`
    where.write(file, text('one'))
    expect(await where.hooks.fire('PreToolUse', bash())).toMatchObject({ additionalContext: 'one', failures: [] })
    const old = await waiting(2)
    where.write(file, text('two'))
    expect(await where.hooks.fire('PreToolUse', bash())).toMatchObject({ additionalContext: 'two', failures: [] })
    await gone([old])
  }
)

test('an edit that keeps length and time is found, too', async () => {
  const where = warmScene({ command: './check.sh' })
  const file = where.write('check.sh', `#!/bin/sh\n${saying('one')}`)
  const { atime, mtime } = statSync(file)
  expect((await where.ask()).outcome.additionalContext).toBe('one')
  await where.waiting(2)
  where.write('check.sh', `#!/bin/sh\n${saying('two')}`)
  utimesSync(file, atime, mtime)
  expect((await where.ask()).outcome.additionalContext).toBe('two')
})

test.each([
  ['a log that it writes to', 'cat >> "$CLAUDE_PROJECT_DIR/log"'],
  ['a folder in which something', 'cd "$CLAUDE_PROJECT_DIR" && cat']
])('the text is the same although %s has changed: the process is used', async (_, command) => {
  const where = warmScene({ command: `echo $$ >> "$CLAUDE_PROJECT_DIR"/started; ${command}` })
  await where.ask()
  const next = await where.waiting(2)
  where.write('log', 'another line\n')
  where.write('another file', '')
  await where.ask()
  await gone([next])
  expect(where.notices).toEqual([])
})

/** Fires twice with something different in between, and says who answered. */
async function dropsFor(where: WarmScene, again: () => Promise<number>): Promise<void> {
  await where.ask('one')
  const waiting = await where.waiting(2)
  const answered = await again()
  expect(answered).not.toBe(waiting)
  expect(where.started()).toContain(answered)
  await droppedUnheard(where, waiting)
  expect(where.notices).toEqual([expect.stringContaining('hook: dropped the waiting process')])
}

test('another session has another process', async () => {
  const where = warmScene({ env: { THEN: 'command=$CLAUDE_CODE_SESSION_ID; answer' } })
  await dropsFor(where, async () => {
    const { additionalContext } = await where.hooks.fire('PreToolUse', { ...bash(), session_id: 'session-2' })
    expect(additionalContext).toMatch(/session-2$/)
    return Number.parseInt(additionalContext!, 10)
  })
})

test('another folder has another process', async () => {
  const where = warmScene({ env: { THEN: 'command=$PWD; answer' } })
  mkdirSync(where.path('sub'))
  await dropsFor(where, async () => {
    const { additionalContext } = await where.hooks.fire('PreToolUse', { ...bash(), cwd: where.path('sub') })
    expect(additionalContext).toMatch(/\/sub$/)
    return Number.parseInt(additionalContext!, 10)
  })
})

test('another environment of this process has another process', async () => {
  const where = warmScene({ env: { THEN: 'command=$CARABINER_TEST_MOOD; answer' } })
  await dropsFor(where, async () => {
    vi.stubEnv('CARABINER_TEST_MOOD', 'changed')
    const { pid, outcome } = await where.ask()
    vi.unstubAllEnvs()
    expect(outcome.additionalContext).toMatch(/ changed$/)
    return pid
  })
})

test('another environment of the context has another process', async () => {
  const where = warmScene()
  const hook = commandHook({ name: 'hook', events: 'PreToolUse', command: WARM, prewarm: true }, where.place)
  const fireWith = async (env: Record<string, string>): Promise<number> => {
    const hooks = new HookRegistry({ sessionId: 's', cwd: where.folder, env }).register(hook)
    return Number.parseInt((await hooks.fire('PreToolUse', bash())).additionalContext!, 10)
  }
  await fireWith({ MODE: 'a' })
  const waiting = await where.waiting(2)
  expect(await fireWith({ MODE: 'b' })).not.toBe(waiting)
  await droppedUnheard(where, waiting)
})

test('one that has waited for minutes is ended, and the next event runs cold', async () => {
  const clock = manualClock()
  const where = warmScene({}, {}, { clock })
  await where.ask()
  const waiting = await where.waiting(2)
  await clock.advance(290)
  expect(isAlive(waiting)).toBe(true)
  await clock.advance(20)
  await droppedUnheard(where, waiting)
  expect(await where.ask('two')).toMatchObject({ outcome: { failures: [] } })
  expect(where.notices).toEqual([])
})

test('each wait has its own time', async () => {
  const clock = manualClock()
  const where = warmScene({}, {}, { clock })
  await where.ask()
  await where.waiting(2)
  await clock.advance(200)
  await where.ask()
  const second = await where.waiting(3)
  await clock.advance(200)
  expect(isAlive(second)).toBe(true)
})

test.each(['place', 'hook'])('closing the %s ends it', async what => {
  const where = warmScene({ prewarm: false })
  const hook = commandHook({ name: 'warm', events: 'Stop', command: WARM, prewarm: true }, where.place)
  where.hooks.register(hook)
  await where.hooks.fire('Stop', { stop_hook_active: false })
  const waiting = await where.waiting(2)
  if (what === 'hook') hook.close()
  else await where.place.close()
  await droppedUnheard(where, waiting)
})

test('what ends after the place was closed starts nothing ahead', async () => {
  const where = warmScene({ env: { THEN: 'sleep 1000' } })
  const fired = where.hooks.fire('PreToolUse', bash())
  await where.waiting(1)
  await where.place.close()
  expect(await fired).toMatchObject({ failures: [{ kind: 'signal' }] })
  expect(where.started()).toHaveLength(1)
})

test('one that is deaf to SIGTERM never takes its end for an event', async () => {
  const where = warmScene({ command: './deaf.sh' })
  where.write('deaf.sh', `#!/bin/bash\ntrap '' TERM\n. '${WARM.split("'")[1]}'\n`)
  await where.ask()
  const waiting = await where.waiting(2)
  await where.place.close()
  await droppedUnheard(where, waiting)
})
