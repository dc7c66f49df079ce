import { readFile } from 'node:fs/promises'
import { errorMessage, type CarabinerError } from '../errors.ts'
import { fault } from '../faults.ts'
import { isObject } from '../util/plain.ts'
import { problemsIn, sentenceOf, type KeyPath } from '../schema/check.ts'
import type { FieldTable } from '../schema/table.ts'
import { SCRIPTED_TURN, scriptedModel, type ScriptedModel, type Turn } from './scripted.ts'

const SCRIPT = {
  turns: { list: { object: SCRIPTED_TURN } },
  'name?': 'string',
  'price?': { object: { 'input?': 'number', 'output?': 'number', 'cacheWrite?': 'number', 'cacheRead?': 'number' } },
  'repeatLast?': 'boolean'
} as const satisfies FieldTable

const FORM = 'a script is a list of turns, or { turns, name, price, repeatLast }'

/** Reads a script in JSON or YAML: a list of turns, or an object with `turns` and options. */
export async function readScript(file: string): Promise<ScriptedModel> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fault('E_MODEL', `the script ${file} cannot be read: ${errorMessage(error)}`, 'name a file in JSON or YAML')
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
  const refuse = (path: KeyPath, why: string, next: string): CarabinerError => {
    const found = path.map((_, end): unknown => document.getIn(path.slice(0, path.length - end), true)).find(isNode)
    const { line, col } = lines.linePos(found?.range?.[0] ?? 0)
    return fault('E_MODEL', `${file}:${line}:${col}: ${why}`, next)
  }
  const script: unknown = document.toJS()
  const whole = Array.isArray(script) ? { turns: script } : script
  if (!isObject(whole) || !Array.isArray(whole['turns'])) throw refuse([], 'there are no turns', FORM)
  const turns = whole['turns'].map((turn: unknown) => (typeof turn === 'string' ? { text: turn } : turn))
  const [problem] = problemsIn(SCRIPT, { ...whole, turns })
  if (problem !== undefined) {
    const path = Array.isArray(script) ? problem.path.slice(1) : problem.path
    throw refuse(path, sentenceOf({ ...problem, path }), 'correct it')
  }
  return scriptedModel({ ...whole, turns: turns as readonly Turn[] })
}
