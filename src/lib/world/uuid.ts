import { randomFillSync } from 'node:crypto'

const SIZE = 16
const random = new Uint8Array(SIZE * 256)
let used = random.length
const text = Buffer.from('00000000-0000-4000-8000-000000000000', 'latin1')
const DIGITS = Buffer.from('0123456789abcdef', 'latin1')
/** Where the two digits of each byte are. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/**
 * A random UUID (version 4) as one flat string. What Node's own function returns is a tree of 20 strings for as long as it
 * is kept: that was half of the memory that a turn leaves behind, and most of what the garbage collector had to copy.
 */
export function randomUuid(): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  let at = used
  used += SIZE
  for (const place of PLACES) {
    let byte = random[at++] ?? 0
    if (place === 14) byte = (byte & 0x0f) | 0x40
    else if (place === 19) byte = (byte & 0x3f) | 0x80
    text[place] = DIGITS[byte >> 4] ?? 0
    text[place + 1] = DIGITS[byte & 15] ?? 0
  }
  return text.toString('latin1')
}
