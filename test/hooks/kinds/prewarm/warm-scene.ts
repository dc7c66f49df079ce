/** What the tests of processes that are started ahead have in common. */
import { expect, vi } from 'vitest'
import type { CommandSpec, HookEnvironmentOptions } from '../../../../src/external.ts'
import type { Outcome, RegistryOptions } from '../../../../src/hooks.ts'
import { manualClock } from '../../../../src/testing.ts'
import { numbersIn, hookScene, type HookScene } from '../../../support/external-scene.ts'
import { HANG } from '../../../support/waiting.ts'
import { isAlive } from '../../../support/process-table.ts'
import { fixture } from '../../../support/fixture.ts'
import { bash } from '../../../support/hook-inputs.ts'

/** The command; the variable THEN defines what it does with its event. */
export const WARM = `bash '${fixture('hooks/warm.sh')}'`

export interface WarmScene extends HookScene {
  /** All processes of the hook so far, in the order of their start. */
  started(): readonly number[]
  /** The process that waits for an event, once this number of processes exists. */
  waiting(count: number): Promise<number>
  /** Fires, and says which process answered. */
  ask(command?: string): Promise<{ pid: number; outcome: Outcome }>
}

/** A project with a hook whose next process is started ahead. */
export function warmScene(
  spec: Partial<CommandSpec> = {},
  registry: RegistryOptions = {},
  outside: HookEnvironmentOptions = {}
): WarmScene {
  // On a stopped clock a run takes no time, so a process is ready as soon as it exists.
  const where = hookScene(registry, { clock: manualClock(), ...outside })
  where.command({ command: WARM, prewarm: true, ...spec })
  return { ...where, ...watching(where) }
}

export function watching(where: HookScene): Pick<WarmScene, 'started' | 'waiting' | 'ask'> {
  const started = (): readonly number[] => (where.has('started') ? numbersIn(where.read('started')) : [])
  return {
    started,
    async waiting(count) {
      await vi.waitFor(() => expect(started()).toHaveLength(count), HANG)
      const pid = started().at(-1)!
      expect(isAlive(pid)).toBe(true)
      return pid
    },
    async ask(command = 'ls') {
      const outcome = await where.hooks.fire('PreToolUse', bash(command))
      return { outcome, pid: Number.parseInt(outcome.additionalContext ?? '', 10) }
    }
  }
}
