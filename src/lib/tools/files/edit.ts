import { builtInTool, type ToolInput } from '../built-in.ts'
import { fileSubject, withFilePath } from './tool-paths.ts'
import { presentEdit } from '../present.ts'
import { settleFile } from './files-read.ts'
import type { Checked, Tool, ToolSession } from '../tool.ts'

export type EditInput = ToolInput<'Edit'>

const DESCRIPTION = `Replaces text in a file, and leaves every other byte as it is.
- Read the file first, unless you know its text: an exact match that occurs once is also replaced in a file that was not read. If the file has changed since it was read, the edit is refused: Read it again.
- Give old_string as it is in the file, with its indentation, but without the line numbers and tabs that Read puts in front.
- It must occur exactly once: add lines around it until it does, or set replace_all to change every occurrence.
- If there is no exact match, a match that differs only in line ends or indentation is replaced if it is the only one; the result says so.
- The file keeps its line ends, its mode, and its byte order mark.`

export const editTool: Tool = builtInTool('Edit', {
  description: DESCRIPTION,
  check,
  settle: settleFile,
  subject: (input, session) => fileSubject(input, 'write', session),
  present: presentEdit,
  async run(input, call) {
    const { runEdit } = await import('./change-file.ts')
    return runEdit(input, call)
  }
})

function check(input: EditInput, session: ToolSession): Checked {
  const { old_string, new_string } = input
  if (old_string === '')
    return { problem: '"old_string" is empty; give the text to replace, or use Write for a new file' }
  if (old_string === new_string) return { problem: '"old_string" and "new_string" are the same: nothing would change' }
  for (const key of ['old_string', 'new_string'] as const) {
    if (!input[key].isWellFormed()) return { problem: `"${key}" holds half of a character (a lone surrogate)` }
  }
  return withFilePath(input, session)
}
