/** A new user: an empty folder, the first hook of the documentation, and three ways to break it. */
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type Ran, cliStage, type CliStage } from '../support/cli-stage.ts'
import { HANG } from '../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const PAGE = readFileSync('docs/cli.md', 'utf8')

/** The code block below the name of a file on the page. */
function asWritten(file: string): string {
  const block = PAGE.split(`\n\`${file}\`:\n`)[1]?.match(/^```\w+\n([\s\S]*?)^```/m)?.[1]
  if (block === undefined) throw new Error(`docs/cli.md shows no ${file}`)
  return block
}

/** The output on the page below a command. */
const shown = (first: string): string =>
  Array.from(PAGE.matchAll(/^```text\n([\s\S]*?)^```/gm), ({ 1: text }) => text!).find(text => text.startsWith(first))!

const SCRIPT = '.claude/hooks/no-force.sh'
const FORCE = ['fire', 'PreToolUse', '--tool', 'Bash', '--set', 'tool_input.command=git push --force']
/** What differs from run to run. */
const steady = (text: string): string => text.replaceAll(/\d+ ms/g, 'N ms')

let here: CliStage
const run = (...args: readonly string[]): Promise<Ran> => here.run(args)

beforeEach(() => {
  here = cliStage()
  mkdirSync(here.path('project/.git'))
})

/** The steps of the page. */
async function firstHook(): Promise<void> {
  here.write(`project/${SCRIPT}`, asWritten(SCRIPT), 0o755)
  here.settings(asWritten('.claude/settings.json'))
  expect((await run('hooks', 'trust')).code).toBe(0)
}

test('an empty folder has no hooks, and says where it looked', async () => {
  expect(await run('hooks', 'list')).toMatchObject({ code: 0, stdout: `no hooks found for ${here.project}\n` })
  expect(await run('fire', 'PreToolUse')).toMatchObject({ code: 0, stdout: expect.stringContaining('no hook ran') })
})

test('the first hook: listed, not trusted yet, then trusted, fired, and it says no', async () => {
  here.write(`project/${SCRIPT}`, asWritten(SCRIPT), 0o755)
  here.settings(asWritten('.claude/settings.json'))
  const { stdout, stderr } = await run('hooks', 'list')
  expect(stdout + stderr).toBe(shown('EVENT'))
  expect((await run(...FORCE)).code).toBe(3)
  await run('hooks', 'trust')
  expect((await run('hooks', 'list')).stdout).toContain('in force')
  expect(await run('hooks', 'check')).toMatchObject({
    code: 0,
    stdout: '1 hook in 1 file: 0 errors, 0 warnings, 0 notes\n'
  })
  const fired = await run(...FORCE)
  expect(steady(fired.stdout)).toBe(steady(shown('PreToolUse')))
  expect((await run(...FORCE, '--exit-code')).code).toBe(2)
  expect((await run('fire', 'PreToolUse', '--exit-code', '--set', 'tool_input.command=git push')).code).toBe(0)
})

test('its tests of the page pass', async () => {
  await firstHook()
  here.write('project/.claude/tests/no-force.hooktest.yaml', asWritten('.claude/tests/no-force.hooktest.yaml'))
  expect(await run('hooks', 'test')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 passed, 0 failed') })
})

describe('broken: the matcher in another case', () => {
  beforeEach(async () => {
    await firstHook()
    here.settings(asWritten('.claude/settings.json').replace('"Bash"', '"bash"'))
  })

  test('check says which tool was meant, and where', async () => {
    const { stdout } = await run('hooks', 'check')
    expect(stdout).toMatch(/^error \S+settings\.json:\d+:\d+ hooks\.PreToolUse\[0\]/m)
    expect(stdout).toContain('no tool is called bash')
    expect(stdout).toContain('did you mean Bash?')
  })

  test('fire says that the project has changed, and then that the matcher does not fit', async () => {
    expect((await run(...FORCE)).code).toBe(3)
    await run('hooks', 'trust')
    expect((await run(...FORCE)).stdout).toContain('no hook ran\n  → add --explain to see why')
    expect((await run(...FORCE, '--explain')).stdout).toContain('did not run: matcher "bash" does not fit "Bash"')
  })
})

describe('broken: the script without the run bit', () => {
  beforeEach(async () => {
    await firstHook()
    chmodSync(here.path(`project/${SCRIPT}`), 0o644)
  })

  test('check is an error, with what to type', async () => {
    const { code, stdout } = await run('hooks', 'check')
    expect(code).toBe(4)
    expect(stdout).toContain(`${SCRIPT} may not be executed`)
    expect(stdout).toContain(`→ chmod +x ${here.path(`project/${SCRIPT}`)}`)
  })

  test('fire closes the gate, and says why', async () => {
    const { stdout } = await run(...FORCE)
    expect(stdout).toMatch(/failed \(\w+\): .*[Pp]ermission denied/)
    expect(stdout).toMatch(/outcome {2}deny/)
  })
})

describe('broken: a banner in front of the JSON', () => {
  beforeEach(async () => {
    await firstHook()
    here.write(
      `project/${SCRIPT}`,
      `#!/bin/sh\necho 'Welcome to the guard 2.0'\necho '{"decision":"block","reason":"no force"}'\n`,
      0o755
    )
  })

  test('fire first says that the script is not the one that was trusted', async () => {
    const { code, stderr } = await run(...FORCE)
    expect(code).toBe(3)
    expect(stderr).toContain('has changed since it was trusted')
    expect(stderr).toContain(`changed: file ${SCRIPT}`)
  })

  test('then that the answer cannot be read, and closes the gate', async () => {
    await run('hooks', 'trust')
    const { stdout } = await run(...FORCE)
    expect(stdout).toMatch(/failed \(\w+\): .*JSON/)
    expect(stdout).toMatch(/outcome {2}deny/)
  })

  test('check --run says that strict blocks what Claude Code would let pass', async () => {
    await run('hooks', 'trust')
    const { code, stdout } = await run('hooks', 'check', '--run')
    expect(code).toBe(4)
    expect(stdout).toContain('the strict profile blocks, Claude Code would continue')
  })
})
