/** The types of inputs and outputs say what the tools take and give. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TOOL_NAMES, TOOL_TABLE } from '../../src/lib/tool-table.ts'
import { scriptedModel } from '../../src/testing.ts'
import { ask, inputsOf, project } from '../support/agent-kit.ts'

const SOURCE = readFileSync(join(import.meta.dirname, '../../src/lib/hooks/events/tool-inputs.ts'), 'utf8')

/** The keys of each tool in an interface, with `?` where they may be left out. */
function keysIn(name: string): Record<string, readonly string[]> {
  const body = new RegExp(`export interface ${name} \\{\\n([^]*?)\\n\\}`).exec(SOURCE)![1]!
  const tools = body.matchAll(/^ {2}(\w+):([^]*?)(?=^ {2}\w+:|(?![^]))/gm)
  return Object.fromEntries(Array.from(tools, ([, tool, type]) => [tool!, keysOf(type!)]))
}

/** The keys of the outermost braces. */
function keysOf(type: string): readonly string[] {
  let depth = 0
  const outer = type.split('').filter(sign => {
    if (sign === '}') depth--
    const isOuter = depth === 1
    if (sign === '{') depth++
    return isOuter
  })
  return Array.from(outer.join('').matchAll(/(?:^|[;\n])\s*'?([\w-]+)'?(\??):/g), ([, key, may]) => `${key}${may}`)
}

/** What the model receives about each tool. */
async function schemas(): Promise<Record<string, readonly string[]>> {
  const told: Record<string, readonly string[]> = {}
  const place = project({ '.claude/skills/s/SKILL.md': '---\ndescription: A skill.\n---\nWords.' })
  for (const more of [{ permissionMode: 'plan' as const }, { tools: ['TodoWrite'] }]) {
    const model = scriptedModel(['Done.'])
    await ask(model, { in: place, trust: true, canUseTool: async () => ({ behavior: 'deny' as const }), ...more })
    for (const { name, inputSchema } of model.requests[0]!.request.tools) {
      const { properties = {}, required = [] } = inputSchema as { properties?: object; required?: readonly string[] }
      told[name] = Object.keys(properties).map(key => (required.includes(key) ? key : `${key}?`))
    }
  }
  return told
}

describe('the table of tools', () => {
  test('E8: the model is told of every tool of the table, and of every key of its row, and of no other', async () => {
    const told = await schemas()
    expect(Object.keys(told).toSorted()).toEqual([...TOOL_NAMES].toSorted())
    for (const [name, { input }] of Object.entries(TOOL_TABLE))
      expect(told[name], name).toEqual(Object.keys(input).filter(key => key !== 'answers?'))
    expect(TOOL_TABLE.AskUserQuestion.input['answers?']).toMatchObject({ hidden: true })
  })

  test('E8: Grep has all of its fifteen keys', () => {
    expect(Object.keys(TOOL_TABLE.Grep.input)).toHaveLength(15)
  })
})

test('E8: what tools give to PostToolUse hooks has the keys that ToolOutputs names', async () => {
  const place = project({ 'a.txt': 'one\ntwo\n' })
  const file_path = place.path('a.txt')
  const calls = [
    { name: 'Bash', input: { command: 'echo hi' } },
    { name: 'Read', input: { file_path } },
    { name: 'Edit', input: { file_path, old_string: 'one', new_string: 'eins' } },
    { name: 'Write', input: { file_path: place.path('b.txt'), content: 'new' } },
    { name: 'Glob', input: { pattern: '*.txt' } },
    { name: 'Grep', input: { pattern: 'two' } }
  ]
  const turns = calls.map(call => ({ calls: [call] }))
  const run = await ask([...turns, 'Done.'], { in: place, allowedTools: ['Bash', 'Edit', 'Write'] })
  const given: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
    inputsOf(run, 'PostToolUse').map(({ tool_name, tool_response }) => [
      String(tool_name),
      Object.keys(tool_response as object)
    ])
  )
  const types = keysIn('ToolOutputs')
  expect(Object.keys(given).toSorted()).toEqual(Object.keys(types).toSorted())
  for (const [tool, keys] of Object.entries(types))
    expect(given[tool], tool).toEqual(expect.arrayContaining(keys.filter(key => !key.endsWith('?'))))
})
