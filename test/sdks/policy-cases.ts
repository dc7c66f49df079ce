/** Ten policies as hooks, and what each must lead to in every SDK. See driver.ts for how an SDK is driven. */
import { ask, deny, transform, type HookRegistry, type Reply } from '../../src/hooks.ts'
import type { Note, NoteCall, Observation } from './driver.ts'

export interface PolicyCase {
  readonly name: string
  /** What happens, for the table. */
  readonly outcome: string
  readonly hooks: (registry: HookRegistry) => void
  /** The calls in the model's first answer; after their results, it answers with text. */
  readonly calls: readonly NoteCall[]
  /** The person's answer to each question. */
  readonly approve?: boolean
  readonly expected: PolicyOutcome
}

/** What must be true of an observation. Texts must be contained; `null` in `results` means any text. */
export interface PolicyOutcome {
  readonly ran: readonly Note[]
  readonly asked?: readonly Note[]
  /** Per call, a text in its result as the model receives it. */
  readonly results?: readonly (string | null)[]
  /** Texts that are nowhere in the model's second request. */
  readonly hidden?: readonly string[]
  /** Texts that are anywhere in it. */
  readonly request?: readonly string[]
  /** How often the model is called; 2 unless a hook ends the run. */
  readonly modelCalls?: number
}

const note = (path: string, text: string): Note => ({ path, text })
const call = (id: string, path: string, text: string): NoteCall => ({ id, input: note(path, text) })
const HOME = call('call_1', '/home/a', 'hello')
const SRV = call('call_2', '/srv/b', 'hello')

const noSrv = (registry: HookRegistry): unknown =>
  registry.on(
    'PreToolUse',
    ctx => (String(ctx.toolInput['path']).startsWith('/srv') ? deny('notes belong in /home') : undefined),
    { name: 'no-srv' }
  )

const moveTo =
  (folder: string) =>
  (registry: HookRegistry): unknown =>
    registry.on('PreToolUse', ctx => transform({ ...ctx.toolInput, path: `${folder}/moved` }), { name: 'move' })

const askAlways = (registry: HookRegistry): unknown =>
  registry.on('PreToolUse', () => ask('a note is written'), { name: 'careful' })

const after = (fields: object): Reply => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', ...fields } }) as Reply

export const POLICY_CASES: readonly PolicyCase[] = [
  {
    name: 'no hook objects',
    outcome: 'the call runs, and the model gets its result',
    hooks: registry => void registry.on('PreToolUse', () => undefined),
    calls: [HOME],
    expected: { ran: [HOME.input], results: ['wrote hello to /home/a'] }
  },
  {
    name: 'deny one of two calls',
    outcome: 'it does not run, the model gets the reason, and the other call runs',
    hooks: registry => void noSrv(registry),
    calls: [HOME, SRV],
    expected: {
      ran: [HOME.input],
      results: ['wrote hello to /home/a', 'notes belong in /home'],
      hidden: ['wrote hello to /srv/b']
    }
  },
  {
    name: 'rewrite the input',
    outcome: 'the call runs with the new input only',
    hooks: registry => void moveTo('/home')(registry),
    calls: [HOME],
    expected: { ran: [note('/home/moved', 'hello')], results: ['wrote hello to /home/moved'] }
  },
  {
    name: 'deny what a rewrite made of it',
    outcome: 'hooks judge the new input again; it does not run',
    hooks: registry => {
      noSrv(registry)
      moveTo('/srv')(registry)
    },
    calls: [HOME],
    expected: { ran: [], results: ['notes belong in /home'] }
  },
  {
    name: 'ask, and the answer is yes',
    outcome: 'a person is asked first, then it runs',
    hooks: registry => void askAlways(registry),
    calls: [HOME],
    approve: true,
    expected: { ran: [HOME.input], asked: [HOME.input], results: ['wrote hello to /home/a'] }
  },
  {
    name: 'ask, and the answer is no',
    outcome: 'it does not run, and the model learns that it was refused',
    hooks: registry => void askAlways(registry),
    calls: [HOME],
    approve: false,
    expected: { ran: [], asked: [HOME.input], results: [null], hidden: ['wrote hello'] }
  },
  {
    name: 'a hook throws',
    outcome: 'the gate is closed: it does not run, and the model gets the failure',
    hooks: registry =>
      void registry.on(
        'PreToolUse',
        () => {
          throw new Error('the scanner is down')
        },
        { name: 'scanner' }
      ),
    calls: [HOME],
    expected: { ran: [], results: ['the scanner is down'] }
  },
  {
    name: 'replace the output',
    outcome: 'the model gets the new result, and never the old one',
    hooks: registry => void registry.on('PostToolUse', () => after({ updatedToolOutput: 'wrote [hidden]' })),
    calls: [HOME],
    expected: { ran: [HOME.input], results: ['wrote [hidden]'], hidden: ['wrote hello to'] }
  },
  {
    name: 'add context',
    outcome: 'it runs, and the model gets the result and the context',
    hooks: registry => void registry.on('PostToolUse', () => after({ additionalContext: 'notes are public' })),
    calls: [HOME],
    expected: { ran: [HOME.input], results: ['wrote hello to /home/a'], request: ['notes are public'] }
  },
  {
    name: 'end the run',
    outcome: 'the call runs, and the model is not called again',
    hooks: registry => void registry.on('PostToolUse', () => ({ continue: false, stopReason: 'enough notes' })),
    calls: [HOME],
    expected: { ran: [HOME.input], modelCalls: 1 }
  }
]

/** What is different from what a case expects, in words; none if nothing is. */
export function differences(expected: PolicyOutcome, seen: Observation): readonly string[] {
  const { ran, asked = [], results = [], hidden = [], request = [], modelCalls = 2 } = expected
  const found: string[] = []
  const compare = (name: string, is: unknown, should: unknown): void => {
    const [left, right] = [JSON.stringify(is), JSON.stringify(should)]
    if (left !== right) found.push(`${name}: ${left}, expected ${right}`)
  }
  compare('ran', seen.ran.map(plainNote), ran)
  compare('asked', seen.asked.map(plainNote), asked)
  compare('model calls', seen.modelCalls, modelCalls)
  for (const [index, text] of results.entries()) {
    const result = seen.results[index]
    if (result === undefined) found.push(`call ${index + 1} has no result`)
    else if (text !== null && !result.includes(text)) found.push(`result ${index + 1}: ${result}, expected ${text}`)
  }
  for (const text of hidden) if (seen.request.includes(text)) found.push(`the model received ${text}`)
  for (const text of request) if (!seen.request.includes(text)) found.push(`the model did not receive ${text}`)
  return found
}

const plainNote = ({ path, text }: Note): Note => ({ path, text })
