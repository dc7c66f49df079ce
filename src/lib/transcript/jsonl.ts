import { constants, copyFileSync, existsSync, readdirSync, renameSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { errorMessage } from '../errors.ts'
import { fault } from '../faults.ts'
import { Appender } from './appender.ts'
import type { Signatures } from './chain.ts'
import { realDisk, type Disk } from './disk.ts'
import type { Rec } from './entry.ts'
import { bytesIn, loadFile, pageOfFile, withOpenFile } from './file.ts'
import { lock, type Holder, type Lock } from '../world/lock/lock.ts'
import type { Cursor, LoadedTranscript, Page, SessionKey, TranscriptStore, TranscriptWriter } from './store.ts'
import { ifThere } from '../world/files/paths.ts'
import { verifyChain } from './verify-chain.ts'

/** A name that is a single path segment. */
const NAME = /^[\w-][\w.-]{0,200}$/

/**
 * Stores transcripts as JSON Lines, where other tools look for them: `<root>/<project>/<session>.jsonl`, and
 * `<root>/<project>/<session>/subagents/agent-<id>.jsonl`. Existing lines are never changed.
 */
export class JsonlStore implements TranscriptStore {
  readonly root: string
  readonly #disk: Disk
  readonly #signatures: Signatures | undefined
  /** Files whose names are durable. An existing file may not be: its creator may have crashed before the sync. */
  readonly #named = new Set<string>()
  readonly #locks = new Map<string, Lock>()

  constructor(root: string, disk: Disk = realDisk, signatures?: Signatures) {
    this.root = root
    this.#disk = disk
    this.#signatures = signatures
  }

  pathOf({ projectKey, sessionId, subpath }: SessionKey): string {
    const steps = [projectKey, sessionId, ...(subpath?.split('/') ?? [])]
    const wrong = steps.find(step => !NAME.test(step) || step.includes('..'))
    if (wrong !== undefined)
      throw fault('E_OPTION_INVALID', 'the name of a transcript', JSON.stringify(wrong), 'letters, digits, _, . and -')
    return `${join(this.root, ...steps)}.jsonl`
  }

  /** Whether someone else may have written lines of it. */
  mayBeForged(key: SessionKey): boolean {
    return this.#signatures !== undefined && verifyChain(this.pathOf(key), key, this.#signatures)?.verdict !== 'signed'
  }

  async append(key: SessionKey, entries: readonly Rec[]): Promise<void> {
    const writer = await this.open(key, () => 'writing')
    if ('holder' in writer) throw fault('E_SESSION_BUSY', key.sessionId, holderText(writer.holder))
    try {
      for (const entry of entries) writer.write(entry)
    } finally {
      await writer.close()
    }
  }

  async load(key: SessionKey): Promise<LoadedTranscript | undefined> {
    return loadFile(this.pathOf(key), this.#disk, key)
  }

  async page(key: SessionKey, before?: Cursor): Promise<Page | undefined> {
    return pageOfFile(this.pathOf(key), this.#disk, key, before)
  }

  async open(key: SessionKey, doing: () => string): Promise<TranscriptWriter | { readonly holder: Holder }> {
    const path = this.pathOf(key)
    // The writer of a session also writes the transcripts of its subagents.
    const session = this.pathOf({ ...key, subpath: undefined })
    const held = this.#locks.get(session)
    if (key.subpath !== undefined) return fenced(await this.#appender(key, path, held), held)
    const locked = await lock(path, doing).catch((error: NodeJS.ErrnoException) => {
      throw fault('E_TRANSCRIPT', path, `${errorMessage(error)} (${error.code ?? 'no code'})`, '0')
    })
    if ('holder' in locked) return locked
    this.#locks.set(session, locked)
    const release = (): Promise<void> => {
      this.#locks.delete(session)
      return locked.release()
    }
    try {
      // Through another hard link (some backups create them) the file would have another lock.
      const names = statSync(path, { throwIfNoEntry: false })?.nlink ?? 1
      if (locked.isTakenOver || names > 1) await this.#fence(key)
      return fenced(await this.#appender(key, path, locked), locked, release)
    } catch (error) {
      await release()
      throw error
    }
  }

  async #appender(key: SessionKey, path: string, held: Lock | undefined): Promise<Appender> {
    try {
      const end = await this.#end(key, path)
      const { last, isTorn, isNew } = end
      const isNamed = !isNew && this.#named.has(path)
      // The root may be new, and so may its parent folder.
      const folders = isNamed ? [] : this.#foldersToSync(path, dirname(dirname(this.root)))
      const onNamed = (): void => void this.#named.add(path)
      const chain = this.#signatures?.chainFor(key, end, held)
      return new Appender(path, this.#disk, { last, isTorn, folders, onNamed, chain })
    } catch (error) {
      throw fault('E_TRANSCRIPT', path, errorMessage(error), '0')
    }
  }

  /** A name is durable once its folder is synced: that of the file, and those of its parents up to `last`. */
  #foldersToSync(path: string, last: string): readonly string[] {
    const folders: string[] = []
    for (let each = path; each !== last && dirname(each) !== each; each = dirname(each))
      if (!this.#disk.isNameDurable(each)) folders.push(dirname(each))
    return folders
  }

  /** Replaces files by copies: what another process writes to the old ones does not reach them. */
  async #fence(key: SessionKey): Promise<void> {
    for (const subpath of [undefined, ...(await this.listSubkeys(key))]) {
      const path = this.pathOf({ ...key, subpath })
      if (!existsSync(path)) continue
      await rm(`${path}.copy`, { force: true })
      copyFileSync(path, `${path}.copy`, constants.COPYFILE_EXCL)
      renameSync(`${path}.copy`, path)
    }
  }

  async #end(
    key: SessionKey,
    path: string
  ): Promise<{ readonly last: number; readonly mac?: string; readonly isTorn: boolean; readonly isNew: boolean }> {
    let last = 0
    let mac: string | undefined
    let before: Cursor | undefined
    do {
      const page: Page | undefined = await this.page(key, before)
      if (page === undefined) return { last: 0, isTorn: false, isNew: true }
      for (const { seq, mac: signature } of page.entries) {
        if (Number(seq ?? 0) <= last) continue
        last = Number(seq)
        mac = typeof signature === 'string' ? signature : undefined
      }
      before = page.before
    } while (last === 0 && before !== undefined)
    const isTorn = withOpenFile(path, this.#disk, file => {
      const size = this.#disk.size(file)
      return size > 0 && bytesIn(file, this.#disk, size - 1, 1)[0] !== 10
    })
    return { last, ...(mac !== undefined && { mac }), isTorn: isTorn ?? false, isNew: false }
  }

  async listSessions(projectKey: string): Promise<readonly { readonly sessionId: string; readonly mtime: number }[]> {
    const folder = dirname(this.pathOf({ projectKey, sessionId: 'any' }))
    return namesIn(folder).flatMap(name => {
      if (!name.endsWith('.jsonl')) return []
      const stat = statSync(join(folder, name), { throwIfNoEntry: false })
      return stat?.isFile() === true ? [{ sessionId: name.slice(0, -'.jsonl'.length), mtime: stat.mtimeMs }] : []
    })
  }

  idsIn(projectKey: string): readonly string[] {
    const names = namesIn(join(this.root, projectKey))
    return names.filter(name => name.endsWith('.jsonl')).map(name => name.slice(0, -'.jsonl'.length))
  }

  projects(): readonly string[] {
    return namesIn(this.root)
  }

  projectOf(sessionId: string, likely: string): string | undefined {
    return [likely, ...this.projects()].find(projectKey => existsSync(this.pathOf({ projectKey, sessionId })))
  }

  async listSubkeys({ projectKey, sessionId }: Omit<SessionKey, 'subpath'>): Promise<readonly string[]> {
    const folder = this.pathOf({ projectKey, sessionId }).slice(0, -'.jsonl'.length)
    const names = namesIn(folder, true).filter(name => name.endsWith('.jsonl'))
    return names.map(name => relative(folder, join(folder, name)).split(sep).join('/').slice(0, -'.jsonl'.length))
  }

  async delete(key: SessionKey): Promise<void> {
    const path = this.pathOf(key)
    for (const subpath of [undefined, ...(key.subpath === undefined ? await this.listSubkeys(key) : [])])
      this.#signatures?.forget({ ...key, subpath: subpath ?? key.subpath })
    await rm(path, { force: true })
    if (key.subpath === undefined) await rm(path.slice(0, -'.jsonl'.length), { recursive: true, force: true })
  }
}

export const holderText = ({ pid, since, doing, host, until }: Holder): string =>
  [
    `process ${pid}${host === undefined ? '' : ` on ${host}`} has had it since ${since}`,
    ...(doing === undefined || doing === '' ? [] : [`and is ${doing}`]),
    ...(until === undefined ? [] : [`and its lease ends at ${until} unless it is renewed`])
  ].join(', ')

function fenced(writer: Appender, locked: Lock | undefined, release?: () => Promise<void>): TranscriptWriter {
  if (locked === undefined) return writer
  return {
    get last() {
      return writer.last
    },
    write(entry, json) {
      writer.guard(locked)
      writer.write(entry, json)
    },
    async flush() {
      await writer.flush()
      writer.guard(locked)
    },
    async close() {
      try {
        await writer.close()
      } finally {
        await release?.()
      }
    }
  }
}

const namesIn = (folder: string, recursive = false): readonly string[] =>
  ifThere(() => readdirSync(folder, { recursive }).map(String)) ?? []
