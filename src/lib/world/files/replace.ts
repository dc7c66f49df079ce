import { lstatSync, readSync, renameSync, unlinkSync, type BigIntStats } from 'node:fs'
import { access, constants, open, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { shownPath, type OpenFile } from './files.ts'
import { linkNew } from './own-file.ts'
import { openFolder, sweep, syncFolder, temporaryName, type OpenFolder } from './folders.ts'
import { attempt } from '../../util/attempt.ts'

export interface Old {
  readonly file: OpenFile
  readonly bytes: Buffer
}

/**
 * Writes a file at a real path, replacing the old one or creating it and its missing folders. At any failure there is
 * either the old content or all of the new. Mode and owner of the old file are kept. `approve` is called just before
 * the replacement, and may throw.
 */
export async function replaceFile(
  path: string,
  content: Iterable<Buffer>,
  old: Old | undefined,
  approve: () => void
): Promise<BigIntStats> {
  const folder = await openFolder(dirname(path))
  try {
    if (old !== undefined) await refuseReadOnly(old.file)
    await sweep(folder)
    return await replaceIn(folder, basename(path), { content, old, approve })
  } finally {
    await folder.handle.close()
  }
}

interface Change {
  readonly content: Iterable<Buffer>
  readonly old: Old | undefined
  readonly approve: () => void
}

async function replaceIn(folder: OpenFolder, name: string, { content, old, approve }: Change): Promise<BigIntStats> {
  const temporary = folder.at(temporaryName())
  const handle = await open(temporary, 'wx', old === undefined ? 0o666 : 0o600)
  let isLeft = true
  try {
    await writeAll(handle, content)
    if (old !== undefined) await takeAfter(handle, old.file)
    await handle.sync()
    approve()
    isLeft = commit(temporary, folder, name, old)
    await syncFolder(folder)
    return await handle.stat({ bigint: true })
  } finally {
    // If it cannot be removed, the next write in this folder does that.
    if (isLeft) attempt(() => unlinkSync(temporary))
    await handle.close()
  }
}

/** Renaming over a file does not check write permission on that file. */
async function refuseReadOnly({ path, stat }: OpenFile): Promise<void> {
  const mode = Number(stat.mode) & 0o7777
  if ((mode & 0o222) === 0) {
    const shown = mode.toString(8).padStart(4, '0')
    throw new Error(`${shownPath(path)} is read-only (mode ${shown}); make it writable first if it is meant to change`)
  }
  await access(path, constants.W_OK)
}

async function takeAfter(handle: FileHandle, { path, stat }: OpenFile): Promise<void> {
  const own = await handle.stat({ bigint: true })
  if (own.uid !== stat.uid || own.gid !== stat.gid) {
    await handle.chown(Number(stat.uid), Number(stat.gid)).catch(error => {
      const owner = `${stat.uid}:${stat.gid}`
      throw new Error(`${shownPath(path)} belongs to ${owner}, and would not afterwards; it is unchanged`, {
        cause: error
      })
    })
  }
  await handle.chmod(Number(stat.mode) & 0o7777)
}

/** Buffers per system call. Linux accepts 1,024. */
const BATCH = 512

async function writeAll(handle: FileHandle, content: Iterable<Buffer>): Promise<void> {
  let batch: Buffer[] = []
  for (const piece of content) {
    if (piece.length > 0) batch.push(piece)
    if (batch.length < BATCH) continue
    await write(handle, batch)
    batch = []
  }
  await write(handle, batch)
}

/** A nearly full disk writes a part without an error; only the next call fails. */
async function write(handle: FileHandle, batch: readonly Buffer[]): Promise<void> {
  let left = [...batch]
  while (left.length > 0) {
    let { bytesWritten } = await handle.writev(left)
    if (bytesWritten === 0) throw new Error('the disk accepts no more data')
    const next = left.findIndex(piece => {
      const isDone = bytesWritten >= piece.length
      if (isDone) bytesWritten -= piece.length
      return !isDone
    })
    left = next === -1 ? [] : [left[next]!.subarray(bytesWritten), ...left.slice(next + 1)]
  }
}

/**
 * Nothing else is done between the last check of the old file and its replacement: only a write between these two
 * system calls can be lost. Returns whether the temporary file still exists.
 */
function commit(temporary: string, folder: OpenFolder, name: string, old: Old | undefined): boolean {
  if (old === undefined) return create(temporary, folder, name)
  if (!isUnchanged(old, folder.at(name))) {
    throw new Error(`${shownPath(old.file.path)} was changed by another process; read it again`)
  }
  renameSync(temporary, folder.at(name))
  return false
}

function create(temporary: string, folder: OpenFolder, name: string): boolean {
  const linked = linkNew(temporary, folder.at(name))
  if (linked === 'taken')
    throw new Error(`${shownPath(join(folder.path, name))} was just created by another process; Read it first`)
  if (linked === 'unsupported') renameSync(temporary, folder.at(name))
  return linked === 'linked'
}

function isUnchanged({ file, bytes }: Old, target: string): boolean {
  const look = (): BigIntStats | undefined => lstatSync(target, { bigint: true, throwIfNoEntry: false })
  const now = look()
  const { stat, handle, isSettled } = file
  if (now === undefined || now.ino !== stat.ino || now.dev !== stat.dev || now.size !== stat.size) return false
  if (now.ctimeNs === stat.ctimeNs && isSettled) return true
  return holds(handle, bytes) && look()?.ctimeNs === now.ctimeNs
}

const BLOCK = 1024 * 1024

function holds({ fd }: FileHandle, bytes: Buffer): boolean {
  const block = Buffer.allocUnsafe(Math.min(BLOCK, bytes.length + 1))
  for (let at = 0; ;) {
    const read = readSync(fd, block, 0, block.length, at)
    if (read === 0) return at === bytes.length
    if (at + read > bytes.length || block.compare(bytes, at, at + read, 0, read) !== 0) return false
    at += read
  }
}
