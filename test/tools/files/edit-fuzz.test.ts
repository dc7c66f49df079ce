import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { editTool } from '../../../src/lib/tools/files/edit.ts'
import { structuredPatch } from '../../../src/lib/tools/files/patch.ts'
import { readTool } from '../../../src/lib/tools/files/read.ts'
import { searchFor } from '../../../src/lib/tools/files/edit-lines.ts'
import { refreshSeen } from '../../../src/lib/tools/files/files-read.ts'
import { afterSplices, changedRange, fingerprint, splicedPieces } from '../../../src/lib/world/files/fingerprint.ts'
import { makePlace, makeSession, use } from '../tool-kit.ts'
import { repetitions } from '../../support/seed.ts'

/** Letters of an encoding, each as its bytes. */
const ENCODINGS: Readonly<Record<string, readonly Buffer[]>> = {
  'UTF-8': ['a', 'é', '表', '😀'].map(text => Buffer.from(text)),
  BOM: ['a', 'é', '表', '😀'].map(text => Buffer.from(text)),
  'UTF-16': ['a', 'é', '表'].map(text => Buffer.from(text, 'utf16le')),
  cp1252: ['a', '\xe9', '\xfc', '\x80'].map(text => Buffer.from(text, 'latin1')),
  // 表 ends with the byte of a backslash, ア with that of A, カ is one byte.
  Shift_JIS: [[0x61], [0x95, 0x5c], [0x83, 0x41], [0xb6]].map(bytes => Buffer.from(bytes))
}

const LINE_ENDS: Readonly<Record<string, readonly string[]>> = { LF: ['\n'], CRLF: ['\r\n'], mixed: ['\n', '\r\n'] }
const INDENTS: Readonly<Record<string, string>> = { tabs: '\t', spaces: '  ' }

const MARKER = 'marker(1)'

interface Case {
  readonly before: readonly Buffer[]
  readonly after: readonly Buffer[]
  readonly indent: number
  readonly trailing: string
}

/** Lines of random letters, a line with the marker that is plain ASCII, and lines of random letters. */
function cases(letters: readonly Buffer[], lineEnds: readonly string[], unit: string): fc.Arbitrary<Case> {
  const wide = letters[0]!.length === 2
  const encode = (text: string): Buffer => Buffer.from(text, wide ? 'utf16le' : 'latin1')
  const end = fc.constantFrom(...lineEnds).map(encode)
  const line = fc
    .tuple(fc.nat(3), fc.array(fc.constantFrom(...letters), { maxLength: 8 }), end)
    .map(([depth, text, lineEnd]) => Buffer.concat([encode(unit.repeat(depth)), ...text, lineEnd]))
  return fc.record({
    before: fc.array(line, { maxLength: 6 }),
    after: fc.array(line, { maxLength: 6 }),
    indent: fc.nat(3),
    trailing: fc.constantFrom('', ...lineEnds)
  })
}

// E1, E2, E3, E4, E6, FM44: bytes outside the splice are those that were there.
describe.each(Object.keys(ENCODINGS))('%s', encoding => {
  describe.each(Object.keys(LINE_ENDS))('%s', lineEnd => {
    test.each(Object.keys(INDENTS))(
      '%s',
      async indent => {
        const { path, write, bytes, folder } = makePlace()
        const letters = ENCODINGS[encoding]!
        const unit = INDENTS[indent]!
        const file_path = path('a')
        const bom = Buffer.from(encoding === 'BOM' ? '\uFEFF' : '')
        const check = async (each: Case, isFormatted: boolean): Promise<void> => {
          const marked = encoding === 'UTF-16' ? Buffer.from(MARKER, 'utf16le') : Buffer.from(MARKER)
          const head = Buffer.concat([bom, ...each.before, Buffer.from(unit.repeat(each.indent))])
          const tail = Buffer.concat([Buffer.from(each.trailing), ...(each.trailing === '' ? [] : each.after)])
          const whole = Buffer.concat([head, marked, tail])
          write('a', whole)
          const session = makeSession(folder)
          const input = { file_path, old_string: MARKER, new_string: 'x = 2' }
          if (encoding === 'UTF-16') {
            await expect(use(readTool, { file_path }, session)).rejects.toThrow(/UTF-16|binary/)
            await expect(use(editTool, input, session)).rejects.toThrow(/UTF-16|binary/)
            expect(bytes('a').equals(whole)).toBe(true)
            return
          }
          await use(readTool, { file_path }, session)
          await use(editTool, input, session)
          const edited = Buffer.concat([head, Buffer.from('x = 2'), tail])
          expect(bytes('a').equals(edited)).toBe(true)
          // A formatter comes after it, and the next edit still finds everything in its place.
          const formatted = isFormatted ? Buffer.concat([edited, Buffer.from('\n// formatted')]) : edited
          write('a', formatted)
          expect(await refreshSeen(session, file_path)).toBe(isFormatted)
          const again = { ...input, old_string: `${unit.repeat(each.indent)}x = 2`, new_string: 'y' }
          await use(editTool, again, session)
          const start = head.length - unit.length * each.indent
          expect(bytes('a').subarray(0, start).equals(head.subarray(0, start))).toBe(true)
          expect(
            bytes('a')
              .subarray(start + 1)
              .equals(formatted.subarray(head.length + 5))
          ).toBe(true)
        }
        const property = fc.asyncProperty(cases(letters, LINE_ENDS[lineEnd]!, unit), fc.boolean(), check)
        await fc.assert(property, { numRuns: repetitions(25) })
      },
      30_000
    )
  })
})

test('an edit of any text is that of a string', async () => {
  const { path, write, text, folder } = makePlace()
  const file_path = path('a')
  const some = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀', ' ', '\t', '\n'), maxLength: 40 })
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀', ' ', '\n'), minLength: 1, maxLength: 3 })
  const property = fc.asyncProperty(some, piece, some, fc.boolean(), async (content, old, now, all) => {
    fc.pre(old !== now)
    const count = content.split(old).length - 1
    fc.pre(count === 1 || (count > 1 && all))
    write('a', content)
    const session = makeSession(folder)
    await use(readTool, { file_path }, session)
    await use(editTool, { file_path, old_string: old, new_string: now, replace_all: all }, session)
    expect(text('a')).toBe(content.split(old).join(now))
  })
  await fc.assert(property, { numRuns: repetitions(300) })
})

test('a text with other line ends or other indentation is found, and only its lines change', async () => {
  const { path, write, text, folder } = makePlace()
  const file_path = path('a')
  const row = fc.record({
    depth: fc.nat(3),
    word: fc.constantFrom('if (a) {', '}', 'b()', 'é', ''),
    isUnix: fc.boolean(),
    blanks: fc.constantFrom('', ' ', '\t')
  })
  const property = fc.asyncProperty(fc.array(row), fc.array(row), fc.array(row), async (before, inside, after) => {
    // The first line, which is there once, makes the place certain.
    const lines = [{ depth: 1, word: 'only()', isUnix: true, blanks: '' }, ...inside]
    const inFile = (rows: typeof lines): string =>
      rows
        .map(({ depth, word, isUnix, blanks }) => `${'\t'.repeat(depth)}${word}${blanks}${isUnix ? '\n' : '\r\n'}`)
        .join('')
    const asGiven = lines.map(({ depth, word }) => (word === '' ? '\n' : `${'  '.repeat(depth)}${word}\n`)).join('')
    write('a', inFile(before) + inFile(lines) + inFile(after))
    const session = makeSession(folder)
    await use(readTool, { file_path }, session)
    const now = asGiven.replace('only()', 'first()\n  second()')
    const { content } = await use(editTool, { file_path, old_string: asGiven, new_string: now }, session)
    expect(content).toContain('differs just in indentation')
    const result = text('a')
    expect(result.startsWith(inFile(before))).toBe(true)
    expect(result.endsWith(inFile(after))).toBe(true)
    const middle = result.slice(inFile(before).length, result.length - inFile(after).length)
    const trimmed = (given: string): readonly string[] => given.split(/\r?\n/).map(line => line.trim())
    expect(trimmed(middle)).toEqual(trimmed(now))
    expect(middle).toMatch(/^\tfirst\(\)\n\tsecond\(\)\n/)
  })
  await fc.assert(property, { numRuns: repetitions(200) })
})

test('large texts are searched as small ones are', () => {
  const place = fc.tuple(fc.nat(1_200_000), fc.constantFrom('needle', 'nexdle', 'xx', 'ab\n'))
  const property = fc.property(
    fc.array(place, { maxLength: 20 }),
    fc.constantFrom('needle', 'x', 'eed', 'ab\n'),
    (places, wanted) => {
      const bytes = Buffer.alloc(1_200_010, 'abcde\n')
      for (const [at, text] of places) bytes.write(text, at)
      const [find, needle] = [searchFor(bytes, Buffer.from(wanted)), Buffer.from(wanted)]
      for (let at = -1, count = 0; count < 50; count++) {
        const next = bytes.indexOf(needle, at + 1)
        expect(find(at + 1)).toBe(next)
        if (next === -1) break
        at = next
      }
    }
  )
  fc.assert(property, { numRuns: repetitions(50) })
  // LazyFields where it is looked at, and nowhere else.
  const bytes = Buffer.alloc(4_000_000, 'y')
  for (let sample = 0; sample < 16; sample++)
    bytes.fill(
      'a',
      Math.floor((sample * (4_000_000 - 4096)) / 15),
      Math.floor((sample * (4_000_000 - 4096)) / 15) + 4096
    )
  bytes.write('ya!', 3_900_000)
  expect(searchFor(bytes, Buffer.from('ya!'))(0)).toBe(3_900_000)
})

describe('fingerprints', () => {
  const content = fc.uint8Array({ maxLength: 5000 }).map(bytes => Buffer.from(bytes))
  const cuts = fc.array(fc.tuple(fc.nat(5000), fc.nat(800), fc.uint8Array({ maxLength: 700 })), { maxLength: 6 })

  test('after splices they are those of the new bytes', () => {
    fc.assert(
      fc.property(content, cuts, (bytes, wanted) => {
        let free = 0
        const splices = wanted
          .toSorted(([a], [b]) => a - b)
          .flatMap(([start, length, text]) => {
            if (start < free || start + length > bytes.length || length === 0) return []
            free = start + length
            return [{ start, end: free, text: Buffer.from(text) }]
          })
        const after = Buffer.concat([...splicedPieces(bytes, splices)])
        const print = afterSplices(fingerprint(bytes), bytes, splices)
        expect(changedRange(print, after)).toBeUndefined()
        expect(changedRange(fingerprint(bytes), after) === undefined).toBe(after.equals(bytes))
      }),
      { numRuns: repetitions(500) }
    )
  })

  test('a change is where they say', () => {
    fc.assert(
      fc.property(content, fc.nat(4999), (bytes, at) => {
        fc.pre(at < bytes.length)
        const changed = Buffer.from(bytes)
        changed[at]! ^= 1
        const { start, end } = changedRange(fingerprint(bytes), changed)!
        expect(start <= at && at < end && end - start <= 512).toBe(true)
      })
    )
  })
})

test('a difference that is too long to compare takes everything out and puts everything in', () => {
  const lines = (letter: string): string => Array.from({ length: 1000 }, (_, index) => `${letter}${index}\n`).join('')
  const signs = structuredPatch(lines('a'), lines('b')).flatMap(hunk => hunk.lines.map(line => line.slice(0, 2)))
  expect(signs).toEqual([...Array<string>(1000).fill('-a'), ...Array<string>(1000).fill('+b')])
})

test('a difference leads from one text to the other', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 }).map(lines => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? []
      const out: string[] = []
      let at = 0
      for (const hunk of structuredPatch(before, after)) {
        const start = hunk.oldStart - 1
        out.push(...old.slice(at, start))
        expect(hunk.newStart).toBe(out.length + 1)
        at = start
        for (const [index, line] of hunk.lines.entries()) {
          if (line.startsWith('\\')) continue
          const isEnded = !hunk.lines[index + 1]?.startsWith('\\')
          const full = line.slice(1) + (isEnded ? '\n' : '')
          if (!line.startsWith('+')) expect(old[at++]).toBe(full)
          if (!line.startsWith('-')) out.push(full)
        }
        expect(at - start).toBe(hunk.oldLines)
      }
      expect([...out, ...old.slice(at)].join('')).toBe(after)
    }),
    { numRuns: repetitions(1000) }
  )
})
