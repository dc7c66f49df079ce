import { join, sep } from 'node:path'
import { hides } from '../../util/escape.ts'
import { pathFrom } from '../../world/files/paths.ts'

/**
 * A file name as a line of text. A name that contains line ends, control characters or invalid text is quoted for the
 * shell: `$'a\nb\xff'`.
 */
export function shownName(bytes: Buffer): string {
  const text = bytes.toString()
  const isText = Buffer.from(text).equals(bytes)
  if (isText && !hides(text) && !text.startsWith("$'")) return text
  return `$'${isText ? Array.from(text, escaped).join('') : escapedBytes(bytes)}'`
}

function escaped(char: string): string {
  if (char === '\\' || char === "'") return `\\${char}`
  return hides(char) ? escapedBytes(Buffer.from(char)) : char
}

function escapedBytes(bytes: Buffer): string {
  let out = ''
  for (const byte of bytes) {
    const char = String.fromCharCode(byte)
    if (char === '\\' || char === "'") out += `\\${char}`
    else if (char === '\n') out += '\\n'
    else out += byte < 32 || byte > 126 ? `\\x${byte.toString(16).padStart(2, '0')}` : char
  }
  return out
}

export function prefixOf(folder: string, cwd: string): string {
  const way = pathFrom(cwd, folder)
  return way === '' ? '' : join(way ?? folder, sep)
}
