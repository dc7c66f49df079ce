/**
 * Every call that goes to the file system, one by one: a test may do something before each, or in its place. What is
 * patched is Node's own module, so the code under test needs no door for it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

type Call = (...args: unknown[]) => unknown

/** Told of each call before it is made. Makes it, as it is or with other arguments, or throws in its place. */
export type Watch = (name: string, make: (...args: unknown[]) => unknown, args: readonly unknown[]) => unknown

const watching = new AsyncLocalStorage<Watch>()

/** The original functions of Node, for the tests themselves. */
export const untouched = { ...fs }

function patch(on: Record<string, unknown>, names: readonly string[]): void {
  for (const name of names) {
    const original = on[name]
    if (typeof original !== 'function') continue
    const call = original as Call
    const patched = function (this: unknown, ...args: unknown[]): unknown {
      const watch = watching.getStore()
      const make = (...others: unknown[]): unknown => call.apply(this, others.length === 0 ? args : others)
      return watch === undefined ? make() : watching.exit(() => watch(name, make, args))
    }
    on[name] = Object.assign(patched, original)
  }
}

const SYNC = ['lstatSync', 'statSync', 'statfsSync', 'readSync', 'renameSync', 'linkSync', 'unlinkSync', 'readlinkSync']
const ASYNC = ['access', 'lstat', 'mkdir', 'open', 'readdir', 'readFile', 'unlink']
const HANDLE = ['stat', 'read', 'writev', 'sync', 'chown', 'chmod', 'close']

let isPatched = false

/** Runs this, and calls `watch` for each call that it makes. */
export async function withWatchedFs<T>(watch: Watch, run: () => Promise<T>): Promise<T> {
  if (!isPatched) {
    isPatched = true
    const handle = await fs.promises.open(import.meta.filename)
    patch(Object.getPrototypeOf(handle) as Record<string, unknown>, HANDLE)
    await handle.close()
    patch(fs as unknown as Record<string, unknown>, SYNC)
    patch(fs.promises as unknown as Record<string, unknown>, ASYNC)
    syncBuiltinESMExports()
  }
  return watching.run(watch, run)
}

/** An error as the system gives it. */
export const systemError = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code })
