/** The last event of a session. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deny } from '../../../src/index.ts'
import { scriptedModel, type TurnOrMaker } from '../../../src/testing.ts'
import {
  ask,
  type Asked,
  type Asking,
  callTurn,
  gate,
  inputsOf,
  ownTool,
  project,
  registry,
  resultsIn
} from '../../support/agent-kit.ts'

// F14, F139
describe('SessionEnd is fired once, and last,', () => {
  const priced = (turns: readonly TurnOrMaker[]) =>
    scriptedModel(turns, { price: { input: 1e6, output: 1e6, cacheWrite: 0, cacheRead: 0 }, repeatLast: true })
  const slow = ownTool('slow', ({ signal }) => new Promise((_, fail) => signal.addEventListener('abort', fail)))
  const whenAtWork = (
    act: Parameters<NonNullable<Asking['each']>>[1] extends infer Q ? (running: Q) => unknown : never
  ) =>
    ({
      allowedTools: ['slow'],
      tools: [slow],
      each: (message, running) => message.type === 'assistant' && act(running)
    }) satisfies Asking
  const cases: Record<string, () => Promise<Asked>> = {
    'when it is done': () => ask(['Done.']),
    'after an error of the provider': () => ask([{ fail: { status: 401 } }]),
    'at the limit of turns': () =>
      ask(scriptedModel([callTurn('look')], { repeatLast: true }), {
        maxTurns: 2,
        tools: [ownTool('look', () => 1, true)]
      }),
    'when the budget is used up': () =>
      ask(priced([{ ...callTurn('look'), usage: { input_tokens: 5 } }]), {
        maxBudgetUsd: 2,
        tools: [ownTool('look', () => 1, true)]
      }),
    'after an interrupt': () =>
      ask(
        [callTurn('slow')],
        whenAtWork(running => running.interrupt())
      ),
    'after an abort': () => {
      const abortController = new AbortController()
      return ask([callTurn('slow')], { abortController, ...whenAtWork(() => abortController.abort()) })
    },
    'after a close': () =>
      ask(
        [callTurn('slow')],
        whenAtWork(running => running.close())
      ),
    'when its start is blocked': () =>
      ask(['Done.'], { hooks: registry(hooks => hooks.on('SessionStart', () => deny('not today'))) }),
    'when its agent is blocked': () =>
      ask(['Done.'], { hooks: registry(hooks => hooks.on('AgentStart', () => deny('not today'))) }),
    'when its prompt is blocked': () =>
      ask(['Done.'], { hooks: registry(hooks => hooks.on('UserPromptSubmit', () => deny('not this'))) }),
    'when a hook ends the run': () =>
      ask([callTurn('look')], {
        tools: [ownTool('look', () => 1, true)],
        hooks: registry(hooks => hooks.on('PostToolUse', () => ({ continue: false })))
      }),
    'when its prompts fail': () =>
      ask(['Done.'], {
        // oxlint-disable-next-line require-yield
        prompt: (async function* () {
          throw new Error('no more prompts')
        })()
      }),
    'when there is no prompt at all': () =>
      ask(['Done.'], { steer: running => running.close(), prompt: (async function* () {})() })
  }
  test.each(Object.entries(cases))('%s', async (_, run) => {
    const { names, result } = await run()
    expect(names.filter(name => name === 'SessionEnd')).toEqual(['SessionEnd'])
    expect(names.at(-1)).toBe('SessionEnd')
    expect(result.type).toBe('result')
  })

  // F14
  test('and says why', async () => {
    const reasonOf = (asked: Asked): unknown => inputsOf(asked, 'SessionEnd')[0]!['reason']
    expect(reasonOf(await cases['when it is done']!())).toBe('other')
    expect(reasonOf(await cases['after a close']!())).toBe('other')
    expect(reasonOf(await cases['when its prompts fail']!())).toBe('error')
    const prompt = { type: 'user', message: { role: 'user', content: 'go' } } as const
    const left = await ask(['Done.', 'Never said.'], {
      prompt: (async function* () {
        yield prompt
        yield prompt
      })(),
      each: (message, running) => message.type === 'assistant' && running.leave()
    })
    expect([left.result.result, reasonOf(left)]).toEqual(['Done.', 'prompt_input_exit'])
  })

  test('also when its reader leaves', async () => {
    const ended = gate()
    const hooks = registry(all => all.on('SessionEnd', () => ended.open()))
    const { query } = await import('../../../src/index.ts')
    const place = project()
    const running = query({
      prompt: 'go',
      options: { cwd: place.cwd, env: place.env, hooks, persistSession: false, model: scriptedModel(['Done.']) }
    })
    for await (const message of running) if (message.type === 'system') break
    await ended.opened
  })
})

test('a session leaves no empty folder behind, and keeps what hooks wrote there', async () => {
  const sessions = (home: string): readonly string[] => {
    const folder = join(home, '.carabiner', 'sessions')
    return existsSync(folder) ? readdirSync(folder) : []
  }
  const settings = {
    hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'echo A=1 > $CLAUDE_ENV_FILE' }] }] }
  }
  const plain = await ask(['Done.'], { persistSession: true })
  expect(sessions(plain.project.home)).toEqual([])
  const wrote = await ask(['Done.'], { persistSession: true, settings })
  expect(sessions(wrote.project.home)).toEqual([wrote.result.session_id])
  const echo = { calls: [{ name: 'Bash', input: { command: 'echo "A is $A"' } }] }
  const unkept = await ask([echo, 'Done.'], { persistSession: false, settings, allowedTools: ['Bash'] })
  expect(resultsIn(unkept.sent[1]!)[0]!.text).toBe('A is 1')
})
