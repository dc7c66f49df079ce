import {
  convertToModelMessages,
  dynamicTool,
  experimental_toolCaller,
  generateText,
  isStepCount,
  isToolUIPart,
  jsonSchema,
  readUIMessageStream,
  streamText,
  tool,
  toUIMessageStream,
  type ModelMessage,
  type ToolSet,
  type UIMessage
} from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { scriptedModel, type ScriptedCall } from '../../examples/sdks/models/ai-sdk.ts'
import { guardTools, type GuardToolsOptions } from '../../src/ai-sdk.ts'
import { allow, ask, deny, HookRegistry, transform } from '../../src/hooks.ts'
import { answered, runLoop, CALL_WAYS, type FakeRun, type LoopTools } from './ai-sdk-kit.ts'

const CALL = { name: 'write', input: { path: 'a', text: 'secret' } }

interface Note {
  path: string
  text: string
}

/** Tools that record what they ran with, and a registry that records what it judged. */
function scene(): { hooks: HookRegistry; tools: { write: ToolSet[string] }; ran: unknown[]; judged: unknown[] } {
  const ran: unknown[] = []
  const judged: unknown[] = []
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', ctx => void judged.push(ctx.toolInput), { observe: true })
  const write = tool({
    inputSchema: z.object({ path: z.string(), text: z.string() }),
    execute: async (input: Note) => {
      ran.push(input)
      return `wrote ${input.text} to ${input.path}`
    }
  })
  return { hooks, tools: { write }, ran, judged }
}

const changedPath = (messages: readonly ModelMessage[], path: string): ModelMessage[] =>
  JSON.parse(JSON.stringify(messages).replace('"path":"a"', `"path":"${path}"`)) as ModelMessage[]

describe.each(CALL_WAYS)('%s', way => {
  const run = (calls: readonly ScriptedCall[], guarded: LoopTools): Promise<FakeRun> =>
    runLoop(way, scriptedModel(calls), guarded)

  test('a call to which no hook objects leaves the same messages as without the gate', async () => {
    const { hooks, tools, ran } = scene()
    hooks.on('PreToolUse', () => allow())
    const { modelSaw, messages } = await run([CALL], guardTools(tools, hooks))
    const bare = await run([CALL], { tools, toolApproval: () => undefined })
    expect(ran).toEqual([CALL.input, CALL.input])
    expect(modelSaw).toBe(bare.modelSaw)
    expect(messages).toEqual(bare.messages)
  })

  test('a deny reaches the model with its reason and context, and the other calls run', async () => {
    const { hooks, tools, ran } = scene()
    const notA = (path: unknown): boolean => path === 'a'
    hooks.on('PreToolUse', ctx => (notA(ctx.toolInput['path']) ? deny('not a', { context: 'try b' }) : undefined), {
      name: 'gate'
    })
    const other = { name: 'write', input: { path: 'b', text: 'x' } }
    const { modelSaw } = await run([CALL, other], guardTools(tools, hooks))
    expect(ran).toEqual([other.input])
    expect(modelSaw).toContain('write was refused by gate: not a\\ntry b')
    expect(modelSaw).toContain('wrote x to b')
  })

  test('a rewrite is judged once, and it is what runs', async () => {
    const { hooks, tools, ran, judged } = scene()
    hooks.on('PreToolUse', ctx => transform({ ...ctx.toolInput, text: 'public' }))
    await run([CALL], guardTools(tools, hooks))
    expect(ran).toEqual([{ path: 'a', text: 'public' }])
    expect(judged).toEqual([{ path: 'a', text: 'public' }])
  })

  test('a hook that fails closes the gate; the run continues', async () => {
    const { hooks, tools, ran } = scene()
    hooks.on('PreToolUse', () => Promise.reject(new Error('the scanner is down')))
    const { modelSaw, steps } = await run([CALL], guardTools(tools, hooks))
    expect(ran).toEqual([])
    expect(steps).toBe(2)
    expect(modelSaw).toContain('the scanner is down')
  })

  describe('ask', () => {
    /** Asks about a call, and resumes the run with a person's answer, perhaps in another process. */
    async function asking(approved: boolean, change = (messages: ModelMessage[]) => messages, restart = false) {
      const { hooks, tools, ran, judged } = scene()
      hooks.on('PreToolUse', ctx => (ctx.toolInput['path'] === 'denied' ? deny('never') : ask('sure?')), {
        name: 'gate'
      })
      const guarded = guardTools(tools, hooks)
      const model = scriptedModel([CALL])
      const { messages } = await runLoop(way, model, guarded)
      expect(ran).toEqual([])
      const resumed = restart ? guardTools(tools, hooks) : guarded
      const { modelSaw } = await runLoop(way, model, resumed, change(answered(messages, approved)))
      return { ran, judged, modelSaw, asked: JSON.stringify(messages) }
    }

    test('a yes runs the call, and hooks are not asked again', async () => {
      const { ran, judged, modelSaw, asked } = await asking(true)
      expect(asked).toContain('"reason":"gate asks: sure? [input ')
      expect(ran).toEqual([CALL.input])
      expect(judged).toHaveLength(1)
      expect(modelSaw).toContain('wrote secret to a')
    })

    test('an approval is used once: the same history does not run the call again', async () => {
      const { hooks, tools, ran } = scene()
      hooks.on('PreToolUse', () => ask())
      const guarded = guardTools(tools, hooks)
      const model = scriptedModel([CALL])
      const history = answered((await runLoop(way, model, guarded)).messages, true)
      await runLoop(way, model, guarded, history)
      const { modelSaw } = await runLoop(way, model, guarded, history)
      expect(ran).toEqual([CALL.input])
      expect(modelSaw).toContain('the call has run with this approval')
    })

    test('a no does not run it', async () => {
      const { ran, modelSaw } = await asking(false)
      expect(ran).toEqual([])
      expect(modelSaw).toContain('execution-denied')
    })

    test('after a restart, hooks judge again, and the answer to the same question counts', async () => {
      const { ran, judged } = await asking(true, messages => messages, true)
      expect(ran).toEqual([CALL.input])
      expect(judged).toHaveLength(2)
    })

    test('after a restart, a hook without a name asks the same question from another line', async () => {
      const { tools, ran } = scene()
      const [first, moved, other] = [new HookRegistry(), new HookRegistry(), new HookRegistry()]
      first.on('PreToolUse', () => ask('sure?'))
      moved.on('PreToolUse', () => ask('sure?'))
      other.on('PreToolUse', () => ask('really sure?'))
      const model = scriptedModel([CALL])
      const history = answered((await runLoop(way, model, guardTools(tools, first))).messages, true)
      const { modelSaw } = await runLoop(way, model, guardTools(tools, other), history)
      expect(modelSaw).toContain('the approval is for another input or question')
      expect(ran).toEqual([])
      await runLoop(way, model, guardTools(tools, moved), history)
      expect(ran).toEqual([CALL.input])
    })

    test('a history with other key order is the same question', async () => {
      const reordered = (messages: ModelMessage[]): ModelMessage[] =>
        JSON.parse(
          JSON.stringify(messages).replace('{"path":"a","text":"secret"}', '{"text":"secret","path":"a"}')
        ) as ModelMessage[]
      for (const restart of [false, true]) {
        const { ran } = await asking(true, reordered, restart)
        expect(ran).toEqual([CALL.input])
      }
    })

    test.each([false, true])(
      'other input is judged again: an approval does not cover it (restart: %s)',
      async restart => {
        const { ran, judged, modelSaw } = await asking(true, messages => changedPath(messages, 'b'), restart)
        expect(judged).toEqual([CALL.input, { path: 'b', text: 'secret' }])
        expect(ran).toEqual([])
        expect(modelSaw).toContain('the approval is for another input or question')
      }
    )

    test.each([false, true])('other input that hooks deny is denied (restart: %s)', async restart => {
      const { ran, modelSaw } = await asking(true, messages => changedPath(messages, 'denied'), restart)
      expect(ran).toEqual([])
      expect(modelSaw).toContain('write was refused by gate: never')
    })

    test('the question shows what a rewrite made of the input, and that is what runs', async () => {
      const { hooks, tools, ran } = scene()
      hooks.on('PreToolUse', ctx => transform({ ...ctx.toolInput, text: 'public' }))
      hooks.on('PreToolUse', () => ask(), { name: 'gate' })
      const guarded = guardTools(tools, hooks)
      const model = scriptedModel([CALL])
      const { messages } = await runLoop(way, model, guarded)
      expect(JSON.stringify(messages)).toContain(
        JSON.stringify('gate asks; it will run with {"path":"a","text":"public"} [input').slice(1, -1)
      )
      await runLoop(way, model, guarded, answered(messages, true))
      expect(ran).toEqual([{ path: 'a', text: 'public' }])
    })

    test.each([
      ['true', true],
      ['another value that the SDK takes for true', 'always'],
      ['a function', async () => true]
    ])('needsApproval (%s) of a tool still asks, though a hook allows', async (_, needsApproval) => {
      const { hooks, tools, ran } = scene()
      hooks.on('PreToolUse', () => allow())
      const guarded = guardTools({ write: Object.assign({}, tools.write, { needsApproval }) }, hooks)
      const model = scriptedModel([CALL])
      const { messages } = await runLoop(way, model, guarded)
      expect(ran).toEqual([])
      expect(JSON.stringify(messages)).toContain('the tool needs approval [input')
      await runLoop(way, model, guarded, answered(messages, true))
      expect(ran).toEqual([CALL.input])
    })

    test('needsApproval of a tool is about the input that will run', async () => {
      const { hooks, tools, ran } = scene()
      hooks.on('PreToolUse', ctx => transform({ ...ctx.toolInput, path: '/etc' }))
      const needsApproval = ({ path }: Note): boolean => path === '/etc'
      const write = Object.assign({}, tools.write, { needsApproval })
      const { questions } = await run([CALL], guardTools({ write }, hooks))
      expect([ran, questions]).toEqual([[], [CALL.input]])
    })
  })

  describe('a rewrite runs only if the schema takes it as it is', () => {
    const n = z.object({ n: z.number() })
    const transformed = z.object({ n: z.string().transform(Number) })
    const trimmed = z.object({ n: z.string().trim() })
    const defaults = z.object({ n: z.number(), m: z.number().default(1) })
    test.each([
      ['it fits', n, { n: 1 }, { n: 2 }, true],
      ['it does not fit', n, { n: 1 }, { n: 'two' }, false],
      ['it is what a transform made', transformed, { n: '1' }, { n: 2 }, false],
      ['a transform would change it', transformed, { n: '1' }, { n: '2' }, false],
      ['a transform leaves it alone', trimmed, { n: ' 1 ' }, { n: '2' }, true],
      ['a default would be added', defaults, { n: 1 }, { n: 2 }, false],
      ['nothing is missing', defaults, { n: 1 }, { n: 2, m: 3 }, true]
    ] as const)('%s', async (_, inputSchema, input, rewrite, runs) => {
      const ran: unknown[] = []
      const hooks = new HookRegistry()
      hooks.on('PreToolUse', () => transform({ ...rewrite }))
      const execute = async (given: unknown): Promise<string> => `${ran.push(given)}`
      const tools = { count: tool({ inputSchema: inputSchema as z.ZodType, execute }) }
      const { modelSaw } = await run([{ name: 'count', input }], guardTools(tools, hooks))
      expect(ran).toEqual(runs ? [rewrite] : [])
      expect(modelSaw.includes('no longer fits its inputSchema')).toBe(!runs)
    })
  })

  test('a call with the id of an earlier one, which ended a run, does not end its own', async () => {
    const { hooks, tools, ran } = scene()
    let isFirst = true
    hooks.on('PreToolUse', () => {
      const reply = isFirst ? { continue: false } : undefined
      isFirst = false
      return reply
    })
    const guarded = guardTools(tools, hooks)
    const call = { ...CALL, id: 'call_0' }
    expect((await run([call], guarded)).steps).toBe(1)
    expect((await run([call], guarded)).steps).toBe(2)
    expect(ran).toEqual([CALL.input])
  })

  describe('execute refuses what was not decided', () => {
    test('without toolApproval, the model gets an error that names it', async () => {
      const { hooks, tools, ran } = scene()
      const { modelSaw, steps } = await run([CALL], { tools: guardTools(tools, hooks).tools })
      expect(ran).toEqual([])
      expect(steps).toBe(2)
      expect(modelSaw).toContain('write was refused by guardTools(): there is no decision about this call')
    })

    test('a tool that was put in the place of a guarded one', async () => {
      const { hooks, tools, ran } = scene()
      const { modelSaw } = await run([CALL], { ...guardTools(tools, hooks), tools })
      expect(ran).toEqual([])
      expect(modelSaw).toContain('it is not among the tools that guardTools() returned')
    })

    test('a tool that calls others, which the SDK puts in the place of the guarded one', async () => {
      const { hooks, tools, ran } = scene()
      const inputSchema = z.object({ code: z.string() })
      const program = tool({ inputSchema, execute: () => 'alone' })
      const bind = (others: ToolSet): ToolSet[string] => {
        const execute = async (_: object, options: object): Promise<string> => {
          ran.push('program')
          return (await others['write']?.execute?.(CALL.input as never, options as never)) as string
        }
        return tool({ inputSchema, execute })
      }
      const caller = experimental_toolCaller(program, { type: 'local', bind } as never)
      const guarded = { ...guardTools({ ...tools, caller }, hooks), experimental_toolCallers: { write: ['caller'] } }
      const { modelSaw } = await run([{ name: 'caller', input: { code: 'write()' } }], guarded)
      expect(ran).toEqual([])
      expect(modelSaw).toContain('caller was refused by guardTools()')
    })

    test('input that was changed after the decision', async () => {
      const { hooks, tools, ran } = scene()
      const { toolApproval, tools: guarded } = guardTools(tools, hooks)
      const tampered = async (request: Parameters<typeof toolApproval>[0]) => {
        const status = await toolApproval(request)
        ;(request.toolCall.input as unknown as Note).path = 'b'
        return status
      }
      const { modelSaw } = await run([CALL], { tools: guarded, toolApproval: tampered })
      expect(ran).toEqual([])
      expect(modelSaw).toContain('there is no decision about this call with this input')
    })
  })

  describe('after the call', () => {
    test('a hook replaces the output, and the model never gets the old one', async () => {
      const { hooks, tools } = scene()
      hooks.on('PostToolUse', () => ({ updatedToolOutput: { hidden: true } }))
      const { modelSaw, messages } = await run([CALL], guardTools(tools, hooks))
      expect(modelSaw).toContain('{"hidden":true}')
      expect(JSON.stringify(messages)).not.toContain('wrote secret')
    })

    test('a hook that fails is reported, and with onFailure: block the model never gets the output', async () => {
      const { hooks, tools } = scene()
      hooks.on('PostToolUse', () => Promise.reject(new Error('down')), { name: 'redact', onFailure: 'block' })
      const failures: string[] = []
      const onFailure = ({ by }: { by: string }): void => void failures.push(by)
      const { modelSaw } = await run([CALL], guardTools(tools, hooks, { onFailure }))
      expect(modelSaw).toContain('[The output was hidden by a hook.]')
      expect(modelSaw).not.toContain('wrote secret')
      expect(failures).toEqual(['redact'])
    })

    test.each([{ suppressOutput: true }, { updatedToolOutput: '[none]' }, { updatedToolOutput: { no: 1 } }])(
      'the tool’s own toModelOutput cannot show what a hook put there: %j',
      async reply => {
        const { hooks } = scene()
        hooks.on('PostToolUse', () => reply)
        const write = tool({
          inputSchema: z.object({ path: z.string(), text: z.string() }),
          execute: () => ({ data: 'the secret' }),
          toModelOutput: ({ output }) => ({ type: 'text', value: output.data.slice(4) })
        })
        const { modelSaw } = await run([CALL], guardTools({ write }, hooks))
        expect(modelSaw).toMatch(/The output was hidden|\[none\]|\{"no":1\}/)
        expect(modelSaw).not.toContain('the secret')
      }
    )

    test.each([
      ['throws', () => Promise.reject(new Error('it has no items'))],
      ['returns nothing', () => undefined as never]
    ])(
      'the tool’s own output is not shown by a toModelOutput that %s, as without the gate',
      async (_, toModelOutput) => {
        const { hooks } = scene()
        const write = tool({
          inputSchema: z.object({ path: z.string(), text: z.string() }),
          execute: () => ({ data: 'the secret' }),
          toModelOutput
        })
        const guarded = guardTools({ write }, hooks)
        const outcomeOf = (tools: LoopTools): Promise<string> =>
          run([CALL], tools).then(
            ({ modelSaw }) => modelSaw,
            (error: unknown) => String(error)
          )
        const bare = await outcomeOf({ tools: { write } })
        expect(await outcomeOf(guarded)).toBe(bare)
        hooks.on('PostToolUse', () => ({ additionalContext: 'from after' }))
        expect(await outcomeOf(guarded)).not.toContain('the secret')
        expect(bare).not.toContain('the secret')
      }
    )

    test('an output that was hidden before a restart can be shown after it', async () => {
      const { hooks } = scene()
      const write = tool({
        inputSchema: z.object({ path: z.string(), text: z.string() }),
        execute: () => ({ data: 'the secret' }),
        toModelOutput: ({ output }) => ({ type: 'text', value: output.data.slice(4) })
      })
      const { tools } = guardTools({ write }, hooks)
      const output = '[The output was hidden by a hook.]'
      const part = { type: 'tool-write', toolCallId: 'call_0', state: 'output-available', input: CALL.input, output }
      const messages = [{ id: '1', role: 'assistant', parts: [part] }] as UIMessage[]
      expect(JSON.stringify(await convertToModelMessages(messages, { tools }))).toContain(output)
    })

    test('context of all hooks follows the result, whatever its type', async () => {
      const { hooks } = scene()
      hooks.on('PreToolUse', () => ({ additionalContext: 'from before' }))
      hooks.on('PostToolUse', () => ({ additionalContext: 'from after' }))
      const seen: string[] = []
      const inputSchema = z.object({})
      const guarded = guardTools(
        {
          text: tool({ inputSchema, execute: () => 'a text' }),
          json: tool({ inputSchema, execute: () => ({ a: 1 }) }),
          own: tool({
            inputSchema,
            execute: () => 'own',
            toModelOutput: ({ output }) => ({ type: 'content', value: [{ type: 'text', text: `my ${output}` }] })
          })
        },
        hooks,
        { onContext: (text, id) => void seen.push(`${id} ${text}`) }
      )
      const calls = ['text', 'json', 'own'].map(name => ({ name, input: {}, id: name }))
      const { modelSaw } = await run(calls, guarded)
      for (const own of ['a text', '{\\"a\\":1}', 'my own'])
        expect(modelSaw).toContain(`{"type":"text","text":"${own}"},{"type":"text","text":"from before\\nfrom after"}`)
      expect(seen.toSorted()).toEqual(['json', 'own', 'text'].flatMap(id => [`${id} from after`, `${id} from before`]))
    })

    test('a failure is reported to hooks, and their context to the model', async () => {
      const { hooks } = scene()
      const failures: unknown[] = []
      hooks.on('PostToolUseFailure', ctx => {
        failures.push(ctx.error)
        return { additionalContext: 'use another disk' }
      })
      const fails = (): string => {
        throw new Error('disk full')
      }
      const tools = {
        now: tool({ inputSchema: z.object({}), execute: fails }),
        later: tool({ inputSchema: z.object({}), execute: async () => fails() })
      }
      const calls = [
        { name: 'now', input: {} },
        { name: 'later', input: {} }
      ]
      const { modelSaw } = await run(calls, guardTools(tools, hooks))
      expect(failures).toEqual(['disk full', 'disk full'])
      expect(modelSaw.match(/disk full\\nuse another disk/g)).toHaveLength(2)
    })

    test('continue: false ends the run', async () => {
      const { hooks, tools } = scene()
      hooks.on('PostToolUse', () => ({ continue: false }))
      expect((await run([CALL], guardTools(tools, hooks))).steps).toBe(1)
    })
  })

  describe('streams', () => {
    async function* growing({ path }: { path: string }): AsyncGenerator<string> {
      yield `${path}: 1`
      yield `${path}: 1, secret`
    }
    const inputSchema = z.object({ path: z.string() })

    test.each([
      ['a generator', growing],
      ['a function that returns one', (input: { path: string }) => growing(input)]
    ])('%s: values are passed on, and a hook replaces the last one', async (_, execute) => {
      const { hooks } = scene()
      const responses: unknown[] = []
      hooks.on('PostToolUse', ctx => {
        responses.push(ctx.toolResponse)
        return { updatedToolOutput: 'final' }
      })
      const guarded = guardTools({ grow: tool({ inputSchema, execute }) }, hooks)
      const { modelSaw, parts } = await run([{ name: 'grow', input: { path: 'p' } }], guarded)
      expect(responses).toEqual(['p: 1, secret'])
      expect(modelSaw).toContain('final')
      expect(modelSaw).not.toContain('secret')
      const outputs = parts.filter(part => part.type === 'tool-result').map(part => 'output' in part && part.output)
      expect(outputs).toEqual(way === 'generateText' ? [] : ['p: 1', 'p: 1, secret', 'final', 'final'])
    })

    test('one that was refused does not begin', async () => {
      const { hooks } = scene()
      let began = false
      hooks.on('PreToolUse', () => deny('no'))
      const execute = async function* (): AsyncGenerator<string> {
        began = true
        yield ''
      }
      await run([{ name: 'grow', input: { path: 'p' } }], guardTools({ grow: tool({ inputSchema, execute }) }, hooks))
      expect(began).toBe(false)
    })
  })

  test('dynamic tools of an MCP server: hooks see the name of the server, and its errors are failures', async () => {
    const { hooks, ran } = scene()
    const names: unknown[] = []
    hooks.on('PreToolUse', 'mcp__files__*', ctx => (ctx.toolInput['path'] === 'x' ? deny('not x') : undefined))
    hooks.on('PostToolUseFailure', ctx => void names.push([ctx.toolName, ctx.error]))
    const read = dynamicTool({
      inputSchema: jsonSchema({ type: 'object', properties: { path: { type: 'string' } } }),
      execute: async input => {
        ran.push(input)
        return { isError: true, content: [{ type: 'text', text: 'no such file' }] }
      }
    })
    const calls = ['x', 'y'].map(path => ({ name: 'read', input: { path } }))
    const { modelSaw } = await run(calls, guardTools({ read }, hooks, { nameOf: name => `mcp__files__${name}` }))
    expect(ran).toEqual([{ path: 'y' }])
    expect(names).toEqual([['mcp__files__read', 'no such file']])
    expect(modelSaw).toContain('not x')
  })
})

test('an approval comes back through the messages of a user interface', async () => {
  const { hooks, tools, ran } = scene()
  hooks.on('PreToolUse', () => ask('sure?'))
  const user: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }
  const { tools: guarded, toolApproval } = guardTools(tools, hooks)
  const model = scriptedModel([CALL])
  const { stream } = streamText({ model, tools: guarded, toolApproval, prompt: 'go' })
  let shown: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream: toUIMessageStream({ stream }) })) shown = message
  const answeredParts = shown!.parts.map(part =>
    isToolUIPart(part) && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
      : part
  )
  const sent = JSON.parse(JSON.stringify([user, { ...shown, parts: answeredParts }])) as UIMessage[]
  // In the process that asked, and in another.
  for (const resumed of [{ tools: guarded, toolApproval }, guardTools(tools, hooks)]) {
    await runLoop('streamText', model, resumed, await convertToModelMessages(sent, { tools: guarded }))
    expect(ran.splice(0)).toEqual([CALL.input])
  }
})

describe('toolApproval never rejects, and returns only known statuses', () => {
  const request = (toolCall: object, tools: ToolSet) =>
    ({ toolCall, tools, messages: [], toolsContext: {}, runtimeContext: {} }) as never
  const statusOf = (options: GuardToolsOptions, needsApproval: () => boolean = () => false) => {
    const { hooks, tools } = scene()
    const guarded = guardTools({ write: Object.assign({}, tools.write, { needsApproval }) }, hooks, options)
    return guarded.toolApproval(request({ toolName: 'write', toolCallId: '1', input: CALL.input }, guarded.tools))
  }
  const throws = (): never => {
    throw new Error('boom')
  }

  test('a callback of the program that throws', async () => {
    expect(await statusOf({}, throws)).toEqual({ type: 'denied', reason: 'boom' })
  })

  test.each(['text', 5, null, undefined, ['a']])('input %j, which no event can have', async input => {
    const { hooks, tools } = scene()
    const { toolApproval, tools: guarded } = guardTools(tools, hooks)
    const status = await toolApproval(request({ toolName: 'write', toolCallId: '1', input }, guarded))
    expect(status).toMatchObject({ type: 'denied', reason: expect.stringContaining('not an object') })
  })

  test.each(['constructor', '__proto__', 'other'])('a tool named %s, which was not guarded', async toolName => {
    const { hooks, tools } = scene()
    const { toolApproval, tools: guarded } = guardTools(tools, hooks)
    const status = await toolApproval(
      request({ toolName, toolCallId: '1', input: {} }, { ...guarded, other: tools.write })
    )
    expect(status).toMatchObject({ type: 'denied' })
  })
})

test('while a person is asked, execute refuses the call', async () => {
  const { hooks, tools, ran } = scene()
  hooks.on('PreToolUse', () => ask())
  const { toolApproval, tools: guarded } = guardTools(tools, hooks)
  const { input } = CALL
  const toolCall = { toolName: 'write', toolCallId: '1', input }
  expect(await toolApproval({ toolCall, tools: guarded, messages: [] } as never)).toMatchObject({
    type: 'user-approval'
  })
  expect(() => guarded.write.execute?.(input as never, { toolCallId: '1' } as never)).toThrow('there is no decision')
  expect(ran).toEqual([])
})

test('decisions that are never used are forgotten, the oldest first', async () => {
  const { hooks, tools, ran } = scene()
  const { toolApproval, tools: guarded } = guardTools(tools, hooks)
  const { input } = CALL
  for (let id = 0; id <= 10_000; id++)
    await toolApproval({
      toolCall: { toolName: 'write', toolCallId: `${id}`, input },
      tools: guarded,
      messages: []
    } as never)
  const execute = (id: string): unknown => guarded.write.execute?.(input as never, { toolCallId: id } as never)
  expect(() => execute('0')).toThrow('there is no decision')
  await execute('1')
  expect(() => execute('1')).toThrow('there is no decision')
  expect(ran).toEqual([input])
})

describe('tools that hooks do not control completely are listed, with a warning', () => {
  const search = {
    type: 'provider',
    isProviderExecuted: true,
    id: 'fake.search',
    args: {},
    inputSchema: z.object({}),
    outputSchema: z.object({})
  } as unknown as ToolSet[string]
  const confirm = tool({ inputSchema: z.object({ path: z.string() }), outputSchema: z.string() })

  test('by name', async () => {
    const { hooks, tools } = scene()
    const warned = new Promise<Error>(resolve => process.once('warning', resolve))
    const eager = Object.assign({}, tools.write, { onInputAvailable: () => undefined })
    expect(guardTools({ ...tools, search, confirm, eager }, hooks).notGated).toEqual({
      search: 'the provider runs it, and hooks do not see its calls',
      confirm: expect.stringContaining('who reads the stream gets a call before they decide'),
      eager: 'onInputAvailable run before hooks decide'
    })
    expect(await warned).toMatchObject({ name: 'CarabinerWarning', message: expect.stringMatching(/^search is not/) })
  })

  test('a tool without execute can be denied, but its input cannot be changed', async () => {
    for (const reply of [deny('no'), transform({ path: 'b' })]) {
      const { hooks } = scene()
      hooks.on('PreToolUse', () => reply)
      const { modelSaw } = await runLoop(
        'generateText',
        scriptedModel([{ name: 'confirm', input: { path: 'a' } }]),
        guardTools({ confirm }, hooks)
      )
      expect(modelSaw).toMatch(/confirm was refused by .*(: no|not possible for a tool without execute)/)
    }
  })

  test('a call that the provider runs is not judged', async () => {
    const { hooks, tools, judged } = scene()
    const call = { name: 'search', input: {}, providerExecuted: true }
    const { tools: guarded, toolApproval } = guardTools({ ...tools, search }, hooks)
    await generateText({
      model: scriptedModel([call]),
      tools: guarded,
      toolApproval,
      prompt: 'go',
      stopWhen: isStepCount(1)
    })
    expect(judged).toEqual([])
  })
})

test('a guarded tool has all other properties of its tool, also inherited ones', () => {
  class Shouting {
    readonly inputSchema = z.object({})
    get description(): string {
      return 'shouts'
    }
    execute(): string {
      return 'A'
    }
  }
  const guarded = guardTools({ shout: Object.freeze(new Shouting()) as unknown as ToolSet[string] }, new HookRegistry())
  expect(guarded.tools.shout).toBeInstanceOf(Shouting)
  expect(guarded.tools.shout.description).toBe('shouts')
  expect(Object.keys(guarded.tools.shout)).toEqual(['inputSchema', 'execute', 'toModelOutput'])
})

test.each([
  ['tools', [undefined, new HookRegistry()]],
  ['hooks', [{}, {}]],
  ['hooks', [{}]],
  ['option', [{}, new HookRegistry(), { onContexts: () => undefined }]],
  ['sessionId', [{}, new HookRegistry(), { sessionId: 5 }]],
  ['the tool write', [{ write: undefined }, new HookRegistry()]],
  ['nameOf', [scene().tools, new HookRegistry(), { nameOf: () => '' }]],
  ['nameOf', [scene().tools, new HookRegistry(), { nameOf: () => 7 }]],
  ['nameOf', [scene().tools, new HookRegistry(), { nameOf: () => undefined }]],
  ['the tool write', [guardTools(scene().tools, new HookRegistry()).tools, new HookRegistry()]]
])('wrong %s of guardTools() are an error when it is called', (what, args) => {
  const call = guardTools as unknown as (...args: unknown[]) => unknown
  expect(() => call(...args)).toThrow(
    expect.objectContaining({ code: 'E_OPTION_INVALID', message: expect.stringContaining(what) })
  )
})

test.each(['Write_Note', 'writenote', 'write_nope', ['a', 'write-note']])(
  'a gate for %s, which narrowly misses a tool, is an error',
  matcher => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', matcher, () => deny('no'), { name: 'gate' })
    const tools = { write_note: scene().tools.write }
    expect(() => guardTools(tools, hooks)).toThrow(
      /the matcher of gate cannot be "[\w-]+", because no tool .*; use write_note$/
    )
  }
)

test.each(['write_note', 'Write_Note|write_note', 'Bash', 'write.*', /^writenote$/, '*'])(
  'a gate for %s is accepted',
  matcher => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', matcher, () => deny('no'))
    for (const event of ['PreToolUse', 'PostToolUse'] as const)
      hooks.on(event, 'writenote', () => undefined, { observe: true })
    expect(Object.keys(guardTools({ write_note: scene().tools.write }, hooks).tools)).toEqual(['write_note'])
  }
)

test('a tool has the name that nameOf gave it first', async () => {
  const { hooks, tools, ran } = scene()
  hooks.on('PreToolUse', 'Write', () => deny('no'))
  const names = ['Write']
  const guarded = guardTools(tools, hooks, { nameOf: () => names.shift() ?? 'Other' })
  await runLoop('generateText', scriptedModel([CALL]), guarded)
  expect(ran).toEqual([])
  const throws = (): never => {
    throw new Error('boom')
  }
  expect(() => guardTools(tools, hooks, { nameOf: throws })).toThrow('boom')
})

test('matchers are compared with the names that nameOf gives', () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Bash', () => deny('no'))
  const tools = { bash: scene().tools.write }
  expect(() => guardTools(tools, hooks)).toThrow('use bash')
  expect(Object.keys(guardTools(tools, hooks, { nameOf: () => 'Bash' }).tools)).toEqual(['bash'])
})
