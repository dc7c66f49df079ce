/**
 * `parent.ts <what> <how>`: has something running, which makes a file `up` when it is there, and tells who else is
 * there. When there is a file `go` it ends in some way, or waits to be ended.
 */
import type { CommandSpec } from '../../../../src/external.ts'
import { appears, fireBash, endOf, grow, helpers, place, reapers, registryWith, tell } from './support.ts'

const [what = 'plain', how = 'wait'] = process.argv.slice(2)

const RUNNING: Readonly<Record<string, Partial<CommandSpec> & { command: string; megabytes?: number }>> = {
  plain: { command: 'sleep 300 & touch up; sleep 300' },
  stubborn: { command: "trap '' TERM INT HUP; sleep 300 & touch up; while :; do sleep 300; done" },
  stray: { command: "setsid sh -c 'sleep 300 & exit'; setsid sleep 300 & touch up; sleep 300" },
  bare: {
    command: `env -i setsid sh -c 'while :; do sleep 1; done' "FAULT_MARK=$FAULT_MARK" & touch up; sleep 300`
  },
  namespaced: { command: 'setsid sleep 300 & touch up; sleep 300', pidNamespace: true },
  async: { command: 'sleep 300 & touch up; sleep 300', async: true },
  prewarmed: { command: 'read -r event || exit 9; touch up', prewarm: true },
  large: { command: "setsid sleep 300 & trap '' TERM; touch up; sleep 300", megabytes: 250 }
}
const { megabytes = 0, ...spec } = RUNNING[what]!
const kept = grow(megabytes)

const hooks = registryWith({ timeout: 60, ...spec })
const controller = new AbortController()
const fired = fireBash(hooks, 'ls', controller.signal)
await appears('up')
if (what === 'prewarmed') await fired
tell({ up: true, others: [...helpers(), ...reapers()], kept: kept.length })

const WAYS: Readonly<Record<string, () => unknown>> = {
  drain: () => undefined,
  close: () => place.close(),
  abort: () => controller.abort(),
  exit: () => process.exit(0),
  throw() {
    throw new Error('on purpose')
  },
  reject: () => void Promise.reject(new Error('on purpose')),
  wait: () => setInterval(() => undefined, 1000)
}
await appears('go')
setTimeout(() => void WAYS[how]!(), 0)
if (how === 'close' || how === 'abort') tell({ end: endOf(await fired) })
