/** Work that continues when a turn has ended: agents, commands and hooks in the background. */
import { expect, test, vi } from 'vitest'
import type { AnthropicReply, AnthropicScript } from '../support/anthropic-server.ts'
import { agent, callReply, streamLines, textReply, type Agent } from './agent.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, rule } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** Keeps the names of events, in order, and what prompts and stops say. */
const KEEP = `cat >> "$HOME/events"`
const EVENTS = ['UserPromptSubmit', 'Stop', 'SubagentStop', 'SessionEnd']

interface Seen {
  readonly hook_event_name: string
  readonly prompt?: string
  readonly background_tasks?: readonly object[]
}

const seenBy = ({ read }: Agent): readonly Seen[] =>
  read('home/events')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Seen)

/** An agent whose events are kept. A hook of its own may come in addition. */
async function kept(replies: Parameters<typeof agent>[0], hooks: Readonly<Record<string, object[]>> = {}) {
  const run = await agent(replies)
  const all = [...EVENTS, 'PostToolUse'].map(event => [
    event,
    [...(event === 'PostToolUse' ? [] : [rule(KEEP)]), ...(hooks[event] ?? [])]
  ])
  run.user({ hooks: Object.fromEntries(all) as object })
  return run
}

const behind = (command: string) => callReply(['Bash', { command, description: 'wait', run_in_background: true }])
/** A command that ends when the first Stop hook has run. */
const AFTER_STOP = 'while [ ! -e "$HOME/stopped" ]; do sleep 0.02; done; echo it is done'
const STOPPED = { Stop: [rule('touch "$HOME/stopped"')] }

test('C6: a command in the background is waited for; the agent is told, and stops once more', async () => {
  const run = await kept([behind(AFTER_STOP), textReply('Waiting.'), textReply('All is done.')], STOPPED)
  const ran = await run.ask(['Go', '--allowedTools', 'Bash', '--output-format', 'stream-json'])
  expect(streamLines(ran).filter(({ type }) => type === 'result')).toMatchObject([
    { result: 'All is done.', num_turns: 3 }
  ])
  const seen = seenBy(run)
  expect(seen.map(({ hook_event_name }) => hook_event_name)).toEqual([
    ...['UserPromptSubmit', 'Stop', 'UserPromptSubmit', 'Stop', 'SessionEnd']
  ])
  expect(seen[1]!.background_tasks).toMatchObject([{ type: 'shell', status: 'running', description: 'wait' }])
  expect(seen[2]!.prompt).toMatch(/^<task-notification>\n<task-id>b\w+<\/task-id>/)
  expect(seen[2]!.prompt).toContain('<status>completed</status>')
  expect(seen[2]!.prompt).toContain('<result>it is done</result>')
})

const worker = (command: string) => ({ description: 'help', prompt: command, run_in_background: true })
/** A server that distinguishes the main agent from its helper by their first message. */
function apart(main: readonly AnthropicReply[], helper: readonly AnthropicReply[]): readonly AnthropicScript[] {
  const left = { main: [...main], helper: [...helper] }
  return Array.from({ length: main.length + helper.length }, (): AnthropicScript => ({ body }) => {
    const isHelper = JSON.stringify(body.messages[0]).includes('SUB:')
    return left[isHelper ? 'helper' : 'main'].shift()!
  })
}

test('C6: an agent in the background is waited for, and SubagentStop comes before SessionEnd', async () => {
  const replies = apart(
    [callReply(['Agent', worker('SUB: do it')]), textReply('Waiting.'), textReply('It helped.')],
    [callReply(['Bash', { command: AFTER_STOP }]), textReply('SUB done')]
  )
  const run = await kept(replies, STOPPED)
  const ran = await run.ask(['Go', '--allowedTools', 'Bash'])
  expect(ran).toMatchObject({ code: 0, stdout: 'It helped.\n' })
  const seen = seenBy(run)
  expect(seen.map(({ hook_event_name }) => hook_event_name)).toEqual([
    ...['UserPromptSubmit', 'Stop', 'SubagentStop', 'UserPromptSubmit', 'Stop', 'SessionEnd']
  ])
  expect(seen[1]!.background_tasks).toMatchObject([{ type: 'subagent', agent_type: 'general-purpose' }])
  expect(seen[3]!.prompt).toContain('<summary>Agent "help" finished</summary>')
  expect(seen[3]!.prompt).toContain('<result>SUB done</result>')
})

test('C6: a prompt that a hook refuses ends the waiting: the model is not asked again', async () => {
  const refuses = rule('grep -q task-notification && { echo no >&2; exit 2; }; true')
  const run = await kept([behind(AFTER_STOP), textReply('Waiting.')], { ...STOPPED, UserPromptSubmit: [refuses] })
  await run.ask(['Go', '--allowedTools', 'Bash'])
  expect(run.server.requests).toHaveLength(2)
})

test('C6: what the agent has asked about itself is not told once more', async () => {
  const run = await kept([
    behind('echo quick'),
    body => {
      const id = /as (b\w+)\./.exec(JSON.stringify(body))![1]!
      return callReply(['TaskOutput', { task_id: id }])
    },
    textReply('Done.')
  ])
  await run.ask(['Go', '--allowedTools', 'Bash'])
  expect(seenBy(run).filter(({ hook_event_name }) => hook_event_name === 'UserPromptSubmit')).toHaveLength(1)
})

test('C6: Ctrl-C ends the waiting, and leaves nothing running', async () => {
  const run = await kept([behind('echo $$ > "$HOME/pid"; exec sleep 1000'), textReply('Waiting.')], STOPPED)
  const child = run.begin(['Go', '--allowedTools', 'Bash'])
  child.stdin?.end()
  await vi.waitFor(() => run.read('home/stopped') + run.read('home/pid'), HANG)
  const over = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGINT')
  expect(await over).toBe(130)
  expect(() => process.kill(Number(run.read('home/pid')), 0)).toThrow('ESRCH')
  expect(seenBy(run).at(-1)).toMatchObject({ hook_event_name: 'SessionEnd' })
})

/** A hook that is done when the first Stop hook has run. */
const WAKES = `while [ ! -e "$HOME/stopped" ]; do sleep 0.02; done; echo 'the build is red' >&2; exit 2`

test('C1: asyncRewake runs in the background, and exit code 2 wakes the agent later', async () => {
  const wakes = rule(WAKES, 'Bash', { asyncRewake: true })
  const run = await kept([callReply(['Bash', { command: 'echo built' }]), textReply('Done.'), textReply('Repaired.')], {
    ...STOPPED,
    PostToolUse: [wakes]
  })
  const ran = await run.ask(['Go', '--allowedTools', 'Bash'])
  expect(ran).toMatchObject({ code: 0, stdout: 'Repaired.\n' })
  const seen = seenBy(run).filter(({ hook_event_name }) => hook_event_name === 'UserPromptSubmit')
  expect(seen[1]!.prompt).toMatch(/^<system-reminder>\nPostToolUse hook .*\nthe build is red\n<\/system-reminder>$/s)
})

test('C1: on a gate it refuses nothing', async () => {
  const run = await agent([callReply(['Bash', { command: 'touch made' }]), textReply('Done.'), textReply('I see.')])
  run.user(commandOn('PreToolUse', 'echo no >&2; exit 2', 'Bash', { asyncRewake: true }))
  await run.ask(['Go', '--allowedTools', 'Bash'])
  expect(run.read('project/made')).toBe('')
  const told = JSON.stringify(run.server.requests.at(-1))
  expect(told).toContain('no\\n</system-reminder>')
})

test('C1: rewakeMessage stands before what it printed, rewakeSummary is for people', async () => {
  const more = { asyncRewake: true, rewakeMessage: 'The linter found this:', rewakeSummary: 'linter: 1 problem' }
  const run = await agent([textReply('Done.'), textReply('Repaired.'), textReply('Repaired.')])
  const once = 'if [ -e "$HOME/once" ]; then exit 0; fi; touch "$HOME/once"; echo unused variable; exit 2'
  run.user(commandOn('Stop', once, '', more))
  const lines = streamLines(await run.ask(['Go', '--output-format', 'stream-json']))
  expect(lines).toContainEqual(expect.objectContaining({ content: 'linter: 1 problem', level: 'notice' }))
  expect(JSON.stringify(run.server.requests[1])).toContain('The linter found this:\\nunused variable')
  const checked = await run.run(['hooks', 'check'])
  expect(checked.stdout).not.toMatch(/rewake\w+ is not read/)
})

test.each([
  ['exit code 0', 'echo fine'],
  ['exit code 1', 'exit 1']
])('C1: %s wakes no one', async (_, command) => {
  const run = await agent([textReply('Done.')])
  run.user(commandOn('Stop', command, '', { asyncRewake: true }))
  expect(await run.ask(['Go'])).toMatchObject({ code: 0, stdout: 'Done.\n' })
  expect(run.server.requests).toHaveLength(1)
})

test('C1: its timeout is kept, and what it would have said is not waited for', async () => {
  const run = await agent([textReply('Done.')])
  run.user(commandOn('Stop', 'sleep 600; exit 2', '', { asyncRewake: true, timeout: 0.3 }))
  const ran = await run.ask(['Go'])
  expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' })
  expect(ran.stderr).toContain('gave no answer within 300 ms')
})

test('C1: a hook that wakes the agent whenever it stops does so within limits', async () => {
  const run = await agent(Array.from({ length: 60 }, () => textReply('Done.')))
  run.user(commandOn('Stop', 'echo again; exit 2', '', { asyncRewake: true }))
  expect(await run.ask(['Go'])).toMatchObject({ code: 0 })
  expect(run.server.requests).toHaveLength(51)
})
