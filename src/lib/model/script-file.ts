import { readFile } from 'node:fs/promises'
import { nearest, wordsOf, type CarabinerError } from '../errors.ts'
import { fault } from '../faults.ts'
import { isObject } from '../util/plain.ts'
import { scriptedModel, type ScriptedModel, type ScriptedTurn, type ScriptOptions, type Turn } from './scripted.ts'

/** What a value must be: a word, or the keys that an object may have. */
type Shape = 'text' | 'number' | 'flag' | 'any' | { readonly list: Shape } | { readonly keys: Shapes }
type Shapes = Readonly<Record<string, Shape>>
type Path = readonly (string | number)[]

const STOPS = ['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'refusal', 'pause_turn']
const TOKENS: Shapes = {
  input_tokens: 'number',
  output_tokens: 'number',
  cache_creation_input_tokens: 'number',
  cache_read_input_tokens: 'number'
}
const TURN: { readonly keys: Record<keyof ScriptedTurn, Shape> } = {
  keys: {
    thinking: 'text',
    text: 'text',
    calls: { list: { keys: { name: 'text', input: 'any', id: 'text' } } },
    stop: 'text',
    usage: { keys: TOKENS },
    fail: { keys: { status: 'number', why: 'text', retryAfter: 'number', retryable: 'flag', message: 'text' } },
    cutAfter: 'number'
  }
}
const SCRIPT: Shapes = {
  turns: 'any',
  name: 'text',
  price: { keys: { input: 'number', output: 'number', cacheWrite: 'number', cacheRead: 'number' } },
  repeatLast: 'flag'
}

const FORM = 'a script is a list of turns, or { turns, name, price, repeatLast }'

/** Reads a script in JSON or YAML: a list of turns, or an object with `turns` and options. */
export async function readScript(file: string): Promise<ScriptedModel> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fault('E_MODEL', `the script ${file} cannot be read: ${wordsOf(error)}`, 'name a file in JSON or YAML')
  })
  const { LineCounter, isNode, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    const [words] = error.message.split(' at line ')
    throw fault('E_MODEL', `${file}:${line}:${col}: this is neither JSON nor YAML: ${words}`, 'correct it')
  }
  const refuse: Refusal = (path, why, next) => {
    const node: unknown = document.getIn(path, true)
    const { line, col } = lines.linePos(isNode(node) ? (node.range?.[0] ?? 0) : 0)
    return fault('E_MODEL', `${file}:${line}:${col}: ${placeOf(path)}${why}`, next)
  }
  const { turns, options } = parts(document.toJS(), refuse)
  return scriptedModel(turns, options)
}

type Refusal = (path: Path, why: string, next: string) => CarabinerError

/** `turns[1].calls[0]: `, or nothing. */
const placeOf = (path: Path): string => {
  const place = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return place === '' ? '' : `${place.replace(/^\./, '')}: `
}

function parts(script: unknown, refuse: Refusal): { turns: readonly Turn[]; options: ScriptOptions } {
  const whole = Array.isArray(script) ? { turns: script } : script
  if (!isObject(whole) || !Array.isArray(whole['turns'])) throw refuse([], 'there are no turns', FORM)
  const at = Array.isArray(script) ? [] : ['turns']
  check(whole, { keys: SCRIPT }, [], refuse)
  const { turns, ...options } = whole
  for (const [index, turn] of (turns as unknown[]).entries()) checkTurn(turn, [...at, index], refuse)
  return { turns: turns as readonly Turn[], options }
}

function checkTurn(turn: unknown, path: Path, refuse: Refusal): void {
  if (typeof turn === 'string') return
  check(turn, TURN, path, refuse)
  const { stop, calls } = turn as ScriptedTurn
  if (stop !== undefined && !STOPS.includes(stop))
    throw refuse([...path, 'stop'], `${JSON.stringify(stop)} is no reason to stop`, `use ${STOPS.join(', ')}`)
  for (const [index, call] of (calls ?? []).entries()) {
    if (call.name === undefined)
      throw refuse([...path, 'calls', index], 'this call names no tool', 'write { name, input }')
  }
}

function check(value: unknown, shape: Shape, path: Path, refuse: Refusal): void {
  if (shape === 'any' || value === undefined) return
  if (typeof shape === 'string') {
    const type = { text: 'string', number: 'number', flag: 'boolean' }[shape]
    if (typeof value !== type) throw refuse(path, `this must be a ${type}`, 'correct it')
  } else if ('list' in shape) {
    if (!Array.isArray(value)) throw refuse(path, 'this must be a list', 'correct it')
    for (const [index, item] of value.entries()) check(item, shape.list, [...path, index], refuse)
  } else checkKeys(value, shape.keys, path, refuse)
}

function checkKeys(value: unknown, keys: Shapes, path: Path, refuse: Refusal): void {
  const allowed = Object.keys(keys)
  if (!isObject(value)) throw refuse(path, 'this must be an object', `it may have ${allowed.join(', ')}`)
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(keys, key)) {
      const near = nearest(key, allowed)
      const next = near === undefined ? `use ${allowed.join(', ')}` : `did you mean ${near}?`
      throw refuse([...path, key], `there is no ${JSON.stringify(key)} here`, next)
    }
    check(value[key], keys[key]!, [...path, key], refuse)
  }
}
