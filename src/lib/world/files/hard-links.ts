import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../util/attempt.ts'

const MOST_FILES = 50_000

export interface Collected {
  readonly names: ReadonlyMap<string, readonly string[]>
  readonly whole: boolean
}

export function collect(paths: Iterable<string>, wanted: (path: string) => boolean): Collected {
  const names = new Map<string, string[]>()
  const add = (path: string): void => {
    const id = wanted(path) ? linkedFile(path) : undefined
    if (id !== undefined) names.set(id, [...(names.get(id) ?? []), path])
  }
  const folders = new Set(paths)
  let seen = 0
  for (const path of folders) add(path)
  for (const folder of folders)
    for (const entry of attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.add(path)
      else if (++seen > MOST_FILES) return { names, whole: false }
      else if (entry.isFile()) add(path)
    }
  return { names, whole: true }
}

export function linkedFile(path: string): string | undefined {
  const stat = attempt(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  return stat?.isFile() === true && stat.nlink > 1n ? `${stat.dev}:${stat.ino}` : undefined
}
