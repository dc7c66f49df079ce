/** Ways to misspell, misplace or lose a restriction, and what must come of each. */
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { createSdkMcpServer, deny, HookRegistry, tool, type QueryOptions } from '../../src/index.ts'
import type { CliStage } from '../support/cli-stage.ts'

export interface Row {
  readonly name: string
  /** Nothing starts, or it is reported. */
  readonly comes: 'stop' | 'notice'
  /** The report names this. */
  readonly says: string
  /** Files: `home/…`, `project/…`, `managed/…`. */
  readonly files?: Readonly<Record<string, object | string>>
  /** What else is done before. */
  readonly prepare?: (here: CliStage) => void
  readonly options?: (here: CliStage) => QueryOptions
  /** Arguments of `run` and of `fire`. */
  readonly args?: (here: CliStage) => readonly string[]
  /** Arguments of `run` alone: then `fire` is not concerned. */
  readonly runArgs?: readonly string[]
  /** Only programs can do it. */
  readonly inProgram?: true
  /** An invalid option is an error in every profile. */
  readonly misuse?: true
}

const USER = 'home/.claude/settings.json'
const PROJECT = 'project/.claude/settings.json'
const MANAGED = 'managed/managed-settings.json'
const AGENT = 'project/.claude/agents/reader.md'
const CYRILLIC = 'B\u0430sh'

const refuses = { type: 'command', command: 'echo no >&2; exit 2' }

/** Rules in `disallowedTools`, and in `--disallowedTools`. */
const disallowed = (rule: string, comes: Row['comes'], says: string, more: Partial<Row> = {}): Row => ({
  name: `disallowedTools ${rule}`,
  comes,
  says,
  options: () => ({ disallowedTools: [rule] }),
  runArgs: ['--disallowedTools', rule],
  ...more
})

/** Settings of the user. */
const settings = (name: string, comes: Row['comes'], says: string, content: object | string): Row => ({
  name,
  comes,
  says,
  files: { [USER]: content }
})

const permissions = (name: string, comes: Row['comes'], says: string, content: unknown): Row =>
  settings(`permissions: ${name}`, comes, says, { permissions: content })

/** A gate of the project with this rule around its hook. */
const gate = (name: string, comes: Row['comes'], says: string, rule: object): Row => ({
  name: `a gate: ${name}`,
  comes,
  says,
  files: { [PROJECT]: { hooks: { PreToolUse: [rule] } } }
})

const matcher = (text: unknown, comes: Row['comes'], says: string): Row =>
  gate(`matcher ${JSON.stringify(text)}`, comes, says, { matcher: text, hooks: [refuses] })

const handler = (name: string, comes: Row['comes'], says: string, more: object): Row =>
  gate(name, comes, says, { matcher: 'Bash', hooks: [{ ...refuses, ...more }] })

/** A subagent with these lines at the top of its file. */
const agent = (lines: string, comes: Row['comes'], says: string): Row => ({
  name: `a subagent with ${JSON.stringify(lines)}`,
  comes,
  says,
  files: { [AGENT]: `---\nname: reader\ndescription: reads\n${lines}\n---\nYou read.\n` }
})

/** A plugin that is named in options and on the command line. */
const plugin = (name: string, says: string, files: Row['files'], folder = 'plug'): Row => ({
  name: `a plugin: ${name}`,
  comes: 'stop',
  says,
  ...(files && { files }),
  options: here => ({ plugins: [{ type: 'local', path: here.path(folder) }] }),
  args: here => ['--plugin-dir', here.path(folder)]
})

const enabled = (name: string, says: string, plugins: (here: CliStage) => object, value: unknown = true): Row => ({
  name: `a plugin: ${name}`,
  comes: 'stop',
  says,
  files: { [USER]: { enabledPlugins: { 'guard@m': value } } },
  prepare: here => here.write('home/.claude/plugins/installed_plugins.json', { plugins: plugins(here) })
})

/** A file of settings under a name that is not read. */
const misnamed = (file: string, says: string): Row => ({
  name: `a file under a wrong name: ${file}`,
  comes: 'stop',
  says,
  files: { [file]: { permissions: { deny: ['Bash'] } } }
})

/** Hooks that a program registers. */
const registered = (name: string, comes: Row['comes'], says: string, fill: (hooks: HookRegistry) => unknown): Row => ({
  name: `a hook of a program: ${name}`,
  comes,
  says,
  inProgram: true,
  options() {
    const hooks = new HookRegistry()
    fill(hooks)
    return { hooks }
  }
})

const calc = createSdkMcpServer({
  name: 'calc',
  tools: [tool('delete_all', 'deletes', {}, async () => ({ content: [] }))]
})

export const ROWS: readonly Row[] = [
  disallowed('bash', 'stop', 'write Bash'),
  disallowed('BASH', 'stop', 'write Bash'),
  disallowed('Shell', 'stop', 'write Bash'),
  disallowed('bash(rm *)', 'stop', 'write Bash(rm *)'),
  disallowed('Bahs', 'stop', 'write Bash'),
  disallowed('Bsah', 'stop', 'write Bash'),
  disallowed('BashTool', 'stop', 'write Bash'),
  disallowed(CYRILLIC, 'stop', CYRILLIC, { misuse: true }),
  disallowed('web_fetch', 'stop', 'write WebFetch'),
  disallowed('WebFech(domain:example.com)', 'stop', 'write WebFetch(domain:example.com)'),
  disallowed('Raed(./secrets/**)', 'stop', 'write Read(./secrets/**)'),
  disallowed('Bash()', 'stop', 'has an empty pattern', { misuse: true }),
  disallowed('Bash(rm *', 'stop', 'is not a rule', { misuse: true }),
  disallowed('*', 'stop', '*', { misuse: true }),
  disallowed('NotebookEdit', 'notice', 'NotebookEdit'),
  disallowed('LS', 'notice', 'LS'),
  disallowed('MultiEdit(src/**)', 'notice', 'MultiEdit'),
  disallowed('run_shell_command', 'notice', 'run_shell_command'),
  disallowed('Frobnicate', 'notice', 'Frobnicate'),
  disallowed('mcp__calc__delete_al', 'notice', 'the server calc has no such tool', {
    inProgram: true,
    options: () => ({ disallowedTools: ['mcp__calc__delete_al'], mcpServers: { calc } })
  }),
  disallowed('mcp__clac', 'notice', 'there is no server clac (did you mean calc?)', {
    inProgram: true,
    options: () => ({ disallowedTools: ['mcp__clac'], mcpServers: { calc } })
  }),
  {
    name: 'allowedTools bash',
    comes: 'notice',
    says: 'allows nothing',
    options: () => ({ allowedTools: ['bash(ls)', 'Bash'] }),
    runArgs: ['--allowedTools', 'bash(ls)', 'Bash']
  },

  permissions('deny bash', 'stop', 'write Bash', { deny: ['bash'] }),
  permissions('ask bash(git push *)', 'stop', 'write Bash(git push *)', { ask: ['bash(git push *)'] }),
  permissions('deny in Cyrillic', 'stop', 'write Bash', { deny: [CYRILLIC] }),
  permissions('deny Bash:*', 'stop', 'write "Bash"', { deny: ['Bash:*'] }),
  permissions('deny Bash()', 'stop', 'has an empty pattern', { deny: ['Bash()'] }),
  permissions('ask behind a variable', 'stop', 'write Bash(npm publish *)', { ask: ['Bash(CI=1 npm publish *)'] }),
  permissions('deny of a path in quotes', 'stop', 'names no path', { deny: ['Read("./.env")'] }),
  permissions('deny of a path in a variable', 'stop', 'names no path', { deny: ['Read($HOME/.ssh/**)'] }),
  permissions('deny of a path as a URL', 'stop', 'names no path', { deny: ['Edit(file:///etc/hosts)'] }),
  permissions('deny of a host without domain:', 'stop', 'names no domain', { deny: ['WebFetch(example.com)'] }),
  permissions('deny of a URL', 'stop', 'names no domain', { deny: ['WebFetch(https://example.com/*)'] }),
  permissions('deny with an invisible blank', 'stop', 'invisible', { deny: ['Bash(rm\u00A0*)'] }),
  permissions('deny with a blank', 'stop', 'is not a rule', { deny: ['Read (./.env)'] }),
  permissions('deny that is not closed', 'stop', 'is not a rule', { deny: ['Bash(rm *'] }),
  permissions('deny as a text', 'stop', 'deny cannot be "Bash"', { deny: 'Bash' }),
  permissions('deny as an object', 'stop', 'use a list of rules', { deny: { Bash: true } }),
  permissions('a list', 'stop', 'use an object { allow?', [{ deny: ['Bash'] }]),
  permissions('Deny', 'stop', 'write deny', { Deny: ['Bash'] }),
  permissions('dney', 'stop', 'did you mean deny?', { dney: ['Bash'] }),
  permissions('denied', 'stop', 'write it as permissions.deny', { denied: ['Bash'] }),
  permissions('disallowedTools', 'stop', 'write it as permissions.deny', { disallowedTools: ['Bash'] }),
  permissions('hooks in it', 'stop', 'hooks, at the top of the file', { hooks: { PreToolUse: [] } }),
  permissions('defaultMode Plan', 'stop', 'did you mean plan?', { defaultMode: 'Plan' }),
  permissions('defaultMode dontask', 'stop', 'did you mean dontAsk?', { defaultMode: 'dontask' }),
  permissions('defaultMode auto', 'notice', 'there is no mode auto here', { defaultMode: 'auto' }),
  permissions('defualtMode', 'stop', 'did you mean defaultMode?', { defualtMode: 'plan' }),
  permissions('deny of other versions', 'notice', 'NotebookEdit, LS', { deny: ['NotebookEdit', 'LS', 'Task'] }),
  permissions('an unknown key', 'notice', 'autoApprove is not read here', { autoApprove: ['Read'] }),

  settings('permissons', 'stop', 'did you mean permissions?', { permissons: { deny: ['Bash'] } }),
  settings('Permissions', 'stop', 'write permissions', { Permissions: { deny: ['Bash'] } }),
  settings('permission', 'stop', 'did you mean permissions?', { permission: { deny: ['Bash'] } }),
  settings('permissions.deny as one key', 'stop', 'permissions → deny', { 'permissions.deny': ['Bash'] }),
  settings('deny at the top', 'stop', 'write it as permissions.deny', { deny: ['Bash'] }),
  settings('disallowedTools at the top', 'stop', 'write it as permissions.deny', { disallowedTools: ['Bash'] }),
  settings('defaultMode at the top', 'stop', 'write it as permissions.defaultMode', { defaultMode: 'plan' }),
  settings('disableTools', 'stop', 'write it as permissions.deny', { disableTools: ['Bash'] }),
  settings('disableBypassPermissions', 'stop', 'disableBypassPermissionsMode', { disableBypassPermissions: true }),
  settings('a lock of managed policy', 'notice', 'applies in managed settings only', { allowManagedHooksOnly: true }),
  settings('models that may be chosen', 'notice', 'availableModels is not enforced here', { availableModels: ['x'] }),
  permissions('disableBypassPermissionsMode Disable', 'stop', 'use "disable"', {
    disableBypassPermissionsMode: 'Disable'
  }),
  {
    name: 'tools that are no preset',
    comes: 'stop',
    says: 'tools cannot be',
    options: () => ({ tools: { type: 'preset', preset: 'none' as 'claude_code' } }),
    inProgram: true,
    misuse: true
  },
  ...[new Map([['permissions', { deny: ['Bash'] }]]), { permissions: { deny: () => ['Bash'] } }].map(
    (given, at): Row => ({
      name: `settings that JSON does not hold (${at})`,
      comes: 'stop',
      says: 'settings cannot be',
      options: () => ({ settings: given as object }),
      inProgram: true,
      misuse: true
    })
  ),
  settings('hook at the top', 'stop', 'did you mean hooks?', { hook: { PreToolUse: [{ hooks: [refuses] }] } }),
  settings('PreToolUse at the top', 'stop', 'write it as hooks.PreToolUse', { PreToolUse: [{ hooks: [refuses] }] }),
  settings('profile at the top', 'stop', 'write it as carabiner.profile', { profile: 'strict' }),
  settings('carabiner.profil', 'stop', 'did you mean profile?', { carabiner: { profil: 'strict' } }),
  settings('enabledPlugin', 'stop', 'did you mean enabledPlugins?', { enabledPlugin: { 'guard@m': true } }),
  settings('hooks as a list', 'stop', 'hooks should be an object', { hooks: [{ matcher: 'Bash', hooks: [refuses] }] }),
  settings('no JSON', 'stop', 'it is not valid JSON', '{ "permissions": { "deny": ["Bash"] '),
  settings(
    'a key twice',
    'stop',
    'it has the key "permissions" twice',
    '{ "permissions": { "deny": ["Bash"] }, "permissions": {} }'
  ),
  settings('servers that others deny', 'notice', 'deniedMcpServers is not enforced here', { deniedMcpServers: [{}] }),
  settings('sandbox.enable', 'stop', 'did you mean enabled?', { sandbox: { enable: true } }),
  settings('an unknown key', 'notice', 'frobnicate is not read here', { frobnicate: true }),
  {
    name: 'a file that anybody may write to',
    comes: 'stop',
    says: 'any user of this machine can write to it',
    files: { [USER]: { permissions: { deny: ['Bash'] } } },
    prepare: here => chmodSync(here.path(USER), 0o666)
  },
  {
    name: 'a file under a wrong name',
    comes: 'stop',
    says: 'call it settings.json',
    files: { 'project/.claude/setting.json': { permissions: { deny: ['Bash'] } } }
  },
  {
    name: 'a local file under a wrong name',
    comes: 'stop',
    says: 'call it settings.local.json',
    files: { 'project/.claude/settings.locale.json': { permissions: { deny: ['Bash'] } } }
  },
  ...[USER, PROJECT, 'project/.claude/settings.local.json', MANAGED, 'home/.carabiner/settings.json'].map(
    (file): Row => ({
      name: `a link that leads nowhere: ${file}`,
      comes: 'stop',
      says: 'is a link that leads nowhere',
      prepare(here) {
        mkdirSync(dirname(here.path(file)), { recursive: true })
        symlinkSync(here.path('nowhere.json'), here.path(file))
      }
    })
  ),
  ...['home/.claude', 'project/.claude', 'managed/managed-settings.d', 'home/.claude/agents'].map((folder): Row => ({
    name: `a file in place of the folder ${folder}`,
    comes: 'stop',
    says: 'cannot be looked through',
    files: { [folder]: 'no folder' }
  })),
  {
    name: 'a folder of managed policy that is not there',
    comes: 'stop',
    says: 'correct CARABINER_MANAGED_DIR',
    prepare: here => rmSync(here.path('managed'), { recursive: true })
  },
  misnamed('managed/managed-setting.json', 'call it managed-settings.json'),
  misnamed('managed/Managed_Settings.json', 'call it managed-settings.json'),
  misnamed('managed/settings.json', 'call it managed-settings.json'),
  misnamed('managed/managed-settings.json.d/10.json', 'call it managed-settings.'),
  misnamed('managed/managed-settings.d/10.jsonc', 'rename it to end in .json'),
  misnamed('home/.carabiner/setting.json', 'call it settings.json'),
  misnamed('home/.claude/settings.yaml', 'call it settings.json'),
  misnamed('project/.claude/settings.json.txt', 'call it settings.json'),
  {
    name: 'settings that are not there',
    comes: 'stop',
    says: 'there is no file',
    options: here => ({ settings: here.path('nowhere.json') }),
    args: here => ['--settings', here.path('nowhere.json')]
  },
  {
    name: 'permissons in given settings',
    comes: 'stop',
    says: 'did you mean permissions?',
    options: () => ({ settings: { permissons: { deny: ['Bash'] } } }),
    args: () => ['--settings', '{"permissons":{"deny":["Bash"]}}']
  },
  {
    name: 'a source of settings that is none',
    comes: 'stop',
    says: 'project',
    options: () => ({ settingSources: ['projct' as never] }),
    runArgs: ['--setting-sources', 'projct'],
    misuse: true
  },
  {
    name: 'managed: a key that is misspelt',
    comes: 'stop',
    says: 'did you mean allowManagedHooksOnly?',
    files: { [MANAGED]: { allowManagedHookOnly: true } }
  },

  matcher('bash', 'stop', 'did you mean Bash?'),
  matcher('Bash(touch *)', 'stop', 'written like a permission rule'),
  matcher(CYRILLIC, 'stop', 'U+0430'),
  matcher('Wrtie|Edit', 'stop', 'did you mean Write?'),
  matcher('^bash$', 'stop', 'matches no tool'),
  matcher('/Bash/', 'stop', 'slashes'),
  matcher('!Read', 'stop', 'does not negate'),
  matcher('Bash Write', 'stop', 'blanks'),
  matcher('Shell', 'stop', 'did you mean Bash?'),
  matcher('mcp__github', 'stop', 'is the name of a server'),
  matcher(['Bash'], 'stop', 'a matcher is text'),
  matcher('Bash(', 'stop', 'Bash('),
  matcher('NotebookEdit', 'notice', 'matches no available tool'),
  handler('async', 'notice', 'observes only', { async: true }),
  handler('async that should block', 'stop', 'observes only', { async: true, onFailure: 'block' }),
  handler('a type that there is not', 'stop', 'did you mean "command"?', { type: 'comand' }),
  handler('no command', 'stop', 'command is missing', { command: undefined, comand: 'exit 2' }),
  handler('an if that misses a tool', 'stop', 'write Bash(touch *)', { if: 'bash(touch *)' }),
  handler('an if for another tool than the matcher', 'stop', 'does not match Read', { if: 'Read(./.env)' }),
  handler('an if of two rules', 'stop', 'is not one permission rule', { if: 'Bash(rm *) || Bash(touch *)' }),
  {
    name: 'an if on an event that is not about a tool',
    comes: 'stop',
    says: 'is not about a tool',
    files: { [PROJECT]: { hooks: { UserPromptSubmit: [{ hooks: [{ ...refuses, if: 'Bash(touch *)' }] }] } } }
  },
  handler('a timeout in words', 'stop', 'timeout cannot be "10"', { timeout: '10' }),
  gate('hook instead of hooks', 'stop', 'a rule has "hooks"', { matcher: 'Bash', hook: refuses }),
  gate('hooks that is no list', 'stop', 'should be a list', { matcher: 'Bash', hooks: refuses }),
  gate('no hooks at all', 'stop', 'this rule has no hooks', { matcher: 'Bash', actions: [refuses] }),
  {
    name: 'an event that is misspelt',
    comes: 'stop',
    says: 'did you mean PreToolUse?',
    files: { [PROJECT]: { hooks: { PreTolUse: [{ hooks: [refuses] }] } } }
  },
  {
    name: 'a module of hooks that is not there',
    comes: 'stop',
    says: 'nowhere.mjs',
    options: here => ({ hookModules: [here.path('nowhere.mjs')] }),
    args: here => ['--hooks', here.path('nowhere.mjs')]
  },

  plugin('a path that is misspelt', 'is not at', undefined),
  plugin('a marketplace', 'is a marketplace', {
    'plug/.claude-plugin/marketplace.json': { name: 'm', plugins: [] },
    'plug/plugins/guard/hooks/hooks.json': { hooks: { PreToolUse: [{ hooks: [refuses] }] } }
  }),
  plugin('a folder that is none', 'there is no plugin in', { 'plug/README.md': '# Guard' }),
  plugin('a file', 'there is no plugin in', { plug: 'no folder' }),
  plugin('hooks under a wrong name', 'hooks/hook.json in the plugin', {
    'plug/.claude-plugin/plugin.json': { name: 'guard' },
    'plug/hooks/hook.json': { hooks: { PreToolUse: [{ hooks: [refuses] }] } }
  }),
  plugin('hooks in a wrong place', 'hooks.json in the plugin', {
    'plug/.claude-plugin/plugin.json': { name: 'guard' },
    'plug/hooks.json': { hooks: { PreToolUse: [{ hooks: [refuses] }] } }
  }),
  plugin('a manifest that names no file', 'there is no ./gate.json in the plugin', {
    'plug/.claude-plugin/plugin.json': { name: 'guard', hooks: './gate.json' }
  }),
  plugin('hooks that are no JSON', 'it is not valid JSON', { 'plug/hooks/hooks.json': '{ "hooks": ' }),
  enabled('enabled, and not installed', 'is enabled, and not installed', () => ({})),
  enabled('its folder is gone', 'is not at', here => ({ 'guard@m': [{ installPath: here.path('gone') }] })),
  enabled('its folder is empty', 'there is no plugin in', here => {
    mkdirSync(here.path('empty'))
    return { 'guard@m': [{ installPath: here.path('empty') }] }
  }),
  enabled('enabled by a text', 'use true or false', () => ({}), 'true'),

  agent('disallowed-tools: Bash', 'stop', 'did you mean disallowedTools?'),
  agent('DisallowedTools: Bash', 'stop', 'write disallowedTools'),
  agent('disallowedTools: bash', 'stop', 'write Bash'),
  agent('disallowedTools: Read, Bash(', 'stop', 'is not a rule'),
  agent('disallowedTools: { Bash: true }', 'stop', 'should be a list'),
  agent('disallowedTools: NotebookEdit', 'notice', 'NotebookEdit'),
  agent('deny: Bash', 'stop', 'write it as disallowedTools'),
  agent('Tools: Read', 'stop', 'write tools'),
  agent('tool: Read', 'stop', 'did you mean tools?'),
  agent('allowed-tools: Read', 'stop', 'write it as tools'),
  agent('tools: Read, bash', 'stop', 'write Bash'),
  agent('permissionMode: Plan', 'stop', 'did you mean plan?'),
  agent('hook:\n  PreToolUse: []', 'stop', 'did you mean hooks?'),
  agent('tools: [Read', 'stop', 'not valid YAML'),
  {
    name: 'agents of the caller: disallowedTools bash',
    comes: 'stop',
    says: 'use Bash',
    options: () => ({ agents: { r: { description: 'reads', prompt: 'Read.', disallowedTools: ['bash'] } } }),
    runArgs: ['--agents', '{"r":{"description":"reads","prompt":"Read.","disallowedTools":["bash"]}}'],
    misuse: true
  },

  registered('matcher bash', 'stop', 'did you mean Bash?', hooks => hooks.on('PreToolUse', 'bash', () => deny('no'))),
  registered('a list of matchers', 'stop', 'did you mean Write?', hooks =>
    hooks.on('PreToolUse', ['Edit', 'write'], () => deny('no'))
  ),
  registered('a pattern', 'stop', 'matches no tool', hooks => hooks.on('PreToolUse', /^bash$/, () => deny('no'))),
  registered('a rule as its matcher', 'stop', 'written like a permission rule', hooks =>
    hooks.on('PreToolUse', 'Bash(rm *)', () => deny('no'))
  ),
  registered('PermissionRequest', 'stop', 'did you mean Bash?', hooks =>
    hooks.on('PermissionRequest', 'Bahs', () => deny('no'))
  ),
  ...(['PreModelRequest', 'PostModelResponse', 'PreModelSwitch'] as const).map(event =>
    registered(`${event} with the short name of a model`, 'stop', 'write "claude-haiku-*"', hooks =>
      hooks.on(event, 'haiku', () => deny('no'))
    )
  ),
  registered('a tool that is not here', 'notice', 'matches no available tool', hooks =>
    hooks.on('PreToolUse', 'MultiEdit', () => deny('no'))
  ),
  {
    name: 'callbacks: matcher bash',
    comes: 'stop',
    says: 'did you mean Bash?',
    inProgram: true,
    options: () => ({
      hooks: { PreToolUse: [{ matcher: 'bash', hooks: [async () => ({ decision: 'block' as const })] }] }
    })
  }
]
