import { shownPath } from '../../world/files/files.ts'

/** So much of a file, in bytes, is looked at to tell what it is. */
export const HEAD = 8192

const IMAGES: readonly (readonly [type: string, beginning: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/]
]

export function imageType(head: Buffer): string | undefined {
  const beginning = head.toString('hex', 0, 16)
  return IMAGES.find(([, pattern]) => pattern.test(beginning))?.[0]
}

/** Throws when what begins so is no text, or none in an encoding that can be searched for UTF-8. */
export function refuseBinary(head: Buffer, path: string): void {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  if (isWide) throw new Error(`${shownPath(path)} is UTF-16; convert it to UTF-8 first, for example with iconv`)
  if (!head.subarray(0, HEAD).includes(0)) return
  const what = head.toString('latin1', 0, 5) === '%PDF-' ? 'a PDF' : 'a binary file (it holds NUL bytes)'
  throw new Error(`${shownPath(path)} is ${what}, not text; look into it with a command`)
}
