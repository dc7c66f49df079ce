import { describe, expect, test } from 'vitest'
import { commandHook } from '../../src/external.ts'
import { HookRegistry, type Reported } from '../../src/hooks.ts'
import { manualClock } from '../../src/testing.ts'
import { furnish } from './furnish.ts'
import { effectOf, fireFault, HOOK, faultScene, type FaultScene, type Spec } from './scene.ts'
import { effectIn, FAULT_SETTINGS, type Setting } from './settings.ts'
import type { Cause, Fault } from './row.ts'
import { FAULTS } from './table.ts'
import { gone, there } from '../support/waiting.ts'

type Shown = Fault & { readonly by: Cause }
const SHOWN = FAULTS.filter((fault): fault is Shown => fault.by !== undefined && fault.kinds.includes('command'))

const specOf = (fault: Shown): Spec => ({ timeout: 20, ...fault.by })

// FM4, FM5, FM6, FM7, FM9, FM10, FM11, FM12, FM13, FM14, FM15, FM16, FM17, FM18
describe.each(['self', 'helper'] as const)('a command that is started by %s does what the table says', starter => {
  test.each(SHOWN)('$id: $fault', async fault => {
    const { folder, ask } = faultScene({ starter })
    furnish(folder)
    await expectEffects(fault, async setting => ask(specOf(fault), setting))
  })
})

// FM4, FM5, FM6, FM7, FM9, FM10, FM11, FM12, FM13, FM14, FM15, FM16, FM17, FM18
describe('a prewarmed command does what the table says', () => {
  test.each(SHOWN)('$id: $fault', async fault => {
    await expectEffects(fault, async setting => {
      // On a stopped clock a process is ready as soon as it exists.
      const here = faultScene({ clock: manualClock() })
      furnish(here.folder)
      return askWarm(here, patiently(specOf(fault)), setting)
    })
  })
})

async function expectEffects(fault: Fault, ask: (setting: Setting) => Promise<Reported>): Promise<void> {
  const effects = await Promise.all(
    FAULT_SETTINGS.map(async setting => ({ ...setting, effect: effectOf(await ask(setting)) }))
  )
  expect(effects).toEqual(FAULT_SETTINGS.map(setting => ({ ...setting, effect: effectIn(fault, setting) })))
}

/** It shows its fault for every event but the first, after which a process waits for the next. */
function patiently(spec: Spec): Spec {
  if (spec.args !== undefined) return { ...spec, prewarm: true }
  const command = `read -r event; case $event in *toolu_first*) exit;; esac; ${spec.command}`
  return { ...spec, command, prewarm: true }
}

async function askWarm({ place, running, notices }: FaultScene, spec: Spec, setting: Setting): Promise<Reported> {
  const hook = commandHook({ ...spec, name: HOOK, events: setting.event }, place)
  await fireFault(new HookRegistry().register({ ...hook, timeout: 30 }), {
    ...setting,
    input: { tool_use_id: 'toolu_first' }
  })
  // A program that cannot be started cannot be started in advance either, and a notice says so.
  await there(() => (notices.length > 0 ? [0] : running()))
  const waiting = notices.length === 0 ? running() : []
  const outcome = await fireFault(new HookRegistry({ profile: setting.profile }).register(hook), setting)
  // It was the one that had waited, and no other, that answered.
  await gone(() => running().filter(pid => waiting.includes(pid)))
  return outcome
}
