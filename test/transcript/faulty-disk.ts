/** A disk in memory on which any step may fail, and its contents afterwards. */
import { dirname } from 'node:path'
import type { Disk } from '../../src/lib/transcript/disk.ts'

/** Something that changes the disk. What only reads is not counted. */
export interface DiskStep {
  readonly kind: 'makeFolder' | 'openToAppend' | 'write' | 'sync' | 'syncFolder' | 'close'
  readonly path: string
  /** What was to be written. */
  readonly bytes?: Uint8Array
}

export type DiskFault =
  /** It fails, and nothing is done. */
  | { readonly fail: 'ENOSPC' | 'EIO' | 'EACCES' }
  /** Only this number of bytes is written, and no error is reported. */
  | { readonly short: number }
  /**
   * The process is gone. Of a write, this number of bytes was written; any other step was done if it is not 0, and
   * the process did not see the result.
   */
  | { readonly crash: number }

/** What is to go wrong at this step; the first one is 1. */
export type Plan = (step: DiskStep, number: number) => DiskFault | undefined

/** What a new process may find: all that was written, only what was made safe, or that and some of the rest. */
export type ImageKind = 'cache' | 'synced' | 'half'
export const IMAGES: readonly ImageKind[] = ['cache', 'synced', 'half']

/** Files by their paths. */
export type Image = ReadonlyMap<string, Buffer>

interface File {
  bytes: Buffer
  length: number
  /** So many of its bytes are safe. */
  synced: number
}

/** Smaller than in life, so that a few lines have many. */
const PAGE = 64

export class FaultyDisk implements Disk {
  readonly #plan: Plan
  /** A folder that was there before. */
  readonly #ground: string
  readonly #files = new Map<string, File>()
  readonly #folders = new Set<string>()
  /** Files and folders whose names are safe. */
  readonly #named = new Set<string>()
  readonly #open = new Map<number, string>()
  readonly #reading = new Set<number>()
  #next = 3
  readonly steps: DiskStep[] = []
  isCrashed = false

  constructor({ plan = () => undefined, ground = '/', image }: { plan?: Plan; ground?: string; image?: Image } = {}) {
    this.#plan = plan
    this.#ground = ground
    for (const [path, bytes] of image ?? []) {
      this.#files.set(path, { bytes: Buffer.from(bytes), length: bytes.length, synced: bytes.length })
      this.#addFolders(dirname(path))
      for (let each = path; each !== ground && dirname(each) !== each; each = dirname(each)) this.#named.add(each)
    }
  }

  makeFolder(path: string): void {
    this.#step({ kind: 'makeFolder', path }, () => this.#addFolders(path))
  }

  openToAppend(path: string): number {
    return this.#step({ kind: 'openToAppend', path }, () => {
      if (!this.#folders.has(dirname(path)) && dirname(path) !== this.#ground) throw failure('ENOENT')
      if (!this.#files.has(path)) this.#files.set(path, { bytes: Buffer.alloc(1024), length: 0, synced: 0 })
      return this.#opened(path)
    })
  }

  write(file: number, bytes: Uint8Array, from: number): number {
    const path = this.#pathOf(file)
    const rest = bytes.subarray(from)
    return this.#step({ kind: 'write', path, bytes: rest }, most => {
      const taken = Math.min(rest.length, most)
      this.#append(path, rest.subarray(0, taken))
      return taken
    })
  }

  async sync(file: number): Promise<void> {
    const path = this.#pathOf(file)
    this.#step({ kind: 'sync', path }, () => (this.#files.get(path)!.synced = this.#files.get(path)!.length))
  }

  async syncFolder(path: string): Promise<void> {
    this.#step({ kind: 'syncFolder', path }, () => {
      for (const each of [...this.#files.keys(), ...this.#folders]) if (dirname(each) === path) this.#named.add(each)
    })
  }

  isNameDurable(path: string): boolean {
    return this.#named.has(path)
  }

  close(file: number): void {
    const path = this.#pathOf(file)
    if (this.#reading.delete(file)) this.#open.delete(file)
    else this.#step({ kind: 'close', path }, () => this.#open.delete(file))
  }

  openToRead(path: string): number {
    this.#mustLive()
    if (!this.#files.has(path)) throw failure('ENOENT')
    this.#reading.add(this.#next)
    return this.#opened(path)
  }

  size(file: number): number {
    this.#mustLive()
    return this.#files.get(this.#pathOf(file))!.length
  }

  read(file: number, into: Uint8Array, at: number): number {
    this.#mustLive()
    const { bytes, length } = this.#files.get(this.#pathOf(file))!
    return bytes.copy(into, 0, at, Math.min(length, at + into.length))
  }

  /** What a new process finds. `torn`: a write that was under way, as far as it had come. */
  image(kind: ImageKind, random: () => number, torn?: DiskStep): Image {
    const image = new Map<string, Buffer>()
    for (const [path, { bytes, length, synced }] of this.#files) {
      const written = bytes.subarray(0, length)
      const all = torn?.path === path ? Buffer.concat([written, torn.bytes!]) : Buffer.from(written)
      if (kind === 'cache') image.set(path, all)
      else if (this.#isNamed(path))
        image.set(path, kind === 'synced' ? all.subarray(0, synced) : half(all, synced, random))
      else if (kind === 'half' && random() < 0.5) image.set(path, half(all, synced, random))
    }
    return image
  }

  /** The process is gone, and another one finds the same disk: what was not safe is not safe. */
  revived(): FaultyDisk {
    const disk = new FaultyDisk({ ground: this.#ground })
    for (const [path, { bytes, length, synced }] of this.#files)
      disk.#files.set(path, { bytes: Buffer.from(bytes), length, synced })
    for (const each of this.#folders) disk.#folders.add(each)
    for (const each of this.#named) disk.#named.add(each)
    return disk
  }

  /** Files that are open. */
  get opened(): readonly string[] {
    return [...this.#open.values()]
  }

  #step<T>(step: DiskStep, work: (most: number) => T): T {
    this.#mustLive()
    this.steps.push(step)
    const fault = this.#plan(step, this.steps.length)
    if (fault === undefined) return work(Number.POSITIVE_INFINITY)
    if ('fail' in fault) throw failure(fault.fail)
    if ('short' in fault) return work(fault.short)
    if (fault.crash > 0) work(fault.crash)
    this.isCrashed = true
    throw failure('ECRASH')
  }

  #mustLive(): void {
    if (this.isCrashed) throw failure('ECRASH')
  }

  #opened(path: string): number {
    this.#open.set(this.#next, path)
    return this.#next++
  }

  #pathOf(file: number): string {
    const path = this.#open.get(file)
    if (path === undefined) throw failure('EBADF')
    return path
  }

  #addFolders(path: string): void {
    for (let each = path; each !== this.#ground && dirname(each) !== each; each = dirname(each)) this.#folders.add(each)
  }

  #append(path: string, more: Uint8Array): void {
    const file = this.#files.get(path)!
    const length = file.length + more.length
    if (length > file.bytes.length) {
      const bytes = Buffer.alloc(2 * length)
      file.bytes.copy(bytes, 0, 0, file.length)
      file.bytes = bytes
    }
    file.bytes.set(more, file.length)
    file.length = length
  }

  /** Whether a new process would find it by its name. */
  #isNamed(path: string): boolean {
    for (let each = path; each !== this.#ground && dirname(each) !== each; each = dirname(each))
      if (!this.#named.has(each)) return false
    return true
  }
}

/** What was safe, and some of the rest: it may end anywhere, and pages of it may never have come. */
function half(bytes: Buffer, synced: number, random: () => number): Buffer {
  const end = synced + Math.floor(random() * (bytes.length - synced + 1))
  const left = Buffer.from(bytes.subarray(0, end))
  for (let from = synced; from < end;) {
    const to = Math.min(end, (Math.floor(from / PAGE) + 1) * PAGE)
    if (random() < 0.25) left.fill(0, from, to)
    from = to
  }
  return left
}

const failure = (code: string): Error => Object.assign(new Error(`${code}: the disk says no`), { code })
