/** Runs of an agent that end by themselves. Everything in them that is visible from outside calls `step`. */
import { setTimeout as delay } from 'node:timers/promises'
import { allow, EVENT_NAMES, type HookRegistry } from '../../../../src/index.ts'
import type { ScriptedTurn, TurnOrMaker } from '../../../../src/testing.ts'
import { ownTool, prompted, registry, type Asking, type Project } from '../../../support/agent-scene.ts'

export type AbortStep = () => void

export interface AbortScenario {
  readonly turns: readonly ScriptedTurn[]
  /** Files of the project. */
  readonly files?: Readonly<Record<string, string>>
  asking(step: AbortStep, place: Project, signal: AbortSignal): Omit<Asking, 'in'>
}

/** Ends soon if it is let; if it is killed and its child is not, that shows for a minute. */
const BRIEF = 'sleep 60 > /dev/null 2>&1 & sleep 0.02; kill $!'

/** Runs until the file `go` is there; as above, what is left of it shows for a minute. */
const UNTIL_GO = 'sleep 60 > /dev/null 2>&1 & until [ -e go ] || ! kill -0 $!; do sleep 0.02; done; kill $!'

const bash = (command: string, more: object = {}) => ({ name: 'Bash', input: { command, ...more } })
const later = (turns = 1): Promise<void> =>
  new Promise(resolve => setImmediate(() => resolve(turns > 1 ? later(turns - 1) : undefined)))

/** Hooks on every event that take a moment, and so may be cut off. */
const slowHooks = (step: AbortStep, fill: (hooks: HookRegistry) => unknown = () => undefined): HookRegistry =>
  registry(hooks => {
    fill(hooks)
    hooks.register({
      name: 'slow',
      events: EVENT_NAMES,
      async run() {
        step()
        await later()
        step()
      }
    })
  })

/** A clock on which the waits of seconds pass quickly, and those of minutes do not. */
const HASTY = {
  coarse: false,
  now: () => performance.now(),
  after(ms: number, run: () => void) {
    const timer = setTimeout(run, ms > 20_000 ? ms : ms / 100)
    return () => clearTimeout(timer)
  }
}

const tool = (name: string, step: AbortStep, readOnly: boolean) =>
  ownTool(
    name,
    async () => {
      step()
      await later(2)
      step()
      return 'done'
    },
    readOnly
  )

export const ABORT_SCENARIOS: Readonly<Record<string, AbortScenario>> = {
  words: {
    turns: [{ text: 'One.' }, { text: 'Two.' }],
    files: { 'CLAUDE.md': 'Be brief.' },
    asking(step) {
      let times = 0
      return {
        setup: 'init',
        includePartialMessages: true,
        hooks: slowHooks(step, hooks => hooks.on('Stop', () => (++times === 1 ? { continue: true } : undefined)))
      }
    }
  },
  reads: {
    turns: [{ calls: ['one', 'two', 'three'].map(name => ({ name, input: {} })) }, { text: 'Done.' }],
    asking: step => ({
      tools: ['one', 'two', 'three'].map(name => tool(name, step, true)),
      hooks: slowHooks(step)
    })
  },
  effects: {
    turns: [
      { calls: [bash(UNTIL_GO, { run_in_background: true }), bash(BRIEF), bash('touch made')] },
      { text: 'Done.' },
      { text: 'It has ended.' }
    ],
    asking(step, place, signal) {
      // The session waits for background work: an abort also comes during the wait. Without one, the work is released.
      let isWaiting = false
      const wait = async (): Promise<void> => {
        if (isWaiting) return
        isWaiting = true
        await delay(50)
        step()
        await delay(50)
        if (!signal.aborted) place.write('go', '')
      }
      return {
        allowedTools: ['Bash'],
        hooks: slowHooks(step, hooks => hooks.on('Stop', () => void wait()))
      }
    }
  },
  questions: {
    turns: [
      {
        calls: [
          bash('touch one'),
          { name: 'own', input: {} },
          { name: 'Write', input: { file_path: 'w', content: 'x' } }
        ]
      },
      { text: 'Done.' }
    ],
    asking: step => ({
      tools: ['Bash', 'Write', tool('own', step, false)],
      hooks: slowHooks(step),
      async canUseTool(name, input) {
        step()
        await later(2)
        step()
        if (name === 'own') return { behavior: 'deny', message: 'no' }
        return { behavior: 'allow', updatedInput: input }
      }
    })
  },
  commands: {
    turns: [{ calls: [bash('echo hi')] }, { text: 'Done.' }],
    files: {
      '.claude/settings.json': JSON.stringify({
        hooks: Object.fromEntries(
          ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'].map(event => [
            event,
            [{ hooks: [{ type: 'command', command: BRIEF }] }]
          ])
        )
      })
    },
    asking: step => ({
      trust: true,
      allowedTools: ['Bash'],
      hooks: registry(hooks => hooks.register({ name: 'steps', events: EVENT_NAMES, run: () => step() }))
    })
  },
  trouble: {
    turns: [
      { fail: { status: 529, retryAfter: 10 } },
      { text: 'cut', cutAfter: 2 },
      {
        calls: [
          { name: 'breaks', input: {} },
          { name: 'Sing', input: {} },
          { name: 'one', input: '{"a' }
        ]
      },
      { text: 'not JSON' },
      { text: '{"fine": true}' },
      { fail: { status: 401 } }
    ],
    asking: step => ({
      clock: HASTY,
      tools: [
        tool('one', step, true),
        ownTool('breaks', async () => {
          step()
          await later()
          throw new Error('it broke')
        })
      ],
      outputFormat: { type: 'json_schema', schema: { type: 'object', required: ['fine'] } },
      hooks: slowHooks(step, hooks => hooks.on('PreToolUse', () => allow())),
      prompt: (async function* () {
        yield prompted('one')
        await later()
        yield prompted('two')
      })()
    })
  }
}

/** The turns of a scenario; each takes a moment. */
export const turnsOf = ({ turns }: AbortScenario, step: AbortStep): readonly TurnOrMaker[] =>
  turns.map(turn => async () => {
    step()
    await later()
    step()
    return turn
  })
