/** Rules that were saved for later sessions: if their file is invalid, no session starts and nothing is lost. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CanUseTool, PermissionUpdate } from '../../../src/index.ts'
import { ask, informed, project, resultsIn, type Project } from '../../support/agent-kit.ts'

const remove = { calls: [{ name: 'Bash', input: { command: 'rm -f x' } }] }
const DENY = { behavior: 'deny', rule: 'Bash(rm *)' }
const ALLOW = { behavior: 'allow', rule: 'Bash(rm *)' }

const fileIn = ({ home }: Project): string => join(home, '.carabiner/remembered.json')

/** A project, and what was kept for it. */
function kept(text: string, mode = 0o600): Project {
  const place = project({ x: 'kept' })
  mkdirSync(join(place.home, '.carabiner'))
  writeFileSync(fileIn(place), text.replaceAll('ROOT', place.cwd))
  chmodSync(fileIn(place), mode)
  return place
}

const run = (place: Project, canUseTool?: CanUseTool) =>
  ask([remove, 'done'], { in: place, allowedTools: ['Bash'], ...(canUseTool && { canUseTool }) })

describe('a file of kept rules', () => {
  test('is read, for every project and for this one', async () => {
    for (const text of [{ user: [DENY] }, { projects: { ROOT: [DENY] } }]) {
      const place = kept(JSON.stringify(text))
      const { sent } = await run(place)
      expect(resultsIn(sent[1]!)[0]!.text).toContain('remembered.json refuses it')
      expect(place.has('x')).toBe(true)
    }
  })

  test('that is not there, or says nothing of this project, is no fault', async () => {
    for (const place of [project({ x: '' }), kept('{}'), kept('{"projects": {"/elsewhere": [7]}}')]) {
      await run(place)
      expect(place.has('x')).toBe(false)
    }
  })

  test.each([
    ['a brace is missing', JSON.stringify({ user: [DENY] }).slice(0, -1), /not valid JSON/],
    ['it is empty', '', /not valid JSON/],
    ['it is a list', '[]', /not a JSON object/],
    [
      'a rule that cannot be read',
      JSON.stringify({ user: [{ ...DENY, rule: 'Bash(rm' }] }),
      /"Bash\(rm" is not a rule/
    ],
    ['no rule at all', JSON.stringify({ user: [DENY, 7] }), /7 is not a rule/],
    ['another behaviour', JSON.stringify({ user: [{ ...DENY, behavior: 'dney' }] }), /is not a rule/],
    ['no list', JSON.stringify({ user: DENY }), /user should be a list/],
    ['no list for this project', JSON.stringify({ projects: { ROOT: DENY } }), /should be a list/],
    ['projects that are none', JSON.stringify({ projects: [] }), /projects should be an object/]
  ])('%s: an error that names it, and it stays as it is', async (_, text, why) => {
    const place = kept(text)
    const before = readFileSync(fileIn(place), 'utf8')
    const { result } = await run(place)
    expect(result).toMatchObject({ is_error: true, error_code: 'E_RULE', result: expect.stringMatching(why) })
    expect(result.result).toContain('correct it, or delete the file')
    expect(result.result).toContain(fileIn(place))
    expect(place.has('x')).toBe(true)
    expect(readFileSync(fileIn(place), 'utf8')).toBe(before)
  })

  test('that anyone may write to is not believed', async () => {
    const place = kept(JSON.stringify({ user: [ALLOW] }), 0o666)
    const { result } = await run(place)
    expect(result.result).toMatch(/any user of this machine can write to it.*chmod go-w/)
    expect(place.has('x')).toBe(true)
  })

  test('that is a folder is an error', async () => {
    const place = project({ x: '' })
    mkdirSync(fileIn(place), { recursive: true })
    expect((await run(place)).result).toMatchObject({
      error_code: 'E_RULE',
      result: expect.stringContaining('cannot be read')
    })
  })
})

describe('an answer that is to be kept', () => {
  const update = (ruleContent: string): PermissionUpdate => ({
    type: 'addRules',
    behavior: 'allow',
    destination: 'userSettings',
    rules: [{ toolName: 'Bash', ruleContent }]
  })
  const answering =
    (before: () => unknown, ruleContent = 'rm *'): CanUseTool =>
    async () => {
      before()
      return { behavior: 'allow', updatedPermissions: [update(ruleContent)] }
    }
  const asked = (place: Project, canUseTool: CanUseTool) => ask([remove, 'done'], { in: place, canUseTool })

  test.each([
    ['is broken', '{"user": [', 0o600],
    ['has something else where rules should be', '{"user": {"behavior": "deny"}}', 0o600],
    ['is open to anybody', JSON.stringify({ user: [ALLOW] }), 0o666]
  ])('does not overwrite a file that %s by now; it counts for the session', async (_, text, mode) => {
    const place = kept('{}')
    const ran = await asked(
      place,
      answering(() => {
        writeFileSync(fileIn(place), text)
        chmodSync(fileIn(place), mode)
      })
    )
    expect(readFileSync(fileIn(place), 'utf8')).toBe(text)
    expect(informed(ran).join()).toMatch(/applies to this session only.*remembered\.json/s)
    expect(place.has('x')).toBe(false)
  })

  test('with an empty pattern is kept as a rule that can be read again', async () => {
    const place = kept(JSON.stringify({ other: 1, user: [DENY] }).replace('rm *', 'cat *'))
    await asked(
      place,
      answering(() => undefined, '')
    )
    expect(JSON.parse(readFileSync(fileIn(place), 'utf8'))).toEqual({
      other: 1,
      user: [
        { behavior: 'deny', rule: 'Bash(cat *)' },
        { behavior: 'allow', rule: 'Bash' }
      ]
    })
    await ask([remove, 'done'], { in: place })
  })
})
