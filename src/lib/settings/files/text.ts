import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'

const LARGEST = 4 * 1024 * 1024

/** `missing` is not a fault: most settings files are optional. */
export type Text =
  | { readonly text: string }
  | { readonly missing: true }
  | { readonly fault: string; readonly fix: string }

/** Never blocks, whatever is at the path: a pipe, a folder, a device. */
export function readText(file: string): Text {
  try {
    // An error costs ten times as much as this question, and most settings files are missing.
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return { missing: true }
    return withDescriptor(file, descriptor => {
      const stat = fstatSync(descriptor)
      if (!stat.isFile()) return { fault: 'is not an ordinary file', fix: 'put a file of JSON there' }
      if (stat.size > LARGEST) return { fault: `is larger than ${LARGEST} bytes`, fix: 'split it, or check what it is' }
      return decode(readAll(descriptor, stat.size))
    })
  } catch (error) {
    return unreadable(error, file)
  }
}

/** An ordinary `open` would wait forever on a pipe without a writer. */
function withDescriptor<T>(file: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Throws for anything but an ordinary file: a pipe or `/dev/zero` never ends. */
export const withFile = <T>(file: string, use: (descriptor: number) => T): T =>
  withDescriptor(file, descriptor => {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${file} is not an ordinary file`)
    return use(descriptor)
  })

function readAll(descriptor: number, size: number): Buffer {
  const buffer = Buffer.alloc(size)
  let filled = 0
  for (let read = -1; filled < size && read !== 0; filled += read) {
    read = readSync(descriptor, buffer, filled, size - filled, null)
  }
  return buffer.subarray(0, filled)
}

function unreadable(error: unknown, file: string): Text {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    return { fault: 'is a link that leads nowhere', fix: 'put the file itself there, or delete the link' }
  if (code === 'ENOENT' || code === 'ENOTDIR') return { missing: true }
  return { fault: `cannot be read (${message})`, fix: 'check who may read it' }
}

function decode(bytes: Buffer): Text {
  const fix = 'save it as UTF-8'
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? { fault: 'holds NUL bytes', fix } : { text }
  } catch {
    return { fault: 'is not UTF-8', fix }
  }
}
