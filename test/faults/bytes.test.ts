import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { effectOf, inTurn, faultScene, type FaultScene } from './scene.ts'
import { PROFILES } from '../support/hook-inputs.ts'

const ALLOW = '{"decision":"allow"}'
const BOM = Buffer.of(0xef, 0xbb, 0xbf)
const utf8 = (text: string): Buffer => Buffer.from(text)
const join2 = (...parts: readonly (Buffer | string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? utf8(part) : Buffer.from(part as Buffer))))

/** Bytes that are nowhere in UTF-8, or not in that place. */
const NOT_UTF8: readonly (readonly [string, readonly number[]])[] = [
  ['a lone continuation, lowest', [0x80]],
  ['a lone continuation, highest', [0xbf]],
  ['two continuations', [0x80, 0xbf]],
  ['six continuations', [0x80, 0xbf, 0x80, 0xbf, 0x80, 0xbf]],
  ['C0, which nothing begins with', [0xc0, 0x20]],
  ['C1, which nothing begins with', [0xc1, 0x20]],
  ['F5, which nothing begins with', [0xf5, 0x80, 0x80, 0x80]],
  ['FE', [0xfe]],
  ['FF', [0xff]],
  ['a sequence of two that breaks off', [0xc3]],
  ['a sequence of three that breaks off after one', [0xe2]],
  ['a sequence of three that breaks off after two', [0xe2, 0x82]],
  ['a sequence of four that breaks off after one', [0xf0]],
  ['a sequence of four that breaks off after two', [0xf0, 0x9f]],
  ['a sequence of four that breaks off after three', [0xf0, 0x9f, 0x98]],
  ['a slash, two bytes long', [0xc0, 0xaf]],
  ['a slash, three bytes long', [0xe0, 0x80, 0xaf]],
  ['a slash, four bytes long', [0xf0, 0x80, 0x80, 0xaf]],
  ['a NUL, two bytes long', [0xc0, 0x80]],
  ['a quote, two bytes long', [0xc0, 0xa2]],
  ['a brace, two bytes long', [0xc1, 0xbd]],
  ['half of a surrogate pair, the first', [0xed, 0xa0, 0x80]],
  ['half of a surrogate pair, the last of the firsts', [0xed, 0xaf, 0xbf]],
  ['half of a surrogate pair, the second', [0xed, 0xb0, 0x80]],
  ['a whole surrogate pair', [0xed, 0xa1, 0x80, 0xed, 0xb0, 0x80]],
  ['beyond the last character', [0xf4, 0x90, 0x80, 0x80]],
  ['five bytes', [0xf8, 0x88, 0x80, 0x80, 0x80]],
  ['six bytes', [0xfc, 0x84, 0x80, 0x80, 0x80, 0x80]],
  ['an é of Latin-1', [0xe9]],
  ['a € of Windows-1252', [0x80, 0x20]],
  ['a mark of UTF-16, little end first', [0xff, 0xfe]],
  ['a mark of UTF-16, big end first', [0xfe, 0xff]]
]

const within = (bytes: readonly number[]): Buffer => join2('{"decision":"allow","reason":"', bytes, '"}')

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')
const swapped = (text: string): Buffer => utf16(text).swap16()

/** Text with a decision in it closes the gate in strict; in compat it is no opinion, and is marked. */
const EFFECTS = {
  output: ['closed: output', 'open, marked: output'],
  reply: ['closed: reply', 'open, marked: reply'],
  text: ['closed: reply', 'no opinion, marked']
}

const CLOSED: readonly (readonly [string, Buffer, keyof typeof EFFECTS])[] = [
  ...NOT_UTF8.map(([name, bytes]) => [`${name}, in a reason`, within(bytes), 'output'] as const),
  ['a broken byte before', join2([0xff], ALLOW), 'output'],
  ['a broken byte behind', join2(ALLOW, [0xff]), 'output'],
  ['a broken byte in a key', join2('{"decision":"allow","', [0xff], '":1}'), 'output'],
  ['a broken byte in text', join2('all is well ', [0xe9]), 'output'],
  ['a sequence that breaks off at the end', join2(ALLOW, [0xe2, 0x82]), 'output'],
  ['UTF-16, little end first', utf16(ALLOW), 'output'],
  ['UTF-16, little end first, marked', join2([0xff, 0xfe], utf16(ALLOW)), 'output'],
  ['UTF-16, big end first', swapped(ALLOW), 'output'],
  ['UTF-16, big end first, marked', join2([0xfe, 0xff], swapped(ALLOW)), 'output'],
  ['UTF-32', join2(...Array.from(ALLOW, char => [char.charCodeAt(0), 0, 0, 0])), 'output'],
  ['UTF-32, marked', join2([0xff, 0xfe, 0, 0], ...Array.from(ALLOW, char => [char.charCodeAt(0), 0, 0, 0])), 'output'],
  ['a NUL before', join2([0], ALLOW), 'output'],
  ['a NUL behind', join2(ALLOW, [0]), 'output'],
  ['a NUL in a reason', within([0]), 'output'],
  ['a NUL and nothing else', Buffer.of(0), 'output'],
  ['a thousand NULs', Buffer.alloc(1000), 'output'],
  ['NULs instead of blanks', join2('{', [0], '"decision":"allow"', [0], '}'), 'output'],
  ['the mark of UTF-8 twice', join2(BOM, BOM, ALLOW), 'text'],
  ['the mark of UTF-8 three times', join2(BOM, BOM, BOM, ALLOW), 'text'],
  ['the mark of UTF-8 behind', join2(ALLOW, BOM), 'reply'],
  ['the mark of UTF-8 after a blank', join2(' ', BOM, ALLOW), 'text'],
  ['the mark of UTF-8 within', join2('{', BOM, '"decision":"allow"}'), 'reply'],
  ['half of the mark of UTF-8', join2([0xef, 0xbb], ALLOW), 'output'],
  ['a blank that JSON does not know before', join2('\u00a0', ALLOW), 'text'],
  ['a line separator behind', join2(ALLOW, '\u2028'), 'reply'],
  ['a blank of no width before', join2('\u200b', ALLOW), 'text'],
  ['an escape that is none', utf8('{"decision":"\\xff"}'), 'reply'],
  ['a bell in a reason', within([7]), 'reply'],
  ['a newline in a reason', within([10]), 'reply'],
  ['an escape character before', join2([0x1b], '[0m', ALLOW), 'text']
]

const ACCEPTED: readonly (readonly [string, Buffer, string])[] = [
  ['the mark of UTF-8, once', join2(BOM, ALLOW), 'allowed'],
  ['the mark of UTF-8 and nothing else', BOM, 'no opinion'],
  ['blanks and newlines around', utf8(` \t\r\n${ALLOW}\r\n\n`), 'allowed'],
  ['characters of two, three and four bytes', within([...utf8('é€😀')]), 'allowed'],
  ['the last character there is', within([0xf4, 0x8f, 0xbf, 0xbf]), 'allowed'],
  ['the character for what cannot be read', within([0xef, 0xbf, 0xbd]), 'allowed'],
  ['a NUL, as an escape', utf8('{"decision":"allow","reason":"\\u0000"}'), 'allowed']
]

async function effectsOf({ ask, folder }: FaultScene, bytes: Buffer, index: number): Promise<readonly string[]> {
  const file = join(folder, `bytes-${index}`)
  writeFileSync(file, bytes)
  return inTurn(PROFILES, 2, async profile => effectOf(await ask({ command: 'cat', args: [file] }, { profile })))
}

// FM14
describe('what is not UTF-8, or not quite JSON', () => {
  test('comes in 64 forms at least', () => {
    expect(CLOSED.length + ACCEPTED.length).toBeGreaterThanOrEqual(64)
  })

  test.each(CLOSED.map(([name, bytes, kind], index) => ({ name, bytes, kind, index })))(
    '$name closes the gate',
    async ({ bytes, kind, index }) => {
      expect(await effectsOf(faultScene(), bytes, index)).toEqual(EFFECTS[kind])
    }
  )

  test.each(ACCEPTED.map(([name, bytes, effect], index) => ({ name, bytes, effect, index })))(
    '$name is fine',
    async ({ bytes, effect, index }) => {
      expect(await effectsOf(faultScene(), bytes, index)).toEqual([effect, effect])
    }
  )
})

// FM14, F107
test('what is not UTF-8 on stderr, or beside exit code 2, takes no refusal back', async () => {
  const { ask } = faultScene()
  expect(await ask({ command: "printf 'no\\377\\000' >&2; exit 2" })).toMatchObject({ decision: 'deny', failures: [] })
  expect(await ask({ command: "printf '\\377'; exit 2" })).toMatchObject({ decision: 'deny', failures: [] })
  expect(effectOf(await ask({ command: `printf '\\377' >&2; printf '${ALLOW}'` }))).toBe('allowed')
})

// FM14
test('a character that comes in two pieces is whole', async () => {
  const { ask } = faultScene()
  const command = `printf '{"decision":"deny","reason":"\\342'; sleep 0.1; printf '\\202\\254"}'`
  expect(await ask({ command })).toMatchObject({ decision: 'deny', reason: '€' })
})
