import { holdCredentialsIn } from '../util/credentials.ts'
import { CONTRACT, VERSION } from '../version.ts'
import { COMMANDS } from './commands.ts'
import { parsePlain } from './parse.ts'
import { watchOutput } from './standard-streams.ts'
import { printError } from './print.ts'

export async function main(args: readonly string[]): Promise<number> {
  const printed = watchOutput()
  holdCredentialsIn(process.env)
  const ended = await runCommand(args)
  // The exit code that other agents take for a refusal.
  const code = args[0] === 'hook' && ended !== 0 ? 2 : ended
  const lost = await printed()
  if (lost === undefined) return code
  printError(`carabiner: the output is incomplete: ${lost.message}`)
  return code === 0 ? 1 : code
}

async function runCommand(args: readonly string[]): Promise<number> {
  if (args[0] === '--version' || args[0] === '-V') return printVersion(args.includes('--json'))
  process.env['CLAUDE_CODE_ENTRYPOINT'] ??= 'sdk-cli'
  try {
    const parsed = parsePlain(args, COMMANDS)
    if (parsed === undefined) return await (await import('./program.ts')).runProgram(args, COMMANDS)
    const { row, argument, flags } = parsed
    return await row.run(argument, flags)
  } catch (error) {
    return reportError(error)
  }
}

/** A mistake of the user is one sentence; a defect of ours is printed with its stack. */
async function reportError(error: unknown): Promise<number> {
  const { CarabinerError } = await import('../errors.ts')
  if (error instanceof CarabinerError) {
    printError(`carabiner: ${error.forCommandLine ?? error.message}`)
    return error.code === 'E_USAGE' || error.code === 'E_EVENT_UNKNOWN' ? 64 : 4
  }
  const { code, message, stack } = error as NodeJS.ErrnoException
  const isUsage = code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR'
  printError(`carabiner: ${isUsage ? message : stack}`)
  return code === undefined ? 1 : 64
}

function printVersion(json: boolean): number {
  process.stdout.write(
    json
      ? `${JSON.stringify({ carabiner: VERSION, contract: CONTRACT, report: 1, node: process.versions.node })}\n`
      : `${VERSION}\n`
  )
  return 0
}
