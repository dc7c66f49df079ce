/** For random hooks, calls, answers and changes of the input: what ran is what was judged, and the loop never rejects. */
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { scriptedModel } from '../../examples/sdks/models/ai-sdk.ts'
import { guardTools } from '../../src/ai-sdk.ts'
import { allow, ask, defer, deny, HookRegistry, transform, type HookFunction, type Outcome } from '../../src/hooks.ts'
import * as fc from '../support/fast-check.ts'
import { answered, runLoop, CALL_WAYS } from './ai-sdk-kit.ts'

type Note = { path: string; deep: { text: string } }

const note = fc.record({ path: fc.constantFrom('a', 'b', 'c'), deep: fc.record({ text: fc.constantFrom('x', 'y') }) })

/** By path, so that a rewrite may change what other hooks answer. */
const HOOKS: Record<string, HookFunction<'PreToolUse'>> = {
  silent: () => undefined,
  allows: () => allow(),
  denies: ctx => (ctx.toolInput['path'] === 'b' ? deny('b') : undefined),
  asks: ctx => (ctx.toolInput['path'] === 'c' ? ask('c') : undefined),
  defers: ctx => (ctx.toolInput['path'] === 'c' ? defer() : undefined),
  moves: ctx => (ctx.toolInput['path'] === 'a' ? transform({ ...ctx.toolInput, path: 'b' }) : undefined),
  edits: ctx => {
    ;(ctx.toolInput as unknown as Note).deep.text = 'z'
  },
  later: async ctx => (ctx.toolInput['path'] === 'b' ? ask('b') : allow()),
  throws: ctx => {
    if (ctx.toolInput['path'] === 'c') throw new Error('failed')
  },
  garbage: ctx => (ctx.toolInput['path'] === 'a' ? ('yes' as never) : undefined),
  stops: ctx => (ctx.toolInput['path'] === 'b' ? { continue: false } : undefined)
}

/** When the input is changed behind the gate's back. */
type Tamper = 'never' | 'after the decision' | 'in the history'

const scenes = fc.record({
  way: fc.constantFrom(...CALL_WAYS),
  hooks: fc.array(fc.constantFrom(...Object.keys(HOOKS)), { maxLength: 4 }),
  turns: fc.array(fc.array(note, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
  sameId: fc.boolean(),
  approved: fc.boolean(),
  restart: fc.boolean(),
  tamper: fc.constantFrom<Tamper>('never', 'never', 'after the decision', 'in the history')
})

test('what ran is what was judged', async () => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(scenes, async ({ way, hooks, turns, sameId, approved, restart, tamper }) => {
      const registry = new HookRegistry()
      hooks.forEach((name, index) => registry.on('PreToolUse', HOOKS[name]!, { name: `${name}-${index}` }))
      const judged: { id: string; input: string; outcome: Outcome }[] = []
      const recording = {
        fire: async (event: 'PreToolUse', input: never, options: never) => {
          const { tool_use_id: id, tool_input } = input as { tool_use_id: string; tool_input: unknown }
          const before = JSON.stringify(tool_input)
          const outcome = await registry.fire(event, input, options)
          if (event === 'PreToolUse')
            judged.push({ id, outcome, input: outcome.updatedInput ? JSON.stringify(outcome.updatedInput) : before })
          return outcome
        }
      } as unknown as HookRegistry
      let answers = 0
      const ran: { id: string; input: string; answers: number }[] = []
      const tools = {
        write: tool({
          inputSchema: z.object({ path: z.string(), deep: z.object({ text: z.string() }) }),
          execute: (input: Note, { toolCallId }) =>
            void ran.push({ id: toolCallId, input: JSON.stringify(input), answers })
        })
      }
      const guard = () => {
        const guarded = guardTools(tools, recording)
        const toolApproval = async (request: Parameters<typeof guarded.toolApproval>[0]) => {
          const status = await guarded.toolApproval(request)
          if (tamper === 'after the decision') (request.toolCall.input as Note).deep.text += '!'
          return status
        }
        return { ...guarded, toolApproval }
      }
      const model = scriptedModel(
        ...turns.map(calls => calls.map(input => ({ name: 'write', input, ...(sameId && { id: 'same' }) })))
      )
      let guarded = guard()
      let { messages } = await runLoop(way, model, guarded)
      while (answers < 4 && JSON.stringify(answered(messages, approved).at(-1)) !== '{"role":"tool","content":[]}') {
        answers++
        if (restart) guarded = guard()
        let history = answered(messages, approved)
        if (tamper === 'in the history')
          history = JSON.parse(JSON.stringify(history).replaceAll('"x"', '"w"')) as typeof history
        messages = (await runLoop(way, model, guarded, history)).messages
      }

      for (const run of ran) {
        runs++
        const decisions = judged.filter(({ id, input }) => id === run.id && input === run.input)
        const permitted = decisions.filter(({ outcome: { decision } }) =>
          decision === 'ask' ? approved && run.answers > 0 : decision !== 'deny' && decision !== 'defer'
        )
        expect(
          permitted.length,
          JSON.stringify({ run, judged: judged.map(each => [each.id, each.input, each.outcome.decision]) })
        ).toBeGreaterThan(0)
      }
    }),
    { numRuns: 400 }
  )
  expect(runs).toBeGreaterThan(50)
})
