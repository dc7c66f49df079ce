/** Every event of the table is reached by an agent that runs, and seen by a hook that does nothing else. */
import { writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { EVENT_NAMES, type EventName } from '../../src/index.ts'
import { manualClock, scriptedModel } from '../../src/testing.ts'
import { ask, type Asked, bashCall, callTurn, ownTool, project, prompted, registry } from '../support/agent-kit.ts'
import { HANG } from '../support/waiting.ts'
import { askServers, logged } from '../tools/mcp/mcp-kit.ts'

vi.setConfig({ testTimeout: HANG })

/** One prompt with calls that are allowed, refused and fail; then a prompt that the provider does not answer. */
function calls(): Promise<Asked> {
  const clock = manualClock()
  const failing = ownTool('fail', () => Promise.reject(new Error('no')))
  return ask(
    [
      { calls: [bashCall('cd sub'), { name: 'fail', input: {} }, bashCall('touch made')] },
      'Done.',
      { fail: { status: 401 } }
    ],
    {
      in: project({ 'CLAUDE.md': 'Be brief.', 'sub/x': '' }),
      setup: 'maintenance',
      prompt: (async function* () {
        yield prompted('one')
        yield prompted('two')
      })(),
      tools: ['Bash', failing],
      allowedTools: ['Bash(cd *)', 'fail'],
      clock,
      canUseTool: async () => {
        await clock.advance(7)
        return { behavior: 'deny', message: 'no' }
      }
    }
  )
}

function teammate(): Promise<Asked> {
  const idle = Promise.withResolvers<void>()
  const turn = async ({ system }: { system: string }): Promise<string> =>
    system.includes('helper of another') ? 'Ready.' : (await idle.promise, 'Done.')
  const input = { description: 'a', prompt: 'go', run_in_background: true, name: 'ann' }
  return ask([callTurn('Agent', input), turn, turn], {
    hooks: registry(hooks => hooks.on('TeammateIdle', () => idle.resolve()))
  })
}

const tasks = (): Promise<Asked> =>
  ask([
    callTurn('TaskCreate', { subject: 'a task' }),
    callTurn('TaskUpdate', { taskId: '1', status: 'completed' }),
    callTurn('TaskList'),
    { ...callTurn('TaskList'), usage: { input_tokens: 200_000, output_tokens: 1 } },
    'A summary.',
    'Done.'
  ])

/** A file that is watched and a file of settings change until hooks have seen both. */
function changes(): Promise<Asked> {
  const place = project({ '.env': 'A=1\n' })
  const seen = { FileChanged: Promise.withResolvers<void>(), ConfigChange: Promise.withResolvers<void>() }
  const hooks = registry(it => {
    it.on('FileChanged', '.env', () => seen.FileChanged.resolve())
    it.on('ConfigChange', () => seen.ConfigChange.resolve())
  })
  return ask(['One.', 'Two.'], {
    in: place,
    hooks,
    persistSession: true,
    prompt: (async function* () {
      yield prompted('one')
      // A watcher needs a moment before it sees anything: what is written until then is written again.
      const writing = setInterval(() => {
        writeFileSync(place.path('.env'), `A=${Math.random()}\n`)
        writeFileSync(`${place.home}/.carabiner/settings.json`, JSON.stringify({ at: Math.random() }))
      }, 200)
      await Promise.all([seen.FileChanged.promise, seen.ConfigChange.promise])
      clearInterval(writing)
      yield prompted('two')
    })()
  })
}

async function elicitation(): Promise<Asked> {
  const { server, place } = logged()
  const form = { message: 'Your name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }
  return askServers([callTurn('mcp__own__elicit', form)], { own: server }, { in: place })
}

/** What a person changes between two prompts. */
function commands(): Promise<Asked> {
  const place = project()
  return ask(['Done.'], {
    in: place,
    prompt: (async function* () {
      yield prompted(`/add-dir ${place.home}`)
      yield prompted('one')
    })(),
    steer: running => running.setModel(scriptedModel(['Done.'], { name: 'other' }))
  })
}

// F1, F199
test('there is no event that no run fires', async () => {
  const runs = [
    await calls(),
    await ask([{ calls: [bashCall('touch made')] }, 'Done.']),
    await teammate(),
    await ask(['Done.'], { in: project({ '.claude/commands/tidy.md': 'Tidy up.' }), trust: true, prompt: '/tidy' }),
    await ask([callTurn('Agent', { description: 'a task', prompt: 'go' }), 'Done too.', 'Done.']),
    await tasks(),
    await changes(),
    await elicitation(),
    await commands()
  ]
  const fired = new Set<EventName>(runs.flatMap(({ names }) => names))
  expect(EVENT_NAMES.filter(name => !fired.has(name))).toEqual([])
})
