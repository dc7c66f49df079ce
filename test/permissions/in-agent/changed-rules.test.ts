/** Permission rules of settings files that change while an agent runs. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { QueryOptions } from '../../../src/index.ts'
import {
  ask,
  type Asked,
  bashTurn,
  informed,
  project,
  type Project,
  prompted,
  registry
} from '../../support/agent-kit.ts'

type Whose = 'user' | 'managed' | 'project'
type Settings = object | string

/** Where settings of this kind are. */
const fileOf = ({ home, cwd }: Project, whose: Whose): string =>
  ({
    user: join(home, '.claude/settings.json'),
    managed: join(home, '../managed/managed-settings.json'),
    project: join(cwd, '.claude/settings.json')
  })[whose]

function put(place: Project, whose: Whose, settings: Settings): void {
  const file = fileOf(place, whose)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof settings === 'string' ? settings : JSON.stringify(settings))
}

/** A run of two prompts, on each of which the model runs a command; between them one of the files changes. */
async function changing(
  before: Partial<Record<Whose, Settings>>,
  [whose, after]: readonly [Whose, Settings],
  [first, second]: readonly [string, string],
  options: QueryOptions = {}
): Promise<Asked> {
  const place = project({ x: '' })
  const env = { ...place.env, CARABINER_MANAGED_DIR: join(place.home, '../managed') }
  mkdirSync(env.CARABINER_MANAGED_DIR)
  for (const [each, settings] of Object.entries(before)) put(place, each as Whose, settings)
  const [answered, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  return ask([bashTurn(first), 'one', bashTurn(second), 'two'], {
    in: place,
    env,
    ...options,
    prompt: (async function* () {
      yield prompted('one')
      await answered.promise
      // A watcher needs a moment before it sees anything: what is written until then is written again.
      const writing = setInterval(() => {
        put(place, whose, typeof after === 'string' ? after : { ...after, at: Math.random() })
      }, 200)
      await told.promise
      clearInterval(writing)
      yield prompted('two')
    })(),
    each(message) {
      if (message.type === 'result') answered.resolve()
      if (message.type !== 'system' || message.subtype !== 'informational') return
      if (message.content.includes('have changed')) told.resolve()
    }
  })
}

/** What was refused of the second prompt. */
const denied = ({ result }: Asked): readonly unknown[] => result.permission_denials.map(each => each.tool_input)

const ALL = { permissions: { allow: ['Bash'] } }
const NO_RM = { permissions: { allow: ['Bash'], deny: ['Bash(rm *)'] } }

test.each(['user', 'managed', 'project'] as const)('a rule that refuses counts at once: %s', async whose => {
  const asked = await changing(
    { user: ALL },
    [whose, whose === 'project' ? { permissions: { deny: ['Bash(rm *)'] } } : NO_RM],
    ['true', 'rm -f x']
  )
  expect(informed(asked).join()).toContain('and are now active')
  expect(asked.project.has('x')).toBe(true)
  expect(denied(asked)).toEqual([{ command: 'rm -f x' }])
})

test('a rule that is gone counts no longer, and one that asks does', async () => {
  const gone = await changing({ user: NO_RM }, ['user', ALL], ['rm -f x; touch y', 'rm -f x'])
  expect([gone.project.has('y'), gone.project.has('x')]).toEqual([false, false])
  const asks = { permissions: { allow: ['Bash'], ask: ['Bash(rm *)'] } }
  expect(denied(await changing({ user: ALL }, ['user', asks], ['true', 'rm -f x']))).toEqual([{ command: 'rm -f x' }])
})

test('what a project allows does not count before it is trusted', async () => {
  const nobody = { projectHooks: false }
  const asked = await changing({}, ['project', ALL], ['true', 'rm -f x'], nobody)
  expect(asked.project.has('x')).toBe(true)
  const after = { permissions: { allow: ['Bash'], deny: ['Bash(rm *)'] } }
  const both = await changing({ user: ALL }, ['project', after], ['true', 'rm -f x'], nobody)
  expect(denied(both)).toEqual([{ command: 'rm -f x' }])
})

test('rules that were added meanwhile stay, and so do those of the caller', async () => {
  const asked = await changing({}, ['user', { permissions: { deny: ['Bash(ls *)'] } }], ['rm -f x', 'rm -f x'], {
    disallowedTools: ['Bash(touch *)'],
    canUseTool: async (_, input) => ({
      behavior: 'allow',
      updatedInput: input,
      updatedPermissions: [
        {
          type: 'addRules',
          behavior: 'deny',
          destination: 'session',
          rules: [{ toolName: 'Bash', ruleContent: 'rm *' }]
        }
      ]
    })
  })
  expect(denied(asked)).toEqual([{ command: 'rm -f x' }])
  const caller = await changing({ user: ALL }, ['user', { ...ALL, env: { A: '1' } }], ['true', 'touch y'], {
    disallowedTools: ['Bash(touch *)']
  })
  expect(denied(caller)).toEqual([{ command: 'touch y' }])
})

test('a rule that cannot be read is told of, and what was in force stays', async () => {
  const after = { permissions: { allow: ['Bash'], deny: ['Bash(rm'] } }
  const asked = await changing({ user: NO_RM }, ['user', after], ['true', 'rm -f x'])
  expect(denied(asked)).toEqual([{ command: 'rm -f x' }])
  expect(informed(asked).find(text => text.includes('have changed'))).toMatch(
    /settings\.json:\d+: "Bash\(rm" is not a rule.*the previous settings stay active/
  )
})

test('a change that a hook of ConfigChange refuses changes no rule', async () => {
  const hooks = registry(it => it.on('ConfigChange', () => ({ decision: 'block', reason: 'not now' })))
  const asked = await changing({ user: NO_RM }, ['user', ALL], ['true', 'rm -f x'], { hooks })
  expect(denied(asked)).toEqual([{ command: 'rm -f x' }])
})

test('managed policy that forbids to bypass permissions ends that mode', async () => {
  const lock = { permissions: { disableBypassPermissionsMode: 'disable' } }
  const asked = await changing({}, ['managed', lock], ['touch y', 'rm -f x'], {
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true
  })
  expect(asked.project.has('y')).toBe(true)
  expect(denied(asked)).toEqual([{ command: 'rm -f x' }])
  expect(informed(asked).join()).toContain('settings forbid the mode bypassPermissions: the mode is now default')
})

test('a subagent whose mode it is loses it as well', async () => {
  const place = project({ x: '' })
  const told = Promise.withResolvers<void>()
  const folder = join(place.home, '../managed')
  mkdirSync(folder)
  const lock = { permissions: { disableBypassPermissionsMode: 'disable' } }
  const asked = await ask(
    [
      { calls: [{ name: 'Agent', input: { description: 'd', prompt: 'p', subagent_type: 'w' } }] },
      bashTurn('touch y'),
      async () => {
        const writing = setInterval(() => put(place, 'managed', { ...lock, at: Math.random() }), 200)
        await told.promise
        clearInterval(writing)
        return bashTurn('rm -f x')
      },
      'worked',
      'done'
    ],
    {
      in: place,
      env: { ...place.env, CARABINER_MANAGED_DIR: folder },
      agents: { w: { description: 'Works.', prompt: 'Work.', permissionMode: 'bypassPermissions' } },
      allowDangerouslySkipPermissions: true,
      prompt: (async function* () {
        yield prompted('one')
      })(),
      each: message =>
        message.type === 'system' &&
        message.subtype === 'informational' &&
        message.content.includes('have changed') &&
        told.resolve()
    }
  )
  expect([asked.project.has('y'), asked.project.has('x')]).toEqual([true, true])
})

test('what counts from the next start on is said', async () => {
  const after = { ...ALL, env: { A: '1' }, allowedHttpHookUrls: [], carabiner: { profile: 'compat' } }
  const asked = await changing({ user: ALL }, ['user', after], ['true', 'true'])
  expect(informed(asked).find(text => text.includes('have changed'))).toMatch(
    /changes of carabiner\.profile, allowedHttpHookUrls, env take effect at the next start$/
  )
})
