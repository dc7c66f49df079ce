/** `death.ts <command>`: runs it here and in the background, and says when it has printed something. */
import { bashTool } from '../../../../src/lib/tools/bash/bash.ts'
import { SHELL_ENV, shellStage } from '../shell-kit.ts'

const command = process.argv[2]!
const { call, root, session } = shellStage({ env: { ...SHELL_ENV, FAULT_MARK: process.env['FAULT_MARK']! } })
process.chdir(root)
await call(bashTool, { command, run_in_background: true })
const ready = (): void => void process.stdout.write('{"ready":true}\n')
await call(bashTool, { command: `rm -r ${root}; ${command}` }, { progress: ready })
process.stdout.write(`${JSON.stringify({ left: session.background.size })}\n`)
