/** Settings that change while events are fired: what was in force stays until the new set is there, whole. */
import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { armHooks, type ArmedHooks, type ReloadResult } from '../../../src/settings.ts'
import { fireArmed, settingsScene, type SettingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides, prints, rule, tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const gate = (reason: string): object => commandOn('PreToolUse', decides('deny', reason))
const reasonOf = async (armed: ArmedHooks): Promise<string | undefined> => (await fireArmed(armed)).reason

test('a change counts once it is looked at', async () => {
  const { user, arm } = settingsScene()
  const file = user(gate('old'))
  const armed = await arm()
  user(gate('new'))
  expect(await reasonOf(armed)).toBe('old')
  expect(await armed.reload(file)).toMatchObject({ counts: true, why: 'the new settings are active', findings: [] })
  expect(await reasonOf(armed)).toBe('new')
  expect(armed.statuses()).toMatchObject([{ hook: { place: { file } }, off: undefined }])
})

test('a file that is gone takes its hooks along', async () => {
  const { user, arm } = settingsScene()
  const file = user(gate('old'))
  const armed = await arm()
  rmSync(file)
  expect(await armed.reload(file)).toMatchObject({ counts: true })
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, report: [] })
})

test('a file that was not there brings its hooks', async () => {
  const { user, arm } = settingsScene()
  const armed = await arm()
  expect(await armed.reload(user(gate('new')))).toMatchObject({ counts: true })
  expect(await reasonOf(armed)).toBe('new')
})

describe('what is not in order does not count, and the old gates stay', () => {
  test.each([
    ['an empty file', ''],
    ['half a file', '{"hooks": {"PreToolUse": ['],
    ['null', 'null'],
    ['a key twice', '{"hooks": {}, "hooks": {}}'],
    ['an entry that is none', { hooks: { PreToolUse: [7] } }],
    ['an event that there is not', { hooks: { PreToolUsed: [] } }],
    ['a pattern that is none', commandOn('PreToolUse', 'true', '[')],
    ['an address that is none', { hooks: { PreToolUse: [{ hooks: [{ type: 'http', url: 'x' }] }] } }],
    ['a permission rule that is none', { permissions: { deny: ['Bash(rm'] } }]
  ])('%s', async (_, settings) => {
    const { user, arm } = settingsScene()
    const file = user(gate('old'))
    const armed = await arm()
    user(settings)
    const { counts, why, findings } = await armed.reload(file)
    expect([counts, findings.map(({ place }) => place.file)]).toEqual([false, [file]])
    expect(why).toContain('the previous settings stay active')
    expect(await reasonOf(armed)).toBe('old')
    user(gate('new'))
    expect(await armed.reload(file)).toMatchObject({ counts: true })
    expect(await reasonOf(armed)).toBe('new')
  })

  test('a hook of an event that is no gate need not be in order', async () => {
    const { user, arm } = settingsScene()
    const file = user(gate('old'))
    const armed = await arm()
    user({ hooks: { PreToolUse: [rule(decides('deny', 'new'))], PostToolUse: [7] } })
    expect(await armed.reload(file)).toMatchObject({ counts: true })
    expect(await reasonOf(armed)).toBe('new')
  })

  test('one file that is broken does not hold up the others', async () => {
    const { user, ofProject, arm } = settingsScene()
    const mine = user(gate('old'))
    const theirs = ofProject(commandOn('PreToolUse', tells('of the project')))
    const armed = await arm()
    ofProject('{ "hooks": ')
    expect(await armed.reload(theirs)).toMatchObject({ counts: false })
    user(gate('new'))
    expect(await armed.reload(mine)).toMatchObject({ counts: true, findings: [{ place: { file: theirs } }] })
    expect(await fireArmed(armed)).toMatchObject({ reason: 'new', contexts: [{ text: 'of the project' }] })
  })

  test('one that was broken from the beginning neither', async () => {
    const { user, ofProject, arm } = settingsScene()
    ofProject('{ "hooks": ')
    const mine = user(commandOn('PreToolUse', 'true', '['))
    const armed = await arm()
    expect(await fireArmed(armed)).toMatchObject({ blocked: false })
    user(gate('new'))
    expect(await armed.reload(mine)).toMatchObject({ counts: true })
    expect(await reasonOf(armed)).toBe('new')
  })
})

describe('what is in force then', () => {
  const texts = ({ inForce }: ReloadResult): readonly string[] | undefined =>
    inForce?.loaded.rules.map(({ rule: text }) => text)
  const denies = (text: string): object => ({ permissions: { deny: [text] } })

  test('the rules of all files, of one that is broken those that it had', async () => {
    const { user, ofProject, arm } = settingsScene()
    const mine = user(denies('Read'))
    ofProject(denies('Bash(rm *)'))
    const armed = await arm()
    user(denies('Write'))
    expect(texts(await armed.reload(mine))).toEqual(['Write', 'Bash(rm *)'])
    for (const broken of ['{ "permissions": ', denies('Bash(')]) {
      ofProject(broken)
      expect(texts(await armed.reload(mine))?.toSorted()).toEqual(['Bash(rm *)', 'Write'])
    }
    user('{')
    expect(await armed.reload(mine)).toMatchObject({ counts: false })
    expect(texts(await armed.reload(mine))).toBeUndefined()
  })

  test('of a project that is not what was trusted, those that it had', async () => {
    const { user, ofProject, load } = settingsScene()
    const mine = user({})
    ofProject(denies('Bash(rm *)'))
    let projectTrusted = true
    const armed = await armHooks(() => ({ loaded: load(), projectTrusted }))
    onTestFinished(() => armed.close())
    projectTrusted = false
    ofProject({ permissions: { allow: ['Bash'] } })
    const reloaded = await armed.reload(mine)
    expect([reloaded.inForce?.projectTrusted, texts(reloaded)]).toEqual([true, ['Bash(rm *)']])
  })

  test('what counts from the next start on is named', async () => {
    const { user, arm, write } = settingsScene()
    const file = user(gate('old'))
    const armed = await arm()
    const later = async (settings: object): Promise<unknown> => {
      user(settings)
      return (await armed.reload(file)).inForce?.later
    }
    expect(await later({ ...gate('new'), ...denies('Bash') })).toEqual([])
    expect(await later({ env: { A: '1' } })).toEqual(['env'])
    expect(await later({ permissions: { defaultMode: 'plan', additionalDirectories: ['/x'] } })).toEqual([
      'permissions.defaultMode',
      'permissions.additionalDirectories'
    ])
    expect(await later({})).toEqual([])
    write('home/.claude/agents/a.md', '---\nname: a\n---\n')
    expect(await later({})).toEqual(['the settings of skills, slash commands and subagents'])
  })
})

describe('ConfigChange', () => {
  /** Notes what it is asked about, and refuses what has a name in `refused`. */
  const watching = (log: string, refused = 'nothing'): object => ({
    hooks: {
      ConfigChange: [
        rule(`sh -c 'in=$(cat); echo "$in" >> ${log}; case $in in *${refused}*) echo "not that" >&2; exit 2;; esac'`)
      ]
    }
  })
  const payloads = ({ read }: SettingsScene): readonly { source: string; file_path: string }[] =>
    read('log')
      .trim()
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as { source: string; file_path: string })

  test.each([
    ['user_settings', 'home/.claude/settings.json'],
    ['project_settings', 'project/.claude/settings.json'],
    ['local_settings', 'project/.claude/settings.local.json'],
    ['policy_settings', 'managed/managed-settings.d/10.json'],
    ['skills', 'home/.claude/skills/a/SKILL.md']
  ])('is fired: %s', async (source, name) => {
    const it = settingsScene()
    it.managed(watching(it.write('log', '')))
    const armed = await it.arm()
    const file = it.write(name, name.endsWith('.md') ? '# A skill\n' : gate('new'))
    expect(await armed.reload(file)).toMatchObject({ counts: true })
    expect(payloads(it)).toMatchObject([{ hook_event_name: 'ConfigChange', source, file_path: file }])
  })

  test('may refuse a change', async () => {
    const it = settingsScene()
    it.managed(watching(it.write('log', ''), 'user_settings'))
    const file = it.user(gate('old'))
    const armed = await it.arm()
    it.user({})
    expect(await armed.reload(file)).toEqual({
      counts: false,
      why: 'a hook refused the change: not that',
      findings: []
    })
    expect(await reasonOf(armed)).toBe('old')
  })

  test('those that are in force are asked, not those that would come', async () => {
    const { user, arm } = settingsScene()
    const file = user(gate('old'))
    const armed = await arm()
    user(commandOn('ConfigChange', prints({ decision: 'block', reason: 'never again' })))
    expect(await armed.reload(file)).toMatchObject({ counts: true })
    user(gate('new'))
    expect(await armed.reload(file)).toMatchObject({ counts: false, why: expect.stringContaining('never again') })
  })

  test('cannot refuse a change of managed policy', async () => {
    const it = settingsScene()
    it.user(watching(it.write('log', ''), 'policy_settings'))
    const armed = await it.arm()
    const file = it.managed(gate('policy'))
    expect(await armed.reload(file)).toMatchObject({ counts: true })
    expect(await reasonOf(armed)).toBe('policy')
    expect(payloads(it)).toHaveLength(1)
  })

  test('a hook that fails there refuses nothing', async () => {
    const { managed, user, arm } = settingsScene()
    managed(commandOn('ConfigChange', 'exit 1'))
    const file = user(gate('old'))
    const armed = await arm()
    user(gate('new'))
    expect(await armed.reload(file)).toMatchObject({ counts: true })
  })
})

describe('several changes at once', () => {
  test('the last one is in force in the end, however long hooks think about the first', async () => {
    const { managed, user, write, arm } = settingsScene()
    const slow = write('slow', '')
    managed(commandOn('ConfigChange', `if [ -e '${slow}' ]; then rm '${slow}'; sleep 0.3; fi`))
    const file = user(gate('old'))
    const armed = await arm()
    user(gate('first'))
    const first = armed.reload(file)
    user(gate('second'))
    const second = armed.reload(file)
    expect(await Promise.all([first, second])).toMatchObject([{ counts: true }, { counts: true }])
    expect(await reasonOf(armed)).toBe('second')
  })

  test('a look that fails leaves everything as it was', async () => {
    const { user, load } = settingsScene()
    const file = user(gate('old'))
    let broken = false
    const armed = await armHooks(() => {
      if (broken) throw new Error('the disk is gone')
      return { loaded: load(), projectTrusted: true }
    })
    onTestFinished(() => armed.close())
    broken = true
    expect(await armed.reload(file)).toMatchObject({ counts: false, why: expect.stringContaining('the disk is gone') })
    expect(await reasonOf(armed)).toBe('old')
    broken = false
    expect(await armed.reload(file)).toMatchObject({ counts: true })
  })
})

// FM29
test('twenty timings of half-written files: at no moment is there no gate', async () => {
  const { user, arm, path } = settingsScene()
  const whole = (version: number): string =>
    JSON.stringify({ hooks: { PreToolUse: [rule(decides('deny', `version ${version}`))] } }, null, 2)
  const file = user(whole(0))
  const armed = await arm()
  const reloads: Promise<ReloadResult>[] = []
  const fires: ReturnType<typeof fireArmed>[] = []
  for (let timing = 1; timing <= 20; timing++) {
    const text = whole(timing)
    // Each time it breaks off at another place.
    writeFileSync(path('home/.claude/settings.json'), text.slice(0, Math.floor((text.length * timing) / 21)))
    fires.push(fireArmed(armed))
    reloads.push(armed.reload(file))
    fires.push(fireArmed(armed))
    await reloads.at(-1)
    fires.push(fireArmed(armed))
    writeFileSync(path('home/.claude/settings.json'), text)
    reloads.push(armed.reload(file))
    fires.push(fireArmed(armed))
    await reloads.at(-1)
    if (timing % 3 === 0) await Promise.all(fires)
  }
  const outcomes = await Promise.all(fires)
  expect(outcomes).toHaveLength(80)
  expect(outcomes.filter(({ blocked, failures }) => !blocked || failures.length > 0)).toEqual([])
  expect((await Promise.all(reloads)).map(({ counts }) => counts)).toEqual(
    Array.from({ length: 40 }, (_, place) => place % 2 === 1)
  )
  expect(await reasonOf(armed)).toBe('version 20')
})
