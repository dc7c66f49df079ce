/** Workers in the sandbox, and nothing that is left of confined processes when the runtime is ended. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { callTurn, resultsIn } from '../support/agent-kit.ts'
import { noSandbox } from '../support/host.ts'
import { eventually } from '../support/waiting.ts'
import { askConfined, neighbourhood, processesNamed, SECRET } from './sandbox-kit.ts'

const DRIVER = fileURLToPath(new URL('drivers/long-command.ts', import.meta.url))

const WORKER = `import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const attempt = run => { try { return run() } catch (error) { return error.code } }
for await (const line of createInterface({ input: process.stdin })) {
  const { id, ping } = JSON.parse(line)
  const seen = attempt(() => readFileSync(process.env.HOME + '/.netrc', 'utf8'))
  const wrote = attempt(() => appendFileSync(process.env.HOME + '/../outside/canary', 'x'))
  const reply = { decision: 'deny', reason: JSON.stringify({ seen, wrote }) }
  process.stdout.write(JSON.stringify(ping ? { id } : { id, reply }) + '\\n')
}
`

describe.skipIf(noSandbox !== undefined)('processes in the sandbox', () => {
  test('a worker answers from inside: it sees no credentials, and writes nothing outside', async () => {
    const place = neighbourhood()
    place.write('worker.mjs', WORKER)
    const before = place.neighbours()
    const handler = { type: 'worker', command: process.execPath, args: [place.path('worker.mjs')] }
    const settings = { carabiner: { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [handler] }] } } }
    const calls = [callTurn('Bash', { command: 'echo one' }), callTurn('Bash', { command: 'echo two' })]
    const { sent } = await askConfined([...calls, 'done'], place, { settings })
    const texts = resultsIn(sent.at(-1)!).map(({ text }) => text)
    expect(texts).toHaveLength(2)
    for (const text of texts) {
      expect(text).toContain('"wrote":"EROFS"')
      expect(text).not.toContain(SECRET)
    }
    expect(place.neighbours()).toEqual(before)
  })

  test.each([
    ['SIGKILL', 'foreground'],
    ['SIGKILL', 'background'],
    ['SIGINT', 'foreground'],
    ['SIGTERM', 'background']
  ] as const)('%s ends the runtime, and its command in the %s with it', async (signal, where) => {
    const place = neighbourhood()
    const mark = `carabiner-confined-${process.pid}-${signal}-${where}`
    const child = spawn(process.execPath, [DRIVER, place.base, mark, where], { stdio: 'inherit' })
    await eventually(() => processesNamed(mark).length > 0)
    child.kill(signal)
    await once(child, 'exit')
    await eventually(() => processesNamed(mark).length === 0)
  })
})
