/** Any settings of a user, of a project and of managed policy, and what comes of an event under them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as fc from '../support/fast-check.ts'
import { HookEnvironment } from '../../src/external.ts'
import { HookRegistry, type Reported } from '../../src/hooks.ts'
import { activateHooks } from '../../src/lib/settings/active/activate-hooks.ts'
import { ruleFits } from '../../src/lib/settings/active/condition.ts'
import { compileSafely } from '../../src/lib/settings/lint/patterns.ts'
import type { Ended, OutputListener, Running } from '../../src/lib/world/process/process.ts'
import type { Program } from '../../src/lib/world/process/program.ts'
import { loadSettings, hookStatuses } from '../../src/settings.ts'
import type { SettingsScene } from './settings-kit.ts'
import { decides, prints, tells } from '../support/command-settings.ts'

export interface Layers {
  readonly managed: string
  readonly user: string
  readonly project: string
  readonly local: string
  readonly skill: string
}

const rewrites = (command: string): string =>
  prints({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command } } })

/** What hooks say. One of them looks at the call. */
const WATCHFUL = 'if grep -q danger; then echo "not that" >&2; exit 2; fi'
const COMMANDS = [
  ...[decides('deny', 'no'), decides('ask', 'sure?'), decides('allow'), prints({ decision: 'approve' })],
  ...[tells('a word'), prints({}), 'exit 0', 'exit 1', 'exit 2', 'echo {', prints({ continue: false }), WATCHFUL],
  ...[rewrites('ls'), rewrites('danger')]
]

const EVENTS = ['PreToolUse', 'PreToolUse', 'PreToolUse', 'UserPromptSubmit', 'PermissionRequest', 'PostToolUse']
const MATCHERS = ['*', 'Bash', 'Edit', 'Ba.*', '^(?!Bash)', '^(?!Edit).*', 'bash', '[', 'Bash(git *)']

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 })

const hook = fc.record({
  command: fc.constantFrom(...COMMANDS),
  name: optional(fc.constantFrom('a', 'b')),
  onFailure: optional(fc.constantFrom('block', 'continue')),
  async: optional(fc.boolean()),
  once: optional(fc.boolean()),
  observe: optional(fc.boolean()),
  priority: optional(fc.constantFrom(-100, 100)),
  if: optional(fc.constantFrom('Bash', 'Bash(git *)', 'Edit(*.ts)', 'Bash('))
})

/** Hooks of one event, in one of the shapes. */
const rules = fc
  .tuple(fc.array(hook, { minLength: 1, maxLength: 3 }), optional(fc.constantFrom(...MATCHERS)), fc.nat(3))
  .map(([hooks, matcher, shape]): unknown => {
    const handlers = hooks.map(each => ({ type: 'command', ...each }))
    if (shape === 0) return [{ matcher, hooks: handlers }]
    if (shape === 1) return handlers.map(handler => ({ matcher, hooks: [handler] }))
    if (shape === 2) return handlers.map(handler => ({ ...handler, matcher }))
    return Object.fromEntries(handlers.map((handler, place) => [handler.name ?? `${place}`, { ...handler, matcher }]))
  })

const map = fc.array(fc.tuple(fc.constantFrom(...EVENTS), rules), { maxLength: 3 }).map(Object.fromEntries)

const settings = fc
  .record({
    hooks: optional(map),
    disableAllHooks: optional(fc.boolean()),
    allowManagedHooksOnly: optional(fc.boolean()),
    strictPluginOnlyCustomization: optional(fc.boolean()),
    allowedHttpHookUrls: optional(fc.constantFrom([], ['*'])),
    enabledPlugins: optional(fc.record({ 'p@m': fc.boolean() })),
    permissions: optional(fc.constant({ allow: ['Bash'], defaultMode: 'bypassPermissions' })),
    Hooks: optional(fc.constant({})),
    carabiner: optional(fc.record({ hooks: optional(map), profile: optional(fc.constantFrom('strict', 'compat')) }))
  })
  .map(each => JSON.stringify(each))

/** Now and then something is broken. */
const text = fc.oneof(
  { weight: 12, arbitrary: settings },
  { weight: 1, arbitrary: settings.map(each => each.slice(0, -1)) },
  { weight: 1, arbitrary: fc.constantFrom('', 'null', '{"hooks": 7}') }
)

const skill = map.map(each => `---\nname: active\nhooks: ${JSON.stringify(each)}\n---\n`)

export const anyLayers: fc.Arbitrary<Layers> = fc.record({
  managed: fc.oneof({ weight: 2, arbitrary: fc.constant('{}') }, { weight: 1, arbitrary: settings }),
  user: settings,
  project: text,
  local: text,
  skill
})

/** Puts them where they are looked for, with a plugin that some of them enable. */
export function lay({ path, where }: SettingsScene, layers: Layers): void {
  const write = (name: string, content: string): void => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), content)
  }
  rmSync(`${where.cwd}/.claude`, { recursive: true, force: true })
  write('managed/managed-settings.json', layers.managed)
  write('home/.claude/settings.json', layers.user)
  write(
    'home/.claude/plugins/installed_plugins.json',
    JSON.stringify({ plugins: { 'p@m': { installPath: path('p') } } })
  )
  write('p/hooks/hooks.json', JSON.stringify({ PreToolUse: [{ hooks: [{ type: 'command', command: WATCHFUL }] }] }))
  write('project/.claude/settings.json', layers.project)
  write('project/.claude/settings.local.json', layers.local)
  write('project/.claude/skills/active/SKILL.md', layers.skill)
}

/** Under whose settings, and with what trust. */
export interface Under {
  readonly project: boolean
  readonly trusted: boolean
}

export const INPUTS = {
  PreToolUse: { tool_name: 'Bash', tool_input: { command: 'git status' }, tool_use_id: 'toolu_1' },
  PermissionRequest: { tool_name: 'Bash', tool_input: { command: 'git status' } },
  UserPromptSubmit: { prompt: 'Tidy up' }
}

/** What comes of an event; with the commands played, so that thousands of them take no time. */
export async function outcomeOfLayers(
  { where, path }: SettingsScene,
  { project, trusted }: Under,
  event: keyof typeof INPUTS,
  command = 'git status'
): Promise<Reported> {
  const loaded = loadSettings({ ...where, cwd: project ? where.cwd : path('elsewhere') })
  const hooks = new HookRegistry({
    precedence: 'ask-over-allow',
    compilePattern: compileSafely,
    profile: loaded.locks.profile ?? loaded.profile
  })
  const { allowedUrls, allowedEnvVars, root: projectDir } = loaded
  const place = Object.assign(new HookEnvironment({ projectDir, allowedUrls, allowedEnvVars, matchesRule: ruleFits }), {
    start: play
  })
  activateHooks(hookStatuses(loaded, { projectTrusted: trusted, owners: ['active'] }), hooks, place, projectDir)
  const input = event === 'UserPromptSubmit' ? INPUTS[event] : { ...INPUTS[event], tool_input: { command } }
  return hooks.fire(event, input as never, { report: true })
}

/** Does what the commands above would do. */
function play({ args }: Program, listener: OutputListener): Running {
  const command = args.at(-1)!
  let heard = ''
  let end: (ended: Ended) => void = () => undefined
  const ended = new Promise<Ended>(resolve => (end = resolve))
  const printed = /^printf '%s\\n' '(.*)'$/s.exec(command)?.[1] ?? (command === 'echo {' ? '{' : '')
  return {
    write: input => void (heard += input),
    close() {
      const refuses = command === 'exit 2' || (command === WATCHFUL && heard.includes('danger'))
      if (printed !== '') listener.stdout(Buffer.from(printed))
      if (refuses) listener.stderr(Buffer.from('not that'))
      end({ code: refuses ? 2 : command === 'exit 1' ? 1 : 0, signal: null, error: undefined, left: false, fed: true })
    },
    end: () => undefined,
    hold: () => undefined,
    pid: undefined,
    ended
  }
}
