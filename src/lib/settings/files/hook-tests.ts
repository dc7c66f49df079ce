import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseYaml } from 'yaml'
import { meantField, parseEvent, rowOf, type EventName } from '../../hooks/events/event-table.ts'
import { fault } from '../../faults.ts'
import { problemsIn, sentenceOf } from '../../schema/check.ts'
import type { FieldTable, Infer } from '../../schema/table.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { namesIn } from './sources.ts'
import { readText } from './text.ts'

export interface HookTest {
  readonly file: string
  readonly name: string
  readonly event: EventName
  /** Text or a pattern: only hooks with such a name are fired. */
  readonly hook: string | undefined
  readonly input: PlainObject
  readonly expect: PlainObject
  /** Seconds. */
  readonly within: number | undefined
  /** Broken inputs are tried as well: no hook may fail on them, and what is refused here must not pass there. */
  readonly fuzz: boolean
}

const EXPECTATION = Object.fromEntries(
  'decision blocked by reason updatedInput updatedPrompt additionalContext systemMessage continue stopReason failedOpen'
    .split(' ')
    .map(key => [`${key}?`, 'unknown' as const])
)

export const HOOK_TEST = {
  'name?': 'string',
  event: { type: 'string', words: 'the event that is fired' },
  'hook?': { type: 'string', words: 'fire only the hooks with this name; text between slashes is a pattern' },
  'tool?': { type: 'string', words: 'the tool that the event is about' },
  'input?': { type: 'object', words: 'merged into the sample of the event' },
  expect: { type: { object: EXPECTATION }, words: 'text between slashes is a pattern, null expects nothing' },
  'within?': { type: 'number', above: 0, words: 'seconds' },
  'fuzz?': { type: 'boolean', words: 'try broken inputs as well' }
} as const satisfies FieldTable

const ENDINGS = ['.hooktest.yaml', '.hooktest.yml', '.hooktest.json']
const FOLDERS = ['.claude', '.claude/hooks', '.claude/tests', 'hooks', 'test', 'tests', '.']

export function testFilesOf(root: string): readonly string[] {
  const folders = FOLDERS.map(folder => join(root, folder)).filter(existsSync)
  return [
    ...new Set(
      folders.flatMap(folder => ENDINGS.flatMap(ending => namesIn(folder, ending).map(name => join(folder, name))))
    )
  ]
}

/** A list of tests, or an object with a list `tests`. Throws what is wrong with the file. */
export function readTests(file: string): readonly HookTest[] {
  const read = readText(file)
  if (!('text' in read)) throw bad(file, 'missing' in read ? 'is not there' : read.fault)
  let value: unknown
  try {
    value = parseYaml(read.text, { maxAliasCount: 20 })
  } catch (error) {
    throw bad(file, `is neither YAML nor JSON (${(error as Error).message.split('\n')[0]})`)
  }
  const list = isObject(value) ? value['tests'] : value
  if (!Array.isArray(list)) throw bad(file, 'should be a list of tests, or an object with a list "tests"')
  return list.map((test: unknown, place) => testOf(test, `${file}: test ${place + 1}`, file, place))
}

function testOf(value: unknown, what: string, file: string, place: number): HookTest {
  if (!isObject(value)) throw bad(what, 'should be an object')
  const [problem] = problemsIn(HOOK_TEST, value)
  if (problem !== undefined) throw bad(`${what}:`, sentenceOf(problem))
  const { name, event, hook, input = {}, tool, expect, within, fuzz } = value as Infer<typeof HOOK_TEST>
  const patterns = Object.entries(expect).map(([key, wanted]) => [`expect.${key}`, wanted] as const)
  for (const [key, wanted] of [...patterns, ['hook', hook] as const]) {
    try {
      patternIn(wanted)
    } catch (error) {
      throw bad(`${what}: ${key}`, `is not a pattern (${(error as Error).message})`)
    }
  }
  const known = eventOf(event, what)
  for (const key of Object.keys(input)) {
    const meant = meantField(key, known)
    if (meant !== undefined)
      throw bad(`${what}: input`, `has a field ${key} that ${known} does not have; did you mean ${meant}?`)
  }
  if (typeof expect['decision'] === 'string' && !/^\/|^(allow|ask|defer|deny)$/.test(expect['decision']))
    throw bad(
      `${what}: expect.decision`,
      `is ${JSON.stringify(expect['decision'])}; write deny, ask, allow or defer, or null for none`
    )
  if (Object.keys(expect).length === 0 && within === undefined && fuzz !== true)
    throw bad(
      what,
      'has an empty "expect" and checks nothing: say what the outcome should be, as in { "blocked": false }'
    )
  const sample: PlainObject = structuredClone(rowOf(known).sample)
  const whole = { ...sample, ...(tool !== undefined && { tool_name: tool }), ...input }
  const common = { file, name: name ?? `test ${place + 1}`, expect, within, fuzz: fuzz === true }
  return { ...common, event: known, hook, input: whole }
}

function eventOf(name: string, what: string): EventName {
  try {
    return parseEvent(name)
  } catch (error) {
    throw bad(`${what}:`, (error as Error).message)
  }
}

/** Text between slashes is a pattern. Throws if it is not a valid one. */
export function patternIn(wanted: unknown): RegExp | undefined {
  const [, source, flags] = (typeof wanted === 'string' && /^\/(.*)\/([a-z]*)$/s.exec(wanted)) || []
  return source === undefined ? undefined : new RegExp(source, flags)
}

const bad = (what: string, why: string): Error => fault('E_USAGE', `${what} ${why}`)
