import { createHash } from 'node:crypto'
import { readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findNodeAtLocation } from 'jsonc-parser'
import { errorMessage } from '../../errors.ts'
import { fault } from '../../faults.ts'
import { OWN_LINE } from '../../settings/files/own-line.ts'
import { readText } from '../../settings/files/text.ts'
import { attempt, jsonIn } from '../../util/attempt.ts'
import { isObject } from '../../util/plain.ts'
import { explained } from '../../world/files/files.ts'
import { putOwnFile } from '../../world/files/own-file.ts'
import { isThere } from '../../world/files/paths.ts'
import { lock } from '../../world/lock/lock.ts'
import { writeText } from '../write-text.ts'
import { listsIn, meantIn, treeOf, withItems, withoutItems, type ListItem } from './config-edit.ts'

/** A file of another agent, and its path after all links. */
export interface HostFile {
  readonly path: string
  readonly real: string
  readonly ownHome: string
}

interface Change {
  readonly state: 'created' | 'changed' | 'unchanged' | 'deleted'
  /** Of the file afterwards. */
  readonly content: string | undefined
}

/** What was there before us; kept so that the same bytes come back. */
interface Saved {
  readonly original: string | null
  /** The digest of what we wrote. */
  readonly written: string
  /** That were made for the file, the deepest first. */
  readonly folders: readonly string[]
}

const AGAIN = 'correct it, then repeat this'

/** How our part is put into a file and taken out again. */
export interface Format {
  readonly isIn: (text: string, path: string) => boolean
  readonly add: (text: string | undefined) => string
  /** Undefined: nothing else is left. */
  readonly strip: (text: string, saved: Saved | undefined, path: string) => string | undefined
}

/** Hooks in a file of JSON. */
export function jsonFormat(fresh: object, items: readonly ListItem[]): Format {
  const isOwn = (text: string): boolean => OWN_LINE.test(text)
  const begun = `${JSON.stringify(fresh, null, 2)}\n`
  const paths = items.map(({ path }) => path)
  const refuse = (what: string, why: string): Error => fault('E_INSTALL', what, why, AGAIN)
  return {
    isIn: (text, path) => {
      const lists = listsIn(path, text, paths, refuse).map(list => list.map(each => JSON.stringify(each)))
      const isSame = items.every(({ value }, place) => lists[place]?.includes(JSON.stringify(value)))
      return isSame && meantIn(treeOf(text), isOwn).length === items.length
    },
    add: text => withItems(text ?? begun, items),
    strip: (text, saved, path) => {
      listsIn(path, text, paths, refuse)
      if (text.trim() === '') return text
      const original = treeOf(saved?.original?.trim() || '{}')
      const left = withoutItems(text, isOwn, keys => findNodeAtLocation(original, [...keys]) !== undefined)
      return saved?.original === null && left.trim() === begun.trim() ? undefined : left
    }
  }
}

/** A program of ours, which has its own file. */
export function scriptFormat(program: string): Format {
  const [mark = ''] = program.split(':')
  return {
    isIn: text => text === program,
    add: text => {
      if (text === undefined) return program
      throw fault('E_INSTALL', 'the file of the extension', 'there is another one of that name', 'move it away')
    },
    strip: text => (text.startsWith(mark) ? undefined : text)
  }
}

interface Wanted {
  readonly isRemoved: boolean
  /** Nothing is written. */
  readonly isPrinted?: boolean
}

/** Puts our part into a file, or takes it out. One process at a time changes a file. */
export function changeFile(file: HostFile, format: Format, wanted: Wanted): Promise<Change> {
  const record = join(file.ownHome, 'installed', `${digestOf(file.real).slice(0, 32)}.json`)
  const change = async (): Promise<Change> => {
    const { old, base, saved } = lookAt(file, format, record)
    const isIn = old !== undefined && format.isIn(old, file.path)
    const content = wanted.isRemoved ? base : isIn ? old : format.add(base)
    const kind = content === undefined ? 'deleted' : old === undefined ? 'created' : 'changed'
    const state = content === old ? 'unchanged' : kind
    if (wanted.isPrinted === true) return { state, content }
    const folders = [...missingFolders(dirname(file.real)), ...(saved?.folders ?? [])]
    try {
      if (state !== 'unchanged' && content !== undefined) {
        const kept: Saved = { original: base ?? null, written: digestOf(content), folders }
        putOwnFile(record, JSON.stringify(kept))
        await writeText(file.real, old, content)
      }
      if (state === 'deleted') rmSync(file.real)
    } catch (error) {
      throw fault('E_INSTALL', file.path, errorMessage(explained(error, file.real)), AGAIN)
    }
    if (state === 'deleted') for (const folder of folders) attempt(() => rmdirSync(folder))
    if (wanted.isRemoved) rmSync(record, { force: true })
    return { state, content }
  }
  return wanted.isPrinted === true ? change() : whileLocked(record, change)
}

/** What is there, what was or would be there without us, and what was saved about it. */
function lookAt({ path, real }: HostFile, format: Format, record: string) {
  const read = readText(real)
  if ('fault' in read) throw fault('E_INSTALL', path, `it ${read.fault}`, read.fix)
  const old = 'text' in read ? read.text : undefined
  const found = jsonIn(attempt(() => readFileSync(record, 'utf8')) ?? '')
  const saved = isObject(found) && typeof found['written'] === 'string' ? (found as unknown as Saved) : undefined
  if (old === undefined) return { old, base: old, saved }
  const isOurs = saved?.written === digestOf(old)
  return { old, base: isOurs ? (saved.original ?? undefined) : format.strip(old, saved, path), saved }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const missingFolders = (folder: string): readonly string[] =>
  isThere(folder) ? [] : [folder, ...missingFolders(dirname(folder))]

const TRIES = 500
const PAUSE = 20

async function whileLocked<T>(file: string, run: () => Promise<T>, left = TRIES): Promise<T> {
  const held = await lock(file, () => 'carabiner hooks install')
  if ('release' in held)
    try {
      return await run()
    } finally {
      await held.release()
    }
  if (left === 0) throw fault('E_INSTALL', file, `process ${held.holder.pid} holds its lock`, AGAIN)
  await wait(PAUSE)
  return whileLocked(file, run, left - 1)
}
