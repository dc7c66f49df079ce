import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  type Stats
} from 'node:fs'
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path'
import { attempt } from '../../util/attempt.ts'

const MOST_LINKS = 40
/** Stands for bytes that are not valid UTF-8. */
export const REPLACEMENT = '\uFFFD'

interface Way {
  readonly path: string
  /** The result is certain: it does not depend on what another process has open, or on its working folder. */
  readonly sure: boolean
}

/**
 * Resolves a path for a process whose folder is `cwd`, a real path; rules and tools all use this result. It follows the
 * kernel: each link is resolved before the `..` after it, also a dangling one, and `/proc/self` is that process, not
 * ours. Missing parts are kept as written.
 */
export function resolvePath(path: string, cwd?: string): Way {
  const start = isAbsolute(path) ? parse(path).root : (cwd ?? process.cwd())
  const rest = isAbsolute(path) ? path.slice(start.length) : path
  const native = process.platform === 'linux' ? undefined : attempt(() => realpathSync.native(start + sep + rest))
  if (native !== undefined) return { path: native, sure: true }
  const ahead = partsOf(rest)
  let at = start
  let links = 0
  for (let part = ahead.shift(); part !== undefined; part = ahead.shift()) {
    const next = part === '..' ? dirname(at) : join(at, part)
    const target = part === '..' ? undefined : targetOf(next, cwd, ahead.length > 0)
    if (target === UNSURE) return { path: join(next, ...ahead), sure: false }
    if (target === undefined) at = next
    // A loop of links: opening the path will fail with that error.
    else if (++links > MOST_LINKS) return { path: resolve(start, rest), sure: true }
    else {
      if (isAbsolute(target)) at = parse(target).root
      ahead.unshift(...partsOf(isAbsolute(target) ? target.slice(at.length) : target))
    }
  }
  return { path: at, sure: true }
}

export const realPath = (path: string, cwd?: string): string => resolvePath(path, cwd).path

const partsOf = (path: string): string[] => path.split(sep).filter(part => part !== '' && part !== '.')

const UNSURE = Symbol('only another process knows')
/** In bytes. A process in a folder on the way can open more. */
const LONGEST = 4095
/** Links in name only: the kernel goes directly to what the process has open. */
const OF_PROCESS = /^\/proc\/([^/]+)(\/task\/[^/]+)?\/(?:(cwd|root)|(?:fd|map_files)\/([^/]+))$/

function targetOf(path: string, cwd: string | undefined, leadsOn: boolean): string | typeof UNSURE | undefined {
  // We would find our own process there.
  if (/^\/proc\/(?:thread-)?self(?:\/exe)?$/.test(path)) return undefined
  const found = path.startsWith('/proc/') ? OF_PROCESS.exec(path) : null
  if (found === null) return path.length > LONGEST / 4 && Buffer.byteLength(path) > LONGEST ? UNSURE : linkTarget(path)
  const [, process, task, place, file] = found
  if (process !== 'self' || task !== undefined) return UNSURE
  if (place === 'cwd') return cwd ?? UNSURE
  if (place === 'root') return '/'
  // Its standard streams: what they are redirected to is named in the redirection.
  return !leadsOn && /^[012]$/.test(file ?? '') ? undefined : UNSURE
}

export const kindOf = (path: string): Stats | undefined => attempt(() => statSync(path, { throwIfNoEntry: false }))

export function ifThere<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export const isFile = (path: string): boolean => kindOf(path)?.isFile() === true
export const isFolder = (path: string): boolean => kindOf(path)?.isDirectory() === true

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return isFile(path)
  } catch {
    return false
  }
}

const linkStat = (path: string): Stats | undefined => attempt(() => lstatSync(path, { throwIfNoEntry: false }))

/** A name that is not valid UTF-8 cannot be followed, but programs can. */
function linkTarget(path: string): string | typeof UNSURE | undefined {
  if (!isLink(path)) return undefined
  const target = readlinkSync(path)
  return target.includes(REPLACEMENT) ? UNSURE : target
}

export const isLink = (path: string): boolean => linkStat(path)?.isSymbolicLink() === true

export const isThere = (path: string): boolean => linkStat(path) !== undefined

export const namesInFolder = (path: string): readonly string[] => attempt(() => readdirSync(path)) ?? []

/** Whether a path is a folder or is inside it, comparing both as written. `ws-evil` is not in `ws`. */
export function isWithin(path: string, folder: string): boolean {
  if (!isAbsolute(path) || !isAbsolute(folder)) return false
  const [whole, base] = [resolve(path), resolve(folder)]
  return whole === base || whole.startsWith(base.endsWith(sep) ? base : base + sep)
}

export const pathFrom = (folder: string, path: string): string | undefined =>
  isWithin(path, folder) ? relative(folder, path) : undefined

export function repositoryTop(folder: string, has: (path: string) => boolean = isThere): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (has(join(at, '.git'))) return at
    if (at === dirname(at)) return undefined
  }
}
