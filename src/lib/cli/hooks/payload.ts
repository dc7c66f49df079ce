import type { FireFlags } from '../flags.ts'
import { readFileSync } from 'node:fs'
import { nearest } from '../../errors.ts'
import { fault } from '../../faults.ts'
import { rowsIn } from '../../schema/check.ts'
import type { FieldTable } from '../../schema/table.ts'
import { TOOL_TABLE } from '../../tool-table.ts'
import { meantField, rowOf, type EventName } from '../../hooks/events/event-table.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { readPipedText } from '../standard-streams.ts'
import { printError } from '../print.ts'
import { jsonIn } from '../../util/attempt.ts'

export async function readPayload(event: EventName, flags: FireFlags): Promise<PlainObject> {
  const given = await readInput(flags)
  const payload: PlainObject = { ...structuredClone(rowOf(event).sample), ...given }
  if (flags.tool !== undefined) {
    payload['tool_name'] = flags.tool
    if (given['tool_input'] === undefined && flags.tool !== rowOf(event).sample['tool_name']) payload['tool_input'] = {}
  }
  for (const assignment of flags.set ?? []) assign(payload, assignment, event)
  return payload
}

async function readInput({ input, exitCode }: FireFlags): Promise<PlainObject> {
  const text =
    input === undefined
      ? await readPipedText(() => onSilence(exitCode))
      : input.trimStart().startsWith('{')
        ? input
        : readFileSync(input === '-' ? 0 : input, 'utf8')
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw usage(`the payload is not valid JSON: ${(error as Error).message}`)
  }
  if (!isObject(value)) throw usage('the payload is not a JSON object')
  return value
}

const SILENT = 'standard input is open but nothing comes'
const WAYS = 'use < /dev/null to take the sample, or --input - to wait'

/** A payload that arrives late must not be answered with a verdict on the sample. */
function onSilence(wantsVerdict = false): void {
  if (wantsVerdict) throw usage(`${SILENT}; ${WAYS}`)
  printError(`${SILENT}; taking the sample (${WAYS})`)
}

/** `tool_input.command=git push`; a value that is valid JSON is parsed. */
function assign(payload: PlainObject, assignment: string, event: EventName): void {
  const at = assignment.indexOf('=')
  if (at < 1) throw usage(`--set takes key=value, not ${JSON.stringify(assignment)}`)
  const keys = assignment.slice(0, at).split('.')
  checkKey(keys, payload['tool_name'], event)
  const last = keys.pop()!
  let target = payload
  if ([...keys, last].includes('__proto__')) throw usage('--set cannot change __proto__')
  for (const key of keys) {
    const next = Object.hasOwn(target, key) ? target[key] : undefined
    target[key] = isObject(next) ? { ...next } : {}
    target = target[key] as PlainObject
  }
  const text = assignment.slice(at + 1)
  const value = jsonIn(text)
  target[last] = value === undefined ? text : value
}

/** A misspelt key would leave the sample as it is, and the answer would be about something else. */
function checkKey([key = '', inner]: readonly string[], tool: unknown, event: EventName): void {
  const inputs: Readonly<Record<string, { readonly input: FieldTable | undefined }>> = TOOL_TABLE
  const known = Object.hasOwn(inputs, String(tool)) ? rowsIn(inputs[String(tool)]?.input ?? {}) : []
  const names = known.map(({ name }) => name)
  const isOfTool = key === 'tool_input' && inner !== undefined && !names.includes(inner)
  const meant = isOfTool ? nearest(inner, names) : meantField(key, event)
  if (meant !== undefined)
    throw usage(
      `--set: ${isOfTool ? `${String(tool)} has no input ${inner}` : `${event} has no field ${key}`}; did you mean ${meant}?`
    )
}

const usage = (why: string): Error => fault('E_USAGE', why)
