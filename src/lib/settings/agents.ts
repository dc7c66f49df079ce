import { basename, join } from 'node:path'
import type { AgentDefinition } from '../agent/definitions.ts'
import type { Document } from './document.ts'
import { bodyOf, readFrontmatter } from './frontmatter.ts'
import { KeyReader } from './keys.ts'
import { namesIn, type Where } from './sources.ts'

/**
 * The subagents of the user and of the project, from Markdown files: what they are told stands below their settings. Of
 * two that have one name the project's counts, and it cannot choose its own permission mode.
 */
export function loadAgents({ home }: Where, root: string): ReadonlyMap<string, AgentDefinition> {
  const agents = new Map<string, AgentDefinition>()
  for (const base of new Set([home, root])) {
    const folder = join(base, '.claude/agents')
    for (const name of namesIn(folder, '.md')) {
      const file = join(folder, name)
      const { document } = readFrontmatter(file)
      if (document === undefined) continue
      const { agent, called } = definitionIn(document, basename(name, '.md'), base !== root || base === home)
      agents.set(called, agent)
    }
  }
  return agents
}

function definitionIn(document: Document, name: string, own: boolean): { agent: AgentDefinition; called: string } {
  const reader = new KeyReader(document)
  const { value, file } = document
  const turns = value['maxTurns']
  return {
    called: reader.text('name') ?? name,
    agent: {
      description: reader.text('description') ?? name,
      prompt: bodyOf(file),
      tools: listIn(value['tools']),
      disallowedTools: listIn(value['disallowedTools']),
      model: reader.text('model'),
      maxTurns: typeof turns === 'number' && turns > 0 ? turns : undefined,
      permissionMode: own ? reader.text('permissionMode') : undefined
    }
  }
}

/** A list, or names with commas between. */
function listIn(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string')
    return value
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== '')
  return Array.isArray(value) ? value.filter(name => typeof name === 'string') : undefined
}
