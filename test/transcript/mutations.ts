/** All that may happen to a file that was written in good order. */
import * as fc from '../support/fast-check.ts'

/** One change: what, and where; the numbers are taken modulo what there is. */
export interface Mutation {
  readonly kind: (typeof KINDS)[number]
  readonly at: number
  readonly to: number
  readonly size: number
}

const KINDS = [
  'torn',
  'glued',
  'duplicated',
  'spliced',
  'swapped',
  'removed',
  'zeros',
  'flipped',
  'rubbish',
  'stutter'
] as const

/** What looks like an entry, or like parts of one. */
const RUBBISH = [
  '{"seq":',
  ',"crc":"',
  '{"seq":1,"type":"user","uuid":"x","crc":"00000000"}',
  '{"seq":2,"type":"user"}',
  '{"type":"user","uuid":"x","message":{"role":"user","content":"not ours"}}',
  '\n',
  '\n{"seq":3,',
  '"}',
  '{"seq":{"seq":{"seq":'.repeat(20),
  ',"crc":"'.repeat(50),
  '\u0000',
  'ÿþ',
  '[1,2,3]\n',
  'null\n',
  '{}\n',
  '{"seq":9007199254740993,"type":"user","crc":"deadbeef"}\n'
]

export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    at: fc.nat({ max: 1 << 24 }),
    to: fc.nat({ max: 1 << 24 }),
    size: fc.nat({ max: 200 })
  }),
  { minLength: 1, maxLength: 4 }
)

/** The file after all changes. `strangers` are lines of other files. */
export const mutated = (bytes: Buffer, strangers: readonly Buffer[], changes: readonly Mutation[]): Buffer =>
  changes.reduce((left, change) => mutate(left, strangers, change), bytes)

function mutate(bytes: Buffer, strangers: readonly Buffer[], { kind, at, to, size }: Mutation): Buffer {
  const byte = at % (bytes.length + 1)
  const lines = (change: (lines: Buffer[]) => void): Buffer => {
    const all = linesOf(bytes)
    if (all.length > 0) change(all)
    return Buffer.concat(all)
  }
  if (kind === 'torn') return bytes.subarray(0, byte)
  if (kind === 'zeros') return Buffer.from(bytes).fill(0, byte, Math.min(bytes.length, byte + size))
  if (kind === 'flipped') return flipped(bytes, byte, to % 8)
  if (kind === 'rubbish') return inserted(bytes, byte, Buffer.from(RUBBISH[to % RUBBISH.length]!))
  if (kind === 'stutter') return inserted(bytes, byte, bytes.subarray(Math.max(0, byte - size), byte))
  if (kind === 'glued')
    return lines(all => {
      const place = at % all.length
      all[place] = all[place]!.subarray(0, -1)
    })
  if (kind === 'duplicated') return lines(all => all.splice(to % (all.length + 1), 0, all[at % all.length]!))
  if (kind === 'spliced') return lines(all => all.splice(to % (all.length + 1), 0, strangers[at % strangers.length]!))
  if (kind === 'removed') return lines(all => all.splice(at % all.length, 1 + (size % 3)))
  return lines(all => {
    const [one, other] = [at % all.length, to % all.length]
    ;[all[one], all[other]] = [all[other]!, all[one]!]
  })
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  if (at >= bytes.length) return bytes
  const changed = Buffer.from(bytes)
  changed[at]! ^= 1 << bit
  return changed
}

const inserted = (bytes: Buffer, at: number, more: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)])

/** With their ends. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(10, from) + 1 || bytes.length
    lines.push(bytes.subarray(from, end))
    from = end
  }
  return lines
}
