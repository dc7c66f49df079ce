import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { GROUPS, type CommandRow } from './commands.ts'
import type { Flag } from './flags.ts'
import { printError } from './print.ts'

const EXIT_CODES = `Exit codes: 0 done · 1 failed · 2 blocked (fire --exit-code) · 3 not trusted · 4 bad configuration · 64 usage`

/** Parses any command line, with help and explanations of mistakes, and runs its command. */
export async function runProgram(args: readonly string[], rows: readonly CommandRow[]): Promise<number> {
  let code = 0
  const add = (parent: Command, row: CommandRow): void => {
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
  for (const row of rows) add(groups.get(row.name.replace(/ .*$/, '')) ?? program, row)
  try {
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 64
    throw error
  }
  return code
}

function addFlag(command: Command, { flags, words, choices, many, once }: Flag): void {
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
