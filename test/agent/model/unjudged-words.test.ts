/** Words that may quote an answer which no hook has judged: those of providers, and of hooks that failed in the background. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deny, EVENT_NAMES, type HookOptions, type HookRegistry, type Model } from '../../../src/index.ts'
import { manualClock, scriptedModel, type TurnOrMaker } from '../../../src/testing.ts'
import { ask, type Asking, callTurn, informed, ownTool, project, registry } from '../../support/agent-kit.ts'
import { commandOn } from '../../support/command-settings.ts'

const SECRET = 'hunter2-tangerine'
const holdsSecret = (value: unknown): boolean => JSON.stringify(value).includes(SECRET)

/** A guard of answers, and a hook on every other event that keeps what it sees. */
function guardAndSpy(options: HookOptions = {}): { readonly hooks: HookRegistry; readonly seen: unknown[] } {
  const seen: unknown[] = []
  const others = EVENT_NAMES.filter(event => event !== 'PostModelResponse')
  const hooks = registry(all => {
    all.on('PostModelResponse', ctx => (holdsSecret(ctx.response) ? deny('no') : undefined), {
      name: 'guard',
      ...options
    })
    all.register({ name: 'spy', events: others, run: ctx => void seen.push({ ...ctx.input }, [...ctx.messages]) })
  })
  return { hooks, seen }
}

/** A model that fails in the requests with these numbers, and else says these turns. */
function failing(error: Error, at: readonly number[], turns: readonly TurnOrMaker[]): Model {
  const script = scriptedModel(turns)
  let asked = 0
  return {
    ...script,
    async ask(...request) {
      if (at.includes(asked++)) throw error
      return script.ask(...request)
    }
  }
}

const named = (name: string, more: object = {}): Error =>
  Object.assign(new Error(`Text: {"delta":"${SECRET}"}`), { name, ...more })

describe('the words of a provider', () => {
  const FAILURES: readonly (readonly [string, Error, string])[] = [
    ['a part that cannot be read', named('AI_JSONParseError'), 'could not be reached: AI_JSONParseError (its words'],
    [
      'an error in the stream',
      named('Error', { data: { error: { type: 'api_error', message: SECRET } } }),
      'answered api_error (its words'
    ],
    ['a refused generation', named('AI_APICallError', { statusCode: 400 }), 'answered 400 (its words'],
    ['a page of a server', named('AI_APICallError', { statusCode: 502, responseBody: SECRET }), 'answered 502 (its'],
    ['a mistake in a model', Object.assign(new TypeError(SECRET)), 'the model threw TypeError (its words']
  ]
  test.each(FAILURES)('about %s are shown to no one beside a gate for answers', async (_, error, said) => {
    const { hooks, seen } = guardAndSpy()
    const clock = manualClock()
    const asking: Asking = {
      hooks,
      watch: false,
      includePartialMessages: true,
      maxRetries: 1,
      clock,
      each: message => {
        if (message.type === 'system' && message.subtype === 'api_retry')
          void clock.advance(message.retry_delay_ms / 1000)
      }
    }
    const { messages, result } = await ask(failing(error, [0, 1], ['Done.']), asking)
    expect(result).toMatchObject({ terminal_reason: 'api_error', result: expect.stringContaining(said) })
    expect([messages, seen].map(holdsSecret)).toEqual([false, false])
  })

  test.each(FAILURES)('about %s are shown where no hook decides about answers', async (_, error) => {
    const { hooks } = guardAndSpy({ observe: true })
    const { result } = await ask(failing(error, [0], ['Done.']), { hooks, watch: false, maxRetries: 0 })
    expect(result.result).toContain(SECRET)
  })

  test('are shown where there cannot be an answer: a wrong key, a limit', async () => {
    for (const statusCode of [401, 404, 429]) {
      const { hooks } = guardAndSpy()
      const model = failing(named('AI_APICallError', { statusCode }), [0], ['Done.'])
      expect((await ask(model, { hooks, maxRetries: 0 })).result.result).toContain(SECRET)
    }
  })

  test('about a summary are not shown either, and the conversation that is too long is still compacted', async () => {
    const { hooks, seen } = guardAndSpy()
    const look = ownTool('look', () => 'seen', true)
    const long = named('AI_APICallError', { statusCode: 400, data: { error: { message: `too long: ${SECRET}` } } })
    const turns = [...Array.from({ length: 5 }, () => callTurn('look')), 'Done.']
    const { messages, result } = await ask(failing(long, [5, 6], turns), { hooks, tools: [look], watch: false })
    expect(result.result).toBe('Done.')
    expect(informed({ messages }).join()).toContain('could not be summarised: the provider answered 400 (its words')
    expect([messages, seen].map(holdsSecret)).toEqual([false, false])
  })
})

test('the words of a hook that judges answers and fails in the background are not shown', async () => {
  const place = project()
  mkdirSync(join(place.home, '.claude'))
  const settings = commandOn('PostModelResponse', 'cat >&2; exit 1', undefined, { async: true })
  writeFileSync(join(place.home, '.claude/settings.json'), JSON.stringify(settings))
  const { hooks, seen } = guardAndSpy()
  const { messages } = await ask([SECRET, 'Done.'], { in: place, hooks, watch: false, includeHookEvents: true })
  expect(informed({ messages }).join()).toContain('failed in the background: exit')
  expect([messages, seen].map(holdsSecret)).toEqual([false, false])
})

test.each([
  ['prints it on stderr and ends', 'process.stderr.write(d); process.exit(1)', 'its worker ended with exit code 1'],
  [
    'prints what is no frame',
    'console.log(/hunter2.*/.exec(d)[0]); process.exit(1)',
    'a line that is not a frame was dropped'
  ]
])('what a worker prints that judges answers is in no notice: %s', async (_, code, said) => {
  const place = project({ 'worker.mjs': `process.stdin.on('data', d => { ${code} })` })
  mkdirSync(join(place.home, '.claude'))
  const settings = { hooks: { PostModelResponse: [{ hooks: [{ type: 'worker', command: 'node worker.mjs' }] }] } }
  writeFileSync(join(place.home, '.claude/settings.json'), JSON.stringify(settings))
  const told: string[] = []
  const { messages } = await ask([SECRET, 'Done.'], { in: place, stderr: text => void told.push(text) })
  expect(told.join()).toContain(said)
  expect([messages, told].map(holdsSecret)).toEqual([false, false])
})
