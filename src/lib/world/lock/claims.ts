import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { isObject } from '../../util/plain.ts'
import { jsonIn } from '../../util/attempt.ts'

/** A file beside the locked one. It is written once; renewing its lease changes only its time. */
export interface Claim {
  readonly id: string
  readonly host: string
  readonly name: string
  readonly pid: number
  readonly since: string
  /** A socket is found by its inode; through another mount it is a different one. */
  readonly device: number
  readonly socket: string | null
}

export interface FoundClaim {
  readonly claim: Claim
  readonly place: string
  readonly renewed: number
}

const MOST_CLAIMS = 10_000

export function chainIn(head: string): readonly FoundClaim[] {
  const chain: FoundClaim[] = []
  let next = foundAt(head)
  while (next !== undefined && chain.length < MOST_CLAIMS) {
    chain.push(next)
    next = foundAt(`${head}.${next.claim.id}`)
  }
  return chain
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** Opens the file, since a network file system may return stale attributes for one that is not open. */
function foundAt(place: string): FoundClaim | undefined {
  let fd: number
  try {
    fd = openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (['ENOENT', 'ESTALE'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw new Error(`${place} is not an ordinary file: remove it`)
    return { claim: claimIn(readFileSync(fd, 'utf8'), String(stat.ino)), place, renewed: stat.mtimeMs }
  } finally {
    closeSync(fd)
  }
}

/** An unreadable claim counts as one of another machine: it holds the lock while its lease lasts. */
function claimIn(text: string, inode: string): Claim {
  const unknown = { id: inode, host: '', name: '', pid: 0, since: '', device: 0, socket: null }
  const read = jsonIn(text)
  const { id, socket = '' } = isObject(read) ? (read as Partial<Claim>) : {}
  const isSafe = /^[0-9a-f]{16}$/.test(String(id)) && (socket === null || /^\.carabiner-\w+\.sock$/.test(socket))
  return isSafe ? { ...unknown, ...(read as Claim) } : unknown
}
