/** A complete agent on one page: a loop with a hook event at every step. The model is scripted, so it runs offline. */
import { goesOn, HookRegistry, type Block, type Message, type Outcome, type ToolUseBlock } from 'carabiner'

/** A model receives the system prompt and the conversation, and responds with text and tool calls. */
export type Model = (system: string, messages: readonly Message[]) => readonly Block[]
export type Tools = Readonly<Record<string, (input: never) => string>>

const MAX_TURNS = 20

/** Runs until the model is done and no Stop hook objects. Returns the conversation. */
export async function runAgent(
  prompt: string,
  model: Model,
  tools: Tools,
  hooks: HookRegistry
): Promise<readonly Message[]> {
  const messages: Message[] = []
  let system = 'You are a careful assistant.'
  const addContext = (outcome: Outcome): void => {
    const texts = [outcome.additionalContext, ...outcome.systemMessages.map(message => message.text)]
    const context = texts.filter(text => text !== undefined).join('\n')
    if (context !== '') messages.push({ role: 'user', content: `Note: ${context}` })
  }

  const start = await hooks.fire('SessionStart', { source: 'startup' })
  if (start.additionalContext !== undefined) system += `\n${start.additionalContext}`
  const asked = start.blocked ? start : await hooks.fire('UserPromptSubmit', { prompt })
  if (asked.blocked) messages.push({ role: 'assistant', content: `Refused: ${asked.reason}` })
  else messages.push({ role: 'user', content: asked.updatedPrompt ?? prompt })

  for (let turn = 0, over = asked.blocked; !over && turn < MAX_TURNS; turn++) {
    const answer = model(system, messages)
    messages.push({ role: 'assistant', content: answer })
    const calls = answer.filter(block => block.type === 'tool_use')
    for (const call of calls) addContext(await callTool(call, tools, hooks, messages))
    if (calls.length > 0) continue
    const stop = await hooks.fire('Stop', { stop_hook_active: turn > 0 })
    addContext(stop)
    over = !goesOn(stop)
    if (!over && stop.reason !== undefined) messages.push({ role: 'user', content: stop.reason })
  }
  await hooks.fire('SessionEnd', { reason: 'other' })
  return messages
}

/** One call: the gate, the tool, the hooks after it. Every call gets exactly one result. */
async function callTool(call: ToolUseBlock, tools: Tools, hooks: HookRegistry, messages: Message[]): Promise<Outcome> {
  const { id, name, input } = call
  const answer = (content: string, is_error = false): void =>
    void messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] })
  const fields = { tool_name: name, tool_input: input as Record<string, unknown>, tool_use_id: id }

  const gate = await hooks.fire('PreToolUse', fields)
  if (gate.blocked || gate.decision === 'ask' || gate.decision === 'defer') {
    answer(gate.reason ?? 'No one is available to approve it.', true)
    return gate
  }
  const judged = { ...fields, tool_input: gate.updatedInput ?? fields.tool_input }
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
  try {
    if (tool === undefined) throw new Error(`there is no tool ${name}`)
    const tool_response = tool(judged.tool_input as never)
    const after = await hooks.fire('PostToolUse', { ...judged, tool_response })
    answer(after.suppressOutput ? '[hidden]' : tool_response)
    return after
  } catch (error) {
    answer(String(error), true)
    return hooks.fire('PostToolUseFailure', { ...judged, error: String(error) })
  }
}

if (import.meta.main) {
  const hooks = new HookRegistry()
  const READ_ONLY = '^(Read|Glob|Grep)$'
  hooks.on('PreToolUse', READ_ONLY, () => ({ decision: 'allow' }), { name: 'reading-is-fine' })
  hooks.on('PreToolUse', 'Bash', ctx => {
    if (/rm -rf \/|:\(\)\s*\{/.test(ctx.toolInput.command))
      return { decision: 'deny', reason: 'This command is destructive.' }
    return undefined
  })
  const steps: readonly (readonly Block[])[] = [
    [{ type: 'tool_use', id: 'call-1', name: 'Read', input: { file_path: 'notes.txt' } }],
    [{ type: 'tool_use', id: 'call-2', name: 'Bash', input: { command: 'rm -rf /' } }],
    [{ type: 'text', text: 'I read the notes and changed nothing.' }]
  ]
  const model: Model = (_system, messages) => steps[messages.filter(message => message.role === 'assistant').length]!
  const tools: Tools = { Read: () => 'Buy milk.', Bash: () => 'done' }
  for (const { role, content } of await runAgent('Tidy up', model, tools, hooks)) {
    const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    for (const block of blocks) console.log(`${role.padEnd(9)} ${print(block)}`)
  }
}

function print(block: Block): string {
  if (block.type === 'text') return block.text
  if (block.type === 'tool_use') return `calls ${block.name} ${JSON.stringify(block.input)}`
  if (block.type !== 'tool_result' || typeof block.content !== 'string') return '…'
  return `${block.is_error === true ? 'error' : 'result'}: ${block.content}`
}
