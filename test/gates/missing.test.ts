/** Gates that would be missing: what was misspelt or lost stops the run, and says where and how to mend it. */
import { expect, test } from 'vitest'
import {
  CarabinerError,
  createSdkMcpServer,
  deny,
  HookRegistry,
  query,
  tool,
  type QueryOptions
} from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { cliStage, type Ran, type CliStage } from '../support/cli-stage.ts'
import { inQuery, type Tried } from './try-row.ts'

const refuses = { type: 'command', command: 'echo no >&2; exit 2' }
const gate = (matcher: string, more: object = {}): object => ({
  hooks: { PreToolUse: [{ matcher, hooks: [{ ...refuses, ...more }] }] }
})

const withOptions = (options: QueryOptions): Promise<Tried> => inQuery({ options: () => options })
const withUser = (settings: object, more: QueryOptions = {}): Promise<Tried> =>
  inQuery({ files: { 'home/.claude/settings.json': settings } }, more)

/** `carabiner run -p`, whose model calls Bash. */
function run(here: CliStage, ...args: readonly string[]): Promise<Ran> {
  here.write('script.json', { turns: [{ calls: [{ name: 'Bash', input: { command: 'touch ran' } }] }, 'Done.'] })
  return here.run(['run', '-p', 'go', '--model', `script:${here.path('script.json')}`, ...args])
}

test.each(['bash', 'Shell', 'bash(rm *)', 'Bsah'])(
  'A1: disallowedTools with %s stops the query, and Bash does not run',
  async name => {
    const { stopped, ran } = await withOptions({ disallowedTools: [name] })
    expect(stopped).toMatch(
      /options\.disallowedTools\[0\]: ".*" protects nothing: no tool is called \S+ \(write Bash.*\)/
    )
    expect(ran).toBe(false)
  }
)

test.each([
  [
    'permissions.deny',
    { permissions: { deny: ['bash'] } },
    /permissions\.deny\[0\]: "bash" protects nothing.*write Bash/
  ],
  ['permissions.ask', { permissions: { ask: ['bash(git *)'] } }, /permissions\.ask\[0\]: .*write Bash\(git \*\)/],
  [
    'the key permissons',
    { permissons: { deny: ['Bash'] } },
    /permissons: .*protects nothing.*did you mean permissions\?/
  ]
])('A1: a mistake in %s stops the query, in options.settings and in a file', async (_, settings, words) => {
  for (const { stopped, ran } of [await withOptions({ settings }), await withUser(settings)]) {
    expect(stopped).toMatch(words)
    expect(ran).toBe(false)
  }
})

test('A1: the error is of our class, and is thrown by the first next()', async () => {
  const { project, env } = cliStage()
  const options = {
    cwd: project,
    env,
    model: scriptedModel(['Done.']),
    disallowedTools: ['bash'],
    persistSession: false
  }
  const error = await query({ prompt: 'go', options })
    .next()
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CarabinerError)
  expect(error).toMatchObject({ code: 'E_SETTINGS' })
})

test('A1: carabiner run ends with 4, and says which flag', async () => {
  const here = cliStage()
  const { code, stderr, stdout } = await run(here, '--disallowedTools', 'bash')
  expect([code, stdout]).toEqual([4, ''])
  expect(stderr).toContain('disallowedTools[0]: "bash" protects nothing: no tool is called bash (write Bash)')
})

test('A1: names of other versions and agents are a notice, and what is denied beside them is denied', async () => {
  const { stopped, notices, stderr, ran } = await withUser({
    permissions: { deny: ['NotebookEdit', 'LS', 'Task', 'Bash'] }
  })
  expect([stopped, ran]).toEqual([undefined, false])
  expect(notices.map(({ content }) => content)).toEqual([
    expect.stringMatching(
      /settings\.json:\d+: .*no tool here is called NotebookEdit, LS, so there is nothing to refuse/
    )
  ])
  expect(stderr).toEqual(notices.map(({ content }) => content))
})

test('A1: tools that the caller has added are tools, whatever they look like', async () => {
  const bash = tool('bash', 'a shell of its own', {}, async () => ({ content: [] }))
  const calc = createSdkMcpServer({ name: 'calc', tools: [bash] })
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'bash', () => deny('no'))
  const options = { hooks, tools: ['Bash', bash], mcpServers: { calc }, disallowedTools: ['bash', 'mcp__calc__bash'] }
  expect(await withOptions(options)).toMatchObject({ stopped: undefined, notices: [], ran: true })
})

test.each(['bash', 'Bash(touch *)', 'B\u0430sh', '^bash$'])(
  'A2: a gate in a file whose matcher is %s stops the query',
  async matcher => {
    const { stopped, ran } = await withUser(gate(matcher))
    expect(stopped).toMatch(/settings\.json:\d+: hooks\.PreToolUse\[0\]\.matcher: /)
    expect(ran).toBe(false)
  }
)

test.each(['bash', 'Bash(touch *)', 'B\u0430sh'])(
  'A2: a gate of a program whose matcher is %s stops the query, and names its line',
  async matcher => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', matcher, () => deny('no'))
    const { stopped, ran } = await withOptions({ hooks })
    expect(stopped).toMatch(/missing\.test\.ts:\d+: matcher: /)
    expect(ran).toBe(false)
  }
)

test('A2: a gate that is async observes only: a notice, and the list and the check say so', async () => {
  const { notices, ran } = await withUser(gate('Bash', { async: true }))
  expect(notices.map(({ content }) => content)).toEqual([
    expect.stringContaining('it observes only: PreToolUse does not wait')
  ])
  expect(ran).toBe(true)
  const here = cliStage()
  here.user(gate('Bash', { async: true }))
  expect((await here.run(['hooks', 'list'])).stdout).toMatch(/ observes only$/m)
  expect(await here.json(['hooks', 'list'])).toMatchObject({ hooks: [{ inForce: true, observesOnly: true }] })
  expect((await here.run(['hooks', 'check'])).stdout).toContain('it observes only')
})

test('A2: one that is async and says onFailure: block stops the query', async () => {
  const { stopped, ran } = await withUser(gate('Bash', { async: true, onFailure: 'block' }))
  expect(stopped).toContain('it observes only')
  expect(ran).toBe(false)
})

test('A2: on an event that refuses nothing a misspelt matcher is for hooks check', async () => {
  const settings = { hooks: { PostToolUse: [{ matcher: 'bash', hooks: [{ type: 'command', command: 'true' }] }] } }
  expect(await withUser(settings)).toMatchObject({ stopped: undefined, notices: [], ran: true })
})

const PLUGIN = { 'plug/hooks/hooks.json': gate('Bash') }

test('A3: a plugin whose path is misspelt stops the query', async () => {
  const at = (path: string): Promise<Tried> =>
    inQuery({ files: PLUGIN, options: here => ({ plugins: [{ type: 'local', path: here.path(path) }] }) })
  expect(await at('plug')).toMatchObject({ stopped: undefined, ran: false })
  const { stopped, ran } = await at('plgu')
  expect(stopped).toMatch(/the plugin plgu is not at .*plgu \(correct the path/)
  expect(ran).toBe(false)
})

test.each([
  ['enabled, and not installed', () => ({}), 'the plugin guard@m is enabled, and not installed'],
  [
    'installed, and gone',
    (here: CliStage) => ({ 'guard@m': [{ installPath: here.path('gone') }] }),
    'the plugin guard@m is not at'
  ]
])('A3: a plugin that is %s: run and fire --exit-code end with 4', async (_, plugins, words) => {
  const here = cliStage()
  here.user({ enabledPlugins: { 'guard@m': true } })
  here.write('home/.claude/plugins/installed_plugins.json', { plugins: plugins(here) })
  const ran = await run(here, '--allowedTools', 'Bash')
  const fired = await here.run(['fire', 'PreToolUse', '--tool', 'Bash', '--exit-code'])
  for (const { code, stderr } of [ran, fired]) {
    expect(code).toBe(4)
    expect(stderr).toContain(words)
  }
})

test('A3: --plugin-dir on a marketplace stops, and says what to name', async () => {
  const here = cliStage()
  here.write('market/.claude-plugin/marketplace.json', { name: 'm', plugins: [{ name: 'guard', source: './guard' }] })
  here.write('market/guard/hooks/hooks.json', gate('Bash'))
  const { code, stderr } = await run(here, '--allowedTools', 'Bash', '--plugin-dir', here.path('market'))
  expect(code).toBe(4)
  expect(stderr).toMatch(/market is a marketplace, and not one of its plugins \(name the folder of a plugin in it\)/)
})

test('A3: what a project has enabled does not stop those who go without the project', async () => {
  const files = { 'project/.claude/settings.json': { enabledPlugins: { 'guard@m': true } } }
  expect((await inQuery({ files })).stopped).toContain('is enabled, and not installed')
  expect(await inQuery({ files }, { projectHooks: false })).toMatchObject({ stopped: undefined, notices: [] })
})

const UNARMED = { hooks: { PreToolUse: [{ matcher: 'Bash', hook: refuses }] } }
const FIRE = ['fire', 'PreToolUse', '--tool', 'Bash']

test('A4: fire --exit-code with a rule that cannot be armed ends with 4, and fires nothing', async () => {
  const here = cliStage()
  here.user({
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'touch fired' }] }, ...UNARMED.hooks.PreToolUse] }
  })
  const { code, stdout, stderr } = await here.run([...FIRE, '--exit-code'])
  expect([code, stdout]).toEqual([4, ''])
  expect(stderr).toContain('a rule has "hooks", a list, and not "hook"')
  expect((await here.run(['hooks', 'check'])).stdout).toContain('a rule has "hooks", a list, and not "hook"')
})

test('A4: without --exit-code it fires what is armed, and says what is not', async () => {
  const here = cliStage()
  here.user(UNARMED)
  const { code, stdout, stderr } = await here.run(FIRE)
  expect(code).toBe(0)
  expect(stdout).toContain('no hook ran')
  expect(stderr).toContain('[rule-hook]')
})

test('A4: a misspelt deny rule and a misspelt matcher count for fire --exit-code too', async () => {
  const here = cliStage()
  here.user({ permissions: { deny: ['bash'] } })
  expect((await here.run([...FIRE, '--exit-code'])).code).toBe(4)
  here.user(gate('bash'))
  expect((await here.run([...FIRE, '--exit-code'])).code).toBe(4)
})

test('A4: in the compat profile it says so, and continues', async () => {
  const here = cliStage()
  here.user(UNARMED)
  const { code, stderr } = await here.run([...FIRE, '--exit-code', '--profile', 'compat'])
  expect(code).toBe(0)
  expect(stderr).toMatch(/^failedOpen: error .*\[rule-hook\]/s)
})
