/** What hooks can do to the output of a tool. */
import { describe, expect, test } from 'vitest'
import { createSdkMcpServer, tool, type ToolResultBlock } from '../../../src/index.ts'
import { ask, bashTurn, informed, ofType, ownTool, project, resultsIn, withHooks } from '../../support/agent-kit.ts'

// F146
test('suppressOutput hides what a tool gave from the model and the reader, and the tool ran', async () => {
  const place = project()
  const { sent, messages } = await ask([bashTurn('touch made && echo secret'), 'Done.'], {
    in: place,
    allowedTools: ['Bash'],
    ...withHooks(hooks => hooks.on('PostToolUse', () => ({ suppressOutput: true })))
  })
  expect(place.has('made')).toBe(true)
  expect(resultsIn(sent[1]!)).toMatchObject([{ text: '[The output was hidden by a hook.]', isError: false }])
  expect(JSON.stringify(messages.filter(({ type }) => type === 'user'))).not.toContain('secret')
})

test('a PostToolUse hook with onFailure: block that fails hides what it might have hidden', async () => {
  const asked = await ask([bashTurn('printf se; echo cret'), 'Done.'], {
    allowedTools: ['Bash'],
    ...withHooks(hooks =>
      hooks.on('PostToolUse', () => Promise.reject(new Error('down')), { name: 'redact', onFailure: 'block' })
    )
  })
  expect(resultsIn(asked.sent[1]!)[0]?.text).toContain('[The output was hidden by a hook.]')
  expect(JSON.stringify(asked.sent[1])).not.toContain('secret')
  expect(informed(asked)).toContainEqual(expect.stringContaining('hook redact failed: down'))
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
    const { sent } = await ask([say, bashTurn('echo plain'), 'Done.'], {
      ...options,
      ...withHooks(hooks => hooks.on('PostToolUse', () => ({ updatedMCPToolOutput: 'changed' })))
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
        ...withHooks(hooks => hooks.on('PostToolUse', ctx => ({ updatedToolOutput: outputs[ctx.toolName] })))
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

  const calls = [
    { name: 'Bash', input: { command: 'echo SECRET' } },
    { name: 'Read', input: { file_path: 'SECRET.txt' } },
    { name: 'Glob', input: { pattern: 'SECRET*' } },
    { name: 'Grep', input: { pattern: 'SECRET' } },
    { name: 'TaskCreate', input: { subject: 'SECRET', description: 'SECRET' } },
    { name: 'own', input: {} },
    { name: 'mcp__own__say', input: {} }
  ]
  /** Calls all kinds of tools, with a hook that puts this in the place of what they give. */
  const instead = async (output: unknown, profile: 'strict' | 'compat' = 'strict') => {
    const run = await ask([{ calls }, 'Done.'], {
      in: project({ 'SECRET.txt': 'SECRET\n' }),
      ...options,
      profile,
      tools: ['Bash', 'Read', 'Glob', 'Grep', 'TaskCreate', ownTool('own', () => 'SECRET', true)],
      ...withHooks(hooks => hooks.on('PostToolUse', () => ({ updatedToolOutput: output })))
    })
    return { run, results: run.sent[1]!.at(-1)!.content as readonly ToolResultBlock[] }
  }

  // F147
  test.each<[string, unknown, ToolResultBlock['content']]>([
    ['a text', '[redacted]', '[redacted]'],
    ['no text', '', ''],
    ['content', [{ type: 'text', text: '[redacted]' }], [{ type: 'text', text: '[redacted]' }]],
    [
      'a picture',
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }],
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }]
    ],
    ['a result', { content: [{ type: 'text', text: '[redacted]' }] }, [{ type: 'text', text: '[redacted]' }]]
  ])('of any tool can be replaced by %s', async (_, output, content) => {
    const { run, results } = await instead(output)
    expect(results.map(result => [result.content, result.is_error])).toEqual(calls.map(() => [content, undefined]))
    expect(informed(run)).toEqual([])
    expect(ofType(run, 'user').map(({ tool_use_result }) => tool_use_result)).toEqual(calls.map(() => output))
  })

  // F147
  test.each([
    [{ stdout: '[redacted]' }, 'strict'],
    [{ stdout: '[redacted]' }, 'compat'],
    [['[redacted]'], 'strict'],
    [7, 'strict'],
    [null, 'strict'],
    [null, 'compat'],
    [false, 'compat']
  ] as const)('is hidden where a hook gives %j, which cannot be shown (%s)', async (output, profile) => {
    const { run, results } = await instead(output, profile)
    expect(results.map(({ content }) => content)).toEqual(
      calls.map(() => '[The output was hidden: a hook put something in its place that cannot be shown.]')
    )
    const told = JSON.stringify([results, ofType(run, 'user')])
    expect(told).not.toContain('SECRET')
    expect(informed(run)).toHaveLength(calls.length)
    for (const text of informed(run)) expect(text).toMatch(/the tool’s own was hidden; give a text, a list of content/)
  })
})
