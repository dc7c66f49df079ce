import { spawn } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { canUnshare } from '../support/host.ts'
import { effectOf, faultScene, type FaultScene } from './scene.ts'
import { gone, POLL } from '../support/waiting.ts'
import { processesWith } from '../support/process-table.ts'

/** A unique time to sleep, so that the process can be found when its environment is empty. */
const someTime = (): string => `600.${Math.floor(Math.random() * 1e9) + 1e9}`

/** `Z` is replaced by the sleep that tries to escape. */
const ESCAPES: readonly (readonly [string, string])[] = [
  ['a child in the background', 'Z & wait'],
  ['a child that its parent has left', '(Z &); sleep 60'],
  ['a grandchild whose parent is gone', "sh -c 'Z & exit' ; sleep 60"],
  ['a session of its own', 'setsid Z & sleep 60'],
  ['a session of its own, and its parent is gone', "setsid sh -c 'Z & exit'; sleep 60"],
  ['forked twice, with a session of its own and nothing open', "(setsid sh -c '(Z &)' <&- >&- 2>&- &); sleep 60"],
  ['an empty environment', 'env -i Z & sleep 60'],
  ['an empty environment and a session of its own', 'env -i setsid Z & sleep 60'],
  ['an empty environment, and its parent is gone', '(env -i Z &); sleep 60'],
  ['one that ignores SIGTERM, in a session of its own', 'setsid sh -c \'trap "" TERM; Z & wait\' & sleep 60'],
  ['one that ignores SIGHUP', 'nohup Z >/dev/null & sleep 60']
]

async function abortWhenThere(
  { ask }: FaultScene,
  command: string,
  time: string,
  pidNamespace = false
): Promise<string> {
  const controller = new AbortController()
  const outcome = ask({ command, pidNamespace }, { signal: controller.signal })
  await expect.poll(() => processesWith(`sleep\0${time}\0`).length, POLL).toBe(1)
  controller.abort()
  return effectOf(await outcome)
}

// FM11, F108
describe('no one gets away', () => {
  test.each(ESCAPES)('%s', async (_, escape) => {
    const time = someTime()
    const here = faultScene()
    expect(await abortWhenThere(here, escape.replace('Z', `sleep ${time}`), time)).toBe('closed: aborted')
    await gone(() => processesWith(`sleep\0${time}\0`))
    await gone(here.running)
  })

  test('one that is born when its parent is told to end', async () => {
    const here = faultScene()
    const [time, heir] = [someTime(), someTime()]
    await abortWhenThere(here, `trap 'setsid sleep ${heir} & exit' TERM; sleep ${time} & wait`, time)
    await gone(here.running)
    await gone(() => processesWith(`sleep\0${heir}\0`))
  })
})

const FLIGHT = (time: string): string => `env -i setsid sh -c '(sleep ${time} &)'; sleep 60`

// FM11
describe('a process that left the tree and the group, and emptied its environment', () => {
  test('gets away', async () => {
    const time = someTime()
    const here = faultScene()
    const fled = (): readonly number[] => processesWith(`sleep\0${time}\0`)
    onTestFinished(() => fled().forEach(pid => process.kill(pid, 'SIGKILL')))
    await abortWhenThere(here, FLIGHT(time), time)
    await gone(here.running)
    expect(fled().length).toBe(1)
  })

  const reason = canUnshare ? '' : ' (unshare may not make process namespaces here)'
  test.skipIf(!canUnshare)(`but not from a process namespace${reason}`, async () => {
    const time = someTime()
    const here = faultScene()
    await abortWhenThere(here, FLIGHT(time), time, true)
    await gone(() => processesWith(`sleep\0${time}\0`))
    await gone(here.running)
  })
})

// FM11
test('two thousand other processes do not hide anyone', async () => {
  const here = faultScene()
  const [crowd, time] = [someTime(), someTime()]
  const script = `for i in $(seq 2000); do sleep ${crowd} & done; wait`
  const others = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore', env: {} })
  onTestFinished(() => void process.kill(-others.pid!, 'SIGKILL'))
  await expect.poll(() => processesWith(`sleep\0${crowd}\0`).length, { ...POLL, timeout: 300_000 }).toBe(2000)
  await abortWhenThere(here, `setsid sh -c 'sleep ${time} & exit'; sleep 60`, time)
  await gone(() => processesWith(`sleep\0${time}\0`))
  expect(processesWith(`sleep\0${crowd}\0`).length).toBe(2000)
})
