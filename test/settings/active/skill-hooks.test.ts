/** Gates of skills and subagents: no gate is replaced by a weaker copy of another source, and none is lost. */
import { describe, expect, test, vi } from 'vitest'
import { HookRegistry } from '../../../src/hooks.ts'
import { commandHook } from '../../../src/external.ts'
import type { ArmedHooks } from '../../../src/settings.ts'
import { fireArmed, settingsScene, type SettingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { rule } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const GATE = 'echo "not here" >&2; exit 2'
const FILES = { skill: 'skills/k/SKILL.md', agent: 'agents/k.md' } as const
type Kind = keyof typeof FILES

/** A skill or subagent with one hook of this handler. */
const owner = (handler: string, matcher = 'Bash'): string =>
  `---\nname: k\ndescription: k\nhooks:\n  PreToolUse:\n    - matcher: ${JSON.stringify(matcher)}\n      hooks:\n        - ${handler}\n---\nWords.\n`

const weaker = (option: string): string => `{ type: command, command: ${JSON.stringify(GATE)}, ${option} }`

/** Where its hooks are in force. */
const active = (armed: ArmedHooks, kind: Kind): HookRegistry => {
  if (kind === 'agent') return armed.enter('k', armed.hooks).hooks
  armed.activate('k')
  return armed.hooks
}

const isRefused = async (hooks: HookRegistry): Promise<boolean> => (await fireArmed({ hooks })).blocked

describe.each(['skill', 'agent'] as const)('a weaker twin in the frontmatter of a %s', kind => {
  // S5
  test.each([
    ['of the user', 'user', 'async: true'],
    ['of the user', 'user', 'onFailure: continue, timeout: 0.001'],
    ['of managed policy', 'managed', 'async: true'],
    ['of managed policy', 'managed', 'onFailure: continue, timeout: 0.001']
  ] as const)('of the project does not weaken the gate %s (%s, %s)', async (_, whose, option) => {
    const it = settingsScene()
    it[whose]({ hooks: { PreToolUse: [rule(GATE, 'Bash')] } })
    it.write(`project/.claude/${FILES[kind]}`, owner(weaker(option)))
    const armed = await it.arm()
    expect(await isRefused(armed.hooks)).toBe(true)
    expect(await isRefused(active(armed, kind))).toBe(true)
  })

  test('of the user does not weaken the gate of managed policy, nor after a reload', async () => {
    const it = settingsScene()
    const file = it.managed({ hooks: { PreToolUse: [rule(GATE, 'Bash')] } })
    it.write(`home/.claude/${FILES[kind]}`, owner(weaker('async: true')))
    const armed = await it.arm()
    const hooks = active(armed, kind)
    await armed.reload(file)
    expect(await isRefused(hooks)).toBe(true)
  })

  test('does not weaken the gate of a program', async () => {
    const it = settingsScene()
    it.write(`project/.claude/${FILES[kind]}`, owner(weaker('async: true')))
    const onto = new HookRegistry()
    onto.register(commandHook({ events: 'PreToolUse', matcher: 'Bash', command: GATE }))
    expect(await isRefused(active(await it.arm({}, {}, { onto }), kind))).toBe(true)
  })

  test('where there is no other, it is what it says', async () => {
    const it = settingsScene()
    it.write(`project/.claude/${FILES[kind]}`, owner(weaker('async: true')))
    expect(await isRefused(active(await it.arm(), kind))).toBe(false)
  })
})

describe.each(['skill', 'agent'] as const)('a gate of a %s that cannot be armed', kind => {
  const BROKEN = [
    ['a matcher that is none', `{ type: command, command: "exit 2" }`, 'Ba(sh', 'hooks.PreToolUse[0].hooks[0]'],
    ['an address that is none', `{ type: http, url: "ftp://x" }`, 'Bash', 'hooks.PreToolUse[0].hooks[0]']
  ] as const

  // F122, F123, F126
  test.each(BROKEN)('%s is known before it is wanted', async (_, handler, matcher, key) => {
    const it = settingsScene()
    const file = it.write(`home/.claude/${FILES[kind]}`, owner(handler, matcher))
    const { findings } = await it.arm()
    expect(findings).toMatchObject([{ level: 'error', code: 'not-armed', gate: true, place: { file, key } }])
  })

  test.each(BROKEN)(
    '%s: who continues all the same is refused, with file and key',
    async (_, handler, matcher, key) => {
      const it = settingsScene()
      const file = it.write(`home/.claude/${FILES[kind]}`, owner(handler, matcher))
      const armed = await it.arm()
      for (const _time of [1, 2])
        expect(() => active(armed, kind)).toThrow(expect.objectContaining({ message: expect.stringContaining(file) }))
      expect(() => active(armed, kind)).toThrow(key)
    }
  )

  test('the compat profile continues without it, and with what is in order', async () => {
    const it = settingsScene()
    it.write(`home/.claude/${FILES[kind]}`, owner(`{ type: http, url: "ftp://x" }\n        - ${weaker('timeout: 9')}`))
    const armed = await it.arm({}, {}, { registry: { profile: 'compat' } })
    expect(armed.findings).toHaveLength(1)
    expect(await isRefused(active(armed, kind))).toBe(true)
  })

  test.each(['strict', 'compat'] as const)('%s: one that came later is refused when it is wanted', async profile => {
    const it = settingsScene()
    it.write(`home/.claude/${FILES[kind]}`, owner(weaker('timeout: 9')))
    const armed = await it.arm({}, {}, { registry: { profile } })
    expect(armed.findings).toEqual([])
    const file = it.write(`home/.claude/${FILES[kind]}`, owner('{ type: http, url: "ftp://x" }'))
    await armed.reload(file)
    expect(() => active(armed, kind)).toThrow(`${file}:8: hooks.PreToolUse[0].hooks[0]: `)
    it.write(`home/.claude/${FILES[kind]}`, owner(weaker('timeout: 9')))
    await armed.reload(file)
    expect(await isRefused(active(armed, kind))).toBe(true)
  })

  test('one of a project that is not trusted is not looked at', async () => {
    const it: SettingsScene = settingsScene()
    it.write(`project/.claude/${FILES[kind]}`, owner(`{ type: http, url: "ftp://x" }`))
    const armed = await it.arm({ projectTrusted: false })
    expect(armed.findings).toEqual([])
    expect(await isRefused(active(armed, kind))).toBe(false)
  })
})
