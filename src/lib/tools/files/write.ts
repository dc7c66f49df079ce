import { builtInTool, type ToolInput } from '../built-in.ts'
import { fileSubject, withFilePath } from './tool-paths.ts'
import { presentWrite } from '../present.ts'
import { settleFile } from './files-read.ts'
import type { Tool } from '../tool.ts'

export type WriteInput = ToolInput<'Write'>

const DESCRIPTION = `Writes a whole file. It will contain exactly the given content, as UTF-8.
- Missing folders are created.
- An existing file must have been read first, and is replaced; if it has changed since, the call is refused: Read it again.
- To change a part of a file, use Edit.`

export const writeTool: Tool = builtInTool('Write', {
  description: DESCRIPTION,
  check: (input, session) =>
    input.content.isWellFormed()
      ? withFilePath(input, session)
      : { problem: '"content" holds half of a character (a lone surrogate)' },
  settle: settleFile,
  subject: (input, session) => fileSubject(input, 'write', session),
  present: presentWrite,
  async run(input, call) {
    const { runWrite } = await import('./change-file.ts')
    return runWrite(input, call)
  }
})
