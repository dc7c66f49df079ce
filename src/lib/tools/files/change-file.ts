import { resolve } from 'node:path'
import { HIDDEN } from '../../util/credentials.ts'
import type { PlainObject } from '../../util/plain.ts'
import { openJudged, readAll, shownPath, type JudgedFile, type OpenFile } from '../../world/files/files.ts'
import { afterSplices, splicedPieces, fingerprint } from '../../world/files/fingerprint.ts'
import { replaceFile, type Old } from '../../world/files/replace.ts'
import type { EditInput } from './edit.ts'
import { findSplices, type Match, type Replacement } from './edit-match.ts'
import { LARGEST_PATCHED, structuredPatch } from './patch.ts'
import { judgedFile } from './tool-paths.ts'
import { LARGEST, onFile, remember, seenAsItIs } from './files-read.ts'
import { refuseBinary } from './read.ts'
import type { ToolCall, ToolResult } from '../tool.ts'
import type { WriteInput } from './write.ts'

export const runEdit = (input: EditInput, call: ToolCall): Promise<ToolResult> =>
  onFile(judgedFile(input, call.session), call, openJudged, file => edit(file, input, call))

async function edit(file: OpenFile, input: EditInput, { session, signal }: ToolCall): Promise<ToolResult> {
  const { path, stat } = file
  if (stat.size > LARGEST) throw new Error(`${shownPath(path)} has ${stat.size} bytes; up to ${LARGEST} can be edited`)
  const bytes = await readAll(file)
  refuseBinary(bytes, path)
  refuseMask(input.new_string, bytes, path)
  // A path that was read and now leads to another file counts as changed.
  const isUnread =
    !input.replace_all && ![path, resolve(session.cwd, input.file_path)].some(each => session.seen.has(each))
  const seen = isUnread ? undefined : seenAsItIs(session, file, bytes)
  const wanted: Replacement = { old: input.old_string, now: input.new_string, all: input.replace_all, isUnread }
  const match = findSplices(bytes, wanted)
  const content = splicedPieces(bytes, match.splices)
  const now = await replaceFile(path, content, { file, bytes }, () => signal.throwIfAborted())
  // If the model knows only the replaced text of a file, the file stays unread.
  if (seen !== undefined) {
    const hash = afterSplices(seen.hash, bytes, match.splices)
    remember(session, { path, stat: now, isSettled: false }, hash, seen.partial)
  }
  return { content: editSummary(file, input, match), output: editOutput(bytes, input, match) }
}

function editSummary({ stat }: OpenFile, { file_path, replace_all }: EditInput, { splices, ignored }: Match): string {
  const name = shownPath(file_path)
  const what = replace_all
    ? `${splices.length} ${splices.length === 1 ? 'occurrence was' : 'occurrences were'} replaced in ${name}.`
    : `The file ${name} has been updated.`
  const how =
    ignored === undefined
      ? ''
      : ` There was no exact match; the only match that differs just in ${ignored} was replaced.`
  const links =
    stat.nlink > 1n ? ` It had ${stat.nlink} names (hard links); the others still have the old content.` : ''
  return `${what}${how}${links}`
}

/** For large files, neither the text nor the difference is returned. */
function editOutput(bytes: Buffer, input: EditInput, { splices }: Match): PlainObject {
  const isLarge = bytes.length > LARGEST_PATCHED
  const before = isLarge ? '' : bytes.toString('utf8')
  const after = isLarge ? '' : Buffer.concat([...splicedPieces(bytes, splices)]).toString('utf8')
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

export function runWrite(input: WriteInput, call: ToolCall): Promise<ToolResult> {
  const judged = judgedFile(input, call.session)
  return onFile(judged, call, openThere, file => write(judged.path, file, input, call))
}

/** The model sees a mask in place of a secret: writing the mask would destroy the secret. */
function refuseMask(text: string, bytes: Buffer, path: string): void {
  if (!text.includes(HIDDEN) || bytes.includes(HIDDEN)) return
  throw new Error(
    `"${HIDDEN}" stands for a secret that is not shown, and is not in ${shownPath(path)}; use Edit for the parts around it`
  )
}

async function openThere(judged: JudgedFile): Promise<OpenFile | undefined> {
  try {
    return await openJudged(judged)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function write(path: string, file: OpenFile | undefined, input: WriteInput, call: ToolCall): Promise<ToolResult> {
  const { session, signal } = call
  const old = file && (await known(file, call))
  if (old !== undefined) refuseMask(input.content, old.bytes, path)
  const content = Buffer.from(input.content)
  const now = await replaceFile(path, [content], old, () => signal.throwIfAborted())
  remember(session, { path, stat: now, isSettled: false }, fingerprint(content), false)
  const name = shownPath(input.file_path)
  return {
    content: old === undefined ? `The file ${name} has been created.` : `The file ${name} has been replaced.`,
    output: writeOutput(old, input)
  }
}

/** The current content, which will be replaced. Throws unless the model knows it. */
async function known(file: OpenFile, { session }: ToolCall): Promise<Old> {
  const { path, stat } = file
  if (stat.size > LARGEST)
    throw new Error(`${shownPath(path)} has ${stat.size} bytes; up to ${LARGEST} can be replaced`)
  const bytes = await readAll(file)
  seenAsItIs(session, file, bytes)
  return { file, bytes }
}

function writeOutput(old: Old | undefined, { file_path, content }: WriteInput): unknown {
  const isLarge = old !== undefined && Math.max(old.bytes.length, content.length) > LARGEST_PATCHED
  const before = old === undefined || isLarge ? null : old.bytes.toString('utf8')
  return {
    type: old === undefined ? 'create' : 'update',
    filePath: file_path,
    content,
    structuredPatch: before === null ? [] : structuredPatch(before, content),
    originalFile: before,
    userModified: false
  }
}
