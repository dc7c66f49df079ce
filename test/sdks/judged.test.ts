/** For random hooks and calls, in every SDK: what ran is what was judged, and nothing else ran. */
import { describe, expect, test } from 'vitest'
import { allow, ask, deny, HookRegistry, transform, type Reply } from '../../src/hooks.ts'
import * as fc from '../support/fast-check.ts'
import { loadLocalDrivers, type Note, type NoteCall } from './driver.ts'

/** What a hook does with the notes that it is about: those whose text has its letter. */
const ACTIONS: Readonly<Record<string, (input: Record<string, unknown>) => Reply | undefined>> = {
  allow: () => allow(),
  deny: () => deny('no'),
  ask: () => ask('may it?'),
  move: input => transform({ ...input, path: `${String(input['path'])}/moved` }),
  /** The draft is changed in place. */
  edit: input => void (input['text'] = `${String(input['text'])}!`),
  /** Another hook may be about the new text. */
  rename: input => transform({ ...input, text: String(input['text']).replace('a', 'b') }),
  throw: () => {
    throw new Error('down')
  }
}

const hook = fc.record({
  action: fc.constantFrom(...Object.keys(ACTIONS)),
  letter: fc.constantFrom('a', 'b', 'c', ''),
  later: fc.boolean(),
  priority: fc.integer({ min: 0, max: 2 })
})
const note = fc.record({
  path: fc.constantFrom('/x', '/y'),
  text: fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 3 })
})
const scene = fc.record({
  hooks: fc.array(hook, { maxLength: 4 }),
  notes: fc.array(note, { minLength: 1, maxLength: 3 }),
  approve: fc.boolean(),
  streaming: fc.boolean()
})

type RandomHook = typeof hook extends fc.Arbitrary<infer T> ? T : never

/** A registry with these hooks, and the inputs that were judged last, by call. */
function registryOf(hooks: readonly RandomHook[]): { registry: HookRegistry; judged: Map<string, Note> } {
  const registry = new HookRegistry()
  const judged = new Map<string, Note>()
  for (const { action, letter, later, priority } of hooks) {
    const act = ACTIONS[action]!
    const run = (input: Record<string, unknown>): Reply | undefined =>
      String(input['text']).includes(letter) && !String(input['path']).endsWith('/moved') ? act(input) : undefined
    registry.on('PreToolUse', ctx => (later ? Promise.resolve().then(() => run(ctx.toolInput)) : run(ctx.toolInput)), {
      priority
    })
  }
  registry.on('PreToolUse', ctx => void judged.set(ctx.toolUseId, plain(ctx.toolInput)), { priority: -1 })
  return { registry, judged }
}

const plain = (input: object): Note => {
  const { path, text } = input as Note
  return { path, text }
}

/** What must run, and what a person must be asked about: the engine alone decides. */
async function expectedOf(hooks: readonly RandomHook[], calls: readonly NoteCall[], approve: boolean) {
  const [ran, asked]: [Note[], Note[]] = [[], []]
  for (const { id, input } of calls) {
    const call = { tool_name: 'write_note', tool_use_id: id, tool_input: { ...input } }
    const { decision, updatedInput } = await registryOf(hooks).registry.fire('PreToolUse', call)
    const final = plain(updatedInput ?? input)
    if (decision === 'ask') asked.push(final)
    if (decision !== 'deny' && (decision !== 'ask' || approve)) ran.push(final)
  }
  return { ran, asked }
}

const sorted = (notes: readonly Note[]): string[] => notes.map(each => JSON.stringify(plain(each))).toSorted()

const drivers = await loadLocalDrivers()

describe.each(drivers)('$name', driver => {
  test('what ran is what was judged, for random hooks and calls', async () => {
    let runs = 0
    await fc.assert(
      fc.asyncProperty(scene, async ({ hooks, notes, approve, streaming }) => {
        const calls = notes.map((input, index) => ({ id: `call_${index}`, input }))
        const expected = await expectedOf(hooks, calls, approve)
        const { registry, judged } = registryOf(hooks)
        const seen = await driver.run({ policy: 'random', hooks: registry, calls, approve, streaming })
        expect(sorted(seen.ran)).toEqual(sorted(expected.ran))
        if (driver.asksAboutCall === true) expect(seen.asked).toHaveLength(expected.asked.length)
        else expect(sorted(seen.asked)).toEqual(sorted(expected.asked))
        const last = sorted([...judged.values()])
        for (const ran of sorted(seen.ran)) expect(last).toContain(ran)
        expect(seen.results).toHaveLength(calls.length)
        runs += seen.ran.length
      }),
      { numRuns: 60 }
    )
    expect(runs).toBeGreaterThan(10)
  })
})
