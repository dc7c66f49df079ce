import type { AgentDefinition } from '../agent/definitions.ts'
import { fault } from '../faults.ts'
import type { Document } from './document.ts'
import { bodyOf } from './frontmatter.ts'
import { KeyReader } from './keys.ts'
import type { Loaded, LoadedOwner } from './loaded.ts'
import { withPluginPaths } from './owners.ts'
import { counts } from './skills.ts'

/**
 * The subagents that were found: what they are told stands below their settings. Of two that have one name the project's
 * counts. Only one of the user's own can choose its permission mode.
 */
export function agentsIn({ owners }: Pick<Loaded, 'owners'>, trusted: boolean): ReadonlyMap<string, AgentDefinition> {
  const agents = new Map<string, AgentDefinition>()
  for (const owner of owners) {
    const definition = owner.kind === 'agent' && counts(owner, trusted) ? definitionOf(owner) : undefined
    if (definition !== undefined) agents.set(owner.name, definition)
  }
  return agents
}

function definitionOf({ name, file, document, plugin, ofProject }: LoadedOwner): AgentDefinition | undefined {
  if (document === undefined) return undefined
  const reader = new KeyReader(document)
  const turns = document.value['maxTurns']
  return {
    description: reader.text('description') ?? name,
    prompt: plugin === undefined ? bodyOf(file) : withPluginPaths(bodyOf(file), plugin),
    tools: listIn(document, 'tools'),
    disallowedTools: listIn(document, 'disallowedTools'),
    model: reader.text('model'),
    maxTurns: typeof turns === 'number' && turns > 0 ? turns : undefined,
    permissionMode: ofProject || plugin !== undefined ? undefined : reader.text('permissionMode')
  }
}

/** A list, or names with commas between; within parentheses these belong to a rule. What is neither protects nothing. */
function listIn({ value, findings }: Document, key: string): readonly string[] | undefined {
  const given = value[key]
  if (given === undefined || given === null) return undefined
  if (typeof given === 'string')
    return given
      .split(/,(?![^(]*\))/)
      .map(name => name.trim())
      .filter(name => name !== '')
  if (Array.isArray(given) && given.every(name => typeof name === 'string')) return given
  const { file, line } = findings.place([key])
  throw fault('E_RULE', `${key} should be a list of texts; put what it says in quotes`, `${file}:${line}`)
}
