/** Variables of the contract: those that a run reads, and those that its hooks find. */
import { expect, test, vi } from 'vitest'
import peer from '../fixtures/peer-payloads.json' with { type: 'json' }
import { agent, callReply, streamLines, textReply } from './agent.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, refuses, rule } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const overloaded = { fail: { status: 529, headers: { 'retry-after': '0' } } }

test.each([
  ['0', 1],
  ['2', 3]
])('C8: CLAUDE_CODE_MAX_RETRIES=%s: a provider that fails is asked %i times', async (retries, asked) => {
  const env = { CLAUDE_CODE_MAX_RETRIES: retries }
  const { ask, server } = await agent(
    Array.from({ length: 5 }, () => overloaded),
    env
  )
  expect(await ask(['Hi'])).toMatchObject({ code: 1 })
  expect(server.requests).toHaveLength(asked)
})

test.each(['CLAUDE_CODE_MAX_RETRIES', 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP', 'CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS'])(
  'C8: %s that is no number is named, with what to write, and the run continues',
  async name => {
    const { ask, user } = await agent([textReply('Hello.')], { [name]: 'ten' })
    user(commandOn('SessionEnd', 'true'))
    const ran = await ask(['Hi'])
    expect(ran).toMatchObject({ code: 0, stdout: 'Hello.\n' })
    expect(ran.stderr).toContain(`${name} is "ten" and is ignored: set it to a whole number, 0 or more`)
  }
)

test('C8: CLAUDE_CODE_STOP_HOOK_BLOCK_CAP that is no number leaves the usual limit', async () => {
  const { ask, user, server } = await agent(
    Array.from({ length: 60 }, () => textReply('Done.')),
    {
      CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: 'many'
    }
  )
  user(commandOn('Stop', refuses('not yet')))
  await ask(['Hi'])
  expect(server.requests).toHaveLength(9)
})

/** A hook that is done when it is let, and says so. */
const WAITS = 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done; touch "$HOME/done"'

test('C8: CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS sets the time of the last hooks', async () => {
  const long = await agent([textReply('Hello.')], { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '60000' })
  long.user(commandOn('SessionEnd', 'sleep 2; touch "$HOME/done"'))
  await long.ask(['Hi'])
  expect(long.read('home/done')).toBe('')
  const short = await agent([textReply('Hello.')], { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '20' })
  short.user({ hooks: { SessionEnd: [rule(WAITS, undefined, { timeout: 600 })] } })
  expect(await short.ask(['Hi'])).toMatchObject({ code: 0 })
  expect(() => short.read('home/done')).toThrow('ENOENT')
})

/** What is not set here, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  CLAUDE_CODE_MESSAGING_SOCKET: 'there is no such socket here',
  CLAUDE_CODE_MESSAGING_TOKEN: 'it is a secret, and there is no such socket here',
  CLAUDE_CODE_SESSION_ATTENDED: 'not part of the published contract',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: 'inherited from the one who made the recording'
}

test('C8: hooks find every variable that the contract sets, on every event', async () => {
  const { ask, user, read } = await agent([callReply(['Bash', { command: 'true' }]), textReply('Done.')])
  const keep = (event: string): object => ({ [event]: [rule(`env > "$HOME/${event}.env"`)] })
  const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'] as const
  user({ hooks: Object.assign({}, ...events.map(keep)) as object })
  expect(await ask(['Go', '--effort', 'medium', '--allowedTools', 'Bash'])).toMatchObject({ code: 0 })
  for (const event of events) {
    const found = Object.fromEntries(
      read(`home/${event}.env`)
        .split('\n')
        .map(line => line.split(/=(.*)/s))
    ) as Record<string, string>
    const wanted = Object.keys(peer.envByEvent[event]).filter(name => !(name in LEFT_OUT))
    expect(wanted.filter(name => !(name in found))).toEqual([])
    expect(found).toMatchObject({ CLAUDE_CODE_ENTRYPOINT: 'sdk-cli', CLAUDE_CODE_CHILD_SESSION: '1' })
    expect(found['AI_AGENT']).toMatch(/^carabiner_\d+-\d+-\d+_harness$/)
    expect(found['CLAUDE_EFFORT']).toBe('CLAUDE_EFFORT' in peer.envByEvent[event] ? 'medium' : undefined)
  }
})

test('C8: an entry point that is set already stays', async () => {
  const { ask, user, read } = await agent([textReply('Done.')], { CLAUDE_CODE_ENTRYPOINT: 'github-action' })
  user(commandOn('Stop', 'echo "$CLAUDE_CODE_ENTRYPOINT" > "$HOME/entry"'))
  await ask(['Go'])
  expect(read('home/entry')).toBe('github-action\n')
})

test('C8: the stream names a variable that is no number, too', async () => {
  const { ask } = await agent([textReply('Hello.')], { CLAUDE_CODE_MAX_RETRIES: '-1' })
  const lines = streamLines(await ask(['Hi', '--output-format', 'stream-json']))
  expect(lines).toContainEqual(
    expect.objectContaining({ subtype: 'informational', content: expect.stringContaining('CLAUDE_CODE_MAX_RETRIES') })
  )
})
