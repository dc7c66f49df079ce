/** Sessions of all kinds: between them, everything is written down that ever is. */
import type { CrashScenario } from './staged.ts'
import { registry } from '../support/agent-scene.ts'

const call = (name: string, id: string, input: object = {}) => ({ name, id, input })
const worker = (id: string) =>
  call('Agent', id, { description: 'a task', prompt: 'go, worker', subagent_type: 'worker' })
const main = (...turns: CrashScenario['acts'][number]['turns'][string]) => ({ main: turns })
/** What is in no file, and not sent to a model again. */
export const WITHHELD = 'tangerine'
const named = { sessionId: 'first' }
const resumed = { resume: 'first' }

export const CRASH_SCENARIOS: readonly CrashScenario[] = [
  { name: 'one prompt', acts: [{ prompt: 'go', turns: main({ thinking: 'hm', text: 'done' }), options: named }] },
  {
    name: 'a tool that only reads',
    acts: [{ prompt: 'go', turns: main({ calls: [call('look', 'r1')] }, 'done'), options: named }]
  },
  {
    name: 'tools with effects, one after the other',
    acts: [
      {
        prompt: 'go',
        turns: main({ text: 'I put', calls: [call('put', 'e1')] }, { calls: [call('set', 'e2')] }, 'done'),
        options: named
      }
    ]
  },
  {
    name: 'calls of all kinds in one answer',
    acts: [
      {
        prompt: 'go',
        turns: main(
          { calls: [call('look', 'r1'), call('put', 'e1'), call('look', 'r2'), call('look', 'r3'), call('set', 'e2')] },
          'done'
        ),
        options: named
      }
    ]
  },
  {
    name: 'a tool that fails',
    acts: [{ prompt: 'go', turns: main({ calls: [call('fail', 'e1'), call('put', 'e2')] }, 'done'), options: named }]
  },
  {
    name: 'a call that a hook refuses, and one that a rule does',
    denied: ['d1', 'd2'],
    options: () => ({
      disallowedTools: ['set'],
      hooks: registry(hooks =>
        hooks.on('PreToolUse', 'put', ctx =>
          ctx.input.tool_use_id === 'd1' ? { decision: 'deny', reason: 'not that' } : undefined
        )
      )
    }),
    acts: [
      {
        prompt: 'go',
        turns: main({ calls: [call('put', 'd1'), call('set', 'd2'), call('put', 'e1')] }, 'done'),
        options: named
      }
    ]
  },
  {
    name: 'an answer that a hook refuses, and a message that one adds',
    options: () => ({
      hooks: registry(hooks => {
        hooks.on('PostModelResponse', ctx =>
          JSON.stringify(ctx.response).includes(WITHHELD) ? { decision: 'deny', reason: 'not that' } : undefined
        )
        hooks.on('PreModelRequest', ctx => {
          if (ctx.messages.length === 1) ctx.request.append = [{ role: 'user', content: 'one more thing' }]
        })
      })
    }),
    acts: [
      {
        prompt: 'go',
        turns: main(
          { thinking: WITHHELD, text: 'fine' },
          { text: WITHHELD, calls: [call('put', 'd1')] },
          { calls: [call('put', 'e1', { what: WITHHELD })] },
          { calls: [call('put', 'e2')] },
          'done'
        ),
        options: named
      }
    ],
    denied: ['d1', 'e1']
  },
  {
    name: 'what hooks say, and what they do to messages',
    options: (_, world) => ({
      hooks: registry(hooks => {
        hooks.on('SessionStart', () => ({ additionalContext: 'from the start' }))
        hooks.on('UserPromptSubmit', () => ({ additionalContext: 'with the prompt' }))
        hooks.on('PreToolUse', ctx => void ctx.messages.push({ role: 'user', content: 'by the way' }))
        hooks.on('PostToolUse', 'put', ctx => world.mustBeSafe('tool-outcome', ctx.input.tool_use_id))
        hooks.on('PostToolUse', () => ({ additionalContext: 'after the call', updatedToolOutput: 'rewritten' }))
        hooks.on('PostToolBatch', ctx => {
          ctx.messages = ctx.messages.filter(({ content }) => content !== 'by the way')
        })
      })
    }),
    acts: [
      {
        prompt: 'go',
        turns: main({ calls: [call('put', 'e1')] }, { calls: [call('look', 'r1'), call('set', 'e2')] }, 'done'),
        options: named
      }
    ]
  },
  {
    name: 'a Stop hook that sends it back',
    options: act => {
      let left = act === undefined ? 0 : 2
      return {
        hooks: registry(hooks =>
          hooks.on('Stop', () => (left-- > 0 ? { decision: 'block', reason: 'not yet' } : undefined))
        )
      }
    },
    acts: [{ prompt: 'go', turns: main('first', { calls: [call('put', 'e1')] }, 'second', 'third'), options: named }]
  },
  {
    name: 'a conversation that is made shorter',
    options: () => ({ contextWindow: 1000, maxTurns: 20 }),
    acts: [
      {
        prompt: 'go',
        turns: {
          main: [
            ...[1, 2, 3, 4, 5].map(n => ({
              calls: [call(n % 2 === 0 ? 'look' : 'put', `e${n}`)],
              usage: { input_tokens: n >= 4 ? 900 : 1, output_tokens: 10 }
            })),
            'done'
          ],
          summary: ['in short']
        },
        options: named
      }
    ]
  },
  {
    name: 'a subagent whose tools have effects',
    acts: [
      {
        prompt: 'go',
        turns: {
          main: [{ calls: [worker('a1')] }, { calls: [call('put', 'e1')] }, 'done'],
          worker: [{ calls: [call('put', 'e2')] }, { calls: [call('set', 'e3')] }, 'worked']
        },
        options: named
      }
    ]
  },
  {
    name: 'a call that is put off, and goes on later',
    options: act => ({
      hooks: registry(hooks => hooks.on('PreToolUse', 'set', () => ({ decision: act === 0 ? 'defer' : 'allow' })))
    }),
    acts: [
      { prompt: 'go', turns: main({ calls: [call('put', 'e1'), call('set', 'e2')] }), options: named },
      { prompt: '', turns: main('done'), options: resumed }
    ]
  },
  {
    name: 'a call that is put off in a subagent',
    options: act => ({
      hooks: registry(hooks => hooks.on('PreToolUse', 'set', () => ({ decision: act === 0 ? 'defer' : 'allow' })))
    }),
    acts: [
      {
        prompt: 'go',
        turns: { main: [{ calls: [worker('a1')] }], worker: [{ calls: [call('put', 'e1'), call('set', 'e2')] }] },
        options: named
      },
      { prompt: '', turns: { worker: ['worked'], main: ['done'] }, options: resumed }
    ]
  },
  {
    name: 'several prompts',
    acts: [1, 2, 3].map(n => ({
      prompt: `go ${n}`,
      turns: main({ calls: [call('put', `e${n}`)] }, `done ${n}`),
      options: n === 1 ? named : resumed
    }))
  },
  {
    name: 'a copy of a session',
    acts: [
      { prompt: 'go', turns: main({ calls: [call('put', 'e1'), call('set', 'e2')] }, 'done'), options: named },
      {
        prompt: 'go elsewhere',
        turns: main({ calls: [call('set', 'e3')] }, 'done'),
        options: { ...resumed, forkSession: true, sessionId: 'second' }
      }
    ]
  },
  {
    name: 'back to an earlier line',
    acts: [
      { prompt: 'go', turns: main({ calls: [call('put', 'e1')] }, 'done'), options: named },
      { prompt: 'go on', turns: main({ calls: [call('set', 'e2')] }, 'done'), options: resumed },
      {
        prompt: 'go on otherwise',
        turns: main({ calls: [call('set', 'e3')] }, 'done'),
        options: resumed,
        backTo: ({ type, message }) => type === 'assistant' && JSON.stringify(message).includes('"e1"')
      }
    ]
  },
  {
    name: 'what hooks keep for later',
    options: () => ({
      hooks: registry(hooks => {
        hooks.on('PostToolUse', ctx => void (ctx.metadata['calls'] = Number(ctx.metadata['calls'] ?? 0) + 1))
        hooks.on('UserPromptSubmit', ctx => void (ctx.metadata['prompts'] = ['x'.repeat(100)]))
      })
    }),
    acts: [1, 2].map(n => ({
      prompt: 'go',
      turns: main({ calls: [call('put', `e${n}`)] }, 'done'),
      options: n === 1 ? named : resumed
    }))
  }
]
