import type { PlainObject } from '../../util/plain.ts'

export interface BrokenInput {
  readonly how: string
  readonly input: PlainObject
}

const HUGE = 100_000
const ODD: readonly unknown[] = [null, [], 7, 'x'.repeat(HUGE), 'a\u0000b', '\uD800', { a: { b: { c: {} } } }]

/** Inputs with one key missing, or with an odd value. */
export function brokenInputs(input: PlainObject): readonly BrokenInput[] {
  const keys = Object.keys(input)
  return [
    ...keys.map(key => ({ how: `without ${key}`, input: omit(input, key) })),
    ...keys.flatMap(key =>
      ODD.map(value => ({ how: `with ${key}: ${valueText(value)}`, input: { ...input, [key]: value } }))
    )
  ]
}

const valueText = (value: unknown): string =>
  typeof value === 'string' && value.length === HUGE
    ? `${JSON.stringify(value[0])} ${HUGE.toLocaleString('en')} times over`
    : JSON.stringify(value)

function omit(input: PlainObject, key: string): PlainObject {
  const { [key]: _, ...rest } = input
  return rest
}
