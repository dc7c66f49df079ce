/** The same for tests: nothing of it is left when the test is over. */
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { ToolSession } from '../../../src/lib/tools/tool.ts'
import { endAll, gone, HANG, processesWith } from '../../faults/scene.ts'
import { ENV, stage, type Stage } from './shell-kit.ts'

/** A stage whose processes can be told from all others. */
export interface Scene extends Stage {
  /** Who still runs of all that was started here. */
  running(): readonly number[]
}

export function scene(more: Partial<ToolSession> = {}): Scene {
  const id = randomUUID()
  const made = stage({ ...more, env: { ...ENV, ...more.env, STAGE_MARK: id } })
  const running = (): readonly number[] => processesWith(`STAGE_MARK=${id}`)
  onTestFinished(async () => {
    await made.close()
    await gone(running).finally(() => endAll(running()))
  }, HANG.timeout * 2)
  return { ...made, running }
}
