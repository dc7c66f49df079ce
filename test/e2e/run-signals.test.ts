/** However a run is ended: its last hooks have run, and nothing that it started is left. FM62. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ended } from '../support/cli-stage.ts'
import { agent, callReply, textReply, type Agent } from './agent.ts'
import { gone, HANG } from '../support/waiting.ts'
import { rule } from '../support/command-settings.ts'
import { isAlive } from '../support/process-table.ts'

vi.setConfig({ testTimeout: HANG })

/** Lines of a shell that record its process and one that it has started, and keep running for long. */
const lingers = (file: string): string => `sleep 600 & echo $$ $! > ${file}.new; mv ${file}.new ${file}; wait`

const appears = (file: string): Promise<unknown> =>
  vi.waitUntil(() => existsSync(file), { timeout: HANG / 2, interval: 20 })

const pidsIn = (file: string): readonly number[] => readFileSync(file, 'utf8').trim().split(' ').map(Number)

/** A run whose user keeps word of the end of the session. */
function begin(run: Agent, args: readonly string[]) {
  const child = run.begin(args)
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, end: ended(child) }
}

const KEEPS_END = (file: string) => ({ SessionEnd: [rule(`cat >> ${file}`)] })

const ENDINGS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

test.skipIf(process.platform !== 'linux').each(Object.entries(ENDINGS))(
  '%s while a command runs: SessionEnd runs, no process is left, and it ends with %i (Linux)',
  async (signal, code) => {
    const run = await agent()
    const [running, over] = [run.path('home/running'), run.path('home/over')]
    run.server.reply(callReply(['Bash', { command: lingers(running) }]), textReply('never'))
    run.user({ hooks: KEEPS_END(over) })
    const { child, end } = begin(run, ['Go', '--allowedTools', 'Bash', '--output-format', 'json'])
    await appears(running)
    const pids = pidsIn(running)
    expect(pids.map(isAlive)).toEqual([true, true])
    child.kill(signal as NodeJS.Signals)
    const ran = await end
    expect(ran.code).toBe(code)
    expect(JSON.parse(ran.stdout)).toMatchObject({ is_error: true, subtype: 'error_during_execution' })
    expect(readFileSync(over, 'utf8').trim().split('\n')).toHaveLength(1)
    await gone(pids)
    expect(run.server.requests).toHaveLength(1)
  }
)

test('a signal while the model is silent', async () => {
  const run = await agent([{ ...textReply('A long answer'), stallAt: 600 }])
  const over = run.path('home/over')
  run.user({ hooks: KEEPS_END(over) })
  const { child, end } = begin(run, ['Go'])
  const request = await run.server.request(0)
  child.kill('SIGINT')
  expect((await end).code).toBe(130)
  expect(existsSync(over)).toBe(true)
  await request.left
})

test.skipIf(process.platform !== 'linux')(
  'a second signal does not wait for SessionEnd, and leaves nothing either (Linux)',
  async () => {
    const run = await agent([{ ...textReply('A long answer'), stallAt: 600 }])
    const slow = run.path('home/slow')
    run.user({ hooks: { SessionEnd: [rule(lingers(slow), undefined, { timeout: 60 })] } })
    const { child, end } = begin(run, ['Go'])
    await run.server.request(0)
    child.kill('SIGINT')
    await appears(slow)
    child.kill('SIGINT')
    expect((await end).code).toBe(130)
    await gone(pidsIn(slow))
  }
)

test.skipIf(process.platform !== 'linux')('a signal while the session begins (Linux)', async () => {
  const run = await agent([textReply('never')])
  const [slow, over] = [run.path('home/slow'), run.path('home/over')]
  run.user({ hooks: { SessionStart: [rule(lingers(slow))], ...KEEPS_END(over) } })
  const { child, end } = begin(run, ['Go'])
  await appears(slow)
  child.kill('SIGTERM')
  expect((await end).code).toBe(143)
  await gone(pidsIn(slow))
  expect(existsSync(over)).toBe(true)
  expect(run.server.requests).toHaveLength(0)
})

// FM3
test.skipIf(process.platform !== 'linux')(
  'a run that is killed outright takes its commands and its hooks along (Linux)',
  async () => {
    const run = await agent()
    const [command, hook] = [run.path('home/command'), run.path('home/hook')]
    run.server.reply(callReply(['Read', { file_path: 'notes.txt' }], ['Bash', { command: lingers(command) }]))
    run.user({ hooks: { PreToolUse: [rule(`cat > /dev/null; ${lingers(hook)}`, 'Read')] } })
    const { child, end } = begin(run, ['Go', '--allowedTools', 'Bash'])
    await appears(hook)
    child.kill('SIGKILL')
    expect((await end).signal).toBe('SIGKILL')
    await gone(pidsIn(hook))
    expect(existsSync(command)).toBe(false)
  }
)

// FM3
test.skipIf(process.platform !== 'linux')('so it is with a command that runs (Linux)', async () => {
  const run = await agent()
  const command = run.path('home/command')
  run.server.reply(callReply(['Bash', { command: lingers(command) }]))
  const { child, end } = begin(run, ['Go', '--allowedTools', 'Bash'])
  await appears(command)
  child.kill('SIGKILL')
  expect((await end).signal).toBe('SIGKILL')
  await gone(pidsIn(command))
})
