import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { effectOf, inTurn, faultScene } from './scene.ts'
import { PROFILES } from '../support/hook-inputs.ts'
import type { Profile } from '../../src/hooks.ts'

/** An allow of exactly this number of bytes, with strings, escapes, lists and characters of several bytes in it. */
function allowOf(size: number): Buffer {
  const reply = (filler: string): string =>
    JSON.stringify({
      systemMessage: 'a "quoted" word, a \\ and a { that opens nothing: €',
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        permissionDecisionReason: filler,
        updatedInput: { command: 'ls', list: [1, 2, { deep: [true, null] }] }
      }
    })
  const bytes = Buffer.from(reply('x'.repeat(size - Buffer.byteLength(reply('')))))
  expect(bytes.length).toBe(size)
  return bytes
}

const WHOLE = 2048
const CUT: Readonly<Record<Profile, readonly string[]>> = {
  strict: ['closed: reply', 'closed: output'],
  compat: ['open, marked: reply', 'open, marked: output']
}

// FM15
describe('every proper beginning of a reply of 2 KB is a failure', () => {
  test.each(PROFILES)('all 2,047 of them, in %s', async profile => {
    const { folder, ask } = faultScene()
    const file = join(folder, 'reply')
    writeFileSync(file, allowOf(WHOLE))
    const lengths = Array.from({ length: WHOLE }, (_, index) => index + 1)
    const effects = await inTurn(lengths, 12, async length => {
      const outcome = await ask({ command: 'head', args: ['-c', String(length), file], timeout: 60 }, { profile })
      return { length, effect: effectOf(outcome) }
    })
    expect(effects.at(-1)?.effect).toBe('allowed')
    expect(effects.slice(0, -1).filter(({ effect }) => !CUT[profile].includes(effect))).toEqual([])
  })
})

const ALLOW = '{"decision":"allow"}'
const DENY = '{"decision":"deny","reason":"no"}'

/** The output, and its effect in strict and in compat. Text that is not JSON is not searched for braces. */
const PRINTED: readonly (readonly [string, string, string, string])[] = [
  ['two documents', `${ALLOW}${ALLOW}`, 'closed: reply', 'open, marked: reply'],
  ['two documents, a line each', `${ALLOW}\n${ALLOW}\n`, 'closed: reply', 'open, marked: reply'],
  ['a refusal after an allow', `${ALLOW}\n${DENY}`, 'closed: reply', 'open, marked: reply'],
  ['text behind', `${ALLOW} done`, 'closed: reply', 'open, marked: reply'],
  ['a comma behind', `${ALLOW},`, 'closed: reply', 'open, marked: reply'],
  ['a brace behind', `${ALLOW}}`, 'closed: reply', 'open, marked: reply'],
  ['a comma too many', '{"decision":"allow",}', 'closed: reply', 'open, marked: reply'],
  ['a comment', '{"decision":"allow"/* sure */}', 'closed: reply', 'open, marked: reply'],
  ['quotes of another kind', "{'decision':'allow'}", 'closed: reply', 'open, marked: reply'],
  ['no quotes', '{decision:"allow"}', 'closed: reply', 'open, marked: reply'],
  ['NaN', '{"decision":"allow","n":NaN}', 'closed: reply', 'open, marked: reply'],
  ['an open brace', '{', 'closed: reply', 'open, marked: reply'],
  ['text before', `welcome\n${ALLOW}`, 'closed: reply', 'no opinion, marked'],
  ['text around', `I think ${ALLOW} is right`, 'closed: reply', 'no opinion, marked'],
  ['a fence', `\`\`\`json\n${ALLOW}\n\`\`\``, 'closed: reply', 'no opinion, marked'],
  ['a list around', `[${ALLOW}]`, 'closed: reply', 'no opinion, marked'],
  ['JSON in a string', JSON.stringify(`x ${DENY.replaceAll('"', "'")}`), 'closed: reply', 'no opinion, marked'],
  ['a number', '1', 'no opinion', 'no opinion'],
  ['true', 'true', 'no opinion', 'no opinion'],
  ['null', 'null', 'no opinion', 'no opinion'],
  ['a word', '"allow"', 'no opinion', 'no opinion'],
  ['an empty list', '[]', 'no opinion', 'no opinion'],
  ['text that decides nothing', 'the decision is yours', 'no opinion', 'no opinion'],
  ['an empty object', '{}', 'no opinion', 'no opinion'],
  ['blanks', ' \n\t ', 'no opinion', 'no opinion']
]

// FM15, F105
describe('what is not exactly one object', () => {
  test.each(PRINTED)('%s', async (_, printed, strict, compat) => {
    const { ask } = faultScene()
    const spec = { command: 'printf', args: ['%s', printed] }
    expect(effectOf(await ask(spec))).toBe(strict)
    expect(effectOf(await ask(spec, { profile: 'compat' }))).toBe(compat)
  })

  test('is text for the model where a prompt begins, in compat', async () => {
    const { ask } = faultScene()
    const spec = { command: 'printf', args: ['%s', '{"decision":'] }
    expect(effectOf(await ask(spec, { event: 'UserPromptSubmit' }))).toBe('closed: reply')
    expect(await ask(spec, { event: 'UserPromptSubmit', profile: 'compat' })).toMatchObject({
      blocked: false,
      additionalContext: '{"decision":'
    })
  })
})
