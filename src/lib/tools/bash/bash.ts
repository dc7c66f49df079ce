import { LONGEST, LONGEST_BEHIND, TIMEOUT, TIMEOUT_BEHIND } from './bash-limits.ts'
import { isHarmless } from './bash-simple.ts'
import { fields, type InputOf } from '../fields.ts'
import { presentBash } from '../present.ts'
import type { Tool } from '../tool.ts'

const INPUT = fields({
  command: { type: 'string', words: 'The command to run.' },
  'timeout?': {
    type: 'number',
    min: 1,
    words: `Milliseconds after which it is ended: ${TIMEOUT} unless told, at most ${LONGEST}; in the background ${TIMEOUT_BEHIND}, at most ${LONGEST_BEHIND}.`
  },
  'description?': { type: 'string', words: 'What it does, in five to ten words, for the person who watches.' },
  'run_in_background?': {
    type: 'boolean',
    words: 'Return at once. TaskOutput then tells what it printed, and TaskStop ends it.'
  }
})

export type BashInput = InputOf<typeof INPUT>

/** Runs commands. */
export const bashTool: Tool = {
  name: 'Bash',
  description: `Runs a command in bash and returns what it printed.

- The working directory is kept from one command to the next while it stays inside the project; variables and functions are not.
- Nothing can be typed in: standard input is empty. Quote paths that have spaces in them.
- What is longer than 30,000 characters is shown without its middle.
- Start servers and whatever else goes on for long with run_in_background, not with "&".
- To look for files use Glob, to search in them Grep, to read Read, and to change them Edit or Write, rather than find, grep, cat and sed.`,
  inputSchema: INPUT.schema,
  check(input) {
    const checked = INPUT.check(input)
    if ('problem' in checked) return checked
    const { command } = checked.input
    if (command.trim() === '') return { problem: '"command" is empty' }
    return command.includes('\0') ? { problem: '"command" holds a NUL character, which no command can' } : checked
  },
  readOnly: input => input['run_in_background'] !== true && isHarmless(String(input['command'])),
  subject: input => ({ kind: 'command', command: String(input['command']) }),
  present: presentBash,
  async run(checked, call) {
    const { runBash } = await import('./bash-run.ts')
    return runBash(checked as BashInput, call)
  }
}
