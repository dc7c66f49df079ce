import { fields, type InputOf } from '../fields.ts'
import { fileSubject, withFilePath } from './tool-paths.ts'
import { presentWrite } from '../present.ts'
import { settleFile } from './files-read.ts'
import type { Tool } from '../tool.ts'

const INPUT = fields({
  file_path: { type: 'string', words: 'The absolute path of the file' },
  content: { type: 'string', words: 'All that the file is to hold' }
})

export type WriteInput = InputOf<typeof INPUT>

const DESCRIPTION = `Writes a whole file. It holds exactly the content that is given, as UTF-8.
- Folders that are missing are made.
- A file that is there already must have been read first, and is replaced; if it has changed since, that is refused: Read it again.
- To change a part of a file, use Edit.`

/** Makes a file, or replaces all that one holds. */
export const writeTool: Tool = {
  name: 'Write',
  description: DESCRIPTION,
  inputSchema: INPUT.schema,
  check(input, session) {
    const checked = INPUT.check(input)
    if ('problem' in checked) return checked
    if (!checked.input.content.isWellFormed()) {
      return { problem: '"content" holds half of a character (a lone surrogate)' }
    }
    return withFilePath(checked, session)
  },
  readOnly: () => false,
  settle: settleFile,
  subject: (input, session) => fileSubject(input, 'write', session),
  present: presentWrite,
  async run(input, call) {
    const { runWrite } = await import('./write-run.ts')
    return runWrite(input as WriteInput, call)
  }
}
