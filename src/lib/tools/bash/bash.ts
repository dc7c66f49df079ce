import { builtInTool, type ToolInput } from '../built-in.ts'
import { presentBash } from '../present.ts'
import { onlyReads } from '../../shell/only-reads.ts'
import type { Tool } from '../tool.ts'

export type BashInput = ToolInput<'Bash'>

export const bashTool: Tool = builtInTool('Bash', {
  description: `Runs a command in bash and returns its output.

- The working directory is kept from one command to the next while it stays inside the project; variables and functions are not.
- Standard input is empty, so interactive commands do not work. Quote paths that contain spaces.
- Output longer than 30,000 characters is shown without its middle.
- Start servers and other long-running commands with run_in_background, not with "&".
- To look for files use Glob, to search in them Grep, to read Read, and to change them Edit or Write, rather than find, grep, cat and sed.`,
  check(input) {
    if (input.command.trim() === '') return { problem: '"command" is empty' }
    return input.command.includes('\0') ? { problem: '"command" contains a NUL character' } : { input }
  },
  // A change of the folder is for the calls after it.
  readOnly: ({ command, run_in_background }) =>
    run_in_background !== true && onlyReads(command) && !/(?:^|[\s;&|(])(?:cd|pushd|popd)\b/.test(command),
  subject: ({ command }) => ({ kind: 'command', command }),
  present: presentBash,
  async run(input, call) {
    const { runBash } = await import('./bash-run.ts')
    return runBash(input, call)
  }
})
