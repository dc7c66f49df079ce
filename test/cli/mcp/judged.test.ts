/** For random hooks and calls: what ran is what was judged, by every hook, and by a person where one was asked. */
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { cliStage } from '../../support/cli-stage.ts'
import * as fc from '../../support/fast-check.ts'
import { HANG } from '../../support/waiting.ts'
import { proxied, SCRIPTED_SERVER } from './proxy-kit.ts'

vi.setConfig({ testTimeout: HANG })

type Given = Readonly<Record<string, unknown>> & { readonly id: number }

interface Judgement {
  readonly hook: number
  readonly input: Given
  readonly said: string
}

const WORDS = ['pass', 'allow', 'deny', 'ask', 'rewrite', 'throw', 'nonsense', 'late deny', 'late rewrite'] as const
const HOOKS = 4

/** Each hook looks up what to say about an input, and writes down what it said about it. */
const MODULE = `
const { appendFileSync, readFileSync } = process.getBuiltinModule('fs')
const note = line => appendFileSync(process.env.JUDGED, JSON.stringify(line) + '\\n')
const replies = {
  pass: () => undefined,
  allow: () => ({ decision: 'allow' }),
  deny: () => ({ decision: 'deny', reason: 'no' }),
  ask: () => ({ decision: 'ask', reason: 'sure?' }),
  throw: () => { throw new Error('broken') },
  nonsense: () => ({ decision: 'banana' })
}
for (let hook = 0; hook < ${HOOKS}; hook++)
  hooks.on('PreToolUse', ({ input: { tool_input: input } }) => {
    const plan = JSON.parse(readFileSync(process.env.PLAN, 'utf8'))[hook]
    let said = input.n % plan.every === 0 ? plan.word : 'pass'
    const isLate = said.startsWith('late ')
    said = said.replace('late ', '')
    if (said === 'rewrite' && input['k' + hook] !== undefined) said = 'pass'
    note({ hook, input, said })
    const reply = () => said === 'rewrite' ? { updatedInput: { ...input, ['k' + hook]: plan.value } } : replies[said]()
    return isLate ? Promise.resolve().then(reply) : reply()
  })
hooks.on('PostToolUse', ({ input }) => note({ hook: -1, input: input.tool_input, said: 'ran' }))
`

const linesOf = <T>(file: string): readonly T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as T)

test('what ran is what was judged', async () => {
  const stage = cliStage()
  const [plan, judged, log] = ['plan', 'judged', 'log'].map(name => stage.write(`home/${name}`, '')) as [
    string,
    string,
    string
  ]
  const asked: { input: Given; allow: boolean }[] = []
  let isYes = true
  const { call } = await proxied(SCRIPTED_SERVER, {
    stage,
    hooks: MODULE,
    env: { PLAN: plan, JUDGED: judged, MCP_LOG: log },
    capabilities: { elicitation: { form: {} } },
    prepare: client =>
      client.setRequestHandler('elicitation/create', ({ params: { message } }) => {
        const input = JSON.parse(message.slice(message.indexOf('{'))) as Given
        const allow = isYes === (input['n'] !== 5)
        asked.push({ input, allow })
        return { action: 'accept', content: { allow } }
      })
  })
  let id = 0
  const counts = { ran: 0, refused: 0, asked: 0, rewritten: 0 }
  const hook = fc.record({
    word: fc.constantFrom(...WORDS),
    every: fc.integer({ min: 1, max: 3 }),
    value: fc.jsonValue()
  })
  const input = fc.record({ n: fc.integer({ min: 0, max: 6 }), text: fc.string(), more: fc.jsonValue() })
  const cases = fc.tuple(
    fc.array(hook, { minLength: HOOKS, maxLength: HOOKS }),
    fc.array(input, { minLength: 1, maxLength: 4 }),
    fc.boolean()
  )
  const property = fc.asyncProperty(cases, async ([hooks, inputs, yes]) => {
    for (const name of ['judged', 'log']) stage.write(`home/${name}`, '')
    stage.write('home/plan', JSON.stringify(hooks))
    isYes = yes
    const calls = inputs.map(each => ({ ...each, id: id++ }))
    const results = await Promise.all(calls.map(each => call('echo', each)))
    const judgements = linesOf<Judgement>(judged)
    const ran = readFileSync(log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line.slice('call echo '.length)) as Given)
    for (const [at, { id: own }] of calls.entries()) {
      const mine = judgements.filter(each => each.input.id === own)
      const [final, ...again] = ran.filter(each => each.id === own)
      const objections = mine.filter(({ said }) => ['deny', 'throw', 'nonsense'].includes(said))
      const answers = asked.filter(each => each.input.id === own)
      expect(again).toEqual([])
      expect(results[at]?.isError).toBe(final === undefined)
      if (final === undefined) {
        expect(objections.length > 0 || answers.some(({ allow }) => !allow)).toBe(true)
        counts.refused++
        continue
      }
      const about = mine.filter(each => JSON.stringify(each.input) === JSON.stringify(final))
      // Who wrote it has judged it as well.
      const isAuthor = ({ hook: index, input: seen, said }: Judgement): boolean =>
        said === 'rewrite' && JSON.stringify({ ...seen, [`k${index}`]: hooks[index]?.value }) === JSON.stringify(final)
      const judges = [...about, ...mine.filter(isAuthor)].map(each => each.hook)
      expect(new Set(judges)).toEqual(new Set([-1, 0, 1, 2, 3]))
      expect(about.filter(each => objections.includes(each))).toEqual([])
      const isAsked = about.some(({ said }) => said === 'ask')
      expect(answers.map(answer => [answer.input, answer.allow])).toEqual(isAsked ? [[final, true]] : [])
      counts.ran++
      if (isAsked) counts.asked++
      if (JSON.stringify(final) !== JSON.stringify(calls[at])) counts.rewritten++
    }
  })
  await fc.assert(property, { numRuns: 500 })
  for (const [what, count] of Object.entries(counts)) expect(count, what).toBeGreaterThan(5)
})
