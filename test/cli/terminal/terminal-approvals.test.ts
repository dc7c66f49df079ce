/** Approvals at a terminal: the prompts, the possible answers, and their effects. */
import { existsSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import type { Turn } from '../../../src/testing.ts'
import { cliStage } from '../../support/cli-stage.ts'
import { hasTmux, terminal, toldModel } from './terminal-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** Makes a file, twice over. */
const makes = (file: string): readonly Turn[] => [
  { calls: [{ name: 'Bash', input: { command: `touch ${file}` } }] },
  { calls: [{ name: 'Bash', input: { command: `touch ${file}` } }] },
  'Done.'
]

const once = (file: string): readonly Turn[] => [makes(file)[0]!, 'Done.']
const QUESTION = /r no and say why \[n\]$/

describe.skipIf(!hasTmux)('in tmux (skipped where there is none)', () => {
  test.each([60, 100])('y: once, and the next time it is asked again (at %i columns)', async columns => {
    const here = cliStage()
    const { line, keys, ready, shows, screen } = terminal(here, makes(here.path('made')), { columns })
    await ready()
    line('go')
    const asked = await shows(QUESTION)
    expect(asked).toContain('  May this run?\n  Bash\n  │ command: touch ')
    expect(asked).toContain('  asked because: nothing allows it\n')
    expect(existsSync(here.path('made'))).toBe(false)
    line('y')
    await shows(/✓ Bash touch [\s\S]*May this run\?[\s\S]*say why \[n\]$/)
    expect(existsSync(here.path('made'))).toBe(true)
    keys('Enter')
    await shows(/Done\.\n\n>$/)
    expect(screen()).toMatch(/✗ Bash touch [\s\S]*refused by you\nDone\./)
    expect(existsSync(here.path('home/.carabiner/remembered.json'))).toBe(false)
  })

  test('a: always; it says which rule, and where it is kept', async () => {
    const here = cliStage()
    const file = here.path('made')
    const { line, ready, shows } = terminal(here, makes(file), { columns: 160 })
    await ready()
    line('go')
    const kept = `allow Bash(touch ${file}), for this project, in ~/.carabiner/remembered.json`
    expect((await shows(QUESTION)).replaceAll(/\s+/g, ' ')).toContain(`a means: ${kept}`)
    line('a')
    const screen = await shows(/Done\.\n\n>$/)
    expect(screen.replaceAll(/\s+/g, ' ')).toContain(`from now on: ${kept}`)
    expect(screen.match(/May this run\?/g)).toHaveLength(1)
    expect(screen.match(/✓ Bash touch/g)).toHaveLength(2)
    expect(JSON.parse(here.read('home/.carabiner/remembered.json'))).toEqual({
      projects: { [here.project]: [{ behavior: 'allow', rule: `Bash(touch ${file})` }] }
    })
  })

  // FM58
  test('a tool of a server that has changed since the last session is shown with what changed; y approves of it', async () => {
    const here = cliStage()
    const server = fileURLToPath(new URL('../../fixtures/mcp/server.ts', import.meta.url))
    const described = (description: string): readonly string[] => {
      const tools = JSON.stringify([{ name: 'look', description, inputSchema: { type: 'object' } }])
      const own = { command: process.execPath, args: [server], env: { MCP_TOOLS: tools } }
      const config = here.write('servers.json', { mcpServers: { own } })
      return ['--mcp-config', config, '--allowedTools', 'mcp__own']
    }
    const turns: readonly Turn[] = [{ calls: [{ name: 'mcp__own__look', input: {} }] }, 'Done.']
    const first = terminal(here, turns, { args: described('Looks around.') })
    await first.ready()
    first.line('go')
    expect(await first.shows(/Done\.\n\n>$/)).not.toContain('May this run?')
    first.close()

    const second = terminal(here, [...turns, ...turns], { args: described('Looks under the bed.'), columns: 60 })
    await second.ready()
    second.line('go')
    const asked = (await second.shows(QUESTION)).replaceAll(/\s+/g, ' ')
    expect(asked).toContain('tools of the server own do not match their approved definitions: mcp__own__look')
    expect(asked).toContain('"Looks around." and is "Looks under the bed."')
    expect(asked).not.toContain('a always')
    second.line('y')
    await second.shows(/✓ mcp__own__look[\s\S]*Done\.\n\n>$/)
    second.line('again')
    expect((await second.shows(/again\n[\s\S]*Done\.\n\n>$/)).match(/May this run\?/g)).toHaveLength(1)
  })

  test('a, for an edit: the mode changes for this session, and the prompt says so', async () => {
    const here = cliStage()
    const { line, ready, shows } = terminal(here, [
      { calls: [{ name: 'Write', input: { file_path: 'new.txt', content: 'one\ntwo\n' } }] },
      'Done.'
    ])
    await ready()
    line('go')
    const asked = await shows(QUESTION)
    expect(asked).toContain(`  │ file_path: ${here.path('project/new.txt')}\n  │ content:\n  │   one\n  │   two\n`)
    expect(asked).toContain('a means: mode acceptEdits, for this session')
    line('a')
    await shows(/Done\.\n\nacceptEdits >$/)
    expect(here.read('project/new.txt')).toBe('one\ntwo\n')
  })

  test.each(['n', '', 'no'])('%j: no', async answer => {
    const here = cliStage()
    const { line, ready, shows } = terminal(here, once(here.path('made')))
    await ready()
    line('go')
    await shows(QUESTION)
    line(answer)
    expect(await shows(/Done\.\n\n>$/)).toMatch(/✗ Bash touch [^\n]*\n {4}refused by you\n/)
    expect(existsSync(here.path('made'))).toBe(false)
  })

  test('r: no, and the model is told why', async () => {
    const here = cliStage()
    const { line, ready, shows } = terminal(here, once(here.path('made')))
    await ready()
    line('go')
    await shows(QUESTION)
    line('r')
    await shows(/ {2}why\?$/)
    line('use mktemp')
    expect(await shows(/Done\.\n\n>$/)).toContain('refused by you: use mktemp')
    expect(existsSync(here.path('made'))).toBe(false)
    expect(toldModel(here)).toContain('The user refused to run Bash: use mktemp')
  })

  test('what is no answer is asked again; what was typed before the question is none', async () => {
    const here = cliStage()
    const wait = `until [ -e ${here.path('go')} ]; do sleep 0.05; done`
    const turns = [{ calls: [{ name: 'Bash', input: { command: wait } }] }, ...once(here.path('made')), 'And?']
    const { line, keys, ready, shows } = terminal(here, turns)
    await ready()
    line('begin')
    await shows(QUESTION)
    line('y')
    await shows(/Bash until .* · \d+ s$/)
    line('y')
    here.write('go', '')
    await shows(/touch [\s\S]*say why \[n\]$/)
    line('maybe')
    await shows(/\[n\] maybe\n.*say why \[n\]$/)
    expect(existsSync(here.path('made'))).toBe(false)
    keys('Enter')
    await shows(/Done\.\n\n> y\nAnd\?\n\n>$/)
    expect(existsSync(here.path('made'))).toBe(false)
  })

  test('Ctrl-C is a no, and interrupts the turn', async () => {
    const here = cliStage()
    const { line, keys, ready, shows } = terminal(here, once(here.path('made')))
    await ready()
    line('go')
    await shows(QUESTION)
    keys('-l', 'y')
    await shows(/\[n\] y$/)
    keys('C-c')
    await shows(/Interrupted\.\n\n>$/)
    expect(existsSync(here.path('made'))).toBe(false)
    line('and on')
    await shows(/Done\.\n\n>$/)
  })

  test('who asks is named: a hook, a rule', async () => {
    const here = cliStage()
    here.user({
      ...commandOn('PreToolUse', decides('ask', { permissionDecisionReason: 'Is it time?' }), 'Bash', {
        name: 'the-clock'
      }),
      permissions: { ask: ['Write(*.txt)'] }
    })
    const { line, ready, shows } = terminal(
      here,
      [
        { calls: [{ name: 'Bash', input: { command: 'true' } }] },
        { calls: [{ name: 'Write', input: { file_path: 'a.txt', content: '' } }] },
        'Done.'
      ],
      { columns: 160 }
    )
    await ready()
    line('go')
    const asked = await shows(QUESTION)
    expect(asked).toMatch(/asked because: hook .* asks: Is it time\?/)
    expect(asked).not.toContain('a means')
    line('n')
    await shows(/asked because: the rule Write\(\*\.txt\) in .*settings\.json:\d+ asks[\s\S]*say why \[n\]$/)
    line('n')
    await shows(/Done\.\n\n>$/)
  })

  test('questions of the agent are answered by number or in words', async () => {
    const here = cliStage()
    const options = [{ label: 'Red', description: 'warm' }, { label: 'Blue' }]
    const questions = [
      { question: 'Which colour?', options },
      { question: 'Which ones?', options, multiSelect: true },
      { question: 'Or what?', options }
    ]
    const ask = { calls: [{ name: 'AskUserQuestion', input: { questions } }] }
    const { line, ready, shows } = terminal(here, [ask, ask, 'Done.'])
    await ready()
    line('go')
    await shows(/ {2}Which colour\?\n {2}1 {2}Red: warm\n {2}2 {2}Blue\n {2}a number, or your own answer:$/)
    line('2')
    await shows(/Which ones\?\n[\s\S]*numbers, or your own answer:$/)
    line('1, 2')
    await shows(/Or what\?\n[\s\S]*your own answer:$/)
    line('green')
    await shows(/✓ AskUserQuestion[\s\S]*Which colour\?\n[\s\S]*your own answer:$/)
    line('')
    expect(await shows(/Done\.\n\n>$/)).toMatch(/✗ AskUserQuestion.*\n {4}not answered\n/)
    expect(toldModel(here)).toContain(String.raw`Which colour?: Blue\nWhich ones?: Red, Blue\nOr what?: green`)
    expect(toldModel(here)).toContain('The user gave no answer.')
  })

  // X1
  test('what cannot be read is spelt out, and only yes in full lets it run', async () => {
    const here = cliStage()
    const command = `touch ${here.path('made')} #\u202E\u200B\u001B[2K\u00A0`
    const { line, ready, shows, raw } = terminal(here, [{ calls: [{ name: 'Bash', input: { command } }] }, 'Done.'])
    await ready()
    line('go')
    const asked = await shows(/yes once, n no, r no and say why \[n\]$/)
    expect(asked.replaceAll(/\n {2}┆ /g, '')).toContain(String.raw`#\u202e\u200b\u001b[2K\u00a0`)
    expect(asked).toContain('It contains characters that cannot be seen')
    expect(asked).not.toContain('a means')
    for (const answer of ['y', 'a']) {
      line(answer)
      await shows(new RegExp(String.raw`\[n\] ${answer}\n.*say why \[n\]$`))
    }
    expect(existsSync(here.path('made'))).toBe(false)
    line('yes')
    await shows(/Done\.\n\n>$/)
    expect(existsSync(here.path('made'))).toBe(true)
    expect(raw()).not.toContain('\u202E')
  })

  test('a long input is shown whole, and a path that leads elsewhere with where it leads', async () => {
    const here = cliStage()
    here.write('home/elsewhere.txt', 'old\n')
    symlinkSync(here.path('home'), here.path('project/link'))
    const content = Array.from({ length: 300 }, (_, number) => `line ${number} ${'x'.repeat(100)}`).join('\n')
    const { line, ready, shows, keys } = terminal(
      here,
      [{ calls: [{ name: 'Write', input: { file_path: 'link/new.txt', content } }] }, 'Done.'],
      { columns: 60 }
    )
    await ready()
    line('go')
    const asked = await shows(QUESTION)
    expect(asked).toMatch(/ {2}│ {3}line 0\n {2}┆ x+\n {2}┆ x+\n {2}│ {3}line 1\n/)
    const shown = asked.replaceAll(/[\s│┆]/g, '')
    for (const number of [0, 150, 299]) expect(shown).toContain(`line${number}${'x'.repeat(100)}`)
    expect(shown).toContain(`file_pathleadsto:${here.path('home/new.txt')}`)
    keys('Enter')
    await shows(/Done\.\n\n>$/)
    expect(existsSync(here.path('home/new.txt'))).toBe(false)
  })
})
