import { expect, test } from 'vitest'
import { ask, ownTool, project } from '../../support/agent-kit.ts'

const quick = (names: readonly string[]) => names.filter(name => name !== 'Iteration' && !/^P\w+Model/.test(name))

// F155, F130, F138, F139, F140, F151
test('one call: every event at its moment', async () => {
  const place = project({ 'a.txt': 'one\n' })
  const { names, result } = await ask([{ calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] }, 'Done.'], {
    in: place
  })
  expect(result).toMatchObject({ subtype: 'success', is_error: false, result: 'Done.', num_turns: 2 })
  expect(names).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'AgentStart',
    'Iteration',
    'PreModelRequest',
    'PostModelResponse',
    'PreToolUse',
    'PostToolUse',
    'PostToolBatch',
    'Iteration',
    'PreModelRequest',
    'PostModelResponse',
    'MessageDisplay',
    'Stop',
    'AgentStop',
    'SessionEnd'
  ])
})

// F158, F155
test('two reads stand side by side, two effects one behind the other', async () => {
  const calls = ['one', 'two'].map(name => ({ name, input: {} }))
  const wait = () => new Promise(resolve => setImmediate(resolve))
  const run = async (readOnly: boolean) => {
    const { names, events } = await ask([{ calls }, 'Done.'], {
      tools: [ownTool('one', wait, readOnly), ownTool('two', wait, readOnly)],
      allowedTools: ['one', 'two']
    })
    const of = events
      .filter(({ input }) => 'tool_name' in input)
      .map(({ event, input }) => `${event} ${input['tool_name']}`)
    return { of, rest: quick(names).filter(name => !/^P\w+ToolUse$/.test(name)) }
  }
  expect((await run(true)).of).toEqual(['PreToolUse one', 'PreToolUse two', 'PostToolUse one', 'PostToolUse two'])
  const effects = await run(false)
  expect(effects.of).toEqual(['PreToolUse one', 'PostToolUse one', 'PreToolUse two', 'PostToolUse two'])
  expect(effects.rest).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'AgentStart',
    'PostToolBatch',
    'MessageDisplay',
    'Stop',
    'AgentStop',
    'SessionEnd'
  ])
})

// F155
test('what has effects waits for the reads before it, and the reads behind it wait for its end', async () => {
  const log: string[] = []
  const logged = (name: string, readOnly: boolean) =>
    ownTool(
      name,
      async () => {
        log.push(`${name} begins`)
        await new Promise(resolve => setImmediate(resolve))
        await new Promise(resolve => setImmediate(resolve))
        log.push(`${name} ends`)
      },
      readOnly
    )
  const names = ['before', 'effect', 'after']
  await ask([{ calls: names.map(name => ({ name, input: {} })) }, 'Done.'], {
    tools: names.map(name => logged(name, name !== 'effect')),
    allowedTools: names
  })
  expect(log).toEqual(names.flatMap(name => [`${name} begins`, `${name} ends`]))
})
