/** However a command ends, it ends, and leaves nothing running. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CLI } from '../support/built-package.ts'
import { ended, type Fired, cliStage } from '../support/cli-stage.ts'
import { gone, HANG } from '../support/waiting.ts'
import { commandOn, rule } from '../support/command-settings.ts'
import { isAlive } from '../support/process-table.ts'

vi.setConfig({ testTimeout: HANG })

/** Waits until a file is there. */
function appears(file: string): Promise<void> {
  return new Promise(resolve => {
    const watcher = watch(dirname(file), (_, name) => name === basename(file) && done())
    const done = (): void => {
      watcher.close()
      resolve()
    }
    if (existsSync(file)) done()
  })
}

test.skipIf(process.platform !== 'linux').each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGKILL', 'SIGKILL']
] as const)('%s in the middle of a hook leaves no process (Linux)', async (signal, how) => {
  const { user, start, path } = cliStage()
  const ready = path('home/ready')
  // It has been given its event: this is the middle.
  const script = `cat > /dev/null; sleep 600 & trap '' INT TERM HUP; echo $$ $! > ${ready}.new; mv ${ready}.new ${ready}`
  user(commandOn('Stop', `${script}; sleep 600; sleep 600`))
  const child = start(['fire', 'Stop'])
  const end = ended(child)
  await appears(ready)
  const pids = readFileSync(ready, 'utf8').trim().split(' ').map(Number)
  expect(pids.map(isAlive)).toEqual([true, true])
  child.kill(signal)
  const { code, signal: by, stdout } = await end
  expect([code ?? by, stdout]).toEqual([how, ''])
  await gone(pids)
})

test('a module that leaves a timer or a server behind does not keep the command', async () => {
  const { write, run } = cliStage()
  const module = write(
    'home/own.mjs',
    `import { createServer } from 'node:http'
     setInterval(() => undefined, 1000)
     createServer().listen(0, '127.0.0.1')
     export default hooks => hooks.on('Stop', '', () => undefined)`
  )
  expect(await run(['fire', 'Stop', '--hooks', module])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('outcome')
  })
})

test('whoever reads may stop reading: carabiner hooks list | head -1', async () => {
  const { user, env, project } = cliStage()
  user({ hooks: { PreToolUse: Array.from({ length: 3000 }, (_, number) => rule(`true ${number}`, `Tool${number}`)) } })
  const line = `"$0" "$1" hooks list | head -1; echo "\${PIPESTATUS[0]}"`
  const { stdout, stderr } = await ended(spawn('bash', ['-c', line, process.execPath, CLI], { cwd: project, env }))
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^EVENT .*\n0\n$/)
})

test('what is printed arrives whole, however much it is', async () => {
  const { user, json } = cliStage()
  user({
    hooks: { PreToolUse: Array.from({ length: 2000 }, (_, number) => rule(`true ${number} ${'x'.repeat(1000)}`)) }
  })
  expect((await json<{ hooks: object[] }>(['hooks', 'list'])).hooks).toHaveLength(2000)
})

test('200 hooks on one event all run, and each is told of', async () => {
  const { user, json } = cliStage()
  const hooks = Array.from({ length: 200 }, (_, number) => rule(`exit ${number === 99 ? 2 : 0} # ${number}`, 'Bash'))
  user({ hooks: { PreToolUse: hooks } })
  const fired = await json<Fired>(['fire', 'PreToolUse'])
  expect(fired.hooks).toHaveLength(200)
  expect(fired.hooks.every(({ ran }) => ran === true)).toBe(true)
  expect(fired.hooks.filter(({ exitCode }) => exitCode === 2)).toHaveLength(1)
  expect(fired.outcome).toMatchObject({ decision: 'deny' })
})
