import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandHook } from '../../src/external.ts'
import { HookRegistry, type Reported } from '../../src/hooks.ts'
import { manualClock } from '../../src/testing.ts'
import { fireFault, inTurn, faultScene, type FaultScene } from './scene.ts'
import { PROFILES } from '../support/hook-inputs.ts'

const rewrite = (updatedInput: object): string =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } })}'`

const input = { tool_input: { command: 'ls', timeout: 1 } }

/** The order in which the hooks finish, by how long each sleeps: all of them come up again and again. */
const SHUFFLES = Array.from({ length: 50 }, (_, seed) =>
  [0, 1, 2].map(hook => ((seed * (hook + 3) + hook * 7) % 5) * 0.02)
)

// FM27
describe('two commands that change the same input', () => {
  test.each(PROFILES)('count in declared order, whoever is faster, 50 times (%s)', async profile => {
    const { place } = faultScene()
    const outcomes = await inTurn(SHUFFLES, 6, async delays => {
      const hooks = new HookRegistry({ profile })
      const replies = [
        { command: 'of first', timeout: 1 },
        { command: 'of second', timeout: 1 },
        { command: 'ls', timeout: 2 }
      ]
      replies.forEach((reply, place_) => {
        const command = `sleep ${delays[place_]}; ${rewrite(reply)}`
        const name = ['first', 'second', 'third'][place_]!
        hooks.register(commandHook({ name, events: 'PreToolUse', command, timeout: 30 }, place))
      })
      const { updatedInput, conflicts, failures } = await fireFault(hooks, { input })
      return JSON.stringify({ updatedInput, conflicts, failures })
    })
    expect(new Set(outcomes)).toEqual(
      new Set([
        JSON.stringify({
          updatedInput: { command: 'of second', timeout: 2 },
          conflicts: [{ key: 'command', winner: 'second', loser: 'first' }],
          failures: []
        })
      ])
    )
  })
})

interface Judged {
  readonly outcome: Reported
  /** The payloads that the gate read, in order. */
  readonly read: readonly { readonly tool_input: object; readonly rejudge?: boolean }[]
}

/** A gate that notes what it reads and refuses what is evil, beside a hook that rewrites. */
async function judge(
  { place, folder }: FaultScene,
  made: object,
  options: object = {},
  first = 'gate'
): Promise<Judged> {
  const log = join(folder, 'log')
  const command = `read -r event; echo "$event" >> ${log}; case $event in *evil*) echo evil >&2; exit 2;; esac`
  const gate = commandHook({ name: 'gate', events: 'PreToolUse', command, timeout: 30, ...options }, place)
  const maker = commandHook({ name: 'maker', events: 'PreToolUse', command: rewrite(made), timeout: 30 }, place)
  const hooks = new HookRegistry()
  for (const hook of first === 'gate' ? [gate, maker] : [maker, gate]) hooks.register(hook)
  const outcome = await fireFault(hooks, { input })
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  return { outcome, read: lines.map(line => JSON.parse(line) as Judged['read'][number]) }
}

// FM28
describe('a command that judged an input which was then changed', () => {
  describe.each([{}, { prewarm: true }])('with %o', options => {
    test.each(['gate', 'maker'])('is asked again about the final one (%s first)', async first => {
      const { outcome, read } = await judge(faultScene({ clock: manualClock() }), { command: 'pwd' }, options, first)
      expect(read).toMatchObject([
        { tool_input: { command: 'ls', timeout: 1 } },
        { tool_input: { command: 'pwd' }, rejudge: true }
      ])
      expect(read[0]).not.toHaveProperty('rejudge')
      expect(outcome.updatedInput).toEqual(read.at(-1)?.tool_input)
      expect(outcome.blocked).toBe(false)
    })

    test.each(['gate', 'maker'])('refuses what it would have refused at first (%s first)', async first => {
      const { outcome, read } = await judge(faultScene({ clock: manualClock() }), { command: 'evil' }, options, first)
      expect(read.length).toBe(2)
      expect(outcome).toMatchObject({ decision: 'deny', by: 'gate', reason: 'evil' })
    })
  })

  test('is not asked again in compat', async () => {
    const here = faultScene()
    const log = join(here.folder, 'log')
    const hooks = new HookRegistry({ profile: 'compat' })
    hooks.register(commandHook({ events: 'PreToolUse', command: `cat >> ${log}` }, here.place))
    hooks.register(commandHook({ events: 'PreToolUse', command: rewrite({ command: 'pwd' }) }, here.place))
    expect(await fireFault(hooks, { input })).toMatchObject({ updatedInput: { command: 'pwd' }, blocked: false })
    expect(readFileSync(log, 'utf8').trim().split('\n').length).toBe(1)
  })

  test('closes the gate when it fails the second time', async () => {
    const { place } = faultScene()
    const hooks = new HookRegistry()
    const command = 'read -r event; case $event in *rejudge*) kill -KILL $$;; esac; echo \'{"decision":"allow"}\''
    hooks.register(commandHook({ name: 'gate', events: 'PreToolUse', command }, place))
    hooks.register(commandHook({ events: 'PreToolUse', command: rewrite({ command: 'pwd' }) }, place))
    expect(await fireFault(hooks, { input })).toMatchObject({
      decision: 'deny',
      failures: [{ by: 'gate', kind: 'signal' }]
    })
  })
})
