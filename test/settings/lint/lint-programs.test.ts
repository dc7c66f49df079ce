/** Programs and scripts that cannot be started. */
import { chmodSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { lint } from '../../../src/settings.ts'
import { settingsScene, type SettingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { rule } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** The findings about one command, in an environment that has only these programs. */
function saidOf(command: string, more: object = {}, setUp?: (it: SettingsScene) => unknown): readonly string[] {
  const it = settingsScene()
  it.programs('sh', 'python3', 'jq', 'env')
  setUp?.(it)
  it.user({ hooks: { PreToolUse: [rule(command.replaceAll('TMP', it.path('')), 'Bash', more)] } })
  const found = lint(it.load(), { HOME: it.home, PATH: it.path('bin') })
  for (const { place } of found) expect(place.key).toBe('hooks.PreToolUse[0].hooks[0].command')
  return found.map(({ level, code }) => `${level} ${code}`)
}

describe('a script that is not there is an error, wherever it is said to be', () => {
  test.each([
    '~/.claude/hooks/none.sh',
    '$HOME/.claude/hooks/none.sh',
    '"${HOME}/.claude/hooks/none.sh" --x',
    'TMP/none.sh',
    '/opt/none',
    '/usr/local/none/none',
    'python3 ~/.claude/hooks/none.py',
    'A=1 B="x y" python3 -u $HOME/none.py'
  ])('%s', command => {
    expect(saidOf(command)).toEqual(['error script-missing'])
  })

  test('in your home it has to be allowed to run as well', () => {
    const write = (it: SettingsScene): void => chmodSync(it.write('home/hooks/nox.sh', '#!/bin/sh\n'), 0o644)
    expect(saidOf('~/hooks/nox.sh', {}, write)).toEqual(['error script-not-executable'])
    expect(saidOf('sh ~/hooks/nox.sh', {}, write)).toEqual([])
  })

  test('one that is there is in order', () => {
    const write = (it: SettingsScene): unknown => it.write('home/hooks/a.sh', '#!/bin/sh\n')
    for (const command of ['~/hooks/a.sh', '$HOME/hooks/a.sh x', 'TMP/home/hooks/a.sh', 'sh "$HOME"/hooks/a.sh'])
      expect(saidOf(command, {}, write)).toEqual([])
  })

  test.each(['~/hooks/a.sh', '$HOME/hooks/a.sh', '${HOME}/hooks/a.sh'])(
    '%s with args: no shell fills it in',
    command => {
      const it = settingsScene()
      it.write('home/hooks/a.sh', '#!/bin/sh\n')
      it.user({ hooks: { PreToolUse: [rule(command, 'Bash', { args: [] })] } })
      expect(it.findings()).toMatchObject([
        { level: 'error', code: 'script-missing', fix: expect.stringContaining('no shell') }
      ])
    }
  )
})

describe('a program that PATH does not have is a warning: elsewhere it may', () => {
  test.each([
    'nosuchprogram --x',
    'uv run x',
    'A=1 nosuchprogram',
    'nosuchprogram | jq .',
    'ruby -e 1',
    '"nosuchprogram" x'
  ])('%s', command => {
    expect(saidOf(command)).toEqual(['warning program-missing'])
  })

  test('with args as well, where no word is a word of the shell', () => {
    expect(saidOf('nosuchprogram', { args: ['x'] })).toEqual(['warning program-missing'])
    expect(saidOf('cd', { args: ['x'] })).toEqual(['warning program-missing'])
    expect(saidOf('jq', { args: ['x'] })).toEqual([])
  })

  test.each([
    'jq -r .x',
    'sh -c "nosuchprogram"',
    'cd x && nosuchprogram',
    'if true; then nosuchprogram; fi',
    '[ -f x ] && nosuchprogram',
    '[[ -f x ]] || nosuchprogram',
    '{ nosuchprogram; }',
    '(nosuchprogram)',
    '! nosuchprogram',
    'x=$(jq .x); nosuchprogram',
    'x=`jq .x` nosuchprogram',
    'f() { true; }; f',
    'f () { true; }; f',
    '$RUNNER --x',
    '"$(command -v uv)" run',
    '# only words',
    'exec jq .',
    'echo x'
  ])('%s: nothing that one could be sure of', command => {
    expect(saidOf(command)).toEqual([])
  })

  test('its own PATH counts, and that of the settings', () => {
    const it = settingsScene()
    it.programs('tool')
    const say = (settings: object): readonly string[] => {
      it.user(settings)
      return lint(it.load(), { HOME: it.home, PATH: '/nowhere' }).map(({ code }) => code)
    }
    const hooks = (more: object): object => ({ PreToolUse: [rule('tool', 'Bash', more)] })
    expect(say({ hooks: hooks({}) })).toEqual(['program-missing'])
    expect(say({ hooks: hooks({ env: { PATH: it.path('bin') } }) })).toEqual([])
    expect(say({ hooks: hooks({}), env: { PATH: it.path('bin') } })).toEqual([])
  })

  test('a folder, and a file that may not be executed, are no programs', () => {
    const noProgram = (it: SettingsScene): void => {
      it.write('bin/tool/x', '')
      chmodSync(it.write('bin/other', '#!/bin/sh\n'), 0o644)
    }
    expect(saidOf('tool', {}, noProgram)).toEqual(['warning program-missing'])
    expect(saidOf('other', {}, noProgram)).toEqual(['warning program-missing'])
  })
})

describe('a script that asks env for a program', () => {
  test.each([
    '#!/usr/bin/env -S uv run --script',
    '#!/usr/bin/env uv',
    '#! /usr/bin/env A=1 uv',
    '#!/usr/bin/env -i uv'
  ])('%s: it is not there', first => {
    const write = (it: SettingsScene): unknown => it.write('home/a.sh', `${first}\n`)
    expect(saidOf('~/a.sh', {}, write)).toEqual(['warning script-interpreter'])
  })

  test.each(['#!/usr/bin/env python3', '#!/usr/bin/env -S python3 -u', 'no such line'])('%s: nothing to say', first => {
    const write = (it: SettingsScene): unknown => it.write('home/a.sh', `${first}\n`)
    expect(saidOf('~/a.sh', {}, write)).toEqual([])
  })
})
