import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { probeHost, type Probed } from '../../../src/lib/cli/host/probe/probe.ts'

/** An agent that stands for Copilot CLI: `work` makes the result of a command. */
const agent = (work: string): string => `#!${process.execPath}
const { spawnSync } = require('node:child_process')
if (process.argv.includes('--version')) console.log('agent 9.8.7.')
else void (async () => {
  const url = process.env.COPILOT_PROVIDER_BASE_URL + '/chat/completions'
  const tools = [{ type: 'function', function: { name: 'bash' } }]
  const ask = async messages =>
    (await (await fetch(url, { method: 'POST', body: JSON.stringify({ tools, messages }) })).json()).choices[0].message
  const user = { role: 'user', content: 'Please work' }
  const { tool_calls: [call] } = await ask([user])
  const { command } = JSON.parse(call.function.arguments)
  const result = await (${work})(command)
  await ask([user, { role: 'assistant', tool_calls: [call] }, { role: 'tool', content: result }])
})()
`

const folder = mkdtempSync(join(tmpdir(), 'agent-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function probed(work: string, limit = 60): Promise<Probed> {
  const file = join(folder, 'agent.cjs')
  rmSync(file, { force: true })
  writeFileSync(file, agent(work), { mode: 0o755 })
  return probeHost('copilot', { file, limit })
}

describe('the probe of a gate', () => {
  it('is crossed if the command did not run and the model was told of the rule', async () => {
    const result = await probed('command => `Denied: the rule Bash(${command}) refuses it`')
    expect(result).toMatchObject({ crossed: true, version: '9.8.7' })
    expect(result.why).toContain('Denied: the rule Bash(touch ')
  })

  it('is not crossed if the command ran, whatever the model was told', async () => {
    const ran = '(spawnSync("sh", ["-c", command]), `the rule Bash(${command})`)'
    expect(await probed(`command => ${ran}`)).toMatchObject({
      crossed: false,
      why: expect.stringContaining('it ran a command')
    })
  })

  it('is not crossed if something else refused the command', async () => {
    expect(await probed('command => `not ${command}`')).toMatchObject({
      crossed: false,
      why: /not because of Carabiner/
    })
  })

  it('tells why nothing was tried', async () => {
    expect(await probed('() => { console.error("log in first"); process.exit(1) }')).toEqual({
      why: 'it made no call: log in first',
      version: '9.8.7'
    })
    expect(await probeHost('copilot', { file: 'no-such-agent' })).toEqual({
      why: 'Copilot CLI did not start as no-such-agent'
    })
  })

  it('ends an agent that does not end, and leaves nothing', async () => {
    const state = join(folder, 'state')
    const note = `require('node:fs').writeFileSync('${state}', JSON.stringify([process.pid, process.cwd()]))`
    const result = await probed(`() => (${note}, new Promise(() => setInterval(() => {}, 1000)))`, 3)
    expect(result).toEqual({ why: 'it did not end in time', version: '9.8.7' })
    const [pid, project] = JSON.parse(readFileSync(state, 'utf8')) as [number, string]
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(existsSync(project)).toBe(false)
  })
})
