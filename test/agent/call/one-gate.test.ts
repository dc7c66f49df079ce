/** One gate for all: the same hook judges the calls of every agent, at any depth. */
import { z } from 'zod'
import { expect, test } from 'vitest'
import { createSdkMcpServer, type ModelRequest, tool } from '../../../src/index.ts'
import type { TurnOrMaker } from '../../../src/testing.ts'
import { ask, project, registry } from '../../support/agent-kit.ts'

const say = (who: string) => ({ name: 'Bash', input: { command: `echo ${who} >> calls` } })
const call = (type: string, more: object = {}) => ({
  name: 'Agent',
  input: { description: 'a task', prompt: 'go', subagent_type: type, ...more }
})
const server = createSdkMcpServer({
  name: 'house',
  tools: [
    tool('ring', 'Rings the bell', { times: z.number() }, async () => ({ content: [{ type: 'text', text: 'rang' }] }))
  ]
})

const TURNS: Readonly<Record<string, readonly TurnOrMaker[]>> = {
  main: [
    { calls: [say('main'), { name: 'mcp__house__ring', input: { times: 1 } }] },
    { calls: [{ name: 'Skill', input: { skill: 'paint' } }] },
    { calls: [say('skill')] },
    { calls: [call('outer')] },
    { calls: [call('behind', { run_in_background: true })] },
    { calls: [call('mate', { run_in_background: true, name: 'ann' })] },
    async () => {
      await Promise.all([behind.promise, mate.promise])
      return 'done'
    },
    { calls: [say('slash')] },
    'done'
  ],
  outer: [{ calls: [say('outer'), call('inner')] }, 'done'],
  inner: [{ calls: [say('inner')] }, 'done'],
  behind: [{ calls: [say('behind')] }, () => (behind.resolve(), 'done')],
  mate: [{ calls: [say('mate')] }, () => (mate.resolve(), 'done')]
}

const behind = Promise.withResolvers<void>()
const mate = Promise.withResolvers<void>()

function script(): readonly TurnOrMaker[] {
  const at = new Map<string, number>()
  const next = (request: ModelRequest, signal: AbortSignal) => {
    const who = Object.keys(TURNS).find(name => request.system === `I am ${name}.`) ?? 'main'
    const index = at.get(who) ?? 0
    at.set(who, index + 1)
    const turn = TURNS[who]![index]!
    return typeof turn === 'function' ? turn(request, signal) : turn
  }
  return Array.from({ length: 100 }, () => next)
}

const definition = (name: string) => ({ description: name, prompt: `I am ${name}.` })
const agents = Object.fromEntries(['outer', 'inner', 'behind', 'mate'].map(name => [name, definition(name)]))

// FM34, FM35
test.each([
  ['lets pass', true],
  ['refuses', false]
])('main, server, skill, subagent, nested, background, teammate, slash command: the gate %s', async (_, passes) => {
  const place = project({
    '.claude/skills/paint/SKILL.md': '---\ndescription: Paints.\n---\nPaint it.\n',
    '.claude/commands/again.md': 'Once more.\n'
  })
  const seen: string[] = []
  await ask(script(), {
    in: place,
    trust: true,
    agents,
    mcpServers: { house: server },
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    prompt: (async function* () {
      yield { type: 'user' as const, message: { role: 'user' as const, content: 'go' } }
      yield { type: 'user' as const, message: { role: 'user' as const, content: '/again' } }
    })(),
    hooks: registry(hooks =>
      hooks.on(
        'PreToolUse',
        ['Bash', 'mcp__*'],
        ctx => {
          const what = 'command' in ctx.toolInput ? String(ctx.toolInput['command']).split(' ')[1] : 'ring'
          seen.push(`${what} ${ctx.agent.type ?? '-'} ${ctx.agent.depth ?? 0}`)
          return passes ? undefined : { decision: 'block', reason: 'no' }
        },
        { name: 'gate' }
      )
    )
  })
  expect(seen.toSorted()).toEqual([
    'behind behind 1',
    'inner inner 2',
    'main main 0',
    'mate mate 1',
    'outer outer 1',
    'ring main 0',
    'skill main 0',
    'slash main 0'
  ])
  const ran = place.has('calls') ? place.text('calls').trim().split('\n').toSorted() : []
  expect(ran).toEqual(passes ? ['behind', 'inner', 'main', 'mate', 'outer', 'skill', 'slash'] : [])
})
