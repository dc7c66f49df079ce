/** What this machine can do; tests of what it cannot are skipped, and say why. */
import { spawnSync } from 'node:child_process'
import { sandboxProblem } from '../../src/lib/world/process/sandbox.ts'

const run = (program: string, ...args: readonly string[]): number | null => spawnSync(program, args).status

export const hasProgram = (program: string): boolean => run(program, '--version') !== null

/** Whether processes may have a namespace of their own. */
export const canUnshare =
  run('unshare', '--user', '--map-current-user', '--pid', '--fork', '--kill-child', 'true') === 0

/** Root may read everything, and limits on processes do not bind it. */
export const isRoot = process.getuid?.() === 0

/** Why processes cannot be confined here; tests of the sandbox are then skipped. */
export const noSandbox = sandboxProblem()
if (noSandbox !== undefined) console.warn(`tests of the sandbox are SKIPPED: ${noSandbox}`)
