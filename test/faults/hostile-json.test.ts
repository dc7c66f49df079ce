import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from '../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { parseObject } from '../../src/lib/util/json.ts'
import { effectOf, inTurn, faultScene } from './scene.ts'
import { PROFILES } from '../support/hook-inputs.ts'
import { repetitions } from '../support/seed.ts'

const nest = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
const nestObjects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const keys = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`
const sized = (bytes: number): string => `{"reason":"${'x'.repeat(bytes - 13)}"}`

const HOSTILE: readonly (readonly [string, string, string, RegExp])[] = [
  ['65 levels of lists', nest(65), 'reply', /deeper than 64/],
  ['65 levels of objects', nestObjects(65), 'reply', /deeper than 64/],
  ['500,000 levels', nest(500_000), 'reply', /deeper than 64/],
  ['500,000 levels that are never closed', `{"a":${'['.repeat(500_000)}`, 'reply', /deeper than 64/],
  ['10,001 keys', keys(10_001), 'reply', /more than 10000 keys/],
  ['80,000 keys', keys(80_000), 'reply', /more than 10000 keys/],
  ['10,001 keys in ten objects', `{"a":[${Array.from({ length: 10 }, () => keys(1_001)).join(',')}]}`, 'reply', /keys/],
  ['one byte more than 1 MiB', sized(1024 * 1024 + 1), 'output', /1048576 bytes/],
  ['a key twice', '{"decision":"deny","decision":"allow"}', 'reply', /"decision" twice/],
  ['a key twice, once as escapes', '{"decision":"deny","\\u0064ecision":"allow"}', 'reply', /"decision" twice/],
  ['a key twice, with blanks before the colon', '{"a":1,"a" \n\t:2}', 'reply', /"a" twice/],
  ['a key twice, far inside', '{"x":[{"y":{"a":1,"b":2,"a":3}}]}', 'reply', /"a" twice/],
  ['the empty key twice', '{"":1,"":2}', 'reply', /"" twice/],
  ['a key twice, with a quote in it', '{"a\\"b":1,"a\\u0022b":2}', 'reply', /twice/],
  ['a key `__proto__`', '{"__proto__":{"decision":"allow"}}', 'reply', /__proto__/],
  ['a key `__proto__`, as escapes', '{"\\u005f_proto_\\u005f":{"decision":"allow"}}', 'reply', /__proto__/],
  ['a key `__proto__`, far inside', '{"a":[{"__proto__":1}]}', 'reply', /__proto__/]
]

// FM16
describe('a reply that no honest hook prints', () => {
  test.each(HOSTILE)('%s closes the gate', async (_, printed, kind, words) => {
    const { folder, ask } = faultScene()
    const file = join(folder, 'reply')
    writeFileSync(file, printed)
    const outcomes = await inTurn(PROFILES, 1, async profile => ask({ command: 'cat', args: [file] }, { profile }))
    expect(outcomes.map(effectOf)).toEqual([`closed: ${kind}`, `open, marked: ${kind}`])
    expect(outcomes[0]?.reason).toMatch(words)
    expect(({} as Record<string, unknown>)['decision']).toBeUndefined()
  })

  test.each([
    ['64 levels', nest(64)],
    ['10,000 keys', keys(10_000)],
    ['exactly 1 MiB', sized(1024 * 1024)],
    ['the same key in two objects', '{"a":{"x":1},"b":{"x":2},"x":[{"x":1},{"x":2}]}'],
    ['a word that is a key elsewhere', '{"a":"b","b":"a"}'],
    ['keys that objects inherit', '{"constructor":1,"toString":2,"hasOwnProperty":3}']
  ])('%s is fine', async (_, printed) => {
    const { folder, ask } = faultScene()
    const file = join(folder, 'reply')
    writeFileSync(file, printed)
    expect(effectOf(await ask({ command: 'cat', args: [file] }))).toBe('no opinion')
  })
})

const refused = (text: string): boolean => {
  try {
    parseObject(text)
    return false
  } catch {
    return true
  }
}

/** A character of a string in JSON: as it is, where that is possible, or as an escape. */
const spell = (char: string, escape: boolean): string =>
  escape && char.length === 1
    ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
    : JSON.stringify(char).slice(1, -1)

/** JSON as people, printers and attackers write it: blanks anywhere, and any character as an escape. */
function write(value: unknown, blank: () => string, escape: () => boolean): string {
  const quoted = (text: string): string => `"${Array.from(text, char => spell(char, escape())).join('')}"`
  const print = (each: unknown): string => {
    if (typeof each === 'string') return quoted(each)
    if (Array.isArray(each)) return `[${each.map(print).join(`${blank()},${blank()}`)}]`
    if (typeof each !== 'object' || each === null) return JSON.stringify(each)
    const pairs = Object.entries(each).map(([key, inner]) => `${quoted(key)}${blank()}:${blank()}${print(inner)}`)
    return `{${blank()}${pairs.join(`${blank()},`)}${blank()}}`
  }
  return print(value)
}

const plainKey = fc.string({ maxLength: 8 }).filter(key => key !== '__proto__')
const json = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small' }, fc.jsonValue({ maxDepth: 0 }), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(plainKey, tie('value'), { maxKeys: 5 })
}))
const blanks = fc.constantFrom('', ' ', '\n', '\t\r ')

// FM16, FM15
describe('for any text', () => {
  test('what is accepted is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(json.object, fc.gen(), (object, pick) => {
        const text = write(
          object,
          () => pick(() => blanks),
          () => pick(fc.boolean)
        )
        expect(parseObject(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: repetitions(2_000) }
    )
  })

  test('what JSON.parse refuses is refused, and what is no object too', () => {
    const odd = fc.oneof(fc.string(), fc.json(), fc.stringMatching(/^[{}[\]":,\\ a0]*$/))
    fc.assert(
      fc.property(odd, text => {
        if (refused(text)) return
        const value: unknown = JSON.parse(text)
        expect(typeof value === 'object' && value !== null && !Array.isArray(value)).toBe(true)
        expect(parseObject(text)).toEqual(value)
      }),
      { numRuns: repetitions(20_000) }
    )
  })

  test('a key that stands twice in one object is found, wherever and however', () => {
    fc.assert(
      fc.property(
        json.object,
        plainKey,
        fc.array(fc.boolean()),
        blanks,
        fc.nat(3),
        (object, key, escaped, blank, deep) => {
          const spelt = Array.from(key, (char, index) => spell(char, escaped[index] === true)).join('')
          const inner = JSON.stringify(object)
            .slice(1, -1)
            .replace(/^(?=.)/, ',')
          const twice = `{${JSON.stringify(key)}:1${inner}${blank},"${spelt}"${blank}:2}`
          const text = `${'{"in":['.repeat(deep)}${twice}${']}'.repeat(deep)}`
          JSON.parse(text)
          expect(refused(text)).toBe(true)
        }
      ),
      { numRuns: repetitions(5_000) }
    )
  })
})
