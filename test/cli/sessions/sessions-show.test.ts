/** `carabiner sessions show`: the conversation, with hooks and decisions at their places. */
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { seal } from '../../../src/lib/transcript/seal.ts'
import { ownTool, registry } from '../../support/agent-scene.ts'
import { desk, overwrite, type Desk } from './sessions-kit.ts'
import { CLI } from '../../support/built-package.ts'
import { ended } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const hasScript = spawnSync('script', ['-qec', 'test -t 1', '/dev/null']).status === 0

const shown = async ({ run }: Desk, ...args: readonly string[]): Promise<string> =>
  (await run(['sessions', 'show', ...args])).stdout

interface Story {
  readonly items: readonly (Readonly<Record<string, unknown>> & { readonly kind: string })[]
  readonly [more: string]: unknown
}

const story = ({ json }: Desk, ...args: readonly string[]): Promise<Story> => json(['sessions', 'show', ...args])

const long = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n')
const work = ownTool('work', () => long)

/** A session with a hook that adds, one that refuses, and a call that is made. */
async function busy(at: Desk): Promise<void> {
  const hooks = registry(all => {
    all.on('UserPromptSubmit', () => ({ additionalContext: 'It is Monday.' }), { name: 'calendar' })
    all.on(
      'PreToolUse',
      ({ input }) => (input.tool_name === 'Bash' ? { decision: 'deny', reason: 'no shells' } : undefined),
      { name: 'guard' }
    )
  })
  const calls = [
    { name: 'work', input: { much: 'yes' } },
    { name: 'Bash', input: { command: 'rm -rf /tmp/x' } }
  ]
  await at.agent('busy', [{ text: 'I begin.', calls }, 'All done.'], {
    prompt: 'Work hard',
    hooks,
    tools: ['Bash', work],
    allowedTools: ['work']
  })
}

describe('a session', () => {
  test('prompts, answers, calls, results, what hooks added, and who refused', async () => {
    const at = desk()
    await busy(at)
    const { code, stdout, stderr } = await at.run(['sessions', 'show', 'busy'])
    expect([code, stderr]).toEqual([0, ''])
    const parts = [
      ...[
        '> Work hard',
        'UserPromptSubmit by calendar: It is Monday.',
        'I begin.',
        '  work yes',
        '  Bash rm -rf /tmp/x'
      ],
      ...[
        '    line 0\n    line 1\n',
        '… 26 more lines',
        '✗ Bash rm -rf /tmp/x was refused by guard: no shells',
        'All done.'
      ],
      ...['ended', 'go on: carabiner run --resume busy']
    ]
    for (const part of parts) expect(stdout).toContain(part)
    // Who reads a file or a pipe wants no colours.
    expect(stdout).not.toContain('\u001B')
    // The progress of a call is shown only where it matters.
    expect(stdout).not.toMatch(/intent|outcome/)
  })

  test('--full cuts nothing', async () => {
    const at = desk()
    await busy(at)
    const stdout = await shown(at, 'busy', '--full')
    expect(stdout).toContain('    line 29\n')
    expect(stdout).toContain('"command": "rm -rf /tmp/x"')
    expect(stdout).not.toContain('more lines')
  })

  test('for programs: everything in its order', async () => {
    const at = desk()
    await busy(at)
    const { items, ...rest } = await story(at, 'busy')
    expect(rest).toMatchObject({ id: 'busy', format: 'carabiner', cwd: at.project, state: { kind: 'ended' }, gaps: [] })
    expect(items.map(({ kind }) => kind).toSorted()).toEqual(
      ['answer', 'answer', 'call', 'call', 'context', 'denied', 'prompt', 'result', 'result'].toSorted()
    )
    expect(items.find(({ kind }) => kind === 'denied')).toMatchObject({
      tool: 'Bash',
      by: 'guard',
      reason: 'no shells'
    })
    expect(items.filter(({ kind }) => kind === 'result')).toMatchObject([
      { tool: 'work', text: long, isError: false, isRefused: false },
      { tool: 'Bash', isError: true, isRefused: true }
    ])
    expect(items.every(({ at: when }) => typeof when === 'string')).toBe(true)
  })

  test('a call that was at work when all ended, and what became of it', async () => {
    const at = desk()
    await at.agent('s', [{ calls: [{ name: 'work', input: {} }] }, 'Done.'], { tools: [work], allowedTools: ['work'] })
    at.cut('s', ({ type }) => type === 'tool-intent')
    expect(await shown(at, 's')).toContain('interrupted while work was running; its effect is not known')
    await at.agent('s', ['I look.'], { prompt: 'and?', tools: [work] })
    expect(await shown(at, 's')).toContain('! interrupted while running; its effect is not known')
  })

  test('one that waits for a decision', async () => {
    const at = desk()
    const hooks = registry(all => all.on('PreToolUse', () => ({ decision: 'defer' })))
    await at.agent('s', [{ calls: [{ name: 'work', input: {} }] }], { tools: [work], hooks })
    expect(await shown(at, 's')).toContain('? work waits for a decision (deferred)')
  })

  test('a copy says where it came from, and one that went back to where', async () => {
    const at = desk()
    const one = await at.agent('one', ['First.'], { prompt: 'a' })
    await at.agent('two', ['Second.'], { resume: 'one', forkSession: true, sessionId: 'two', prompt: 'b' })
    expect(await shown(at, 'two')).toMatch(/First\.[\s\S]*── up to here a copy of session one ──[\s\S]*> b/)
    const uuid = one.messages.find(({ type }) => type === 'assistant')!.uuid
    await at.agent('one', ['Third.'], { resumeSessionAt: uuid, prompt: 'c' })
    expect(await shown(at, 'one')).toContain(`── went back to ${uuid}`)
  })

  test('a compaction and a new conversation', async () => {
    const at = desk()
    await at.agent('s', ['First.'])
    const [last] = at.lines('s').toReversed()
    const system = (subtype: string, more: object, seq: number): string =>
      seal({ ...last, type: 'system', subtype, ...more } as never, Number(last!['seq']) + seq).toString()
    const about = { content: 'It was short.', kept: [], compactMetadata: { trigger: 'manual', pre_tokens: 12 } }
    at.append('s', system('compact_boundary', about, 1) + system('clear', {}, 2))
    const stdout = await shown(at, 's')
    expect(stdout).toContain('── compacted (manual) at 12 tokens ──\n\n  It was short.\n')
    expect(stdout).toContain('── cleared: a new conversation ──')
  })

  test('subagents: a line where each was started, and what it did', async () => {
    const at = desk()
    const input = { description: 'Look', prompt: 'Look around', subagent_type: 'general-purpose' }
    await at.agent('s', [{ calls: [{ name: 'Agent', input }] }, 'I looked.', 'Good.'])
    const { items, agents } = await story(at, 's')
    const { id } = items.find(({ kind }) => kind === 'subagent') as unknown as { id: string }
    expect(agents).toEqual([id])
    expect(await shown(at, 's')).toContain(`→ subagent ${id} general-purpose: Look; see --agent ${id}`)
    const stdout = await shown(at, 's', '--agent', id)
    expect(stdout).toContain('> Look around')
    expect(stdout).toContain('I looked.')
    const { code, stderr } = await at.run(['sessions', 'show', 's', '--agent', 'nobody'])
    expect([code, stderr]).toEqual([64, expect.stringContaining(`no subagent nobody: the session has ${id}`)])
  })

  test('gaps stand where something is missing', async () => {
    const at = desk()
    await at.agent('s', ['First.'], { prompt: 'a' })
    await at.agent('s', ['Second.'], { prompt: 'b' })
    overwrite(at.file('s'), bytes => {
      const lines = bytes.toString().split('\n')
      lines[1] = lines[1]!.replace('First.', 'Worst.')
      return Buffer.from(lines.join('\n'))
    })
    const { items } = await story(at, 's')
    expect(items.map(({ kind }) => kind)).toEqual(['prompt', 'gap', 'gap', 'prompt', 'answer'])
    const stdout = await shown(at, 's')
    expect(stdout).toMatch(
      /> a\n {2}! damaged at byte \d+ \(\d+ bytes\)[\s\S]*entry 2 is missing before byte \d+[\s\S]*> b/
    )
    expect(stdout).not.toContain('Worst.')
  })

  test('an entry of a newer version is named', async () => {
    const at = desk()
    await at.agent('s', ['First.'])
    const [last] = at.lines('s').toReversed()
    at.append('s', seal({ ...last, type: 'dream' } as never, Number(last!['seq']) + 1).toString())
    expect(await shown(at, 's')).toContain('an entry of the type dream, which a newer version wrote')
  })

  test('nothing in it is obeyed by a terminal', async () => {
    const at = desk()
    const evil = '\u001B]0;title\u0007\u001B[2J\u202Eevil \u009B31m'
    await at.agent('s', [{ text: evil.repeat(20), calls: [{ name: evil, input: { command: evil } }] }, evil], {
      prompt: evil
    })
    for (const more of [[], ['--full'], ['--json']])
      expect(await shown(at, 's', ...more)).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u)
  })
})

test.runIf(hasScript)('on a terminal it has colours, and no line is wider than that', async () => {
  const at = desk()
  await busy(at)
  const words = [process.execPath, CLI, 'sessions', 'show', 'busy'].map(word => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', `stty cols 60; ${words}`, '/dev/null'], {
    cwd: at.project,
    env: { ...at.env, TERM: 'xterm-256color' }
  })
  const { stdout } = await ended(child)
  expect(stdout).toContain('\u001B[1m')
  const lines = stripVTControlCharacters(stdout).split('\r\n')
  expect(lines).toContain('All done.')
  expect(lines.filter(line => line.length > 60)).toEqual([])
})

describe('which one', () => {
  test('by the beginning of its id, or by its path', async () => {
    const at = desk()
    await at.agent('abcd-1', ['One.'])
    expect(await shown(at, 'abcd')).toContain('One.')
    expect(await shown(at, at.file('abcd-1'))).toContain('One.')
    copyFileSync(at.file('abcd-1'), at.path('project/copy.jsonl'))
    // Under another name it is the same, and its entries are not foreign there.
    const { items } = await story(at, 'copy.jsonl')
    expect(items.map(({ kind }) => kind)).toEqual(['prompt', 'answer'])
  })

  test.each([
    ['one that there is not', 'zzzz', 4, 'there is no session zzzz; see `carabiner sessions list`'],
    ['one that is nearly there', 'abce-1', 4, 'did you mean abcd-1?'],
    ['the beginning of several', 'abcd', 64, 'matches more than one session: abcd-1, abcd-2'],
    ['a way out of the folder', '../../no-such-session-file', 64, 'there is no file'],
    ['a file that there is not', 'gone.jsonl', 64, 'there is no file']
  ])('%s', async (_, name, code, words) => {
    const at = desk()
    await at.agent('abcd-1', ['One.'])
    await at.agent('abcd-2', ['Two.'])
    const ran = await at.run(['sessions', 'show', name])
    expect([ran.code, ran.stdout]).toEqual([code, ''])
    expect(ran.stderr).toContain(words)
  })
})

describe('of Claude Code', () => {
  const env = { CLAUDE_CONFIG_DIR: join(import.meta.dirname, '../../fixtures/claude-transcripts') }

  test('in file order, with the place at which someone went back', async () => {
    const { stdout } = await desk().run(['sessions', 'show', '11111111'], { env })
    for (const part of ['> What is in stock?', 'It is Monday.', '12 apples and 7 pears.', '> Order more pears only.'])
      expect(stdout).toContain(part)
    expect(stdout).toMatch(
      /a thousand of each[\s\S]*went back to a5; what came after it no longer counts[\s\S]*pears only/
    )
    expect(stdout).toContain('→ subagent a1b2c3d')
    expect(stdout).toContain('--resume 11111111-aaaa-4aaa-8aaa-000000000001 --fork-session')
  })

  test.each([
    ['in a file of its own', '11111111', 'a1b2c3d', 'Miller sells pears.'],
    ['among the lines', '33333333', 'f19', 'Nobody sells figs.'],
    ['among the lines, without an id', '33333333', 'x1', 'Smith sells plums.'],
    ['in a file among the sessions', '44444444', '77aa', 'It rains.']
  ])('a subagent %s', async (_, session, agent, words) => {
    const { run } = desk()
    const whole = await run(['sessions', 'show', session], { env })
    expect(whole.stdout).toContain(`→ subagent ${agent}`)
    const { stdout } = await run(['sessions', 'show', session, '--agent', agent, '--claude'], { env })
    expect(stdout).toContain(words)
  })

  test('a compaction, and what was before it', async () => {
    const { stdout } = await desk().run(['sessions', 'show', '22222222'], { env })
    expect(stdout).toMatch(/^Counting fruit\n/)
    expect(stdout).toMatch(
      /Count the apples[\s\S]*And the pears\?[\s\S]*compacted \(auto\) at 155000 tokens[\s\S]*And the plums\?/
    )
  })

  test('damaged lines have their places there, too', async () => {
    const at = desk()
    const path = join(env.CLAUDE_CONFIG_DIR, 'projects/-home-you-orchard/44444444-dddd-4ddd-8ddd-000000000004.jsonl')
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(at.path('project/x.jsonl'), [lines[0], 'rubbish', ...lines.slice(1)].join('\n'))
    const { items } = await story(at, 'x.jsonl')
    expect(items.map(({ kind }) => kind).slice(0, 3)).toEqual(['prompt', 'gap', 'call'])
  })
})
