/** Lists of rules on the command line. */
import { expect, test, vi } from 'vitest'
import { HANG, stage } from './stage.ts'

vi.setConfig({ testTimeout: HANG })

const SCRIPT = [{ calls: [{ name: 'Bash', input: { command: 'touch done' } }] }, 'Done.']

const ask = (...rules: readonly string[]) => {
  const { run, write } = stage()
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
  expect(stderr).toMatch(/^Bash was refused .*nobody could be asked/)
})
