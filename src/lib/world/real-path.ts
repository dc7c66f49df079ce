import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, parse, sep } from 'node:path'

const MOST_LINKS = 40

/**
 * Where an absolute path really leads. Links are followed as far as there is anything, also one that leads to nothing;
 * what is not there is taken as it is written.
 */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return follow(path)
  }
}

function follow(path: string): string {
  const { root } = parse(path)
  const ahead = partsOf(path.slice(root.length))
  let at = root
  let links = 0
  for (let part = ahead.shift(); part !== undefined; part = ahead.shift()) {
    if (part === '..') at = dirname(at)
    else {
      const target = targetOf(join(at, part))
      if (target === undefined) at = join(at, part)
      // It leads round in circles: opening it will say so.
      else if (++links > MOST_LINKS) return path
      else {
        if (isAbsolute(target)) at = parse(target).root
        ahead.unshift(...partsOf(isAbsolute(target) ? target.slice(at.length) : target))
      }
    }
  }
  return at
}

const partsOf = (path: string): string[] => path.split(sep).filter(part => part !== '' && part !== '.')

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Whether there is anything at a path, be it a link that leads to nothing. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
