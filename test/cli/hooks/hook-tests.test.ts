/** `carabiner hooks test`: given this event, expect this outcome. */
import { describe, expect, test, vi } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { cliStage, type CliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides, prints, rule } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const GUARD = `grep -q -e --force && { echo 'no force, please' >&2; exit 2; }; exit 0`

/** A stage with one guard of the user's. */
function guarded(): CliStage {
  const here = cliStage()
  here.user(commandOn('PreToolUse', GUARD, 'Bash', { name: 'guard' }))
  return here
}

const YAML = `
# Tests of the guard.
- name: force is refused
  event: PreToolUse
  tool: Bash
  input: { tool_input: { command: git push --force } }
  expect: { decision: deny, by: guard, reason: /FORCE/i }
  within: 30
- name: others pass
  event: pre_tool_use
  input:
    tool_input: { command: git push }
  expect: { decision: null, blocked: false }
`
const JSON_TESTS = { tests: [{ event: 'PreToolUse', tool: 'Read', expect: { blocked: false } }] }

test('tests in YAML and in JSON, found beside the hooks', async () => {
  const { write, run } = guarded()
  write('project/.claude/hooks/guard.hooktest.yaml', YAML)
  write('project/tests/more.hooktest.json', JSON_TESTS)
  const { code, stdout, stderr } = await run(['hooks', 'test'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.replaceAll(/\d+ ms/g, 'N ms')).toBe(
    '✓ force is refused N ms\n✓ others pass N ms\n✓ test 1 N ms\n3 passed, 0 failed\n'
  )
})

test('files that are named are run, and no others', async () => {
  const { write, run } = guarded()
  write('project/.claude/hooks/guard.hooktest.yaml', YAML)
  const file = write('home/other.json', JSON_TESTS)
  expect((await run(['hooks', 'test', file])).stdout).toContain('1 passed, 0 failed')
})

test('what is not as expected is said, and it ends with 1', async () => {
  const { write, run } = guarded()
  write('project/a.hooktest.json', [
    { name: 'wrong', event: 'PreToolUse', expect: { decision: 'deny', reason: '/x/', continue: false } },
    { name: 'right', event: 'PreToolUse', expect: { blocked: false } }
  ])
  const { code, stdout } = await run(['hooks', 'test'])
  expect(code).toBe(1)
  expect(stdout.split('\n').slice(0, 4)).toEqual([
    expect.stringMatching(/^✗ wrong \d+ ms$/),
    '    decision should be "deny", but is nothing',
    '    reason should be "/x/", but is nothing',
    '    continue should be false, but is nothing'
  ])
  expect(stdout).toContain('1 passed, 1 failed')
})

describe('hook: one of several', () => {
  const other = { matcher: 'Bash', hooks: [{ type: 'command', command: 'echo no shell >&2; exit 2', name: 'other' }] }
  const guard = { matcher: 'Bash', hooks: [{ type: 'command', command: GUARD, name: 'guard' }] }
  const passes = { name: 'a push passes', event: 'PreToolUse', expect: { blocked: false } }

  test('only the hooks that the test names are fired, and all again in the next test', async () => {
    const { user, write, run } = cliStage()
    user({ hooks: { PreToolUse: [other, guard] } })
    const tests = [{ ...passes, hook: 'guard' }, { ...passes, hook: '/^gu/' }, passes]
    write('project/a.hooktest.json', tests)
    const { code, stdout } = await run(['hooks', 'test'])
    expect([code, stdout.replaceAll(/\d+ ms/g, 'N ms')]).toEqual([
      1,
      '✓ a push passes N ms\n✓ a push passes N ms\n✗ a push passes N ms\n' +
        '    blocked should be false, but is true\n    decided by other\n2 passed, 1 failed\n'
    ])
  })

  test('a test of a hook that is not there fails', async () => {
    const { write, run } = guarded()
    write('project/a.hooktest.json', [{ ...passes, hook: 'gaurd' }])
    const { code, stdout } = await run(['hooks', 'test'])
    expect(code).toBe(1)
    expect(stdout).toContain('no hook on PreToolUse has the name "gaurd"')
    write('project/a.hooktest.json', [{ ...passes, hook: '/[/' }])
    expect(await run(['hooks', 'test'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('hook is not a pattern')
    })
  })
})

test('every part of an outcome can be expected', async () => {
  const { user, write, run } = cliStage()
  user({
    hooks: {
      PreToolUse: [
        rule(decides('allow', { updatedInput: { command: 'ls' }, additionalContext: 'only listing' }), 'Bash'),
        rule(prints({ systemMessage: 'careful' }))
      ],
      PostToolUse: [rule(prints({ continue: false, stopReason: 'enough' }))]
    }
  })
  write('project/a.hooktest.json', [
    {
      event: 'PreToolUse',
      expect: {
        ...{ decision: 'allow', updatedInput: { command: 'ls' }, additionalContext: '/^only/' },
        ...{ systemMessage: 'careful', failedOpen: false, stopReason: null }
      }
    },
    { event: 'PostToolUse', expect: { continue: false, stopReason: 'enough' } }
  ])
  expect(await run(['hooks', 'test'])).toMatchObject({ code: 0, stdout: expect.stringContaining('2 passed') })
})

test('within: a hook that takes longer fails its test', async () => {
  const { user, write, run } = cliStage()
  user(commandOn('Stop', 'sleep 0.4'))
  write('project/a.hooktest.json', [{ event: 'Stop', expect: {}, within: 0.2 }])
  const { code, stdout } = await run(['hooks', 'test'])
  expect(code).toBe(1)
  expect(stdout).toMatch(/took \d+\.\d+ s, more than 0\.2 s/)
})

describe('fuzz', () => {
  const fuzzed = [{ name: 'whatever comes', event: 'PreToolUse', expect: {}, fuzz: true }]

  test('a hook that stands broken input passes', async () => {
    const { write, run } = guarded()
    write('project/a.hooktest.json', fuzzed)
    expect(await run(['hooks', 'test'])).toMatchObject({ code: 0 })
  })

  test('a hook that breaks down on it is told of, with the input that did it', async () => {
    const { user, write, run } = cliStage()
    const script = `const { tool_input } = JSON.parse(require('fs').readFileSync(0)); tool_input.command.trim()`
    user({
      hooks: {
        PreToolUse: [{ hooks: [{ type: 'command', command: process.execPath, args: ['-e', script], name: 'fragile' }] }]
      }
    })
    write('project/a.hooktest.json', fuzzed)
    const { code, stdout } = await run(['hooks', 'test'])
    expect(code).toBe(1)
    for (const how of ['without tool_input', 'with tool_input: null', String.raw`with tool_input: "a\u0000b"`])
      expect(stdout).toContain(`${how}: fragile failed (exit)`)
    expect(stdout).toContain('with tool_input: "x" 100,000 times over: fragile failed')
  })

  test('a hook that says yes to what cannot be read is told of', async () => {
    const { user, write, run } = cliStage()
    user(commandOn('PreToolUse', decides('allow'), '', { name: 'yes' }))
    write('project/a.hooktest.json', fuzzed)
    expect((await run(['hooks', 'test'])).stdout).toMatch(/: was allowed, by yes/)
  })
})

describe('--tap', () => {
  /** A small reader of TAP 14: a plan, test points in order, and YAML below each. */
  function readTap(text: string): { plan: number; points: readonly { ok: boolean; name: string; about: unknown }[] } {
    const [version, plan, ...lines] = text.trimEnd().split('\n')
    expect(version).toBe('TAP version 14')
    const points: { ok: boolean; name: string; about: unknown }[] = []
    for (let at = 0; at < lines.length; at++) {
      const [, not, number, name] = /^(not )?ok (\d+) - (.*)$/.exec(lines[at]!)!
      expect(Number(number)).toBe(points.length + 1)
      expect(lines[at + 1]).toBe('  ---')
      const end = lines.indexOf('  ...', at)
      points.push({
        ok: not === undefined,
        name: name!.replaceAll(/\\([\\#])/g, '$1'),
        about: parseYaml(lines.slice(at + 2, end).join('\n'))
      })
      at = end
    }
    return { plan: Number(/^1\.\.(\d+)$/.exec(plan!)![1]), points }
  }

  test('is valid, whatever tests are called and whatever goes wrong', async () => {
    const { write, run } = guarded()
    const names = ['plain', 'number # 7', String.raw`back\slash`, 'two\nlines', 'ok 9 - forged', 'ünï']
    write(
      'project/a.hooktest.json',
      names.map((name, at) => ({
        name,
        event: 'Stop',
        expect: at === 1 ? { decision: 'deny', reason: 'a\n"b": #' } : { blocked: false }
      }))
    )
    const { code, stdout } = await run(['hooks', 'test', '--tap'])
    const { plan, points } = readTap(stdout)
    expect([code, plan]).toEqual([1, names.length])
    expect(points.map(({ ok }) => ok)).toEqual([true, false, true, true, true, true])
    expect(points.map(({ name }) => name)).toEqual(names.map(name => name.replace('\n', String.raw`\n`)))
    expect(points[1]!.about).toMatchObject({
      duration_ms: expect.any(Number),
      file: expect.stringMatching(/a\.hooktest\.json$/),
      problems: [expect.stringContaining('decision'), expect.stringContaining('reason')]
    })
  })

  test('all well: 0', async () => {
    const { write, run } = guarded()
    write('project/a.hooktest.yaml', YAML)
    const { code, stdout } = await run(['hooks', 'test', '--tap'])
    expect(code).toBe(0)
    expect(readTap(stdout).points.every(({ ok }) => ok)).toBe(true)
  })
})

test.each([
  ['no list', '"x"', 'should be a list of tests'],
  ['not YAML', 'a: [', 'is neither YAML nor JSON'],
  ['a test without an event', '[{ "expect": {} }]', 'test 1: "event" is missing'],
  ['a test of an unknown event', '[{ "event": "PreToolUes", "expect": {} }]', 'did you mean PreToolUse?'],
  ['a test without an expectation', '[{ "event": "Stop" }]', '"expect" is missing'],
  ['a test that expects nothing', '[{ "event": "Stop", "expect": {} }]', 'checks nothing'],
  ['a test that expects nothing, unfuzzed', '[{ "event": "Stop", "expect": {}, "fuzz": false }]', 'checks nothing'],
  ['a misspelt key', '[{ "event": "Stop", "expects": {} }]', 'did you mean expect?'],
  ['a misspelt expectation', '[{ "event": "Stop", "expect": { "decison": "deny" } }]', 'did you mean decision?'],
  ['a pattern that is none', '[{ "event": "Stop", "expect": { "reason": "/(/" } }]', 'expect.reason is not a pattern'],
  [
    'a time that is none',
    '[{ "event": "Stop", "expect": {}, "within": "1s" }]',
    '"within" must be a number above 0, not "1s"'
  ],
  ['an invalid input', '[{ "event": "Stop", "expect": {}, "input": 7 }]', '"input" must be an object, not 7']
])('a test file that holds %s is said to, and nothing is run', async (_, text, words) => {
  const { user, write, run, read } = cliStage()
  user(commandOn('Stop', 'touch "$HOME/ran"'))
  write('project/a.hooktest.yaml', text)
  const { code, stdout, stderr } = await run(['hooks', 'test'])
  expect([code, stdout]).toEqual([64, ''])
  expect(stderr).toContain('a.hooktest.yaml')
  expect(stderr).toContain(words)
  expect(() => read('home/ran')).toThrow('ENOENT')
})

test('a project that is not trusted is not run', async () => {
  const { settings, write, run } = cliStage()
  settings(commandOn('Stop', 'true'))
  write('project/a.hooktest.json', [{ event: 'Stop', expect: { blocked: false } }])
  expect((await run(['hooks', 'test'])).code).toBe(3)
  expect((await run(['hooks', 'test', '--trust-project-hooks'])).code).toBe(0)
  expect((await run(['hooks', 'test', '--no-project-hooks'])).code).toBe(0)
})

test('settings that are broken are said, and so is what was named and cannot be used', async () => {
  const { settings, write, run } = cliStage()
  settings('{')
  write('project/a.hooktest.json', [{ event: 'Stop', expect: { blocked: true } }])
  expect(await run(['hooks', 'test'])).toMatchObject({ code: 1, stderr: expect.stringContaining('not valid JSON') })
  expect(await run(['hooks', 'test', '--settings', 'nowhere.json'])).toMatchObject({ code: 4, stdout: '' })
})

test('--profile decides what a failure comes to', async () => {
  const { user, write, run } = cliStage()
  user(commandOn('PreToolUse', 'exit 1'))
  write('project/a.hooktest.json', [{ event: 'PreToolUse', expect: { blocked: true } }])
  expect((await run(['hooks', 'test'])).code).toBe(0)
  expect((await run(['hooks', 'test', '--profile', 'compat'])).code).toBe(1)
})

test('a gate that cannot be asked has not agreed: the test fails, and says why', async () => {
  const { user, write, run } = cliStage()
  user({ hooks: { PreToolUse: [{ hooks: [{ type: 'prompt', prompt: 'Is it safe?' }] }] } })
  write('project/a.hooktest.json', [{ name: 'passes', event: 'PreToolUse', expect: { decision: null } }])
  const { code, stdout } = await run(['hooks', 'test'])
  expect(code).toBe(1)
  expect(stdout).toContain('decision should be null, but is "deny"')
  expect(stdout).toMatch(/Is it safe\? .* failed \(spawn\): there is no model to ask without an agent/)
})

test.each([
  [
    { input: { tool_inpt: { command: 'ls' } }, expect: { decision: null } },
    'has a field tool_inpt',
    'did you mean tool_input?'
  ],
  [{ input: { toolName: 'Read' }, expect: { blocked: false } }, 'has a field toolName', 'did you mean tool_name?'],
  [{ expect: { decision: 'block' } }, 'expect.decision is "block"', 'write deny, ask, allow or defer, or null for none']
])('E6: %j is a mistake in the test, and no test passes', async (given, ...words) => {
  const { write, run } = guarded()
  write('project/a.hooktest.json', [{ event: 'PreToolUse', ...given }])
  const { code, stdout, stderr } = await run(['hooks', 'test'])
  expect([code, stdout]).toEqual([64, ''])
  for (const word of words) expect(stderr).toContain(word)
})

test('E6: a field that no event has, and resembles none, may be in the input of a test', async () => {
  const { write, run } = guarded()
  write('project/a.hooktest.json', [{ event: 'PreToolUse', input: { xyzzy: 1 }, expect: { blocked: false } }])
  expect((await run(['hooks', 'test'])).code).toBe(0)
})
