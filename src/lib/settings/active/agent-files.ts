import { USUAL_AGENTS, type AgentDefinition } from '../../agent/subagents/definitions.ts'
import { nowNamed, parseRule } from '../../permissions/rule.ts'
import { fitting } from '../../schema/check.ts'
import type { FieldTable } from '../../schema/table.ts'
import type { Document } from '../files/document.ts'
import { bodyOf } from '../files/frontmatter.ts'
import { isList, isTexts } from '../files/keys.ts'
import type { Loaded, LoadedOwner } from '../files/loaded-hooks.ts'
import { withPluginPaths } from './skills-and-agents.ts'
import { applies } from './skill-files.ts'
import { isTighter } from '../permissions/tightness.ts'

export interface AgentBounds {
  readonly turns: number
  mayChoose(model: string, file: string): boolean
}

/** A project's agent keeps to the limits of the user's of that name. Only the user's sets a mode, provider, more turns. */
export function agentsIn(
  { owners }: Pick<Loaded, 'owners'>,
  trusted: boolean,
  bounds: AgentBounds
): ReadonlyMap<string, AgentDefinition> {
  const agents = new Map(Object.entries(USUAL_AGENTS))
  const limits = new Map(agents)
  const bounded = ({ model, maxTurns, ...found }: AgentDefinition, file: string): AgentDefinition => ({
    ...found,
    model: model !== undefined && bounds.mayChoose(model, file) ? model : undefined,
    maxTurns: maxTurns && Math.min(maxTurns, bounds.turns)
  })
  for (const owner of owners) {
    const { name, ofProject, plugin } = owner
    const found = owner.kind === 'agent' && applies(owner, trusted) ? definitionOf(owner) : undefined
    if (found === undefined) continue
    const isForeign = ofProject || plugin !== undefined
    const definition = isForeign ? withinLimits(limits.get(name), bounded(found, owner.file)) : found
    agents.set(name, definition)
    if (!isForeign) limits.set(name, definition)
  }
  return agents
}

/** A definition within the limits of another. A looser mode was meant for the other's prompt, not for this one. */
function withinLimits(limits: Partial<AgentDefinition> = {}, own: AgentDefinition): AgentDefinition {
  const { tools, disallowedTools = [], model = own.model, maxTurns = Infinity, permissionMode = '' } = limits
  const named = own.tools?.map(nowNamed)
  const turns = Math.min(maxTurns, own.maxTurns ?? Infinity)
  return {
    ...own,
    tools: tools === undefined ? own.tools : tools.filter(name => named?.includes(nowNamed(name)) !== false),
    disallowedTools: [...disallowedTools, ...(own.disallowedTools ?? [])],
    model,
    maxTurns: turns === Infinity ? undefined : turns,
    permissionMode: permissionMode === '' || isTighter('default', permissionMode) ? undefined : permissionMode
  }
}

const AGENT_FILE = {
  'description?': 'string',
  'model?': 'string',
  'maxTurns?': { type: 'number', above: 0 },
  'permissionMode?': 'string'
} as const satisfies FieldTable

function definitionOf({ name, file, document, plugin }: LoadedOwner): AgentDefinition | undefined {
  if (document === undefined || !isReadable(document)) return undefined
  const { description, model, maxTurns, permissionMode } = fitting(AGENT_FILE, document.value)
  return {
    description: description ?? name,
    prompt: withPluginPaths(bodyOf(file), plugin),
    tools: namesUnder(document, 'tools'),
    disallowedTools: namesUnder(document, 'disallowedTools'),
    model,
    maxTurns,
    // Whether there is such a mode is checked with the definitions of all.
    permissionMode: permissionMode as AgentDefinition['permissionMode']
  }
}

/** A list, or names with commas between; within parentheses these belong to a rule. */
export function namesUnder({ value }: Document, key: string): readonly string[] | undefined {
  const given = value[key]
  if (typeof given !== 'string') return isTexts(given) ? given : undefined
  return given
    .split(/,(?![^(]*\))/)
    .map(name => name.trim())
    .filter(name => name !== '')
}

/** An agent whose limits cannot be read does not exist: that stops the run; in the compat profile it cannot be called. */
const isReadable = (document: Document): boolean =>
  ['tools', 'disallowedTools'].every(key => isList(document.value[key])) &&
  (namesUnder(document, 'disallowedTools') ?? []).every(rule => !('problem' in parseRule(rule, 'deny', '')))
