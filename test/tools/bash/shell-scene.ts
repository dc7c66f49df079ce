/** The same for tests: nothing of it is left when the test is over. */
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { ToolSession } from '../../../src/lib/tools/tool.ts'
import { SHELL_ENV, shellStage, type ShellStage } from './shell-kit.ts'
import { gone, POLL } from '../../support/waiting.ts'
import { endAll, processesWith } from '../../support/process-table.ts'

/** A stage whose processes can be distinguished from all others. */
export interface ShellScene extends ShellStage {
  /** Who still runs of all that was started here. */
  running(): readonly number[]
}

export function shellScene(more: Partial<ToolSession> = {}): ShellScene {
  const id = randomUUID()
  const made = shellStage({ ...more, env: { ...SHELL_ENV, ...more.env, STAGE_MARK: id } })
  const running = (): readonly number[] => processesWith(`STAGE_MARK=${id}`)
  onTestFinished(async () => {
    await made.close()
    await gone(running).finally(() => endAll(running()))
  }, POLL.timeout * 2)
  return { ...made, running }
}
