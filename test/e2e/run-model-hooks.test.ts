/** The two gates around the model, as commands in a settings file, in `carabiner run`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { commandOn, prints, refuses } from '../support/command-settings.ts'
import { ended } from '../support/cli-stage.ts'
import { HANG } from '../support/waiting.ts'
import { agent, callReply, streamLines, textReply, type Agent } from './agent.ts'

vi.setConfig({ testTimeout: HANG })

const SECRET = 'hunter2-tangerine'
/** Standard input has the answer. The name of the hook is the command, so the command does not spell the secret. */
const GUARD = `if grep -q 'hunter2-[t]ang'; then echo 'leave the password out' >&2; exit 2; fi`
const STREAM = ['--output-format', 'stream-json', '--include-partial-messages', '--verbose']

/** All files of the stage but the settings. */
const filesOf = ({ home, project }: Agent): string =>
  [home, project]
    .flatMap(folder =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile() && entry.name !== 'settings.json')
        .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    )
    .join('\n')

test('an answer with a secret is withheld from output and files; the model tries again', async () => {
  const run = await agent([
    textReply(`It is ${SECRET}.`),
    callReply(['Bash', { command: `echo ${SECRET} > leak` }]),
    textReply('I cannot say.')
  ])
  run.user(commandOn('PostModelResponse', GUARD))
  const ran = await run.ask(['Go', '--dangerously-skip-permissions', ...STREAM])
  expect(ran.code).toBe(0)
  const lines = streamLines(ran)
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'I cannot say.', num_turns: 3 })
  expect(run.server.requests).toHaveLength(3)
  const again = JSON.stringify(run.server.requests.map(({ body }) => body))
  expect(again).toContain('leave the password out')
  expect([ran.stdout, ran.stderr, again, filesOf(run)].map(text => text.includes(SECRET))).toEqual(Array(4).fill(false))
})

test('killed while its hook judges an answer, and resumed: nothing of the answer was kept', async () => {
  const run = await agent([textReply(`It is ${SECRET}.`), textReply('I cannot say.')])
  const judging = run.path('home/judging')
  run.user(commandOn('PostModelResponse', `if test -e ${judging}; then ${GUARD}; else touch ${judging}; sleep 600; fi`))
  const child = run.begin(['Go', ...STREAM])
  onTestFinished(() => void child.kill('SIGKILL'))
  const end = ended(child)
  await vi.waitUntil(() => existsSync(judging), { timeout: HANG / 2, interval: 20 })
  child.kill('SIGKILL')
  const killed = await end
  expect(`${killed.stdout}${filesOf(run)}`).not.toContain(SECRET)
  const ran = await run.ask(['', '--continue', ...STREAM])
  expect(streamLines(ran).at(-1)).toMatchObject({ result: 'I cannot say.' })
  expect(run.server.requests[1]!.body.messages).toEqual(run.server.requests[0]!.body.messages)
})

test('a hook chooses another model of the same server for a step, and another one refuses', async () => {
  const run = await agent([textReply('Done.')])
  const updatedInput = { model: 'haiku', max_tokens: 100 }
  run.user(
    commandOn('PreModelRequest', prints({ hookSpecificOutput: { hookEventName: 'PreModelRequest', updatedInput } }))
  )
  expect((await run.ask(['Go'])).stdout).toContain('Done.')
  expect(run.server.requests[0]!.body).toMatchObject({ model: 'claude-haiku-5-5', max_tokens: 100 })
  run.user(commandOn('PreModelRequest', refuses('not on Sundays')))
  const refused = await run.ask(['Go', '--output-format', 'json'])
  expect(JSON.parse(refused.stdout)).toMatchObject({ terminal_reason: 'request_blocked', is_error: true })
  expect([refused.code, run.server.requests.length]).toEqual([1, 1])
})

test.each([
  ['PreModelRequest', 'request_blocked', 0],
  ['PostModelResponse', 'response_blocked', 1]
])('%s closes when its program crashes', async (event, reason, asked) => {
  const run = await agent([textReply(`It is ${SECRET}.`)])
  run.user(commandOn(event, 'cat >&2; kill -9 $$'))
  const ran = await run.ask(['Go', ...STREAM])
  expect(streamLines(ran).at(-1)).toMatchObject({ terminal_reason: reason, is_error: true })
  expect(run.server.requests).toHaveLength(asked)
  expect(`${ran.stdout}${ran.stderr}${filesOf(run)}`).not.toContain(SECRET)
})
