import type { Permissions } from '../agent/session.ts'
import { fault, nearest } from '../errors.ts'
import { customTool, type ToolDefinition } from '../tools/custom.ts'
import { exitPlanMode } from '../tools/exit-plan-mode.ts'
import { bashTool } from '../tools/bash.ts'
import { editTool } from '../tools/edit.ts'
import { globTool } from '../tools/glob.ts'
import { grepTool } from '../tools/grep.ts'
import { readTool } from '../tools/read.ts'
import { taskOutputTool, taskStopTool } from '../tools/tasks.ts'
import { writeTool } from '../tools/write.ts'
import type { Tool } from '../tools/tool.ts'
import type { QueryOptions } from './options.ts'

/** The tools that the model is told of. */
export async function toolsOf(options: QueryOptions, permissions: Permissions): Promise<readonly Tool[]> {
  const own = await ownTools(options)
  const there = builtIns(permissions).filter(({ name }) => isWanted(name, options))
  const taken = new Set<string>()
  for (const { name } of [...there, ...own]) {
    if (taken.has(name))
      throw fault('E_OPTION_INVALID', 'a tool', JSON.stringify(name), 'a name that no other tool has')
    taken.add(name)
  }
  const removed = new Set(options.disallowedTools)
  return [...there, ...own].filter(({ name }) => !removed.has(name))
}

function builtIns(permissions: Permissions): readonly Tool[] {
  const tools = [readTool, writeTool, editTool, bashTool, globTool, grepTool, taskOutputTool, taskStopTool]
  return permissions.mode === 'plan' ? [...tools, exitPlanMode(() => (permissions.mode = 'default'))] : tools
}

function isWanted(name: string, { tools }: QueryOptions): boolean {
  if (!Array.isArray(tools)) return true
  return name === 'ExitPlanMode' || tools.includes(name)
}

async function ownTools({ tools, mcpServers }: QueryOptions): Promise<readonly Tool[]> {
  const direct = Array.isArray(tools) ? tools.filter((each): each is ToolDefinition => typeof each === 'object') : []
  const named = Array.isArray(tools) ? tools.filter(each => typeof each === 'string') : []
  const known = ['Read', 'Write', 'Edit', 'Bash', 'Glob', 'Grep', 'TaskOutput', 'TaskStop', 'ExitPlanMode']
  const stray = named.find(name => !known.includes(name) && !name.startsWith('mcp__'))
  if (stray !== undefined) throw fault('E_OPTION_INVALID', 'tools', stray, nearest(stray, known) ?? known.join(', '))
  const servers = Object.entries(mcpServers ?? {}).flatMap(([server, config]) => {
    if (config.type !== 'sdk')
      throw fault(
        'E_OPTION_INVALID',
        `mcpServers.${server}`,
        String(config.type),
        'a server made by createSdkMcpServer()'
      )
    return config.tools.map(definition => ofServer(definition, server))
  })
  return Promise.all([...direct.map(definition => customTool(definition)), ...servers])
}

async function ofServer(definition: ToolDefinition, server: string): Promise<Tool> {
  const tool = await customTool(definition, `mcp__${server}__${definition.name}`)
  return { ...tool, server: { name: server, source: 'sdk' } }
}
