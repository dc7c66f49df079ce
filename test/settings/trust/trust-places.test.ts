/** Trust is bound to a folder: moved, replaced, linked, or below another, it is asked for again. */
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { loadSettings, trustOf, usualPlaces } from '../../../src/settings.ts'
import { settingsScene } from '../settings-kit.ts'
import { trustScene, TRUST_SETTINGS, trusted } from './trust-scene.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

describe('the folder itself', () => {
  test('moved, it is another', () => {
    const { path, where } = trusted()
    renameSync(path('project'), path('moved'))
    const moved = { ...where, cwd: path('moved') }
    expect(trustOf(loadSettings(moved), moved).state).toBe('untrusted')
  })

  test('replaced by a copy of the same bytes, it is another', () => {
    const { path, trust } = trusted()
    cpSync(path('project'), path('copy'), { recursive: true })
    renameSync(path('project'), path('gone'))
    renameSync(path('copy'), path('project'))
    expect(trust().state).toBe('untrusted')
  })

  test('reached through a link, it is the same', () => {
    const { path, where } = trusted()
    symlinkSync(path('project'), path('link'))
    const linked = { ...where, cwd: path('link') }
    expect(trustOf(loadSettings(linked), linked).state).toBe('trusted')
  })

  // S7
  test('a new repository below a trusted one is not trusted', () => {
    const { path, where, write } = trusted()
    write('project/vendor/x/.git/HEAD', '')
    write('project/vendor/x/.claude/settings.json', TRUST_SETTINGS)
    write('project/vendor/x/.claude/hooks/check.sh', '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n')
    const below = { ...where, cwd: path('project/vendor/x') }
    expect(trustOf(loadSettings(below), below).state).toBe('untrusted')
  })

  // S7
  test('a repository below that has no settings does not inherit the hooks', () => {
    const { path, where, write } = trusted()
    write('project/vendor/x/.git/HEAD', '')
    mkdirSync(path('project/vendor/x/src'))
    for (const cwd of ['project/vendor/x', 'project/vendor/x/src'])
      expect(loadSettings({ ...where, cwd: path(cwd) }).hooks).toEqual([])
  })

  // S6
  test.each(['.git', '.git/commondir', '.git/gitdir'])(
    'a %s that points at a trusted repository changes nothing',
    name => {
      const { path, where, write } = trusted()
      write('other/.claude/settings.json', TRUST_SETTINGS)
      write(`other/${name}`, `gitdir: ${path('project/.git')}\n`)
      const other = { ...where, cwd: path('other') }
      expect(trustOf(loadSettings(other), other).state).toBe('untrusted')
    }
  )
})

describe('links', () => {
  test('a script that is a link counts as what it leads to', () => {
    const here = trustScene()
    here.write('project/scripts/real.sh', 'exit 0\n')
    rmSync(here.path('project/.claude/hooks/check.sh'))
    symlinkSync('../../scripts/real.sh', here.path('project/.claude/hooks/check.sh'))
    here.give()
    here.write('project/scripts/real.sh', 'exit 1\n')
    expect(here.trust()).toMatchObject({ state: 'changed', changes: ['changed: file .claude/hooks/check.sh'] })
  })

  test('a link that leads elsewhere, to the same bytes, is another', () => {
    const here = trustScene()
    for (const name of ['a', 'b']) here.write(`project/scripts/${name}.sh`, 'exit 0\n')
    const script = here.path('project/.claude/hooks/check.sh')
    rmSync(script)
    symlinkSync('../../scripts/a.sh', script)
    here.give()
    rmSync(script)
    symlinkSync('../../scripts/b.sh', script)
    expect(here.trust().state).toBe('changed')
  })

  test('the digest of a project with links is the same wherever it lies', () => {
    const here = trustScene()
    here.write('project/scripts/real.sh', 'exit 0\n')
    symlinkSync('../../scripts/real.sh', here.path('project/.claude/hooks/link.sh'))
    cpSync(here.path('project'), here.path('elsewhere/deep'), { recursive: true, verbatimSymlinks: true })
    const there = { ...here.where, cwd: here.path('elsewhere/deep') }
    expect(trustOf(loadSettings(there), there).digest).toBe(here.trust().digest)
  })
})

describe('a user’s own folder', () => {
  test.each(['home', 'home/', 'home/.', 'link'])(
    'is no project: what is there counts as the user’s own (HOME is %s)',
    name => {
      const { user, path, home } = settingsScene()
      user(commandOn('Stop', 'true'))
      symlinkSync(home, path('link'))
      for (const cwd of [home, path('link')]) {
        const where = usualPlaces(cwd, { HOME: `${dirname(home)}/${name}` })
        const loaded = loadSettings(where)
        expect(loaded.hooks.map(({ scope, ofProject }) => [scope, ofProject])).toEqual([['user', false]])
        expect(trustOf(loaded, where).state).toBe('nothing')
      }
    }
  )

  test('its rules, modules, skills and subagents, too', () => {
    const { write, home, user } = settingsScene()
    user({ permissions: { allow: ['Bash'] }, carabiner: { modules: ['own.ts'] } })
    const hooks = 'hooks:\n  Stop:\n    - hooks:\n        - { type: command, command: "true" }\n'
    write('home/.claude/skills/x/SKILL.md', `---\n${hooks}---\n`)
    write('home/.claude/agents/y.md', `---\n${hooks}---\n`)
    const where = usualPlaces(home, { HOME: home })
    const loaded = loadSettings(where)
    expect(loaded.hooks).toHaveLength(2)
    expect(trustOf(loaded, where).state).toBe('nothing')
  })

  test('a folder below it is a project', () => {
    const { write, home, path } = settingsScene()
    write('home/code/.claude/settings.json', commandOn('Stop', 'true'))
    const where = usualPlaces(path('home/code'), { HOME: home })
    expect(trustOf(loadSettings(where), where).state).toBe('untrusted')
  })

  // S8
  test.each(['HOME', 'CARABINER_HOME'])(
    '%s that is empty is as if it were not set: the project does not take its place',
    name => {
      const { write, where, home } = settingsScene()
      write('project/settings.json', commandOn('Stop', 'true'))
      write('project/.claude/settings.json', commandOn('Stop', 'true'))
      const places = usualPlaces(where.cwd, { HOME: home, [name]: '' })
      expect(loadSettings(places).hooks.map(({ scope }) => scope)).toEqual(['project'])
      expect(places.ownHome).not.toContain('project')
    }
  )
})
