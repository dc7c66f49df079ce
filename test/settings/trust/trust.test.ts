/** What comes with a project counts only when it is trusted, and only as long as it is what was trusted. */
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { giveTrust, loadSettings, hookStatuses, trustOf } from '../../../src/settings.ts'
import { settingsScene } from '../settings-kit.ts'
import { COMMAND, trustScene, TRUST_SETTINGS, trusted, type Trusting } from './trust-scene.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

test('a project that brings nothing needs no trust', () => {
  const { load, where, ofProject, user } = settingsScene()
  user(TRUST_SETTINGS)
  ofProject({ permissions: { deny: ['Bash(rm *)'], ask: ['Edit'] }, model: 'x' })
  expect(trustOf(load(), where)).toEqual({ state: 'nothing', digest: undefined, by: undefined, changes: [] })
  expect(giveTrust(load(), where)).toMatchObject({ state: 'nothing' })
})

// S1
test('hooks of a project that is not trusted are known, and none is in force', () => {
  const { load, trust } = trustScene()
  expect(trust()).toMatchObject({ state: 'untrusted', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) })
  expect(hookStatuses(load(), { projectTrusted: false })).toMatchObject([
    { hook: HOOK_AS_LOADED, off: 'the project is not trusted' }
  ])
})
const HOOK_AS_LOADED = { event: 'PreToolUse', matcher: 'Bash', spec: { command: COMMAND }, ofProject: true }

test('trust that was given holds, from any folder of the project', () => {
  const { where, path } = trusted()
  mkdirSync(path('project/src/deep'), { recursive: true })
  const deep = { ...where, cwd: path('project/src/deep') }
  expect(trustOf(loadSettings(deep), deep).state).toBe('trusted')
})

describe('a change voids it, and is named', () => {
  const CHANGES: Record<string, readonly [(here: Trusting) => unknown, readonly string[]]> = {
    // S9
    'the script': [
      here => here.write('project/.claude/hooks/check.sh', '#!/bin/sh\nexit 0\n'),
      ['changed: file .claude/hooks/check.sh']
    ],
    'a file beside it': [
      here => here.write('project/.claude/hooks/lib.sh', 'exit 1\n'),
      ['changed: file .claude/hooks/lib.sh']
    ],
    'a new file beside it': [
      here => here.write('project/.claude/hooks/new.sh', ''),
      ['added: file .claude/hooks/new.sh']
    ],
    'a file beside it that is gone': [
      here => rmSync(here.path('project/.claude/hooks/lib.sh')),
      ['removed: file .claude/hooks/lib.sh']
    ],
    'the matcher': [
      here => here.ofProject(commandOn('PreToolUse', COMMAND, 'Edit')),
      ['removed: hook PreToolUse Bash .claude/hooks/check.sh', 'added: hook PreToolUse Edit .claude/hooks/check.sh']
    ],
    'an option of the hook': [
      here => here.ofProject(commandOn('PreToolUse', COMMAND, 'Bash', { onFailure: 'continue' })),
      ['changed: hook PreToolUse Bash .claude/hooks/check.sh']
    ],
    'the name of the hook': [
      here => here.ofProject(commandOn('PreToolUse', COMMAND, 'Bash', { name: 'yours' })),
      ['changed: hook PreToolUse Bash .claude/hooks/check.sh']
    ],
    'another hook': [here => here.local(commandOn('Stop', 'true')), ['added: hook Stop  true']],
    'the same hook once more': [
      here => here.local(TRUST_SETTINGS),
      ['added: hook PreToolUse Bash .claude/hooks/check.sh #2']
    ],
    'a rule that allows': [here => here.local({ permissions: { allow: ['Bash(*)'] } }), ['added: rule allow Bash(*)']],
    'a module': [here => here.local({ carabiner: { modules: ['own.ts'] } }), ['added: module own.ts']],
    'a hook of a skill': [
      here =>
        here.write(
          'project/.claude/skills/x/SKILL.md',
          '---\nhooks:\n  Stop:\n    - hooks:\n        - { type: command, command: "true" }\n---\n'
        ),
      ['added: file .claude/skills/x/SKILL.md', 'added: hook Stop  true', 'added: skill x']
    ]
  }

  test.each(Object.entries(CHANGES))('%s', (_, [change, changes]) => {
    const here = trusted()
    change(here)
    expect(here.trust()).toMatchObject({ state: 'changed', by: undefined, changes })
    expect(here.give()).toMatchObject({ state: 'trusted', changes: [] })
  })
})

describe('what does not make it looser leaves it', () => {
  test.each([
    ['a rule that denies', { permissions: { deny: ['Bash(rm *)'] } }],
    ['a rule that asks', { permissions: { ask: ['Bash'] } }],
    ['something that is not about hooks', { model: 'opus', env: { A: 'b' } }],
    ['the stricter profile', { carabiner: { profile: 'strict' } }]
  ])('%s', (_, more) => {
    const here = trusted()
    here.ofProject({ ...TRUST_SETTINGS, ...more })
    expect(here.trust().state).toBe('trusted')
  })

  test('another layout, another order of keys, a comment', () => {
    const here = trusted()
    const handler = `{ "command": "${COMMAND}", /* ! */ "type": "command" }`
    here.ofProject(`// ours\n{"hooks":{"PreToolUse":[{"hooks":[${handler}],"matcher":"Bash"}]}}`)
    expect(here.trust().state).toBe('trusted')
  })

  test('a file elsewhere in the project', () => {
    const here = trusted()
    here.write('project/README.md', 'changed')
    here.write('project/.claude/notes.md', 'changed')
    expect(here.trust().state).toBe('trusted')
  })
})

describe('other ways to trust', () => {
  test('its digest, and no other', () => {
    const { trust, write } = trustScene()
    const { digest } = trust()
    expect(trust({ digest })).toMatchObject({ state: 'trusted', by: 'digest' })
    expect(trust({ digest: `sha256:${'0'.repeat(64)}` }).state).toBe('untrusted')
    for (const other of ['', 'sha256:', digest!.toUpperCase(), digest!.slice(0, -1)])
      expect(trust({ digest: other }).state).toBe('untrusted')
    write('project/.claude/hooks/check.sh', 'exit 1\n')
    expect(trust({ digest }).state).toBe('untrusted')
  })

  test('for this run: nothing is remembered', () => {
    const { trust } = trustScene()
    expect(trust({ thisRun: true })).toMatchObject({ state: 'trusted', by: 'this run' })
    expect(trust().state).toBe('untrusted')
  })

  test('the folder, whatever becomes of it', () => {
    const here = trustScene()
    expect(here.give(true)).toMatchObject({ state: 'trusted', by: 'folder' })
    here.write('project/.claude/hooks/check.sh', 'exit 1\n')
    here.local(commandOn('Stop', 'true'))
    expect(here.trust()).toMatchObject({ state: 'trusted', by: 'folder' })
  })

  test('managed policy may allow trust by digest only: not for this run, not by folder', () => {
    const here = trustScene()
    here.give(true)
    here.managed({ carabiner: { trust: 'digest' } })
    expect(here.trust().state).toBe('changed')
    expect(here.trust({ thisRun: true }).state).toBe('changed')
    expect(here.trust({ digest: here.trust().digest }).state).toBe('trusted')
    expect(here.give()).toMatchObject({ state: 'trusted', by: 'store' })
    expect(here.trust().state).toBe('trusted')
  })

  test('no project and no user can lift that', () => {
    const here = trustScene()
    here.managed({ carabiner: { trust: 'digest' } })
    here.user({ carabiner: { trust: 'folder' } })
    here.local({ carabiner: { trust: 'anything' } })
    expect(here.trust({ thisRun: true }).state).toBe('untrusted')
  })
})

test('a project cannot trust itself: its own files are no store', () => {
  const { trust, write, where, path } = trusted()
  const store = path('home/.carabiner/trust.json')
  for (const name of ['trust.json', '.carabiner/trust.json', '.claude/trust.json'])
    cpSync(store, write(`project/${name}`, '{}'))
  rmSync(store)
  expect(trust().state).toBe('untrusted')
  expect(where.ownHome).toBe(path('home/.carabiner'))
})

test('settings that cannot be read any more bring nothing, and nothing of them is in force', () => {
  const { ofProject, trust, load } = trusted()
  ofProject('{')
  expect(trust().state).toBe('nothing')
  expect(load().hooks).toEqual([])
})

test('a plugin that the project enables comes with the project, its files too', () => {
  const { write, path, user, ofProject, load, where } = settingsScene()
  write('home/.claude/plugins/installed_plugins.json', { plugins: { 'p@m': [{ installPath: path('plugin') }] } })
  write('plugin/hooks/hooks.json', commandOn('Stop', '"${CLAUDE_PLUGIN_ROOT}"/run.sh'))
  write('plugin/run.sh', 'exit 0\n')
  const trust = (): string => trustOf(load(), where).state
  ofProject({ enabledPlugins: { 'p@m': true } })
  expect(trust()).toBe('untrusted')
  giveTrust(load(), where)
  expect(trust()).toBe('trusted')
  write('plugin/run.sh', 'exit 1\n')
  expect(trust()).toBe('changed')
  user({ enabledPlugins: { 'p@m': true } })
  expect(trust()).toBe('nothing')
})
