/** A call that is decided later: the session ends, and is resumed when there is a decision. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { HookRegistry, query, tool } from 'carabiner'
import { scriptedModel } from 'carabiner/testing'
import { z } from 'zod'

/** Decisions of the person on duty, by call id. */
const decisions = new Map<string, 'allow' | 'deny'>()

const hooks = new HookRegistry()
hooks.on('PreToolUse', 'pay', ({ input }) => ({ decision: decisions.get(input.tool_use_id) ?? 'defer' }))

const pay = tool('pay', 'Pays an amount.', { to: z.string(), amount: z.number() }, ({ to, amount }) => {
  console.log(`paid ${amount} to ${to}`)
  return { content: [{ type: 'text', text: 'paid' }] }
})

const cwd = mkdtempSync(`${tmpdir()}/example-`)
const env = { ...process.env, HOME: cwd, CARABINER_HOME: `${cwd}/carabiner` }
const common = { cwd, env, tools: [pay], settingSources: [] }
const calls = [
  { name: 'pay', input: { to: 'Ada', amount: 10 }, id: 'call_1' },
  { name: 'pay', input: { to: 'Eve', amount: 9000 }, id: 'call_2' }
]

const first = await query({
  prompt: 'Pay the bills',
  options: { ...common, hooks, model: scriptedModel([{ calls }]) }
}).result()
console.log(first.terminal_reason, first.deferred_tool_uses?.map(({ id }) => id).join(' '))

// Hours later, perhaps in another process.
decisions.set('call_1', 'allow').set('call_2', 'deny')
const second = await query({
  prompt: '',
  options: { ...common, hooks, resume: first.session_id, model: scriptedModel(['Ada has been paid.']) }
}).result()
console.log(second.result)
rmSync(cwd, { recursive: true })
