/** Options that would be ignored are errors that name them: keys and tools of subagents, a missing folder. */
import { z } from 'zod'
import { describe, expect, test } from 'vitest'
import { createSdkMcpServer, query, SubAgent, tool, type AgentDefinition, type QueryOptions } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { ask, informed, project, type Asking } from '../support/agent-kit.ts'

const own = tool('own', 'own', { a: z.string() }, () => ({ content: [] }))
const house = createSdkMcpServer({ name: 'house', tools: [own] })

/** A query with one subagent, of which these keys are given beside what it must have. */
const withAgent = (keys: object, asking: Asking = {}) => {
  const agents = { r: { description: 'Reads.', prompt: 'I read.', ...keys } } as QueryOptions['agents']
  return ask(['Done.'], { agents, ...asking })
}

describe('a subagent', () => {
  test.each<[string, object, string]>([
    ['a key', { tool: ['Read'] }, 'a key of agents.r cannot be "tool"; use tools'],
    ['a key', { disallowedTool: ['Bash'] }, 'a key of agents.r cannot be "disallowedTool"; use disallowedTools'],
    ['hooks, which only files have', { hooks: {} }, 'a key of agents.r cannot be "hooks"; use options.hooks'],
    ['a tool', { tools: ['Raed'] }, 'a name in agents.r.tools cannot be "Raed"; use Read'],
    ['a rule where tools are named', { tools: ['Bash(ls *)'] }, 'a name in agents.r.tools cannot be "Bash(ls *)"; use'],
    [
      'a tool that is forbidden',
      { disallowedTools: ['Bsh'] },
      'a name in agents.r.disallowedTools cannot be "Bsh"; use Bash'
    ],
    ['a rule', { disallowedTools: ['Bsh(rm *)'] }, 'a name in agents.r.disallowedTools cannot be "Bsh"; use Bash'],
    ['a list that is none', { tools: 'Read' }, 'agents.r.tools cannot be "Read"; use a list of strings'],
    ['a number that is none', { maxTurns: '3' }, 'agents.r.maxTurns cannot be "3"; use a number above 0'],
    ['no prompt', { prompt: undefined }, 'agents.r cannot be {"description":"Reads."}; use { description, prompt']
  ])('with %s that is wrong: %j', async (_, keys, words) => {
    const { result, sent } = await withAgent(keys)
    expect(result).toMatchObject({ is_error: true, error_code: 'E_OPTION_INVALID' })
    expect(result.result).toContain(words)
    expect(sent).toEqual([])
  })

  test('with a mode that there is not', async () => {
    const { result } = await withAgent({ permissionMode: 'acceptEdit' })
    expect(result.result).toContain('there is no mode "acceptEdit"; did you mean acceptEdits?')
    expect(result.result).toContain('agents.r.permissionMode')
  })

  test('may name tools by old names, those of other agents, its own, and those of servers', async () => {
    const tools = ['Read', 'Task', 'WebSearch', 'own', 'mcp__house__own']
    const disallowedTools = ['KillShell', 'NotebookEdit', 'Bash(rm *)', 'mcp__house', 'mcp__house__*']
    const keys = { tools, disallowedTools, model: undefined, maxTurns: 3, permissionMode: 'plan' }
    const run = await withAgent(keys, { tools: ['Read', own], mcpServers: { house } })
    expect(run.result).toMatchObject({ is_error: false })
    expect(informed(run)).toEqual([
      'options.agents.r.disallowedTools[1]: no tool here is called NotebookEdit, so there is nothing to refuse ' +
        '(nothing to do, unless a tool of another name is meant)'
    ])
  })

  test('that names a tool which no server has is a warning: it may come', async () => {
    const keys = { tools: ['mcp__house__own', 'mcp__house__onw'], disallowedTools: ['mcp__hose', 'mcp__house__*'] }
    const run = await withAgent(keys, { mcpServers: { house } })
    expect(run.result).toMatchObject({ is_error: false })
    expect(informed(run)).toEqual([
      'agents.r names mcp__house__onw, and no server has such a tool',
      'agents.r names mcp__hose, and no server has such a tool'
    ])
  })

  test('for programs is held to the same', () => {
    const of = (keys: object) => () =>
      new SubAgent({ description: 'Reads.', prompt: 'I read.', ...keys } as AgentDefinition, {
        model: scriptedModel([])
      })
    expect(of({ disallowedTool: ['Bash'] })).toThrow(
      'a key of the definition cannot be "disallowedTool"; use disallowed'
    )
    expect(of({ disallowedTools: ['Bsh'] })).toThrow(
      'a name in the definition.disallowedTools cannot be "Bsh"; use Bash'
    )
  })
})

describe('a folder that is not there', () => {
  const place = () => {
    const made = project({ file: '' })
    return { ...made, missing: made.path('missing/deeper'), file: made.path('file') }
  }

  test('is misuse: nothing begins, and nothing is made', () => {
    const { missing, file, env, has } = place()
    for (const cwd of [missing, file, '', `${file}/x`, '\0']) {
      const options = { cwd, env, model: scriptedModel(['Done.']), persistSession: false }
      const words = `cwd cannot be ${JSON.stringify(cwd)}; use an existing folder`
      expect(() => query({ prompt: 'go', options })).toThrow(words)
      expect(() => new SubAgent({ description: '', prompt: '' }, options)).toThrow(words)
    }
    expect(has('missing')).toBe(false)
  })
})
