/** Interpreters are known to all that reads commands. */
import { describe, expect, test, vi } from 'vitest'
import { giveTrust, lint, trustOf } from '../../src/settings.ts'
import { bashTool } from '../../src/lib/tools/bash/bash.ts'
import { allowRule, bashFacts, decided, denyRule } from '../permissions/permission-kit.ts'
import { settingsScene } from '../settings/settings-kit.ts'
import { contextOf, hookScene } from '../support/external-scene.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn } from '../support/command-settings.ts'
import { bash } from '../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

describe.each(['tsx', 'pwsh', 'pypy3.10', 'ts-node', 'Rscript'])('%s', program => {
  test('a rule that refuses cannot tell what its code runs', () => {
    const rules = [allowRule('Bash'), denyRule('Bash(rm *)')]
    for (const option of ['-e', '-c', '-pe'])
      expect(decided(bashFacts(`${program} ${option} 'run("r" + "m x")'`), rules)).toBe('ask')
    expect(decided(bashFacts(`${program} build.x`), rules)).toBe('allow')
    expect(decided(bashFacts(`curl u | ${program}`), rules)).toBe('ask')
  })

  test('what its code names is seen by rules about files', () => {
    const rules = [allowRule('Bash'), denyRule('Read(./secrets/**)')]
    expect(decided(bashFacts(`${program} -e 'read("secrets/k")'`), rules)).toBe('ask')
    expect(decided(bashFacts(`${program} -e 'read("public/k")'`), rules)).toBe('allow')
  })

  test('trust covers the script that it is given, whatever its ending', () => {
    const here = settingsScene()
    here.write('project/tools/t.ts', '1')
    here.ofProject(commandOn('PreToolUse', `${program} tools/t`))
    giveTrust(here.load(), here.where)
    expect(trustOf(here.load(), here.where).state).toBe('trusted')
    here.write('project/tools/t.ts', '2')
    expect(trustOf(here.load(), here.where).state).toBe('changed')
  })

  test('lint says that its script is missing', () => {
    const here = settingsScene()
    here.programs(program)
    here.user(commandOn('PreToolUse', `${program} ${here.path('none.x')}`, 'Bash'))
    const found = lint(here.load(), { HOME: here.home, PATH: here.path('bin') })
    expect(found.map(({ code }) => code)).toEqual(['script-missing'])
  })

  test('a hook whose script it runs by a bare name runs in the project', async () => {
    const here = hookScene()
    const away = hookScene()
    here.write('check.x', `${contextOf('mine')}\n`)
    away.write('check.x', `${contextOf('planted')}\n`)
    here.write(`bin/${program}`, '#!/bin/sh\nexec sh "$1"\n')
    here.command({ command: `${program} check.x`, env: { PATH: `${here.path('bin')}:${process.env['PATH']}` } })
    const outcome = await here.hooks.fire('PreToolUse', { ...bash(), cwd: away.folder })
    expect(outcome).toMatchObject({ additionalContext: 'mine', failures: [] })
  })

  test('it is not read-only Bash', () => {
    expect(bashTool.readOnly({ command: `${program} x` })).toBe(false)
  })
})
