/** What a session writes down, and when. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deny, type HookRegistry } from '../../../src/index.ts'
import {
  ask,
  informed,
  inputsOf,
  ofType,
  project,
  registry,
  resultsIn,
  type Asked,
  type Asking
} from '../../support/agent-kit.ts'

type Line = Readonly<Record<string, unknown>> & { readonly type: string; readonly uuid: string }

const linesOf = (file: string): readonly Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(text => text !== '')
    .map(text => JSON.parse(text) as Line)

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command }, id: 'toolu_a' }] })

/** A run that writes its transcript, and the entries afterwards. */
async function written(
  turns: Parameters<typeof ask>[0],
  asking: Asking = {}
): Promise<Asked & { file: string; lines: readonly Line[] }> {
  const run = await ask(turns, { persistSession: true, allowedTools: ['Bash'], ...asking })
  const file = String(inputsOf(run, 'SessionEnd')[0]!['transcript_path'])
  return { ...run, file, lines: linesOf(file) }
}

test('a line each, in the shapes that viewers know, one behind the other', async () => {
  const {
    lines,
    file,
    project: place,
    result
  } = await written([{ thinking: 'hm', text: 'I look.', ...bash('echo hi') }, 'Done.'])
  expect(file).toBe(
    join(place.home, '.carabiner', 'projects', place.cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), `${result.session_id}.jsonl`)
  )
  const talk = lines.filter(({ type }) => type === 'user' || type === 'assistant')
  expect(talk).toMatchObject([
    { type: 'user', message: { role: 'user', content: 'go' }, promptId: expect.any(String), permissionMode: 'default' },
    { type: 'assistant', message: { id: 'msg_1', role: 'assistant', content: [{ type: 'thinking' }] } },
    { type: 'assistant', message: { id: 'msg_1', content: [{ type: 'text', text: 'I look.' }] } },
    { type: 'assistant', message: { id: 'msg_1', content: [{ type: 'tool_use', id: 'toolu_a' }] } },
    {
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'hi' }] },
      toolUseResult: { stdout: 'hi' }
    },
    { type: 'assistant', message: { id: 'msg_2', content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' } }
  ])
  for (const [at, line] of lines.entries()) {
    expect(line).toMatchObject({
      sessionId: result.session_id,
      cwd: place.cwd,
      isSidechain: false,
      userType: 'external',
      entrypoint: 'carabiner',
      version: expect.any(String),
      parentUuid: at === 0 ? null : lines[at - 1]!.uuid
    })
    expect(Number.isNaN(Date.parse(String(line['timestamp'])))).toBe(false)
  }
  expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(lines.length)
})

test('the messages that readers get have the ids of their lines', async () => {
  const { lines, messages } = await written([bash('echo hi'), 'Done.'])
  const ids = new Set(lines.map(({ uuid }) => uuid))
  for (const message of [...ofType({ messages }, 'assistant'), ...ofType({ messages }, 'user')])
    expect(ids).toContain(message.uuid)
})

describe('hooks that look into the file', () => {
  /** The types of the lines about the call that a hook of this event finds. */
  const seenBy = async (event: 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure', command: string) => {
    let seen: readonly string[] = []
    await written([bash(command), 'Done.'], {
      hooks: registry(hooks =>
        hooks.on(event, ctx => {
          const lines = linesOf(ctx.input.transcript_path).filter(line => JSON.stringify(line).includes('toolu_a'))
          seen = lines.map(({ type }) => type)
        })
      )
    })
    return seen
  }

  test('see the call before it begins, its intent before its effect, and its outcome before they are told', async () => {
    expect(await seenBy('PreToolUse', 'touch made')).toEqual(['assistant'])
    expect(await seenBy('PostToolUse', 'touch made')).toEqual(['assistant', 'tool-intent', 'tool-outcome'])
    expect(await seenBy('PostToolUseFailure', 'touch nowhere/x')).toEqual(['assistant', 'tool-intent', 'tool-outcome'])
  })

  test('a command that is about to run has its intent in the file', async () => {
    const { lines, sent, file } = await written([bash('cat "$T"'), 'Done.'], {
      sessionId: 'known',
      hooks: registry(hooks =>
        hooks.on(
          'PreToolUse',
          'Bash',
          ctx => void (ctx.toolInput.command = `cat '${ctx.input.transcript_path}'; touch x`)
        )
      )
    })
    expect(file).toContain('known.jsonl')
    const [shown] = resultsIn(sent[1]!)
    expect(shown!.text).toContain('tool-intent')
    expect(shown!.text).not.toContain('tool-outcome')
    expect(lines.filter(({ type }) => type === 'tool-intent')).toMatchObject([
      { toolUseId: 'toolu_a', toolName: 'Bash', input: { command: expect.stringContaining('known.jsonl') } }
    ])
  })
})

test('a refusal stands there with its author', async () => {
  const { lines } = await written([bash('rm -rf /'), 'Done.'], {
    hooks: registry(hooks => hooks.on('PreToolUse', () => deny('no'), { name: 'guard' }))
  })
  expect(lines).toContainEqual(
    expect.objectContaining({
      type: 'system',
      subtype: 'permission_denied',
      by: 'guard',
      reason: 'no',
      toolUseId: 'toolu_a'
    })
  )
  expect(lines.map(({ type }) => type)).not.toContain('tool-intent')
})

describe('context of hooks', () => {
  const run = (suppressLogging: boolean) =>
    written(['Done.'], {
      hooks: registry((hooks: HookRegistry) =>
        hooks.on('UserPromptSubmit', () => ({ additionalContext: 'the word is swordfish', suppressLogging }), {
          name: 'teller'
        })
      )
    })

  test('stands there with who added it', async () => {
    const { lines } = await run(false)
    expect(lines).toContainEqual(
      expect.objectContaining({
        attachment: {
          type: 'hook_additional_context',
          hookName: 'UserPromptSubmit',
          hookEvent: 'UserPromptSubmit',
          by: 'teller',
          content: ['the word is swordfish'],
          rendered: 'UserPromptSubmit hook additional context: the word is swordfish'
        }
      })
    )
  })

  // F156
  test('does not when the hook says suppressLogging; the model is told all the same', async () => {
    const { lines, sent } = await run(true)
    expect(JSON.stringify(lines)).not.toContain('swordfish')
    expect(JSON.stringify(sent[0])).toContain('swordfish')
  })
})

test('no one else can read it, and no key stands in it', async () => {
  const place = project()
  const env = { ...place.env, ANTHROPIC_API_KEY: 'sk-ant-secret-1234' }
  const { file } = await written([bash('env'), 'Done.'], { in: place, env })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  for (let folder = dirname(file); folder !== place.home; folder = dirname(folder))
    expect([folder, statSync(folder).mode & 0o777]).toEqual([folder, 0o700])
  expect(readFileSync(file, 'utf8')).not.toContain('sk-ant-secret-1234')
})

test('output that is too long to be shown is kept whole beside it, and the agent may read it', async () => {
  const { sent, lines } = await written([
    bash('seq 1 20000'),
    ({ messages }) => {
      const path = /everything is in (\S+)/.exec(JSON.stringify(messages))?.[1]
      return { calls: [{ name: 'Read', input: { file_path: String(path), offset: 19_999, limit: 1 } }] }
    },
    'Done.'
  ])
  expect(resultsIn(sent[2]!)[1]).toMatchObject({ isError: false, text: expect.stringContaining('19999\t19999') })
  expect(lines.length).toBeGreaterThan(5)
})

test('persistSession: false leaves nothing behind', async () => {
  const place = project()
  const { events, messages } = await ask([bash('echo hi'), 'Done.'], { in: place, allowedTools: ['Bash'] })
  expect(inputsOf({ events }, 'Stop')[0]).toMatchObject({ transcript_path: '' })
  expect(readdirSync(place.home)).toEqual([])
  expect(informed({ messages })).toEqual([])
})
