/** `carabiner run` at a terminal: prompts, what is shown, commands, interrupts, ends. */
import { existsSync, statSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { cliStage, type CliStage } from '../../support/cli-stage.ts'
import { hasTmux, isGone, terminal, toldModel, until } from './terminal-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, prints, refuses } from '../../support/command-settings.ts'
import { bashCall } from '../../support/agent-kit.ts'

vi.setConfig({ testTimeout: HANG })

/** A stage whose user has a hook that tells of the end of a session, and why it ended. */
function scene(more: { hooks: object } = { hooks: {} }): CliStage & { ended(): string } {
  const here = cliStage()
  const end = commandOn('SessionEnd', `cat > ${here.path('end')}`)
  here.user({ hooks: { ...end.hooks, ...more.hooks } })
  const ended = (): string =>
    existsSync(here.path('end')) ? (JSON.parse(here.read('end')) as { reason: string }).reason : ''
  return { ...here, ended }
}

/** A command that says who it is and stays. */
const stays = (here: CliStage): string => `echo $$ > ${here.path('pid')}; sleep 600; sleep 600`

describe.skipIf(!hasTmux)('in tmux (skipped where there is none)', () => {
  test('a prompt and its answer, calls in a line each, what hooks said, commands, and the end', async () => {
    const here = scene({
      hooks: {
        ...commandOn('UserPromptSubmit', 'echo twelve chars').hooks,
        ...commandOn('PostToolUse', prints({ systemMessage: 'well done' }), 'Read').hooks,
        ...commandOn('Stop', 'exit 1').hooks
      }
    })
    here.write('project/notes.txt', 'a note\n')
    const usage = { input_tokens: 1000, output_tokens: 20 }
    const { line, ready, shows, ended } = terminal(here, [
      { thinking: 'Hm.', text: 'I look.', calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }], usage },
      { text: 'There is a note.\nIt says: a note.', usage }
    ])
    await ready()
    line('What is there?')
    const answered = await shows(/It says: a note\.[\s\S]*\n>$/)
    expect(answered).toMatch(/> What is there\?\n/)
    expect(answered).toContain('UserPromptSubmit hook echo twelve chars (~/.claude/settings.json')
    expect(answered.replaceAll(/\n */g, ' ')).toContain('added 12 characters for the model')
    expect(answered).toMatch(/\nI look\.\n[\s\S]* {2}✓ Read notes\.txt\n/)
    expect(answered).toContain('PostToolUse:Read says: well done [printf')
    expect(answered).toMatch(/ {2}! Stop hook exit 1 \(.*\) failed/)
    line('/hooks')
    expect(await shows(/SessionEnd\n {4}cat > /)).toMatch(
      / {2}PostToolUse "Read"\n {4}printf .*\(~\/\.claude\/settings\.json:\d+\)\n/
    )
    line('/cost')
    await shows(/scripted {2}2000 in {2}40 out {2}0 cached {2}\$0\.0066\n/)
    line('/nope')
    expect((await shows('There is no /nope.')).replaceAll(/\n */g, ' ')).toContain(
      'Use one of /help, /hooks, /cost, /mode, /compact, /clear, /resume, /exit, /model, /add-dir.'
    )
    line('/mode plna')
    await shows('did you mean plan?')
    line('/mode plan')
    await shows(/\nplan >$/)
    line('/exit')
    expect(await ended()).toBe(0)
    expect(here.ended()).toBe('prompt_input_exit')
    expect(toldModel(here).split('\n')).toHaveLength(2)
  })

  test('/model and /add-dir: what they did, or why they did not; the text of a hook instead of the answer', async () => {
    const display = { hookSpecificOutput: { hookEventName: 'MessageDisplay', displayContent: 'The key is ****.' } }
    const here = scene({
      hooks: {
        ...commandOn('PreModelSwitch', refuses('too dear')).hooks,
        ...commandOn('DirectoryAdded', 'cat > "$HOME/added"').hooks,
        ...commandOn('MessageDisplay', prints(display)).hooks
      }
    })
    const { line, ready, shows, raw } = terminal(here, ['The key is 4711.'])
    await ready()
    line('/model')
    await shows(/· \/model: The model is scripted\. \[command\]\n/)
    const script = here.write('other.json', { turns: [] })
    line(`/model script:${script}`)
    const refused = await shows(/refused by echo[\s\S]*too dear\n[\s\S]*>$/)
    expect(refused.match(/the switch to/g)).toHaveLength(1)
    line(`/add-dir ${here.home}`)
    await shows(/now\s+belongs\s+to\s+the\s+workspace\./)
    expect(JSON.parse(here.read('home/added'))).toMatchObject({ directory: here.home, source: 'slash_command' })
    line('go')
    await shows('The key is ****.')
    expect(raw()).not.toContain('4711')
  })

  test('/hooks shows what is in force now, also after settings have changed', async () => {
    const here = scene(commandOn('PreToolUse', 'echo first', 'Bash'))
    const { line, ready, shows } = terminal(here, [])
    await ready()
    line('/hooks')
    const before = await shows(/PreToolUse "Bash"\n {4}echo first {2}\(~\/\.claude\/settings\.json:\d+\)\n/)
    expect(before).not.toContain('echo second')
    here.user(commandOn('PreToolUse', 'echo second', 'Write'))
    await shows(/settings\.json\s+have\s+changed\s+and\s+are\s+now\s+active/)
    line('/hooks')
    const after = await shows(/PreToolUse "Write"\n {4}echo second {2}\(~\/\.claude\/settings\.json:\d+\)\n>$/)
    expect(after.match(/echo first/g)).toHaveLength(1)
  })

  test('/compact makes the conversation shorter, /clear begins another, and hooks are told', async () => {
    const here = cliStage()
    const tells = `cat >> ${here.path('events')}`
    here.user({
      hooks: Object.assign(
        {},
        ...['SessionStart', 'SessionEnd', 'PreCompact'].map(name => commandOn(name, tells).hooks)
      )
    })
    const { line, ready, shows, ended } = terminal(here, ['One.', 'In short: one.', 'Two.'])
    await ready()
    line('/compact')
    await shows('there is nothing to compact yet')
    await shows('  The conversation was not compacted.')
    line('first')
    await shows(/One\.\n\n>$/)
    line('/compact keep the names')
    await shows(/the conversation was compacted from \d+ tokens\n>$/)
    line('second')
    await shows(/Two\.\n\n>$/)
    line('/clear')
    await shows(/ {2}Started a new conversation\.\n>$/)
    line('/exit')
    expect(await ended()).toBe(0)
    const told = here
      .read('events')
      .trim()
      .split('\n')
      .map(text => JSON.parse(text) as Record<string, string>)
      .map(event => [event['hook_event_name'], event['source'] ?? event['reason'] ?? event['custom_instructions']])
    expect(told).toEqual([
      ['SessionStart', 'startup'],
      ['PreCompact', 'keep the names'],
      ['SessionStart', 'compact'],
      ['SessionEnd', 'clear'],
      ['SessionStart', 'clear'],
      ['SessionEnd', 'prompt_input_exit']
    ])
  })

  test('a command of the user’s own files is a prompt', async () => {
    const here = scene()
    here.write('home/.claude/commands/greet.md', 'Say hello to $ARGUMENTS.')
    const { line, ready, shows } = terminal(here, ['Hello.', 'A path.'])
    await ready()
    line('/greet everybody')
    await shows(/Hello\.\n\n>$/)
    line('/etc/hosts is what?')
    await shows(/A path\.\n\n>$/)
    line('/nope')
    await shows(/\/add-dir,\s+\/greet\./)
    expect(toldModel(here)).toContain('Say hello to everybody.')
    expect(toldModel(here)).toContain('/etc/hosts is what?')
  })

  test('a prompt on the command line is the first; the next continues with the same conversation; Ctrl-D ends', async () => {
    const here = scene()
    const { line, keys, ready, shows, ended } = terminal(here, ['One.', 'Two.'], { args: ['begin'] })
    expect(await shows(/One\.\n\n>$/)).toContain('> begin\nOne.')
    line('and on')
    await shows(/Two\.\n\n>$/)
    await ready()
    keys('C-d')
    expect(await ended()).toBe(0)
    expect(here.ended()).toBe('prompt_input_exit')
    expect(toldModel(here)).toBe('"begin"\n"and on"')
  })

  test('what is refused names its author', async () => {
    const here = scene(commandOn('PreToolUse', refuses('Not here'), 'Bash'))
    const { line, ready, shows } = terminal(here, [{ calls: [bashCall(`touch ${here.path('made')}`)] }, 'Well.'])
    await ready()
    line('go')
    const screen = await shows(/Well\.\n\n>$/)
    expect(screen).toMatch(/ {2}✗ Bash touch .*\n {4}refused by echo 'Not here' >&2; exit 2/)
    expect(screen.replaceAll(/\s+/g, ' ')).toMatch(/\(~\/\.claude\/settings\.json:\d+\): Not here/)
    expect(existsSync(here.path('made'))).toBe(false)
  })

  test('a prompt that a hook refuses, a model that fails, a hook that sends back', async () => {
    const here = scene({
      hooks: {
        ...commandOn('UserPromptSubmit', `grep -q secret && { echo 'No secrets' >&2; exit 2; } || true`).hooks,
        ...commandOn('Stop', 'test -e $HOME/mark || { touch $HOME/mark; echo Not yet >&2; exit 2; }').hooks
      }
    })
    const { line, ready, shows } = terminal(here, [{ fail: { status: 400, message: 'bad request' } }, 'Done?', 'Done.'])
    await ready()
    line('a secret')
    await shows('No secrets')
    await ready()
    line('go')
    await shows(/API Error: .*bad request\n\n>$/)
    line('go on')
    expect(await shows(/Done\.\n\n>$/)).toMatch(/Done\?\n {2}· Stop hook feedback:\n {4}Not yet \[test -e/)
  })

  // FM62
  test('Ctrl-C interrupts a command, nothing of it is left, and the session continues', async () => {
    const here = scene()
    const { line, keys, ready, shows, screen, ended } = terminal(here, [{ calls: [bashCall(stays(here))] }, 'Fine.'], {
      args: ['--allowedTools', 'Bash']
    })
    await ready()
    line('wait')
    await shows(/Bash echo .* · \d+ s$/)
    await until(() => existsSync(here.path('pid')) && here.read('pid') !== '', 'the command did not begin')
    keys('C-c')
    await shows(/✗ Bash echo [\s\S]*Interrupted\.\n\n>$/)
    const pid = Number(here.read('pid'))
    await until(() => isGone(pid), 'the command is still there')
    expect(screen()).not.toMatch(/ · \d+ s$/m)
    line('and now?')
    await shows(/Fine\.\n\n>$/)
    keys('C-d')
    expect(await ended()).toBe(0)
  })

  test('Ctrl-C twice in a turn ends with 130, and SessionEnd is fired', async () => {
    const here = scene()
    const { line, keys, ready, ended } = terminal(here, [{ calls: [bashCall(stays(here))] }], {
      args: ['--allowedTools', 'Bash']
    })
    await ready()
    line('wait')
    await until(() => existsSync(here.path('pid')) && here.read('pid') !== '', 'the command did not begin')
    keys('C-c', 'C-c')
    expect(await ended()).toBe(130)
    expect(here.ended()).toBe('other')
    await until(() => isGone(Number(here.read('pid'))), 'the command is still there')
  })

  test('Ctrl-C at the prompt takes back what was typed; twice at an empty one ends with 0', async () => {
    const here = scene()
    const { keys, ready, shows, ended } = terminal(here, [])
    await ready()
    keys('-l', 'half a thought')
    await shows('half a thought')
    keys('C-c')
    await ready()
    keys('C-c', 'C-c')
    expect(await ended()).toBe(0)
    expect(here.ended()).toBe('prompt_input_exit')
  })

  test('lines that go on, and pasted ones, are one prompt; the arrow keys bring it back, in the next session too', async () => {
    const here = scene()
    const one = terminal(here, ['One.', 'Two.', 'Three.'])
    await one.ready()
    one.line('first \\')
    await one.shows(/\n…$/)
    one.line('second')
    await one.shows(/One\.\n\n>$/)
    one.paste('third\nfourth\u001B[31m')
    await one.shows('> third␊fourth')
    one.keys('Enter')
    await one.shows(/Two\.\n\n>$/)
    one.line(' not to be kept')
    await one.shows(/Three\.\n\n>$/)
    one.line('/exit')
    expect(await one.ended()).toBe(0)
    one.close()
    expect(toldModel(here)).toBe(String.raw`"first \nsecond"${'\n'}"third\nfourth[31m"${'\n'}"not to be kept"`)
    expect(here.read('home/.carabiner/history')).toBe('first ␊second\nthird␊fourth[31m\n/exit\n')
    expect(statSync(here.path('home/.carabiner/history')).mode & 0o777).toBe(0o600)

    const two = terminal(here, ['Again.'])
    await two.ready()
    two.keys('Up', 'Up')
    await two.shows('> third␊fourth')
    two.keys('Enter')
    await two.shows(/Again\.\n\n>$/)
  })

  test('of a long history the last thousand are kept', async () => {
    const here = scene()
    here.write(
      'home/.carabiner/history',
      Array.from({ length: 1500 }, (_, number) => `prompt ${number}\n`).join(''),
      0o600
    )
    const { ready, keys, shows } = terminal(here, [])
    await ready()
    keys('Up')
    await shows('> prompt 1499')
    const lines = here.read('home/.carabiner/history').trim().split('\n')
    expect([lines.length, lines[0]]).toEqual([1000, 'prompt 500'])
  })

  test('what is typed while it works is the next prompt', async () => {
    const here = scene()
    const go = here.path('go')
    const wait = `until [ -e ${go} ]; do sleep 0.05; done`
    const { line, ready, shows } = terminal(here, [{ calls: [bashCall(wait)] }, 'One.', 'Two.'], {
      args: ['--allowedTools', 'Bash']
    })
    await ready()
    line('first')
    await shows(/Bash until .* · \d+ s$/)
    line('second')
    here.write('go', '')
    expect(await shows(/Two\.\n\n>$/)).toContain('One.\n\n> second\nTwo.')
  })

  test('a turn that begins by itself, and words that come late, stand above what is being typed', async () => {
    const here = cliStage()
    const [go, late] = [here.path('go'), here.path('late')]
    const waits = (file: string): string => `until [ -e ${file} ]; do sleep 0.05; done`
    const fields = { hookEventName: 'SessionStart', initialUserMessage: 'begin' }
    const first = { type: 'command', command: prints({ hookSpecificOutput: fields }) }
    const second = { type: 'command', command: `${waits(late)}; exit 7`, async: true }
    here.user({ hooks: { SessionStart: [{ hooks: [first, second] }] } })
    const { keys, shows } = terminal(here, [{ text: 'I begin.', calls: [bashCall(waits(go))] }, 'Begun.', 'Heard.'], {
      columns: 60,
      args: ['--allowedTools', 'Bash']
    })
    await shows(/I begin\.\nBash until .* s$/)
    const typed = `${'words that are typed '.repeat(4)}until here`
    keys('-l', typed)
    here.write('go', '')
    const begun = await shows(/Begun\.\n> words[\s\S]*until here$/)
    expect(begun.match(/> words/g)).toHaveLength(1)
    here.write('late', '')
    const told = await shows(/Begun\.\n {2}! SessionStart hook [\s\S]*exit code 7[\s\S]*\n> words[\s\S]*until here$/)
    expect(told.match(/> words/g)).toHaveLength(1)
    keys('Enter')
    await shows(/Heard\.\n\n>$/)
    expect(toldModel(here)).toContain(typed)
  })

  // X1
  test('nothing of a model, a tool or a hook steers the terminal', async () => {
    const evil = '\u001B]0;title\u0007\u001B[2J\u009B31m\u202Eabc\rover'
    const here = scene(commandOn('UserPromptSubmit', prints({ systemMessage: `evil ${evil}` })))
    const { line, ready, shows, raw } = terminal(
      here,
      [
        { text: `said ${evil}`, calls: [bashCall(`printf '${String.raw`\033]0;x\007`}' >&2; exit 1 # ${evil}`)] },
        'Done.'
      ],
      { args: ['--allowedTools', 'Bash'] }
    )
    await ready()
    line('go')
    const screen = await shows(/Done\.\n\n>$/)
    expect(screen).toContain(String.raw`said \u001b]0;title\u0007\u001b[2J\u009b31m\u202eabc\u000dover`)
    expect(screen.replaceAll(/\s+/g, '')).toContain(String.raw`Exitcode1·\u001b]0;x\u0007`)
    for (const bytes of ['\u001B]', '\u001B[2J', '\u009B', '\u202E', '\u0007']) expect(raw()).not.toContain(bytes)
  })

  // FM49, FM62
  test('when the terminal goes away it ends in good order', async () => {
    const here = scene()
    const { line, ready, close, pid } = terminal(here, [{ calls: [bashCall(stays(here))] }], {
      args: ['--allowedTools', 'Bash']
    })
    await ready()
    line('wait')
    await until(() => existsSync(here.path('pid')) && here.read('pid') !== '', 'the command did not begin')
    const running = pid()
    close()
    await until(() => isGone(running), 'the session is still there')
    expect(here.ended()).toBe('other')
    await until(() => isGone(Number(here.read('pid'))), 'the command is still there')
  })

  // FM62
  test('SIGTERM ends it in good order', async () => {
    const here = scene()
    const { ready, pid, ended } = terminal(here, [])
    await ready()
    process.kill(pid(), 'SIGTERM')
    expect(await ended()).toBe(143)
    expect(here.ended()).toBe('other')
  })

  test.each([
    ['n', 3, /Nothing was run\. To continue:/],
    ['y', undefined, /\n>$/]
  ])('a project with hooks is trusted first: %s', async (answer, code, then) => {
    const here = cliStage()
    here.settings(commandOn('SessionStart', `touch ${here.path('ran')}`))
    const { line, shows, ended } = terminal(here, [])
    await shows('Trust all of this, as it is now? [y/N]')
    expect(existsSync(here.path('ran'))).toBe(false)
    line(answer)
    await shows(then)
    if (code !== undefined) expect(await ended()).toBe(code)
    expect(existsSync(here.path('ran'))).toBe(answer === 'y')
  })

  test('without a model it says what to set, and ends with 4', async () => {
    const here = cliStage()
    const { shows, ended } = terminal(here, [], { args: ['--model', 'opus'] })
    await shows('ANTHROPIC_API_KEY')
    expect(await ended()).toBe(4)
  })
})

describe.skipIf(!hasTmux)('how it looks (skipped where there is no tmux)', () => {
  const turns = (here: CliStage): Parameters<typeof terminal>[1] => [
    { text: 'I try.', calls: [bashCall(`true ${'word '.repeat(30)}`), { name: 'Glob', input: { pattern: '*' } }] },
    { calls: [bashCall(`${stays(here)} # ${'long '.repeat(30)}`)] }
  ]

  test.each([60, 100])('at %i columns lines that are redrawn are cut, and leave nothing behind', async columns => {
    const here = scene()
    const { line, ready, shows, keys } = terminal(here, turns(here), { columns, args: ['--allowedTools', 'Bash'] })
    await ready()
    line('go')
    const screen = await shows(/… · [2-9] s$/)
    expect(screen.match(/ · \d+ s$/gm)).toHaveLength(1)
    expect(screen).toMatch(/\nI try\.\n {2}✓ Bash true word .*…\n {2}✓ Glob \*\n\n?Bash echo .*… · \d s$/)
    expect(screen.split('\n').at(-1)!.length).toBeLessThan(columns)
    keys('C-c')
    expect(await shows(/Interrupted\.\n\n>$/)).not.toMatch(/ · \d+ s$/m)
  })

  test('with colours, and with NO_COLOR without', async () => {
    const style = new RegExp(String.raw`\x1B\[[\d;]*m`)
    for (const [env, expected] of [
      [{}, true],
      [{ NO_COLOR: '1' }, false]
    ] as const) {
      const here = scene()
      const { line, ready, shows, coloured } = terminal(
        here,
        [{ calls: [{ name: 'Glob', input: { pattern: '*' } }] }, 'Done.'],
        {
          env
        }
      )
      await ready()
      line('go')
      await shows(/✓ Glob \*\nDone\.\n\n>$/)
      expect(style.test(coloured())).toBe(expected)
    }
  })

  test('a terminal that knows only text gets only text', async () => {
    const here = scene()
    const { line, ready, shows, raw, ended } = terminal(here, [{ calls: [bashCall('sleep 1')] }, 'Done.'], {
      env: { TERM: 'dumb', NO_COLOR: '1' },
      args: ['--allowedTools', 'Bash']
    })
    await ready()
    line('go')
    await shows(/✓ Bash sleep 1 .*\nDone\.\n\n>$/)
    line('/exit')
    expect(await ended()).toBe(0)
    expect(raw()).not.toContain('\u001B')
  })
})
