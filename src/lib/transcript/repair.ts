import { basename, dirname } from 'node:path'
import { errorMessage } from '../errors.ts'
import { fault } from '../faults.ts'
import { realDisk, type ReplacingDisk } from './disk.ts'
import type { Rec } from './entry.ts'
import { bytesIn, piecesOf, readPieces, withOpenFile, writeAll } from './file.ts'
import { Reading, type Placed } from './reading.ts'
import { reseal, seal, unseal } from './seal.ts'
import type { Gap, SessionKey } from './store.ts'
import { attempt } from '../util/attempt.ts'
import { randomUuid } from './log.ts'

export interface Repair {
  readonly entries: number
  readonly leftOut: readonly Gap[]
  readonly original: string
}

export interface RepairOptions {
  readonly key?: SessionKey | undefined
  readonly isTrial?: boolean | undefined
  readonly beforeReplacing?: () => void
  readonly now?: Date
  readonly disk?: ReplacingDisk
}

const PIECE = 1 << 20

/**
 * Replaces a file that has gaps by one with all entries that verify, renumbered; the old file is kept beside it, byte
 * for byte. At any interruption one of the two is complete. The caller must hold the lock. Returns undefined if there
 * is nothing to repair.
 */
export async function repairFile(path: string, options: RepairOptions = {}): Promise<Repair | undefined> {
  const { key, isTrial = false, now = new Date(), disk = realDisk } = options
  const found = survey(path, key, disk)
  if (found.leftOut.length === 0) return undefined
  const original = `${path}.${now.toISOString().replaceAll(/[-:.]/g, '')}.bak`
  const repair = { entries: found.placed.length, leftOut: found.leftOut, original }
  if (isTrial) return repair
  const fresh = `${path}.repair`
  try {
    await withOpenFile(path, disk, from =>
      writeFile(fresh, repairedPieces(from, found.placed, { ...repair, now }, disk), disk)
    )
    await keep(path, original, disk)
    await disk.syncFolder(dirname(path))
    options.beforeReplacing?.()
    disk.rename(fresh, path)
    await disk.syncFolder(dirname(path))
  } catch (error) {
    // If it remains, the next repair overwrites it.
    attempt(() => disk.remove(fresh))
    throw fault('E_REPAIR', path, errorMessage(error))
  }
  return repair
}

function survey(
  path: string,
  key: SessionKey | undefined,
  disk: ReplacingDisk
): { readonly placed: readonly Placed[]; readonly leftOut: readonly Gap[] } {
  const found = withOpenFile(path, disk, file => {
    const reading = new Reading(key, { keep: false })
    readPieces(reading, file, disk)
    return { ...reading.end(), placed: reading.placed }
  })
  if (found === undefined) throw fault('E_REPAIR', path, 'there is no such file')
  if (found.isForeign) throw fault('E_REPAIR', path, 'another program wrote it, and it has no checksums')
  if (found.placed.length === 0) throw fault('E_REPAIR', path, 'nothing in it is an entry of ours')
  return { placed: found.placed, leftOut: found.gaps }
}

async function writeFile(path: string, pieces: Iterable<Buffer>, disk: ReplacingDisk): Promise<void> {
  const to = disk.openAnew(path)
  try {
    for (const bytes of pieces) writeAll(to, bytes, disk)
    await disk.sync(to)
  } finally {
    disk.close(to)
  }
}

function* repairedPieces(
  from: number,
  placed: readonly Placed[],
  repair: Repair & { readonly now: Date },
  disk: ReplacingDisk
): Generator<Buffer> {
  let lines: Buffer[] = []
  let size = 0
  let last: Buffer = Buffer.alloc(0)
  for (const [index, { at, length }] of placed.entries()) {
    last = bytesIn(from, disk, at, length)
    const line = reseal(last, index + 1)
    lines.push(line)
    if ((size += line.length) < PIECE) continue
    yield Buffer.concat(lines)
    lines = []
    size = 0
  }
  yield Buffer.concat([...lines, seal(entryOf(last, repair), placed.length + 1)])
}

function entryOf(last: Buffer, { leftOut, original, now }: Repair & { readonly now: Date }): Rec {
  const read = unseal(last)
  const { uuid, isSidechain, agentId, sessionId, cwd, version, userType, entrypoint } =
    read.kind === 'sealed' ? read.entry : ({} as Rec)
  return {
    type: 'system',
    subtype: 'repaired',
    leftOut,
    original: basename(original),
    uuid: randomUuid(),
    parentUuid: uuid ?? null,
    isSidechain,
    ...(agentId !== undefined && { agentId }),
    timestamp: now.toISOString(),
    sessionId,
    cwd,
    version,
    userType,
    entrypoint
  }
}

/** Keeps the old file under a second name: a hard link, or a copy where the file system has none. */
async function keep(path: string, original: string, disk: ReplacingDisk): Promise<void> {
  if (disk.link(path, original)) return
  if (withOpenFile(original, disk, () => true) === true) throw new Error(`${original} is there already`)
  await withOpenFile(path, disk, from => writeFile(original, piecesOf(from, disk, PIECE), disk))
}
