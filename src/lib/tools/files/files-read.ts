import { changedRange, fingerprint, type Fingerprint } from '../../world/files/fingerprint.ts'
import { explained, openFile, readAll, shownPath, type JudgedFile, type OpenFile } from '../../world/files/files.ts'
import { realPath } from '../../world/files/paths.ts'
import type { PlainObject } from '../../util/plain.ts'
import { Turns } from '../../util/turns.ts'
import type { SeenFile, ToolCall, ToolSession } from '../tool.ts'

/** In bytes. Larger files are not edited, and not identified by their content. */
export const LARGEST = 1024 * 1024 * 1024

/** In bytes. The content of smaller files is always compared, which is fast. */
const SMALL = 1024 * 1024

const fileTurns = new Turns()

/** Works on a file while nothing else in this process does, and closes it afterwards. */
export function onFile<File extends OpenFile | undefined, T>(
  judged: JudgedFile,
  { signal }: ToolCall,
  open: (judged: JudgedFile) => Promise<File>,
  work: (file: File) => Promise<T>
): Promise<T> {
  const { path } = judged
  return fileTurns.take(path, async () => {
    let file: OpenFile | undefined
    try {
      signal.throwIfAborted()
      const opened = await open(judged)
      file = opened
      return await work(opened)
    } catch (error) {
      throw explained(error, path)
    } finally {
      await file?.handle.close()
    }
  })
}

type State = Pick<OpenFile, 'path' | 'stat' | 'isSettled'>

/** Records the content of a file. A time that a later change might share is not recorded. */
export function remember(
  session: ToolSession,
  { path, stat, isSettled }: State,
  hash: Fingerprint,
  partial: boolean
): void {
  const ctimeNs = isSettled ? stat.ctimeNs : 0n
  session.seen.set(path, { hash, ino: Number(stat.ino), size: Number(stat.size), ctimeNs, partial })
}

/** The same file, unchanged since by its times: its content need not be compared. */
function isUntouched(seen: SeenFile, { stat }: State): boolean {
  return (
    seen.size >= SMALL &&
    seen.ctimeNs === stat.ctimeNs &&
    seen.ino === Number(stat.ino) &&
    seen.size === Number(stat.size)
  )
}

/** What the model knows of a file that it wants to change. Throws if it has not seen the current content. */
export function seenAsItIs(session: ToolSession, file: OpenFile, bytes: Buffer): SeenFile {
  const seen = session.seen.get(file.path)
  const name = shownPath(file.path)
  if (seen === undefined) throw new Error(`${name} has not been read yet; Read it first, then change it`)
  if (isUntouched(seen, file)) return seen
  const change = changedRange(seen.hash, bytes)
  if (change === undefined) return seen
  throw new Error(
    `${name} has changed since it was read: ${changeSummary(seen, bytes, change)}. Read it again, then change it`
  )
}

function changeSummary(
  seen: SeenFile,
  bytes: Buffer,
  change: { readonly start: number; readonly end: number }
): string {
  const first = linesIn(bytes.subarray(0, change.start)) + 1
  const last = first + linesIn(bytes.subarray(change.start, Math.max(change.start, change.end - 1)))
  const where = first === last ? `line ${first}` : `lines ${first} to ${last}`
  const size = seen.size === bytes.length ? `still ${seen.size} bytes` : `${seen.size} bytes then, ${bytes.length} now`
  return `${where} or near there (${size})`
}

function linesIn(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++
  return lines
}

/** For tools that write: records the file again after hooks have run, which may have changed it. */
export async function settleFile(input: PlainObject, session: ToolSession): Promise<string | undefined> {
  const path = String(input['file_path'])
  const isChanged = await refreshSeen(session, path)
  return isChanged ? `${shownPath(path)} was changed by a hook after this call, as a formatter does.` : undefined
}

/**
 * Records a file again after a call, since hooks such as formatters may have changed it. Returns whether it changed. A
 * file that was never read stays unread.
 */
export async function refreshSeen(session: ToolSession, path: string): Promise<boolean> {
  const real = realPath(path)
  return fileTurns.take(real, async () => {
    const seen = session.seen.get(real)
    if (seen === undefined) return false
    let file: OpenFile | undefined
    try {
      file = await openFile(real)
      if (file.stat.size > LARGEST) throw new Error('too large')
      if (isUntouched(seen, file)) return false
      const bytes = await readAll(file)
      const isChanged = changedRange(seen.hash, bytes) !== undefined
      remember(session, file, isChanged ? fingerprint(bytes) : seen.hash, seen.partial)
      return isChanged
    } catch {
      // It is gone or replaced: it has to be read again.
      session.seen.delete(real)
      return true
    } finally {
      await file?.handle.close()
    }
  })
}
