/** A security hook that runs first, a log of every call, and a log of every subagent. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { block, HookRegistry, query, snakeName } from 'carabiner'
import { scriptedModel } from 'carabiner/testing'

const BLOCKED = ['rm -rf', 'sudo']

const hooks = new HookRegistry()
  .register({
    name: 'logging',
    events: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
    run: ctx => console.log(`log: ${snakeName(ctx.event)} ${ctx.toolName}`)
  })
  .register({
    name: 'security',
    events: 'PreToolUse',
    matcher: 'Bash',
    priority: 100,
    run: ctx => {
      const found = BLOCKED.find(pattern => ctx.toolInput.command.includes(pattern))
      return found === undefined ? undefined : block(`it contains “${found}”`)
    }
  })
  .register({
    name: 'audit',
    events: 'PostToolUse',
    observe: true,
    run: ctx => console.log(`audit: ${ctx.toolName} returned ${JSON.stringify(ctx.toolResponse).slice(0, 30)}`)
  })
  .register({
    name: 'subagents',
    events: ['SubagentStart', 'SubagentStop'],
    run: ({ input }) => {
      if (input.hook_event_name === 'SubagentStart') console.log(`subagent ${input.agent_id} started`)
      else console.log(`subagent ${input.agent_id} ${input.success ? 'succeeded' : `failed: ${input.error}`}`)
    }
  })

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const model = scriptedModel([bash('sudo make install'), bash('echo hello'), bash('ls missing'), 'Done.'])

const cwd = mkdtempSync(`${tmpdir()}/example-`)
const allowedTools = ['Bash(echo *)', 'Bash(ls *)']
const options = { cwd, hooks, model, allowedTools, persistSession: false, settingSources: [] }
for await (const message of query({ prompt: 'Install it', options }))
  if (message.type === 'system' && message.subtype === 'permission_denied') console.log(message.message)
rmSync(cwd, { recursive: true })

// Hooks can also be fired without an agent.
const agent = { agent_id: 'agent-1', agent_type: 'reviewer' }
const stopped = { ...agent, agent_transcript_path: '', stop_hook_active: false }
await hooks.fire('SubagentStart', agent)
await hooks.fire('SubagentStop', { ...stopped, success: true })
await hooks.fire('SubagentStop', { ...stopped, success: false, error: 'out of tokens' })
