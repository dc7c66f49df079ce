import { createHash } from 'node:crypto'

/** A UUID (of version 5: by name) that is the same each time. */
export function uuidFrom(name: string): string {
  const bytes = createHash('sha1').update(name).digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
