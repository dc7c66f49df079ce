/** `descriptors.ts <free,free,…>`: leaves as many descriptors free, calls tools, frees them all and calls again. */
import { closeSync, openSync } from 'node:fs'
import { errorMessage } from '../../../../src/lib/errors.ts'
import { bashTool } from '../../../../src/lib/tools/bash/bash.ts'
import { globTool } from '../../../../src/lib/tools/search/glob.ts'
import { grepTool } from '../../../../src/lib/tools/search/grep.ts'
import { SHELL_ENV, shellStage } from '../shell-kit.ts'

const uncaught: string[] = []
process.on('uncaughtException', error => uncaught.push(String(error)))
process.on('unhandledRejection', error => uncaught.push(String(error)))

const { call, close, write } = shellStage({ env: { ...SHELL_ENV, FAULT_MARK: process.env['FAULT_MARK']! } })
write('a.txt', 'here\n')

const CALLS = [
  [bashTool, { command: 'echo here' }],
  [globTool, { pattern: '*.txt' }],
  [grepTool, { pattern: 'here', output_mode: 'content' }]
] as const

const ask = (): Promise<readonly string[]> =>
  Promise.all(
    CALLS.map(async ([tool, input]) => call(tool, input).then(said => said.error ?? said.content, errorMessage))
  )

function fillUp(): number[] {
  const open: number[] = []
  try {
    for (;;) open.push(openSync('/dev/null', 'r'))
  } catch {
    return open
  }
}

for (const free of process.argv[2]!.split(',').map(Number)) {
  const open = fillUp()
  for (const fd of open.splice(0, free)) closeSync(fd)
  const scarce = await ask()
  for (const fd of open) closeSync(fd)
  process.stdout.write(`${JSON.stringify({ free, scarce, freed: await ask() })}\n`)
}
await close()
process.stdout.write(`${JSON.stringify({ uncaught })}\n`)
