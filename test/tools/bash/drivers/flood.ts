/** `flood.ts <command> <megabytes>`: a command that floods, run by a process of that size. */
import { readFileSync, rmSync, statSync } from 'node:fs'
import { bashTool } from '../../../../src/lib/tools/bash/bash.ts'
import { SHELL_ENV, shellStage } from '../shell-kit.ts'

const [command = 'yes', megabytes = '0'] = process.argv.slice(2)
const ballast = Array.from({ length: Number(megabytes) }, () => Buffer.alloc(1024 * 1024, 1))

/** The most memory that this process has had so far, in megabytes. */
const peak = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024

const outputFolder = process.env['FAULT_FOLDER']!
const { call, close } = shellStage({ outputFolder, env: { ...SHELL_ENV, FAULT_MARK: process.env['FAULT_MARK']! } })
await call(bashTool, { command: 'true' })
const before = peak()
const { error, output } = await call(bashTool, { command })
const file = String(output['persistedOutputPath'])
await close()
process.stdout.write(
  `${JSON.stringify({
    error: error?.slice(0, 200),
    file: statSync(file).size,
    grown: Math.round(peak() - before),
    ballast: ballast.length
  })}\n`
)
rmSync(file)
