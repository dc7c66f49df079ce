import { closeSync, constants, fstatSync, openSync, readFileSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isFolder, pathFrom, realPath } from '../../world/files/paths.ts'
import { attempt } from '../../util/attempt.ts'
import type { ToolCall } from '../tool.ts'

export interface CommandFolder {
  readonly cwd: string
  readonly note?: string | undefined
}

/** Where the next command runs: where the last one ended or, if that folder is gone, in the project's root. */
export async function startFolder(call: ToolCall): Promise<CommandFolder | undefined> {
  const { cwd, root } = call.session
  if (isFolder(cwd)) return { cwd }
  if (!isFolder(root)) return undefined
  await move(call, root)
  return { cwd: root, note: `The working directory ${cwd} is gone; this ran in ${root}.` }
}

/** The folder that a command wrote down at its end. A path that is not valid text cannot be kept. */
export function folderIn(file: string): string | undefined {
  let fd: number | undefined
  try {
    // What a command has put in its place is not followed.
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = fstatSync(fd)
    if (!found.isFile() || found.size > 16_384) return undefined
    const bytes = readFileSync(fd)
    const text = bytes.toString()
    return Buffer.from(text).equals(bytes) && text.length > 1 ? text.slice(0, -1) : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
    attempt(() => unlinkSync(file))
  }
}

/** After a command that ended in `after`, the next one runs there. Returns what the model must know about it. */
export async function keepFolder(call: ToolCall, before: string, after = before): Promise<string | undefined> {
  const { root, directories } = call.session
  if (!isFolder(after)) {
    await move(call, root)
    return `The working directory ${after} is gone; the next command runs in ${root}.`
  }
  if (realPath(after) === realPath(before)) return undefined
  // Relative to the project, whose path may contain a link.
  const [cwd] = [root, ...directories].flatMap(base => {
    const way = pathFrom(realPath(base), realPath(after))
    return way === undefined ? [] : [join(base, way)]
  })
  await move(call, cwd ?? root)
  return cwd === undefined ? `${after} is outside of the project; the next command runs in ${root}.` : undefined
}

async function move(call: ToolCall, to: string): Promise<void> {
  const from = call.session.cwd
  if (from === to) return
  call.session.cwd = to
  await call.fire('CwdChanged', { old_cwd: from, new_cwd: to })
}
