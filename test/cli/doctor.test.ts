/** `carabiner doctor`: one page of what is in force, what is not, and what this machine can enforce. */
import { expect, test, vi } from 'vitest'
import { cliStage } from '../support/cli-stage.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, refuses } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

interface Report {
  readonly trust: string
  readonly isWhole: boolean
  readonly inForce: Readonly<Record<string, readonly string[]>>
  readonly notInForce: readonly string[]
  readonly notices: readonly string[]
  readonly machine: { readonly bash: boolean; readonly credentials: readonly string[] }
}

test('all is in force: 0, and each thing with its file and line', async () => {
  const here = cliStage()
  here.user({
    ...commandOn('PreToolUse', refuses('no'), 'Bash'),
    permissions: { deny: ['Read(./.env)'], defaultMode: 'plan' },
    carabiner: { profile: 'compat' }
  })
  here.write('home/.claude/agents/team/reader.md', '---\nname: reader\ndescription: reads\ntools: Read\n---\nRead.\n')
  const { code, stdout, stderr } = await here.run(['doctor'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('profile compat, mode plan, sandbox off, project brings nothing to trust\n')
  expect(stdout).toMatch(/^In force: hooks\n {2}PreToolUse Bash {2}echo 'no'.*settings\.json:\d+\)$/m)
  expect(stdout).toMatch(/^In force: rules\n {2}deny Read\(\.\/\.env\) {2}\(.*settings\.json:\d+\)$/m)
  expect(stdout).toMatch(/^In force: subagents\n {2}reader /m)
  expect(stdout).toMatch(/^Not in force: nothing$/m)
  expect(stdout).toMatch(/^ {2}bash, for the Bash tool and command hooks: yes$/m)
})

test('a project that is not trusted: 4, and why; once it is trusted, 0', async () => {
  const here = cliStage()
  here.settings(commandOn('PreToolUse', refuses('no'), 'Bash'))
  const { code, stdout } = await here.run(['doctor'])
  expect(code).toBe(4)
  expect(stdout).toMatch(/^Not in force\n {2}PreToolUse Bash .*: the project is not trusted$/m)
  expect((await here.run(['doctor', '--trust-project-hooks'])).code).toBe(0)
})

test('a formatter that is off restricts nothing: 0', async () => {
  const here = cliStage()
  here.settings(commandOn('PostToolUse', 'prettier --write', 'Edit'))
  const report = await here.json<Report>(['doctor'])
  expect(report).toMatchObject({ trust: 'untrusted', isWhole: true })
  expect(report.notInForce).toEqual([expect.stringContaining('the project is not trusted')])
})

test('--json: what run would stop for, what it would say, and no value of a credential', async () => {
  const here = cliStage()
  here.user({ ...commandOn('PreToolUse', 'cat', 'Bash', { async: true }), permissions: { deny: ['bash', 'LS'] } })
  const { code, stdout } = await here.run(['doctor', '--json'], { env: { OPENAI_API_KEY: 'sk-not-to-be-seen' } })
  const report = JSON.parse(stdout) as Report
  expect([code, report.isWhole]).toEqual([4, false])
  expect(report.notInForce).toEqual([expect.stringContaining('"bash" protects nothing')])
  expect(report.inForce['rules']?.join()).not.toContain('bash')
  expect(report.notices).toHaveLength(2)
  expect(report.inForce['hooks']).toEqual([expect.stringMatching(/ observes only$/)])
  expect(report.machine).toMatchObject({ bash: true, credentials: ['OPENAI_API_KEY'] })
  expect(stdout).not.toContain('sk-not-to-be-seen')
})

test('it runs nothing of the project', async () => {
  const here = cliStage()
  here.settings({ ...commandOn('SessionStart', 'touch ran'), carabiner: { modules: ['evil.mjs'] } })
  here.write('project/evil.mjs', `import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')\n`)
  await here.run(['doctor', '--trust-project-hooks'])
  expect(() => here.read('project/ran')).toThrow('ENOENT')
})
