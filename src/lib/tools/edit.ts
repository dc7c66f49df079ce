import { basename, dirname } from 'node:path'
import type { PlainObject } from '../util/plain.ts'
import { openFile, readAll, shownPath, type OpenFile } from '../world/files.ts'
import { afterSplices, piecesOf } from '../world/fingerprint.ts'
import { openFolder } from '../world/folders.ts'
import { replaceFile } from '../world/replace.ts'
import { findSplices, type Match, type Wanted } from './edit-match.ts'
import { fields, type InputOf } from './fields.ts'
import { LARGEST_PATCHED, structuredPatch } from './patch.ts'
import { filePath, fileSubject, judgedPath } from './paths.ts'
import { presentEdit } from './present.ts'
import { LARGEST, remember, seenAsItIs, settleFile } from './seen.ts'
import { refuseBinary } from './text-kind.ts'
import type { Checked, Tool, ToolCall, ToolResult, ToolSession } from './tool.ts'
import { onFile } from './turns.ts'

const INPUT = fields({
  file_path: { type: 'string', words: 'The absolute path of the file' },
  old_string: { type: 'string', words: 'The text to replace, exactly as it is in the file' },
  new_string: { type: 'string', words: 'The text to put in its place; must differ. Empty to delete' },
  'replace_all?': { type: 'boolean', default: false, words: 'Replace every occurrence of old_string' }
})

type EditInput = InputOf<typeof INPUT>

const DESCRIPTION = `Replaces a piece of text in a file, and leaves every other byte as it is.
- Read the file first. If it has changed since, the edit is refused: Read it again.
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
  subject: input => fileSubject(input, 'write'),
  present: presentEdit,
  run: (input, call) => onFile(judgedPath(input), call, openFile, file => edit(file, input as EditInput, call))
}

function check(input: unknown, session: ToolSession): Checked {
  const checked = INPUT.check(input)
  if ('problem' in checked) return checked
  const { file_path, old_string, new_string } = checked.input
  if (old_string === '')
    return { problem: '"old_string" is empty; give the text to replace, or use Write for a new file' }
  if (old_string === new_string) return { problem: '"old_string" and "new_string" are the same: nothing would change' }
  for (const key of ['old_string', 'new_string'] as const) {
    if (!checked.input[key].isWellFormed()) return { problem: `"${key}" holds half of a character (a lone surrogate)` }
  }
  const found = filePath(file_path, session)
  return 'problem' in found ? found : { input: { ...checked.input, file_path: found.path } }
}

async function edit(file: OpenFile, input: EditInput, { session, signal }: ToolCall): Promise<ToolResult> {
  const { path, stat } = file
  if (stat.size > LARGEST) throw new Error(`${shownPath(path)} has ${stat.size} bytes; up to ${LARGEST} can be edited`)
  const bytes = await readAll(file)
  refuseBinary(bytes, path)
  const seen = seenAsItIs(session, file, bytes)
  const wanted: Wanted = { old: input.old_string, now: input.new_string, all: input.replace_all }
  const match = findSplices(bytes, wanted)
  const hash = afterSplices(seen.hash, bytes, match.splices)
  const folder = await openFolder(dirname(path))
  try {
    const content = piecesOf(bytes, match.splices)
    const now = await replaceFile(folder, basename(path), content, { file, bytes }, () => signal.throwIfAborted())
    remember(session, { path, stat: now, isSettled: false }, hash, seen.partial)
  } finally {
    await folder.handle.close()
  }
  return { content: told(file, input, match), output: outputOf(bytes, input, match) }
}

function told({ stat }: OpenFile, { file_path, replace_all }: EditInput, { splices, ignored }: Match): string {
  const name = shownPath(file_path)
  const what = replace_all
    ? `${splices.length} ${splices.length === 1 ? 'occurrence was' : 'occurrences were'} replaced in ${name}.`
    : `The file ${name} has been updated.`
  const how =
    ignored === undefined
      ? ''
      : ` There was no exact match; the only one that differs in nothing but ${ignored} was replaced.`
  const links =
    stat.nlink > 1n ? ` It had ${stat.nlink} names (hard links); the others still have the old content.` : ''
  return `${what}${how}${links}`
}

/** Of large files there is neither the text nor the difference. */
function outputOf(bytes: Buffer, input: EditInput, { splices }: Match): PlainObject {
  const isLarge = bytes.length > LARGEST_PATCHED
  const before = isLarge ? '' : bytes.toString('utf8')
  const after = isLarge ? '' : Buffer.concat([...piecesOf(bytes, splices)]).toString('utf8')
  return {
    filePath: input.file_path,
    oldString: input.old_string,
    newString: input.new_string,
    originalFile: isLarge ? null : before,
    structuredPatch: structuredPatch(before, after),
    userModified: false,
    replaceAll: input.replace_all
  }
}
