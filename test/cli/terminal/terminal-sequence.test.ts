/** What hooks may send to the terminal. */
import { describe, expect, test, vi } from 'vitest'
import { refusedIn } from '../../../src/lib/agent/output/terminal-sequence.ts'
import { ask, callTurn, informed, registry } from '../../support/agent-kit.ts'
import { cliStage, type Fired } from '../../support/cli-stage.ts'
import { commandOn, prints } from '../../support/command-settings.ts'
import { HANG } from '../../support/waiting.ts'
import { hasTmux, terminal, until } from './terminal-kit.ts'

vi.setConfig({ testTimeout: HANG })

const [ESC, BEL] = ['\u001B', '\u0007']
const ST = `${ESC}\\`
const osc = (text: string, end = BEL): string => `${ESC}]${text}${end}`

test.each([
  ['a bell', BEL],
  ['titles', osc('0;both') + osc('1;icon') + osc('2;window', ST)],
  ['a title with an emoji', osc('2;✔️ fertig: grün')],
  ['an empty title', osc('2;')],
  ['a notification', osc('9;The tests have passed')],
  ['a notification that begins with a number', osc('9;3 tests failed')],
  ['progress', osc('9;4;1;50') + osc('9;4;0')],
  ['a notification of kitty', osc('99;i=1:d=0:p=title;Done', ST) + osc('99;i=1:p=body;All tests pass', ST)],
  ['one without keys', osc('99;;Done', ST)],
  ['a notification of rxvt', osc('777;notify;Carabiner;Done')],
  ['several at once', BEL + osc('9;Done') + BEL]
])('is harmless: %s', (_, text) => {
  expect(refusedIn(text)).toBe('')
})

test.each([
  ['text', 'hello'],
  ['a colour', `${ESC}[31m`],
  ['clearing the screen', `${ESC}[2J`],
  ['moving the cursor', `${ESC}[1;1H`],
  ['asking for the title, which is typed back', `${ESC}[21t`],
  ['asking for the device', `${ESC}[c`],
  ['a reset', `${ESC}c`],
  ['the clipboard', osc('52;c;cm0gLXJmIH4=')],
  ['a link', osc('8;;file:///etc/passwd')],
  ['the palette', osc('4;1;?')],
  ['asking for colours', osc('10;?')],
  ['the working folder', osc('7;file://host/')],
  ['a program of iTerm', osc('1337;File=inline=1:AAAA')],
  ['marks of a shell', osc('133;C')],
  ['a program that ConEmu runs', osc('9;7;calc.exe')],
  ['the same with blanks', osc('9; 7;calc.exe')],
  ['the same with a blank behind', osc('9;7 ;calc.exe')],
  ['more than five bells', BEL.repeat(6)],
  ['a macro of ConEmu', osc('9;6;"Shell()"')],
  ['a wait of ConEmu', osc('9;5')],
  ['an answer of kitty that is typed', osc('99;i=1:a=report;Done', ST)],
  ['a question to kitty', osc('99;i=1:p=?;', ST)],
  ['an icon for kitty', osc('99;i=1:p=icon;AAAA', ST)],
  ['an extension of rxvt', osc('777;precmd;x')],
  ['a device control', `${ESC}Pq#0${ST}`],
  ['a pass through tmux', `${ESC}Ptmux;${ESC}${osc('2;x')}${ST}`],
  ['an application command', `${ESC}_Gf=100;AAAA${ST}`],
  ['a C1 control', '\u009D2;x\u009C'],
  ['a C1 control inside', osc('2;x\u009B31m')],
  ['a new line inside', osc('2;x\ny')],
  ['an escape inside', `${ESC}]2;x${ESC}[31my${BEL}`],
  ['no end', `${ESC}]2;x`],
  ['no number', osc(';x')],
  ['a number with zeros', osc('002;x')],
  ['a turn of direction', osc('2;x\u202Etxt')],
  ['a zero width', osc('2;pay\u200Bpal')],
  ['something good and something else', `${osc('2;x')}ls\r`],
  ['a key press', '\r'],
  ['too much', osc(`2;${'x'.repeat(2000)}`)],
  ['a name of every object', osc('constructor;x')]
])('is not sent at all: %s', (_, text) => {
  expect(refusedIn(text)).not.toBe('')
})

const NOTICE = osc('2;waiting for you')

describe.skipIf(!hasTmux)('in tmux (skipped where there is none)', () => {
  test('a hook sets the title; another sequence reaches nothing', async () => {
    const here = cliStage()
    here.user({
      hooks: {
        ...commandOn('Stop', prints({ terminalSequence: NOTICE })).hooks,
        ...commandOn('UserPromptSubmit', prints({ terminalSequence: `${ESC}[2J${osc('52;c;AAAA')}` })).hooks
      }
    })
    const { line, ready, shows, raw } = terminal(here, ['Done.'])
    await ready()
    line('go')
    await shows('Done.')
    await until(() => raw().includes(NOTICE), 'the title was not set')
    expect(raw()).not.toContain(`${ESC}]52;`)
    expect(raw()).not.toContain(`${ESC}[2J`)
    await shows('its terminalSequence was not sent')
  })
})

test('without a terminal it is not sent, and the hook has not failed', async () => {
  const here = cliStage()
  here.user(commandOn('Stop', prints({ terminalSequence: NOTICE })))
  const script = here.write('script.json', { turns: ['Done.'] })
  const { stdout, stderr, code } = await here.run(['run', '-p', 'go', '--model', `script:${script}`])
  expect({ stdout, stderr, code }).toEqual({ stdout: 'Done.\n', stderr: '', code: 0 })
})

describe('what is refused is reported, with the hook, the event and the part that is not allowed', () => {
  const refused = prints({ terminalSequence: `${osc('2;x')}${ESC}[2J${osc('52;c;AAAA')}` })
  const WHY = String.raw`its terminalSequence was not sent: \u001b[2J\u001b]52;c;AAAA\u0007 is not allowed`

  test('by query()', async () => {
    const hooks = registry(all => {
      all.on('Stop', () => ({ terminalSequence: `${ESC}[2J` }), { name: 'title' })
      all.on('PreToolUse', () => ({ decision: 'deny', reason: 'no', terminalSequence: BEL.repeat(6) }), {
        name: 'bells'
      })
      all.on('UserPromptSubmit', () => ({ terminalSequence: NOTICE }))
      all.on('UserPromptSubmit', () => ({ terminalSequence: osc(`2;${'x'.repeat(2000)}`) }), { name: 'long' })
      all.on('UserPromptSubmit', () => ({ terminalSequence: '' }))
    })
    const run = await ask([callTurn('Bash', { command: 'true' }), 'Done.'], { hooks, watch: false })
    expect(informed(run).filter(text => text.includes('terminalSequence'))).toEqual([
      'UserPromptSubmit hook long: its terminalSequence was not sent: more than 2000 characters are not allowed',
      String.raw`PreToolUse:Bash hook bells: its terminalSequence was not sent: \u0007 is not allowed`,
      String.raw`Stop hook title: its terminalSequence was not sent: \u001b[2J is not allowed`
    ])
    expect(run.messages).toContainEqual(expect.objectContaining({ level: 'warning', tag: 'terminal_sequence' }))
  })

  test('without a quotation of the answer, on PostModelResponse', async () => {
    const hooks = registry(all =>
      all.on('PostModelResponse', ctx => ({ terminalSequence: JSON.stringify(ctx.response) }), { name: 'guard' })
    )
    const run = await ask(['PLANTED', 'Done.'], { hooks, watch: false })
    const said = 'PostModelResponse hook guard: its terminalSequence was not sent: this event has none'
    expect(informed(run)).toContain(said)
  })

  test('by carabiner run -p, fire and hooks check --run', async () => {
    const here = cliStage()
    here.user(commandOn('Stop', refused, undefined, { name: 'title' }))
    const script = here.write('script.json', { turns: ['Done.'] })
    const ran = await here.run(['run', '-p', 'go', '--model', `script:${script}`])
    expect([ran.stdout, ran.stderr]).toEqual(['Done.\n', `Stop hook title: ${WHY}\n`])
    expect((await here.run(['fire', 'Stop'])).stdout).toContain(`  ${WHY}\n`)
    const { hooks } = await here.json<Fired>(['fire', 'Stop'])
    expect(hooks).toMatchObject([{ name: 'title', notes: [WHY] }])
    const checked = await here.run(['hooks', 'check', '--run'])
    expect(checked.stdout.replaceAll(/\s+/g, ' ')).toContain(WHY)
  })
})
