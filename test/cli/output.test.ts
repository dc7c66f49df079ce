/** Output arrives, or its loss is reported. */
import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { CLI } from '../support/built-package.ts'
import { ended, type Ran, cliStage, type CliStage } from '../support/cli-stage.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, refuses } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** Runs the command line within a line of shell, in which it is `"$@"`. */
const within = ({ project: cwd, env, home }: CliStage, line: string, args: readonly string[]): Promise<Ran> =>
  ended(spawn('sh', ['-c', line, 'sh', process.execPath, CLI, ...args], { cwd, env: { ...env, TMPDIR: home } }))

const SCRIPT = '- One.\n'

describe.skipIf(!existsSync('/dev/full'))('a full disk (skipped where there is no /dev/full)', () => {
  test.each(['hooks list', 'hooks list --json', 'fire Stop --json', 'hooks --help', '--version', 'run -p x'])(
    '%s: it is said, and it ends with 1',
    async line => {
      const here = cliStage()
      const script = here.write('home/script.yaml', SCRIPT)
      const args = [...line.split(' '), ...(line.startsWith('run') ? ['--model', `script:${script}`] : [])]
      const { code, stderr } = await within(here, '"$@" > /dev/full', args)
      expect(stderr).toContain('carabiner: the output is incomplete: ENOSPC')
      expect(code).toBe(1)
    }
  )

  test('another code than 0 stays', async () => {
    const here = cliStage()
    here.user(commandOn('PreToolUse', refuses('no')))
    expect((await within(here, '"$@" > /dev/full', ['fire', 'PreToolUse', '--exit-code'])).code).toBe(2)
  })

  test('whoever prints nothing loses nothing', async () => {
    const here = cliStage()
    const script = here.write('home/script.yaml', SCRIPT)
    const args = ['run', '--init-only', '--model', `script:${script}`]
    expect(await within(here, '"$@" > /dev/full', args)).toMatchObject({ code: 0, stderr: '' })
  })
})

test('a disk that takes only a part has not taken the whole', async () => {
  const here = cliStage()
  const { code, stderr } = await within(here, 'ulimit -f 1; "$@" > "$HOME/out"', ['run', '--help'])
  expect(stderr).toContain('carabiner: the output is incomplete: EFBIG')
  expect([code, statSync(here.path('home/out')).size % 512]).toEqual([1, 0])
})

test('whoever has read enough is no fault', async () => {
  const { code, stderr } = await within(cliStage(), 'exec 3>&1; { "$@"; echo $? >&3; } | true', ['run', '--help'])
  expect([code, stderr]).toEqual([0, ''])
})

test.each(['fire Stop --json', 'run -p x --output-format json', 'run -p x --output-format stream-json', 'run -p x'])(
  '%s: what hooks print goes to standard error',
  async line => {
    const here = cliStage()
    const script = here.write('home/script.yaml', SCRIPT)
    const printed = `console.log('loaded'); export default hooks => hooks.on('Stop', () => process.stdout.write('seen'))`
    const hooks = ['--hooks', here.write('home/gate.mjs', printed)]
    const model = line.startsWith('run') ? ['--model', `script:${script}`] : []
    const { stdout, stderr } = await here.run([...line.split(' '), ...model, ...hooks])
    expect(stderr).toMatch(/loaded[^]*seen/)
    expect(stdout).not.toMatch(/loaded|seen/)
    if (line.includes('json'))
      for (const text of line.endsWith('stream-json') ? stdout.trim().split('\n') : [stdout]) JSON.parse(text)
    else expect(stdout).toBe('One.\n')
  }
)
