import type { AgentDefinition } from '../agent/definitions.ts'
import { forbiddenTo, forbidsTool } from '../agent/forbidden.ts'
import { nearest } from '../errors.ts'
import { fault } from '../faults.ts'
import { parseMode } from '../permissions/modes.ts'
import { nowNamed } from '../permissions/rule.ts'
import { TOOLS } from '../settings/lint-matcher.ts'
import type { ToolDefinition } from '../tools/custom.ts'
import { isObject } from '../util/plain.ts'
import type { QueryOptions } from './options.ts'
import { KNOWN } from './tools.ts'

type Wanted = readonly [words: string, fits: (value: unknown) => boolean]

const TEXT: Wanted = ['a text', value => typeof value === 'string']
const NAMES: Wanted = [
  'a list of names',
  value => Array.isArray(value) && value.every(each => typeof each === 'string')
]

const KEYS: { readonly [K in keyof Required<AgentDefinition>]: Wanted } = {
  description: TEXT,
  prompt: TEXT,
  tools: NAMES,
  disallowedTools: NAMES,
  model: TEXT,
  maxTurns: ['a number above 0', value => typeof value === 'number' && value > 0],
  permissionMode: TEXT
}

/**
 * A key that nobody reads, or a name that no tool has, is a tool that nobody took away. `place` is where the definition
 * stands, for people.
 */
export function checkAgent(agent: unknown, place: string, options: QueryOptions): asserts agent is AgentDefinition {
  if (!isObject(agent) || typeof agent['description'] !== 'string' || typeof agent['prompt'] !== 'string')
    throw fault('E_OPTION_INVALID', place, JSON.stringify(agent) ?? 'nothing', '{ description, prompt, tools? … }')
  checkKeys(agent, place)
  const { tools, disallowedTools, permissionMode } = agent as unknown as AgentDefinition
  const mode = permissionMode === undefined ? undefined : parseMode(permissionMode, true)
  if (typeof mode === 'object') throw fault('E_RULE', mode.problem, `${place}.permissionMode`)
  checkNames(tools, `${place}.tools`, options)
  checkNames(disallowedTools?.map(toolIn), `${place}.disallowedTools`, options)
}

function checkKeys(agent: object, place: string): void {
  for (const [key, value] of Object.entries(agent)) {
    if (value === undefined) continue
    if (!Object.hasOwn(KEYS, key))
      throw fault('E_OPTION_INVALID', `a key of ${place}`, JSON.stringify(key), nearestOf(key, Object.keys(KEYS)))
    const [words, fits] = KEYS[key as keyof typeof KEYS]
    if (!fits(value)) throw fault('E_OPTION_INVALID', `${place}.${key}`, JSON.stringify(value) ?? typeof value, words)
  }
}

/** The tool of a rule. */
const toolIn = (rule: string): string => rule.replace(/\(.*/s, '').trim()

/** Tools of servers may come later; those that other agents have may be named, and are not there. */
function checkNames(names: readonly string[] = [], place: string, { tools }: QueryOptions): void {
  const given: readonly (string | ToolDefinition)[] = Array.isArray(tools) ? tools : []
  const known = [...KNOWN, ...given.flatMap(each => (typeof each === 'string' ? [] : [each.name]))]
  const stray = names.find(
    name => !known.includes(nowNamed(name)) && !TOOLS.includes(name) && !name.startsWith('mcp__')
  )
  if (stray !== undefined)
    throw fault('E_OPTION_INVALID', `a name in ${place}`, JSON.stringify(stray), nearestOf(stray, known))
}

const nearestOf = (word: string, known: readonly string[]): string =>
  nearest(word, known) ?? `one of ${known.join(', ')}`

/** What is said of tools of servers that are named for subagents, and are not there. */
export function missingTools(agents: QueryOptions['agents'], there: readonly string[]): readonly string[] {
  return Object.entries(agents ?? {}).flatMap(([type, agent]) => {
    const { tools = [], disallowedTools = [] } = agent
    const isThere = (rule: string): boolean => {
      const rules = forbiddenTo(type, { ...agent, disallowedTools: [toolIn(rule)] })
      return there.some(name => forbidsTool(rules, name))
    }
    const missing = [...tools.filter(name => !there.includes(name)), ...disallowedTools.filter(rule => !isThere(rule))]
    return missing
      .filter(name => name.startsWith('mcp__'))
      .map(name => `agents.${type} names ${name}, and no server has such a tool`)
  })
}
