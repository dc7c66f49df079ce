import { lettersIn } from '../../util/names.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'

export const NO_TASKS = 'carabiner mcp passes no tasks on, because hooks could not judge their results'

const CAPABILITIES = [
  ['params', 'capabilities'],
  ['result', 'capabilities'],
  ['params', '_meta', 'io.modelcontextprotocol/clientCapabilities']
]
const ANNOUNCED = CAPABILITIES.flatMap(path => [
  [...path, 'tasks'],
  [...path, 'extensions', 'io.modelcontextprotocol/tasks']
])

/** A request or notification that is about tasks, or wants one. */
export const isOfTasks = ({ method, params }: PlainObject): boolean =>
  /^(?:notifications)?tasks/.test(lettersIn(String(method))) ||
  (isObject(params) && Object.keys(params).some(key => lettersIn(key) === 'task'))

export const isTask = (result: unknown): boolean =>
  isObject(result) && (result['resultType'] === 'task' || isObject(result['task']))

/** The message, without saying that its sender has tasks. */
export const withoutTasks = (message: PlainObject): PlainObject => ANNOUNCED.reduce(without, message)

function without<T>(value: T, [key = '', ...path]: readonly string[]): T {
  if (!isObject(value) || !(key in value)) return value
  const { [key]: inner, ...others } = value
  if (path.length === 0) return others as T
  const left = without(inner, path)
  return left === inner ? value : { ...value, [key]: left }
}
