/** What hooks can do to the output of a tool. */
import { describe, expect, test } from 'vitest'
import { tool, createSdkMcpServer, type HookRegistry } from '../../src/index.ts'
import { ask, informed, ofType, project, registry, resultsIn, type Asking } from './kit.ts'

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const on = (fill: (hooks: HookRegistry) => unknown): Asking => ({ hooks: registry(fill) })

// F146
test('suppressOutput hides what a tool gave from the model and the reader, and the tool ran', async () => {
  const place = project()
  const { sent, messages } = await ask([bash('touch made && echo secret'), 'Done.'], {
    in: place,
    allowedTools: ['Bash'],
    ...on(hooks => hooks.on('PostToolUse', () => ({ suppressOutput: true })))
  })
  expect(place.has('made')).toBe(true)
  expect(resultsIn(sent[1]!)).toMatchObject([{ text: '[The output was hidden by a hook.]', isError: false }])
  expect(JSON.stringify(messages.filter(({ type }) => type === 'user'))).not.toContain('secret')
})

describe('the output of a tool', () => {
  const server = createSdkMcpServer({
    name: 'own',
    tools: [
      tool('say', 'says', {}, () => ({ content: [{ type: 'text', text: 'plain' }] }), {
        annotations: { readOnlyHint: true }
      })
    ]
  })
  const say = { calls: [{ name: 'mcp__own__say', input: {} }] }
  const options = { mcpServers: { own: server }, allowedTools: ['mcp__own__say', 'Bash'] }

  // F54, F147
  test('of a server is replaced by updatedMCPToolOutput, that of others is not', async () => {
    const { sent } = await ask([say, bash('echo plain'), 'Done.'], {
      ...options,
      ...on(hooks => hooks.on('PostToolUse', () => ({ updatedMCPToolOutput: 'changed' })))
    })
    expect(resultsIn(sent[2]!).map(({ text }) => text)).toEqual(['changed', 'plain'])
  })

  // F147
  test('is replaced by updatedToolOutput when it has the shape of the tool’s own', async () => {
    const place = project({ 'a.txt': 'one\ntwo\n' })
    const file = { filePath: place.path('a.txt'), content: 'uno\ndos', numLines: 2, startLine: 1, totalLines: 2 }
    const outputs: Record<string, unknown> = {
      Bash: { stdout: 'changed', stderr: 'and this', interrupted: false, isImage: false },
      Read: { type: 'text', file },
      Glob: { filenames: ['b.txt'], durationMs: 1, numFiles: 1, truncated: false },
      Grep: { mode: 'files_with_matches', filenames: ['c.txt'], numFiles: 1 },
      Write: { type: 'create', filePath: 'elsewhere.txt', content: 'x', structuredPatch: [], originalFile: null },
      Edit: { filePath: 'elsewhere.txt', oldString: 'a', newString: 'b', originalFile: '', structuredPatch: [] }
    }
    const { sent, messages } = await ask(
      [
        {
          calls: [
            { name: 'Bash', input: { command: 'echo plain' } },
            { name: 'Read', input: { file_path: 'a.txt' } },
            { name: 'Glob', input: { pattern: '*.txt' } },
            { name: 'Grep', input: { pattern: 'one' } },
            { name: 'Edit', input: { file_path: 'a.txt', old_string: 'one', new_string: 'eins' } },
            { name: 'Write', input: { file_path: 'n.txt', content: 'x' } }
          ]
        },
        'Done.'
      ],
      {
        in: place,
        permissionMode: 'acceptEdits',
        allowedTools: ['Bash'],
        ...on(hooks => hooks.on('PostToolUse', ctx => ({ updatedToolOutput: outputs[ctx.toolName] })))
      }
    )
    expect(resultsIn(sent[1]!).map(({ text }) => text)).toEqual([
      'changed\nand this',
      '1\tuno\n2\tdos',
      'b.txt',
      'Found 1 file\nc.txt',
      expect.stringContaining('elsewhere.txt'),
      expect.stringContaining('elsewhere.txt')
    ])
    expect(informed({ messages })).toEqual([])
    expect(ofType({ messages }, 'user').map(({ tool_use_result }) => tool_use_result)).toContainEqual(outputs['Bash'])
  })

  test.each([['changed'], [{ stdout: 7 }], [['x']]])('stays as it is for %j, with a warning', async output => {
    const place = project({ 'a.txt': 'one\n' })
    const calls = [
      { name: 'Bash', input: { command: 'echo plain' } },
      { name: 'Read', input: { file_path: 'a.txt' } },
      { name: 'Glob', input: { pattern: '*.txt' } },
      { name: 'Grep', input: { pattern: 'one' } },
      { name: 'Write', input: { file_path: 'n.txt', content: 'x' } }
    ]
    const run = (hooks: Asking) =>
      ask([{ calls }, 'Done.'], { in: place, permissionMode: 'acceptEdits', allowedTools: ['Bash'], ...hooks })
    const plain = resultsIn((await run({})).sent[1]!)
    place.write('n.txt', 'old')
    const after = await run(
      on(hooks => hooks.on('PostToolUse', 'Bash|Read|Glob|Grep', () => ({ updatedToolOutput: output })))
    )
    expect(resultsIn(after.sent[1]!).slice(0, 4)).toEqual(
      plain.slice(0, 4).map(result => ({ ...result, text: expect.any(String) }))
    )
    expect(resultsIn(after.sent[1]!)[0]!.text).toBe('plain')
    expect(informed(after).filter(text => text.includes('was not used'))).toHaveLength(4)
  })
})
