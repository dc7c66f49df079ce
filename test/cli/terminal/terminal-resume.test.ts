/** Sessions that are resumed at a terminal. */
import { existsSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { cliStage } from '../../support/cli-stage.ts'
import { hasTmux, isGone, terminal, until } from './terminal-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

describe.skipIf(!hasTmux)('in tmux (skipped where there is none)', () => {
  test.each([60, 100])('/resume shows earlier sessions, and continues with one (at %i columns)', async columns => {
    const here = cliStage()
    const log = here.path('sessions')
    here.user({
      hooks: {
        ...commandOn('SessionStart', `tee -a ${log} > /dev/null`).hooks,
        ...commandOn('SessionEnd', `tee -a ${log} > /dev/null`).hooks
      }
    })
    const early = terminal(here, ['First answer.'], { columns })
    await early.ready()
    early.line('what was first?')
    await early.shows(/First answer\.\n\n>$/)
    early.line('/exit')
    expect(await early.ended()).toBe(0)

    const { line, ready, shows, ended } = terminal(here, ['Second answer.'], { columns })
    await ready()
    line('/resume')
    expect(await shows(/NUMBER to resume one\n>$/)).toMatch(/\n {2}1 {2}.* ago {2}what was first\?\n/)
    line('/resume nobody')
    await shows(/there is no session nobody/)
    line('/resume 1')
    await shows(/resumed session [\w-]+\n {2}what was first\?\n {2}First answer\.\n>$/)
    line('and then?')
    await shows(/Second answer\.\n\n>$/)
    line('/resume')
    await shows(/there are no earlier sessions of this folder\n>$/)
    line('/exit')
    expect(await ended()).toBe(0)
    const told = here
      .read('sessions')
      .replaceAll('}{', '}\n{')
      .split('\n')
      .filter(text => text !== '')
    const events = told.map(text => JSON.parse(text) as { session_id: string; source?: string; reason?: string })
    expect(events.map(({ source, reason }) => source ?? reason)).toEqual([
      'startup',
      'prompt_input_exit',
      'startup',
      'resume',
      'resume',
      'prompt_input_exit'
    ])
    expect(events[4]!.session_id).toBe(events[0]!.session_id)
  })

  test('a question that was open when it was killed is asked again', async () => {
    const here = cliStage()
    const made = here.path('made')
    const turns = [{ calls: [{ name: 'Bash', input: { command: `touch ${made}` } }] }, 'Done.']
    const early = terminal(here, turns, { args: ['--session-id', 'known'] })
    await early.ready()
    early.line('go')
    await early.shows(/say why \[n\]$/)
    process.kill(early.pid(), 'SIGKILL')
    await until(() => isGone(early.pid()), 'it lives on')
    expect(existsSync(made)).toBe(false)

    const { line, shows } = terminal(here, ['I go on.'], { args: ['--resume', 'known'] })
    expect(await shows(/say why \[n\]$/)).toContain(`command: touch ${made}`)
    line('y')
    await shows(/✓ Bash touch[\s\S]*I go on\.\n\n?>$/)
    expect(existsSync(made)).toBe(true)
  })
})
