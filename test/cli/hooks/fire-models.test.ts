/** `carabiner fire` on the events that name a model: hooks see the names that they see in a run. */
import { expect, test, vi } from 'vitest'
import { cliStage, type Fired } from '../../support/cli-stage.ts'
import { commandOn, prints, refuses } from '../../support/command-settings.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const asks = (updatedInput: object): string =>
  prints({ hookSpecificOutput: { hookEventName: 'PreModelRequest', updatedInput } })

test.each([
  ['PreModelRequest', 'model'],
  ['PreModelRequest', 'request.model'],
  ['PostModelResponse', 'model'],
  ['PreModelSwitch', 'to_model']
])('%s: the short name in %s is resolved before matchers compare it', async (event, field) => {
  const here = cliStage()
  here.user(commandOn(event, refuses('no haiku'), 'claude-haiku-5-5'))
  const fired = (name: string, env = {}) =>
    here.run(['fire', event, '--exit-code', '--set', `${field}=${name}`], { env }).then(({ code }) => code)
  expect(await fired('haiku')).toBe(2)
  expect(await fired('sonnet')).toBe(0)
  expect(await fired('sonnet', { ANTHROPIC_DEFAULT_SONNET_MODEL: 'claude-haiku-5-5' })).toBe(2)
})

test.each([
  ['PreModelRequest', { tools: ['Read', 'Grep'] }],
  ['PostModelResponse', { content: [{ type: 'text', text: 'Tidy.' }] }]
])('%s: a part of the draft is enough, and the report has no objection to it', async (event, updatedInput) => {
  const here = cliStage()
  here.user(commandOn(event, prints({ hookSpecificOutput: { hookEventName: event, updatedInput } })))
  const response = { content: [{ type: 'text', text: 'The folder is tidy.' }], stop_reason: 'end_turn' }
  const { outcome, hooks } = await here.json<Fired>(['fire', event, '--set', `response=${JSON.stringify(response)}`])
  expect(outcome).toMatchObject({ blocked: false, updatedInput })
  expect(hooks).toMatchObject([{ notes: [] }])
})

test('a hook test names a model by its short name, too', async () => {
  const here = cliStage()
  here.user(commandOn('PreModelRequest', refuses('no haiku'), 'claude-haiku-5-5'))
  const cases = ['haiku', 'sonnet'].map(
    name =>
      `- name: ${name}\n  event: PreModelRequest\n  input: { model: ${name} }\n  expect: { blocked: ${name === 'haiku'} }\n`
  )
  here.write('project/t.hooktest.yaml', cases.join(''))
  expect((await here.run(['hooks', 'test', 't.hooktest.yaml'])).stdout).toContain('2 passed, 0 failed')
})

test('a hook that chooses a model by its short name: others judge the full name, and it is the one in the outcome', async () => {
  const here = cliStage()
  here.user(commandOn('PreModelRequest', asks({ model: 'haiku' })))
  const { outcome } = await here.json<Fired>(['fire', 'PreModelRequest'])
  expect(outcome).toMatchObject({ blocked: false, updatedInput: { model: 'claude-haiku-5-5' } })
  const both = [asks({ model: 'haiku' }), refuses('no haiku')].map((command, at) => ({
    matcher: at === 0 ? '*' : 'claude-haiku-5-5',
    hooks: [{ type: 'command', command }]
  }))
  here.user({ hooks: { PreModelRequest: both } })
  expect((await here.run(['fire', 'PreModelRequest', '--exit-code'])).code).toBe(2)
})

test.each(['openai/gpt-9', 'https://example.com/v1#x', ' '])(
  'a hook cannot choose %j beside a model of Anthropic',
  async model => {
    const here = cliStage()
    here.user(commandOn('PreModelRequest', asks({ model })))
    const { code, stdout } = await here.run(['fire', 'PreModelRequest', '--exit-code'])
    expect([code, stdout]).toEqual([
      2,
      expect.stringContaining('is not the name of another model of the same provider')
    ])
  }
)

test('what a project may set where the request has no limit depends on the provider', async () => {
  const here = cliStage()
  here.settings(commandOn('PreModelRequest', asks({ max_tokens: 4096 })))
  const fired = async (model: string): Promise<number | null> => {
    const args = ['fire', 'PreModelRequest', '--exit-code', '--trust-project-hooks', '--set', `model=${model}`]
    return (await here.run(args)).code
  }
  expect([await fired('haiku'), await fired('claude-any')]).toEqual([0, 0])
  expect([await fired('openai/gpt-9'), await fired('https://example.com/v1#gpt'), await fired('gpt-9')]).toEqual([
    2, 2, 2
  ])
})
