import { fields, type InputOf } from '../fields.ts'
import { fileSubject, withFilePath } from './tool-paths.ts'
import { presentEdit } from '../present.ts'
import { settleFile } from './files-read.ts'
import type { Checked, Tool, ToolSession } from '../tool.ts'

const INPUT = fields({
  file_path: { type: 'string', words: 'The absolute path of the file' },
  old_string: { type: 'string', words: 'The text to replace, exactly as it is in the file' },
  new_string: { type: 'string', words: 'The text to put in its place; must differ. Empty to delete' },
  'replace_all?': { type: 'boolean', default: false, words: 'Replace every occurrence of old_string' }
})

export type EditInput = InputOf<typeof INPUT>

const DESCRIPTION = `Replaces a piece of text in a file, and leaves every other byte as it is.
- Read the file first, unless you know its text: an exact match that occurs once is replaced in a file that was not read, too. If the file has changed since it was read, the edit is refused: Read it again.
- Give old_string as it is in the file, with its indentation, but without the line numbers and tabs that Read puts in front.
- It must occur exactly once: add lines around it until it does, or set replace_all to change every occurrence.
- When there is no exact match, one that differs only in line ends or indentation is taken if it is the only one; the answer says so.
- The file keeps its line ends, its mode, and its byte order mark.`

/** Replaces text in a file. */
export const editTool: Tool = {
  name: 'Edit',
  description: DESCRIPTION,
  inputSchema: INPUT.schema,
  check,
  readOnly: () => false,
  settle: settleFile,
  subject: (input, session) => fileSubject(input, 'write', session),
  present: presentEdit,
  async run(input, call) {
    const { runEdit } = await import('./edit-run.ts')
    return runEdit(input as EditInput, call)
  }
}

function check(input: unknown, session: ToolSession): Checked {
  const checked = INPUT.check(input)
  if ('problem' in checked) return checked
  const { old_string, new_string } = checked.input
  if (old_string === '')
    return { problem: '"old_string" is empty; give the text to replace, or use Write for a new file' }
  if (old_string === new_string) return { problem: '"old_string" and "new_string" are the same: nothing would change' }
  for (const key of ['old_string', 'new_string'] as const) {
    if (!checked.input[key].isWellFormed()) return { problem: `"${key}" holds half of a character (a lone surrogate)` }
  }
  return withFilePath(checked, session)
}
