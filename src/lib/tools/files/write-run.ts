import { openFile, readAll, shownPath, type OpenFile } from '../../world/files/files.ts'
import { fingerprint } from '../../world/files/fingerprint.ts'
import { replaceFile, type Old } from '../../world/files/replace.ts'
import { LARGEST_PATCHED, structuredPatch } from './patch.ts'
import { judgedPath } from './tool-paths.ts'
import { LARGEST, onFile, remember, seenAsItIs } from './files-read.ts'
import type { ToolCall, ToolResult } from '../tool.ts'
import type { WriteInput } from './write.ts'

export function runWrite(input: WriteInput, call: ToolCall): Promise<ToolResult> {
  const path = judgedPath(input, call.session)
  return onFile(path, call, openThere, file => write(path, file, input, call))
}

async function openThere(path: string): Promise<OpenFile | undefined> {
  try {
    return await openFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function write(path: string, file: OpenFile | undefined, input: WriteInput, call: ToolCall): Promise<ToolResult> {
  const { session, signal } = call
  const old = file && (await known(file, call))
  const content = Buffer.from(input.content)
  const now = await replaceFile(path, [content], old, () => signal.throwIfAborted())
  remember(session, { path, stat: now, isSettled: false }, fingerprint(content), false)
  const name = shownPath(input.file_path)
  return {
    content: old === undefined ? `The file ${name} has been created.` : `The file ${name} has been replaced.`,
    output: outputOf(old, input)
  }
}

/** What is about to be replaced. Throws unless the model knows it. */
async function known(file: OpenFile, { session }: ToolCall): Promise<Old> {
  const { path, stat } = file
  if (stat.size > LARGEST)
    throw new Error(`${shownPath(path)} has ${stat.size} bytes; up to ${LARGEST} can be replaced`)
  const bytes = await readAll(file)
  seenAsItIs(session, file, bytes)
  return { file, bytes }
}

function outputOf(old: Old | undefined, { file_path, content }: WriteInput): unknown {
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
