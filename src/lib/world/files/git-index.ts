import { REPLACEMENT } from './paths.ts'

const FILE_MODES = new Set([0o100644, 0o100755, 0o120000])
const LINK_MODE = 0o160000
/** In bytes: of an entry, what is in front of its flags, its time and mode, and a hash. */
const FLAGS_AT = 60
const HASH = 20
const EXTENDED = 0x4000
const LONGEST_NAME = 0xfff
/** Extensions from which git takes no entries. Those for threads, parts and folders make it read others than these. */
const PLAIN_EXTENSIONS = new Set(['TREE', 'REUC'])
/** Absolute, or with a part that git itself never writes. */
const ODD_PATH = /(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/i

/** The paths of other repositories in an index of git. Undefined: it is not exactly what git writes by default. */
export function linksInIndex(bytes: Buffer): readonly string[] | undefined {
  const version = bytes.length < 12 + HASH || bytes.toString('latin1', 0, 4) !== 'DIRC' ? 0 : bytes.readUInt32BE(4)
  if (version !== 2 && version !== 3) return undefined
  const links: string[] = []
  const end = bytes.length - HASH
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    if (at + FLAGS_AT + 4 > end) return undefined
    const mode = bytes.readUInt32BE(at + 24)
    const flags = bytes.readUInt16BE(at + FLAGS_AT)
    const from = at + FLAGS_AT + ((flags & EXTENDED) === 0 ? 2 : 4)
    const to = bytes.indexOf(0, from)
    const path = bytes.toString('utf8', from, to)
    const isWhole = to !== -1 && Math.min(to - from, LONGEST_NAME) === (flags & LONGEST_NAME)
    if (!isWhole || ODD_PATH.test(path)) return undefined
    if (mode === LINK_MODE && !path.includes(REPLACEMENT)) links.push(path)
    else if (!FILE_MODES.has(mode)) return undefined
    at += (to - at + 8) & ~7
  }
  while (at + 8 <= end && PLAIN_EXTENSIONS.has(bytes.toString('latin1', at, at + 4)))
    at += 8 + bytes.readUInt32BE(at + 4)
  return at === end ? links : undefined
}
