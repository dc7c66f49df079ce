import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { errorMessage } from '../../errors.ts'
import { askBeacon, isDarkNow, lightBeacon, STEP_MS, STEPS, type Beacon } from './beacon.ts'
import { chainIn, type Claim, type FoundClaim } from './claims.ts'
import { explained } from '../files/files.ts'
import { addOwnFile, makeFolders, putOwnFile } from '../files/own-file.ts'
import { ifThere, realPath } from '../files/paths.ts'
import { attempt } from '../../util/attempt.ts'

export interface Holder {
  readonly pid: number
  readonly since: string
  readonly doing?: string
  readonly host?: string
  /** When its lease ends unless renewed; only for other machines, of which nothing else is known. */
  readonly until?: string
}

export interface Lock {
  /** Whether it was taken from another machine whose lease had ended, and which may still have the file open. */
  readonly isTakenOver: boolean
  /** Throws once another machine has the lock. Call it before each write: usually it only compares times. */
  check(): void
  release(): Promise<void>
}

export type Locked = Lock | { readonly holder: Holder }

export interface Machine {
  readonly host: string
  readonly name: string
  readonly lease: number
}

const LEASE = 15_000

let known: Machine | undefined

/** All namespaces of a machine share one boot id. */
function thisMachine(): Machine {
  if (known !== undefined) return known
  const named = process.env['CARABINER_HOST'] || undefined
  const bootId = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  known = { host: named ?? bootId ?? hostname(), name: named ?? hostname(), lease: LEASE }
  return known
}

const ATTEMPTS = 1_000

/**
 * Makes this process the only writer of a file, or returns the current holder. Within one machine, across its
 * namespaces, the lock ends with its process; for other machines that share the disk, 15 seconds after its last
 * renewal. `doing` is called when another process asks for the lock.
 *
 * Claims form a chain of files: the first has the name of the lock, each later one the id of the claim before it. The
 * last one holds the lock while its process is alive; after that, the process that creates the next file holds it.
 * Creating a file is exclusive, also on a shared disk, so there is one successor. The holder removes the chain starting
 * with its first file; a process that has joined a chain therefore checks again that the chain starts at the first.
 */
export async function lock(file: string, doing: () => string, machine = thisMachine()): Promise<Locked> {
  const head = headFor(file)
  const claimant = new Claimant(head, machine, doing)
  try {
    makeFolders(dirname(head))
    const older = await olderHolder(file)
    if (older !== undefined) return { holder: older }
    for (let left = ATTEMPTS; left > 0; left--) {
      const last = chainIn(head).at(-1)
      const state = last === undefined ? 'dead' : await stateOf(last, machine)
      if (typeof state === 'object') return { holder: state }
      if (state === 'leaving') await wait(STEP_MS, (left -= ATTEMPTS / STEPS))
      else if (claimant.succeed(last)) return claimant
    }
  } catch (error) {
    throw explained(error, head)
  } finally {
    claimant.settle()
  }
  return { holder: { pid: 0, since: '' } }
}

export async function holderOf(file: string, machine = thisMachine()): Promise<Holder | undefined> {
  const last = chainIn(headFor(file)).at(-1)
  const state = last === undefined ? 'dead' : await stateOf(last, machine)
  return typeof state === 'object' ? state : olderHolder(file)
}

/** A process of version 0.1.0 that holds the file: it may run beside a newer version. */
async function olderHolder(file: string): Promise<Holder | undefined> {
  if (process.platform !== 'linux') return undefined
  const hash = createHash('sha256').update(realPath(resolve(file)))
  const heard = await askBeacon(`\0carabiner-${hash.digest('hex')}`)
  return typeof heard === 'object' ? { pid: 0, since: '', ...heard } : undefined
}

/** A change takes a few milliseconds: a process that takes longer has died or was stopped. */
const SHORT = 100
const LONG = 10_000
const PAUSE = 2

function whileLocked<T>(file: string, run: () => T): T {
  const machine = thisMachine()
  const head = headFor(file)
  const claimant = new Claimant(head, machine, () => 'changing it')
  makeFolders(dirname(head))
  const begun = Date.now()
  let seen: { readonly id: string | undefined; readonly at: number } = { id: undefined, at: begun }
  try {
    for (;;) {
      const last = chainIn(head).at(-1)
      if (last?.claim.id !== seen.id) seen = { id: last?.claim.id, at: Date.now() }
      const isFree = last === undefined || (Date.now() - seen.at > SHORT && isDeadNow(last, machine))
      if (isFree && claimant.succeed(last)) return run()
      if (Date.now() - begun > LONG) throw new Error(`process ${last?.claim.pid ?? 0} has locked ${file}; try again`)
      if (!isFree) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
    }
  } finally {
    void claimant.release()
  }
}

/** Replaces a file of ours under a lock. `change` gets its text, or undefined if it does not exist. */
export const changeOwnFile = (path: string, change: (text: string | undefined) => string): void =>
  whileLocked(path, () => putOwnFile(path, change(ifThere(() => readFileSync(path, 'utf8')))))

const headFor = (file: string): string => `${realPath(resolve(file))}.lock`

const newId = (): string => randomBytes(8).toString('hex')

class Claimant implements Lock {
  readonly #head: string
  readonly #machine: Machine
  readonly #doing: () => string
  #beacon: Beacon | undefined
  #claim: Claim | undefined
  #place: string | undefined
  #renewed = 0
  #lost: string | undefined
  #timer: NodeJS.Timeout | undefined
  isTakenOver = false

  constructor(head: string, machine: Machine, doing: () => string) {
    this.#head = head
    this.#machine = machine
    this.#doing = doing
  }

  /** Appends a claim after a dead one. False if another process did, or the chain is gone. */
  succeed(last: FoundClaim | undefined): boolean {
    this.#claim ??= this.#newClaim()
    if (!this.#join(this.#claim, last?.claim.id)) return false
    this.isTakenOver = last !== undefined && !isHere(last, this.#machine)
    if (last?.claim.socket) rmSync(socketOf(last), { force: true })
    this.#timer = setInterval(() => this.#renew(), this.#machine.lease / 3).unref()
    return true
  }

  #newClaim(): Claim {
    const { host, name } = this.#machine
    const id = newId()
    const socket = `.carabiner-${id}.sock`
    const folder = dirname(this.#head)
    this.#beacon = lightBeacon(join(folder, socket), this.#doing)
    const since = new Date().toISOString()
    const device = statSync(folder).dev
    return { id, host, name, pid: process.pid, since, device, socket: this.#beacon === undefined ? null : socket }
  }

  #join(claim: Claim, after: string | undefined): boolean {
    const place = after === undefined ? this.#head : `${this.#head}.${after}`
    if (!addOwnFile(place, JSON.stringify(claim))) return false
    const now = Date.now()
    utimesSync(place, now / 1000, now / 1000)
    if (!this.#isLast(claim.id)) {
      // The first file may belong to another process by now.
      if (after !== undefined) rmSync(place, { force: true })
      return false
    }
    this.#claim = claim
    this.#place = place
    this.#renewed = now
    return true
  }

  #isLast(id: string): boolean {
    return chainIn(this.#head).at(-1)?.claim.id === id
  }

  get #isLate(): boolean {
    return Math.abs(Date.now() - this.#renewed) > (this.#machine.lease * 2) / 3
  }

  check(): void {
    if (this.#lost === undefined && this.#isLate) this.#renew()
    if (this.#lost !== undefined) throw new Error(this.#lost)
  }

  /**
   * Another machine may declare a late claim dead at any moment. A late holder must therefore append a claim before it:
   * only one of the two can be next in the chain.
   */
  #renew(): void {
    if (this.#claim === undefined || this.#place === undefined || this.#lost !== undefined) return
    const now = Date.now()
    try {
      const { id } = this.#claim
      const has = this.#isLate ? this.#join({ ...this.#claim, id: newId() }, id) : this.#isLast(id)
      if (!has) throw new Error('it was silent for too long')
      utimesSync(this.#place, now / 1000, now / 1000)
      this.#renewed = now
    } catch (error) {
      this.#lost = `this process no longer has the lock ${this.#head}: ${errorMessage(error)}`
    }
  }

  settle(): void {
    if (this.#place === undefined) this.#beacon?.close()
  }

  async release(): Promise<void> {
    clearInterval(this.#timer)
    const chain = this.#place === undefined || this.#isLate || this.#lost !== undefined ? [] : chainIn(this.#head)
    // It may have been removed by hand, and belong to another process by now.
    if (chain.at(-1)?.claim.id === this.#claim?.id) for (const { place } of chain) rmSync(place, { force: true })
    this.#place = undefined
    this.#beacon?.close()
    this.#beacon = undefined
  }
}

const isHere = ({ claim, place }: FoundClaim, { host }: Machine): boolean =>
  claim.host === host && claim.socket !== null && claim.device === statSync(dirname(place)).dev

const socketOf = ({ claim, place }: FoundClaim): string => join(dirname(place), basename(claim.socket ?? ''))

async function stateOf(found: FoundClaim, machine: Machine): Promise<Holder | 'dead' | 'leaving'> {
  const { pid, since, name } = found.claim
  const holder = { pid, since, ...(name !== machine.name && { host: name }) }
  if (isHere(found, machine)) {
    const heard = await askBeacon(socketOf(found))
    return typeof heard === 'string' ? heard : { ...holder, ...heard }
  }
  const until = found.renewed + machine.lease
  return until < Date.now() ? 'dead' : { ...holder, until: new Date(until).toISOString() }
}

const isDeadNow = (found: FoundClaim, machine: Machine): boolean =>
  isHere(found, machine) ? isDarkNow(socketOf(found)) : found.renewed + machine.lease < Date.now()
