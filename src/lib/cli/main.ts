import { holdCredentialsIn } from '../util/credentials.ts'
import { CONTRACT, VERSION } from '../version.ts'
import { COMMANDS, GROUPS, type CommandRow } from './commands.ts'
import type { Flag } from './flags.ts'
import { watchOutput } from './standard-streams.ts'
import { printError } from './print.ts'

const EXIT_CODES = `Exit codes: 0 done · 1 failed · 2 blocked (fire --exit-code) · 3 not trusted · 4 bad configuration · 64 usage`

export async function main(args: readonly string[]): Promise<number> {
  const printed = watchOutput()
  holdCredentialsIn(process.env)
  const code = await runCommand(args)
  const lost = await printed()
  if (lost === undefined) return code
  printError(`carabiner: the output is incomplete: ${lost.message}`)
  return code === 0 ? 1 : code
}

async function runCommand(args: readonly string[]): Promise<number> {
  if (args[0] === '--version' || args[0] === '-V') return printVersion(args.includes('--json'))
  const { Command, CommanderError, InvalidArgumentError, Option } = await import('commander')
  type Program = InstanceType<typeof Command>
  let code = 0

  const addFlag = (command: Program, { flags, words, choices, many, once }: Flag): void => {
    const option = new Option(flags, words)
    if (choices !== undefined) option.choices([...choices])
    if (many === true) option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
    const { parseArg } = option
    if (once === true)
      option.argParser((value: string, before: unknown) => {
        if (before !== undefined) throw new InvalidArgumentError('It can be given only once.')
        return parseArg === undefined ? value : parseArg(value, before)
      })
    command.addOption(option)
  }
  const add = (parent: Program, row: CommandRow): void => {
    const command = parent.command(row.name.replace(/^.* /, '')).description(row.words)
    if (row.argument !== undefined)
      command.argument(
        row.argument.name.startsWith('[') ? row.argument.name : `<${row.argument.name}>`,
        row.argument.words
      )
    for (const flag of row.flags) addFlag(command, flag)
    const examples = row.examples.map(([line, words]) => `  ${line}\n      ${words}`)
    command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`)
    command.action(async (...given: unknown[]) => {
      const [argument, flags] = row.argument === undefined ? [undefined, given[0]] : given
      code = await row.run(argument, flags as object)
    })
  }

  const program = new Command('carabiner')
    .description('Lifecycle hooks for AI agents that you can be certain of.')
    .option('--version', 'print the version; with --json, all versions')
    .addHelpText('after', `\n${EXIT_CODES}\n\nStart with: carabiner hooks list`)
    .showSuggestionAfterError()
    // Options after a command belong to it: `--tool --version` names a tool.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeErr: text => printError(text.trimEnd()) })
    .configureHelp({ showGlobalOptions: false })
  const groups = new Map(
    Object.entries(GROUPS).map(([name, words]) => [name, program.command(name).description(words)])
  )
  for (const row of COMMANDS) add(groups.get(row.name.replace(/ .*$/, '')) ?? program, row)
  process.env['CLAUDE_CODE_ENTRYPOINT'] ??= 'sdk-cli'
  try {
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 64
    return reportError(error)
  }
  return code
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
