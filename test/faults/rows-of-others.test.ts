import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { httpHook, workerHook } from '../../src/external.ts'
import { HookRegistry } from '../../src/hooks.ts'
import { effectOf, fireFault, HOOK, faultScene } from './scene.ts'
import { effectIn, FAULT_SETTINGS, type Setting } from './settings.ts'
import type { Fault, Sends } from './row.ts'
import { FAULTS } from './table.ts'
import { PROFILES } from '../support/hook-inputs.ts'

async function askWorker({ by }: Fault, { event, profile }: Setting): Promise<string> {
  const { place } = faultScene()
  const hooks = new HookRegistry({ profile })
  hooks.register(workerHook({ timeout: 20, ...by!, name: HOOK, events: event }, place))
  return effectOf(await fireFault(hooks, { event }))
}

const WORKERS = FAULTS.filter(({ kinds, by }) => kinds.join() === 'worker' && by !== undefined)

// FM6, FM7, FM12, FM14, FM15, FM16, FM23, FM24
test.each(WORKERS)('a worker does what the table says: $id: $fault', async fault => {
  for (const setting of FAULT_SETTINGS)
    expect({ setting, effect: await askWorker(fault, setting) }).toEqual({ setting, effect: effectIn(fault, setting) })
})

async function serverOf({ sends, stays }: Sends): Promise<string> {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    socket.once('data', () => (stays ? socket.write(sends, 'latin1') : socket.end(sends, 'latin1')))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function askServer({ server }: Fault, { event, profile }: Setting): Promise<string> {
  const { place } = faultScene()
  const hooks = new HookRegistry({ profile })
  const timeout = server!.stays ? 0.3 : 20
  hooks.register(httpHook({ timeout, url: await serverOf(server!), name: HOOK, events: event }, place))
  return effectOf(await fireFault(hooks, { event }))
}

// FM14, FM15, FM16, FM20, FM21, FM22
test.each(FAULTS.filter(({ server }) => server !== undefined))(
  'a server does what the table says: $id: $fault',
  async fault => {
    for (const setting of FAULT_SETTINGS)
      expect({ setting, effect: await askServer(fault, setting) }).toEqual({
        setting,
        effect: effectIn(fault, setting)
      })
  }
)

test('both profiles and both kinds of events are asked', () => {
  expect(new Set(FAULT_SETTINGS.map(({ profile }) => profile))).toEqual(new Set(PROFILES))
  expect(FAULT_SETTINGS.length).toBe(4)
})
