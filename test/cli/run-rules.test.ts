/** Lists of rules on the command line. */
import { expect, test, vi } from 'vitest'
import { cliStage } from '../support/cli-stage.ts'
import { HANG } from '../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const SCRIPT = [{ calls: [{ name: 'Bash', input: { command: 'touch done' } }] }, 'Done.']

const ask = (...rules: readonly string[]) => {
  const { run, write } = cliStage()
  const script = write('script.json', JSON.stringify(SCRIPT))
  return run(['run', '-p', 'go', '--model', `script:${script}`, '--allowedTools', ...rules])
}

test.each(['Bash(', 'Bash(touch *', 'Read,Bash(', 'Bash)'])(
  '%s is refused, and not read as all of Bash',
  async rule => {
    const { code, stderr, stdout } = await ask(rule)
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain('is not a rule')
  }
)

test.each([['Bash(touch *)'], ['Read,Bash(touch *) Edit'], ['Read', 'Bash(touch done)'], ['Bash(echo a, b), Bash']])(
  '%s allows it',
  async (...rules) => {
    const { code, stderr, stdout } = await ask(...rules)
    expect([code, stderr, stdout]).toEqual([0, '', 'Done.\n'])
  }
)

test('a rule for something else does not', async () => {
  const { code, stderr } = await ask('Bash(git *)')
  expect(code).toBe(0)
  expect(stderr).toMatch(/^Bash was refused .*no one was available to approve it/)
})

test.each([
  [['--disallowedTools', 'bash'], '--disallowedTools[0]: "bash" protects nothing'],
  [['--disallowedTools', 'Bash('], '(--disallowedTools)'],
  [['--permission-mode', 'accept'], '(--permission-mode)'],
  [
    ['--resume-session-at', 'x'],
    '--resume-session-at cannot be given alone; use it together with --resume or --continue'
  ],
  [['--session-id', 'a/b'], '--session-id cannot be "a/b"'],
  [['--tools', 'Reed'], '--tools cannot be "Reed"; use Read'],
  [['--json-schema', '{"type":"objekt"}'], '--json-schema cannot be {"type":"objekt"}'],
  [['--max-budget-usd', '1'], '--max-budget-usd cannot be 1']
])('E7: run %j is told what is wrong in flags', async (flags, words) => {
  const { run, write } = cliStage()
  const script = write('script.json', JSON.stringify(SCRIPT))
  const { code, stderr } = await run(['run', '-p', 'go', '--model', `script:${script}`, ...flags])
  expect(code).toBe(4)
  expect(stderr).toContain(words)
  expect(stderr).not.toMatch(/options\.|[a-z](?:Mode|At|Id|Usd)\b/)
})

test('E7: a notice about a rule names the flag that gave it', async () => {
  const { stderr } = await ask('bash', 'Bash')
  expect(stderr).toContain('--allowedTools[0]: "bash" allows nothing')
})
