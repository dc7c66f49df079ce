/** The loop of examples/07-agent.ts, driven by a scripted model: what hooks do to a whole run. */
import { expect, test } from 'vitest'
import { runAgent, type Model, type Tools } from '../examples/07-agent.ts'
import { block, deny, EVENT_NAMES, HookRegistry, type Block, type Message } from 'carabiner'

const bash = (command: string, id = 'call-1'): Block => ({ type: 'tool_use', id, name: 'Bash', input: { command } })
const says = (text: string): Block => ({ type: 'text', text })

/** What the model received, and what ran. */
interface Seen {
  readonly systems: string[]
  readonly told: string[]
  readonly ran: string[]
}

async function run(hooks: HookRegistry, ...steps: readonly Block[]): Promise<Seen & { messages: readonly Message[] }> {
  const seen: Seen = { systems: [], told: [], ran: [] }
  let step = 0
  const model: Model = (system, messages) => {
    seen.systems.push(system)
    seen.told.push(JSON.stringify(messages.at(-1)?.content))
    return [steps[Math.min(step++, steps.length - 1)]!]
  }
  const tools: Tools = {
    Bash: ({ command }: { command: string }) => {
      seen.ran.push(command)
      return `output of ${command}`
    }
  }
  return { ...seen, messages: await runAgent('Go', model, tools, hooks) }
}

// F198
test('a Stop hook that asks to continue leads to another model call, which is told why', async () => {
  const hooks = new HookRegistry()
  let stops = 0
  hooks.on('Stop', () => (++stops === 1 ? { continue: true, systemMessage: 'the tests fail' } : undefined))
  const { told } = await run(hooks, says('Done.'), says('Now it is.'))
  expect(told).toHaveLength(2)
  expect(told[1]).toContain('the tests fail')
})

// F198
test('a denied call does not run, and the model gets the reason as an error', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Bash', () => deny('not here'))
  const { ran, messages } = await run(hooks, bash('rm x'), says('Then not.'))
  expect(ran).toEqual([])
  expect(messages).toContainEqual({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'call-1', content: 'not here', is_error: true }]
  })
})

// F198
test('the tool receives the input that hooks changed, and the model still sees its own call', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Bash', ctx => void (ctx.toolInput.command += ' --dry-run'))
  const { ran, messages } = await run(hooks, bash('make'), says('Made.'))
  expect(ran).toEqual(['make --dry-run'])
  expect(messages).toContainEqual({ role: 'assistant', content: [bash('make')] })
})

// F198
test('context from a session start is in the system prompt, that of a tool reaches the next call', async () => {
  const hooks = new HookRegistry()
  hooks.on('SessionStart', () => ({ additionalContext: 'Use tabs.' }))
  hooks.on('PostToolUse', () => ({ additionalContext: 'Mind the lint.' }))
  const { systems, told } = await run(hooks, bash('ls'), says('Done.'))
  expect(systems[0]).toContain('Use tabs.')
  expect(told[1]).toContain('Mind the lint.')
})

// F198
test('a suppressed output is hidden from the model although the tool ran', async () => {
  const hooks = new HookRegistry()
  hooks.on('PostToolUse', () => ({ suppressOutput: true }))
  const { ran, told } = await run(hooks, bash('cat key'), says('Done.'))
  expect(ran).toEqual(['cat key'])
  expect(told[1]).not.toContain('output of')
})

// F198
test('the events of one call come in their natural order', async () => {
  const hooks = new HookRegistry()
  const fired: string[] = []
  for (const event of EVENT_NAMES) hooks.on(event, () => void fired.push(event))
  await run(hooks, bash('ls'), says('Done.'))
  expect(fired).toEqual(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'])
})

// F198
test('a refused session asks no model and still ends', async () => {
  const hooks = new HookRegistry()
  const ended: string[] = []
  hooks.on('SessionStart', () => block('not today'))
  hooks.on('SessionEnd', ctx => void ended.push(ctx.input.reason))
  const { told, messages } = await run(hooks, says('Hello'))
  expect(told).toEqual([])
  expect(messages).toEqual([{ role: 'assistant', content: 'Refused: not today' }])
  expect(ended).toEqual(['other'])
})

// F198
test('a tool that throws, or that does not exist, has an error for a result, and the run continues', async () => {
  const hooks = new HookRegistry()
  const failures: string[] = []
  hooks.on('PostToolUseFailure', ctx => void failures.push(ctx.error))
  const { told } = await run(hooks, { type: 'tool_use', id: 'call-1', name: 'constructor', input: {} }, says('Done.'))
  expect(failures).toEqual(['Error: there is no tool constructor'])
  expect(told[1]).toContain('there is no tool constructor')
})
