/** Every way to run a file of a project, for real: as it was trusted it runs, and changed it does not. */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { giveTrust, trustOf } from '../../../src/settings.ts'
import { formsWith } from '../forms.ts'
import { fireArmed, settingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const FORMS = formsWith(program => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0)

describe('run for real', () => {
  test.each(FORMS.map((form, at) => [`${at}`, form] as const))('B10: form %s', async (_, form) => {
    const here = settingsScene()
    const { command, file, text, more = {} } = form
    for (const [name, content] of Object.entries(more)) here.write(`project/${name}`, content)
    here.write(`project/${file}`, text(`touch ${here.path('ran')}`))
    here.ofProject(commandOn('PreToolUse', command))
    giveTrust(here.load(), here.where)
    const armed = await here.arm()
    await fireArmed(armed)
    expect(existsSync(here.path('ran')), `${command} runs it`).toBe(true)
    rmSync(here.path('ran'))
    writeFileSync(here.path(`project/${file}`), text(`touch ${here.path('evil')}`))
    expect(await fireArmed(armed), command).toMatchObject({ blocked: true, failures: [{ kind: 'untrusted' }] })
    expect(existsSync(here.path('evil')), command).toBe(false)
    expect(trustOf(here.load(), here.where).state).toBe('changed')
  })
})
