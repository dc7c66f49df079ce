/** A signal at every stage of a process: it never dies of it, but ends in good order. FM62. */
import { existsSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ended, cliStage, type CliStage } from '../support/cli-stage.ts'
import { hasTmux, terminal } from '../cli/terminal/terminal-kit.ts'
import { agent, textReply } from './agent.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, rule } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: 2 * HANG })

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
const SIGNALS = Object.entries(CODES) as [keyof typeof CODES, number][]

const appears = (file: string): Promise<unknown> =>
  vi.waitUntil(() => existsSync(file), { timeout: HANG, interval: 10 })

/** A module of hooks that holds the process while it exits, when nothing of ours can run any more. */
function holdsExit({ write, path }: CliStage): { module: string; held: string; letGo(): void } {
  const [held, go] = [path('home/held'), path('home/go')]
  const module = write(
    'home/holds.mjs',
    `import { existsSync, writeFileSync } from 'node:fs'
     const cell = new Int32Array(new SharedArrayBuffer(4))
     export default hooks => {
       hooks?.on('Notification', () => {})
       process.on('exit', () => {
         writeFileSync(${JSON.stringify(held)}, '')
         while (!existsSync(${JSON.stringify(go)})) Atomics.wait(cell, 0, 0, 5)
       })
     }`
  )
  return { module, held, letGo: () => writeFileSync(go, '') }
}

test.each(SIGNALS)('G3: %s behind the result, in the last moment of a run, does not kill it', async signal => {
  const run = await agent([textReply('Done.')])
  const { module, held, letGo } = holdsExit(run)
  const child = run.begin(['Go', '--output-format', 'json', '--hooks', module])
  const end = ended(child)
  await appears(held)
  child.kill(signal)
  letGo()
  const ran = await end
  expect([ran.code, ran.signal, ran.stderr]).toEqual([0, null, ''])
  expect(JSON.parse(ran.stdout)).toMatchObject({ is_error: false, result: 'Done.' })
})

test.each([
  ['fire', ['fire', 'Stop']],
  ['hooks test', ['hooks', 'test']],
  ['sessions list', ['sessions', 'list']]
])('G3: a signal in the last moment of %s does not kill it', async (_, words) => {
  const here = cliStage()
  const { module, held, letGo } = holdsExit(here)
  here.write('project/.claude/hooks/stop.hooktest.yaml', '- event: Stop\n  input: {}\n  expect: { blocked: false }\n')
  const takesModules = words[0] !== 'sessions'
  // Where a command takes no modules, Node itself loads it.
  here.write('home/load.mjs', `import load from ${JSON.stringify(module)}\nload()\n`)
  const env: Record<string, string> = takesModules ? {} : { NODE_OPTIONS: `--import=${here.path('home/load.mjs')}` }
  const child = here.start([...words, ...(takesModules ? ['--hooks', module] : [])], { env })
  const end = ended(child)
  await appears(held)
  child.kill('SIGTERM')
  letGo()
  const { signal, code } = await end
  expect([signal, code]).toEqual([null, 0])
})

test.each(SIGNALS)('G3: %s while it waits for its prompt on standard input', async (signal, code) => {
  const run = await agent([textReply('never')])
  const child = run.begin([])
  onTestFinished(() => void child.kill('SIGKILL'))
  // More than the pipe holds: if it was accepted, there is a reader.
  await new Promise(resolve => child.stdin!.write('x'.repeat(1 << 20), resolve))
  const exit = new Promise(resolve => child.once('exit', (...how) => resolve(how)))
  child.kill(signal)
  expect(await exit).toEqual([code, null])
  expect(run.server.requests).toHaveLength(0)
})

test.each(SIGNALS)('G3: %s while an MCP server does not answer', async (signal, code) => {
  const run = await agent([textReply('never')])
  const [begun, over] = [run.path('home/begun'), run.path('home/over')]
  run.user({ hooks: { SessionEnd: [rule(`cat >> ${over}`)] } })
  const server = { command: 'sh', args: ['-c', `touch ${begun}; exec sleep 600`] }
  const config = run.write('home/mcp.json', { mcpServers: { silent: server } })
  const child = run.begin(['Go', '--mcp-config', config, '--output-format', 'json'])
  const end = ended(child)
  await appears(begun)
  child.kill(signal)
  const ran = await end
  expect([ran.code, ran.signal]).toEqual([code, null])
  expect(JSON.parse(ran.stdout)).toMatchObject({ type: 'result', is_error: true })
  expect(run.server.requests).toHaveLength(0)
})

test.each(SIGNALS)('G3: %s while hooks test runs a hook', async (signal, code) => {
  const here = cliStage()
  const begun = here.path('home/begun')
  here.user(commandOn('Stop', `cat > /dev/null; touch ${begun}; sleep 600`))
  here.write('project/.claude/hooks/stop.hooktest.yaml', '- event: Stop\n  input: {}\n  expect: { blocked: false }\n')
  const child = here.start(['hooks', 'test'])
  const end = ended(child)
  await appears(begun)
  child.kill(signal)
  const ran = await end
  expect([ran.code, ran.signal]).toEqual([code, null])
})

test.skipIf(!hasTmux).each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129]
] as const)('G3: %s ends a terminal session in good order', async (signal, code) => {
  const here = cliStage()
  const over = here.path('home/over')
  here.user({ hooks: { SessionEnd: [rule(`cat >> ${over}`)] } })
  const screen = terminal(here, ['Hello.'])
  await screen.ready()
  process.kill(screen.pid(), signal)
  expect(await screen.ended()).toBe(code)
  expect(existsSync(over)).toBe(true)
})

test.skipIf(!hasTmux)('G3: a signal in the last moment of a terminal session does not kill it', async () => {
  const here = cliStage()
  const { module, held, letGo } = holdsExit(here)
  const screen = terminal(here, ['Hello.'], { args: ['--hooks', module] })
  await screen.ready()
  screen.keys('C-d')
  await appears(held)
  process.kill(screen.pid(), 'SIGTERM')
  letGo()
  expect(await screen.ended()).toBe(0)
})
