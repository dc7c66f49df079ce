/** What payloads are made of, and how two of them differ: names, types and order of their fields, never their values. */

type Fields = Readonly<Record<string, unknown>>

/** A way in which a payload differs from the recorded one. */
export interface Difference {
  /** `tool_response.file.content`. */
  readonly field: string
  readonly difference: string
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)

/** Everything in which `ours` differs from `recorded`, field by field. Fields that only we have must be at the end. */
export function differencesOf(recorded: unknown, ours: unknown, field = ''): readonly Difference[] {
  if (typeOf(recorded) !== typeOf(ours))
    return [{ field, difference: `${typeOf(ours)} instead of ${typeOf(recorded)}` }]
  if (Array.isArray(recorded) && Array.isArray(ours)) return firstItems(recorded, ours, `${field}[]`)
  if (!isFields(recorded) || !isFields(ours)) return []
  const path = (name: string): string => (field === '' ? name : `${field}.${name}`)
  const common = Object.keys(recorded).filter(name => Object.hasOwn(ours, name))
  return [
    ...Object.keys(recorded)
      .filter(name => !Object.hasOwn(ours, name))
      .map(name => ({ field: path(name), difference: 'missing' })),
    ...additions(Object.keys(recorded), Object.keys(ours)).map(({ name, where }) => ({
      field: path(name),
      difference: where
    })),
    ...(common.join() ===
    Object.keys(ours)
      .filter(name => common.includes(name))
      .join()
      ? []
      : [{ field, difference: `order: ${Object.keys(ours).join(', ')}` }]),
    ...common.flatMap(name => differencesOf(recorded[name], ours[name], path(name)))
  ]
}

/** Items of another kind, by their `type`, are not compared any further. */
function firstItems(recorded: readonly unknown[], ours: readonly unknown[], field: string): readonly Difference[] {
  if (recorded.length === 0 || ours.length === 0) return []
  const [kind, ourKind] = [recorded[0], ours[0]].map(item => (isFields(item) ? item['type'] : undefined))
  if (kind !== ourKind) return [{ field, difference: `${String(ourKind)} instead of ${String(kind)}` }]
  return differencesOf(recorded[0], ours[0], field)
}

function additions(
  recorded: readonly string[],
  ours: readonly string[]
): readonly { readonly name: string; readonly where: string }[] {
  const last = ours.findLastIndex(name => recorded.includes(name))
  return ours.flatMap((name, index) =>
    recorded.includes(name) ? [] : [{ name, where: index > last ? 'ours, at the end' : 'ours, in between' }]
  )
}
