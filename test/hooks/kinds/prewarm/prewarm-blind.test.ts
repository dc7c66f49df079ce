/** Scripts that do not wait for their event cannot be started ahead. They are found out, and do no harm until then. */
import { expect, test, vi } from 'vitest'
import { manualClock } from '../../../../src/testing.ts'
import { hookScene, type HookScene } from '../../../support/external-scene.ts'
import { watching } from './warm-scene.ts'
import { gone, HANG } from '../../../support/waiting.ts'
import { isAlive } from '../../../support/process-table.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

const answers = ({ hooks }: HookScene) => hooks.fire('PreToolUse', bash())

/** Answers by what it finds on the disk, and does not look at its input. `then` comes between looking and saying. */
function blind(then = ''): HookScene & ReturnType<typeof watching> {
  const where = hookScene()
  where.write(
    'blind.sh',
    `#!/bin/sh
    state=$(cat state)
    echo $$ >> started
    ${then}
    [ "$state" = closed ] && { echo "it is closed" >&2; exit 2; }
    printf '{"hookSpecificOutput":{"additionalContext":"%s"}}' "$state"
    `
  )
  where.write('state', 'open')
  where.command({ command: './blind.sh', prewarm: true })
  return { ...where, ...watching(where) }
}

test('it is found out, it is said once, and from then on every run is cold', async () => {
  const where = blind()
  expect(await answers(where)).toMatchObject({ additionalContext: 'open' })
  await vi.waitFor(() => expect(where.notices).toHaveLength(1), HANG)
  expect(where.notices[0]).toMatch(/^hook: .*does not read standard input first.*prewarm is off/)
  for (let time = 0; time < 3; time++) await answers(where)
  expect(where.started()).toHaveLength(5)
  expect(where.notices).toHaveLength(1)
})

test.each([
  ['at once', ''],
  ['in its own time', 'sleep 0.3']
])('it never answers with what was so before the event: it ends %s', async (_, then) => {
  const where = blind(then)
  expect(await answers(where)).toMatchObject({ blocked: false, additionalContext: 'open' })
  // The process that was started ahead has looked.
  await vi.waitFor(() => expect(where.started()).toHaveLength(2), HANG)
  where.write('state', 'closed')
  expect(await answers(where)).toMatchObject({ blocked: true, reason: 'it is closed' })
  where.write('state', 'open')
  expect(await answers(where)).toMatchObject({ blocked: false, additionalContext: 'open' })
})

test('events in quick succession are answered by what is so, each time', async () => {
  const where = blind()
  for (let round = 0; round < 10; round++) {
    const state = round % 2 === 0 ? 'open' : 'closed'
    where.write('state', state)
    expect(await answers(where)).toMatchObject({ blocked: state === 'closed' })
  }
})

test('one that prints without end is ended, and not only when someone asks', async () => {
  const where = hookScene()
  where.write('flood.sh', '#!/bin/sh\necho $$ >> started\nread -r event < empty\nexec yes\n')
  where.write('empty', '')
  where.command({ command: './flood.sh', prewarm: true })
  expect(await answers(where)).toMatchObject({ blocked: true, failures: [{ kind: 'output' }] })
  const { started } = watching(where)
  await vi.waitFor(() => expect(started()).toHaveLength(2), HANG)
  await gone(started())
  await vi.waitFor(() => expect(where.notices).toHaveLength(1), HANG)
})

test('one that prints its greeting first, and then waits, is used', async () => {
  const where = hookScene({}, { clock: manualClock() })
  where.write('greet.sh', `#!/bin/sh\necho $$ >> started; echo hello >&2\nread -r event\necho "no by $$" >&2; exit 2\n`)
  where.command({ command: './greet.sh', prewarm: true })
  await answers(where)
  const next = await watching(where).waiting(2)
  expect(await answers(where)).toMatchObject({ blocked: true, reason: `hello\nno by ${next}` })
  expect(isAlive(next)).toBe(false)
  expect(where.notices).toEqual([])
})
