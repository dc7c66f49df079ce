/** Every example, run as its reader would run it, and the tour. */
import { execFile } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildPackage, ROOT } from './support/built-package.ts'

/** Compilers and processes take their time on a busy machine. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const run = promisify(execFile)

let built: ReturnType<typeof buildPackage>
beforeAll(() => {
  built = buildPackage()
  cpSync(join(ROOT, 'examples'), join(built.folder, 'examples'), { recursive: true })
})
afterAll(() => built.remove())

/** The lines that an example prints. */
async function linesOf(example: string): Promise<readonly string[]> {
  const { stdout, stderr } = await run(process.execPath, [join(built.folder, 'examples', example)])
  expect(stderr).toBe('')
  return stdout.trimEnd().split('\n')
}

const EXAMPLES: Record<string, (lines: readonly string[]) => void> = {
  '01-deny.ts': lines => {
    expect(lines).toEqual([
      'ls build      nobody objects',
      'rm -rf build  no, says no-rm-rf: Deleting whole folders needs a person'
    ])
  },
  // F36
  '02-rewrite.ts': lines => {
    const [allowed, refused] = [lines.slice(0, 6), lines.slice(6)]
    expect(allowed).toContain('  becomes   /home/agent/notes.txt')
    expect(allowed).toContain('  outcome   allow')
    expect(allowed).toContain('  your own object still says /tmp/notes.txt')
    expect(refused).toContain('  only-outside-srv, asked again about the new path')
    expect(refused).toContain('  outcome   deny: /srv is not for agents')
  },
  '03-audit.ts': lines => {
    expect(lines).toEqual([
      'Bash {"command":"make test"} → no objection',
      'Bash {"command":"sudo make install"} → deny (no sudo here)',
      'Read {"file_path":"README.md"} → no objection',
      '  audit failed: the log is full. The call is not blocked.'
    ])
  },
  // F80, F84
  '04-groups-and-scopes.ts': lines => {
    expect(lines).toEqual([
      'main.ts was written',
      '  format main.ts',
      '  run the tests',
      'util.ts was written',
      '  format util.ts',
      '  the run should end: two edits are enough',
      'git push, by the reviewer: deny, a reviewer only reads',
      'git push, by anyone else: no objection',
      'left after its release: format, limit, test'
    ])
  },
  '05-guard.ts': lines => {
    expect(lines).toEqual([
      'transfer 12.4',
      '  log: call-1 {"to":"Ada","amount":12}',
      '  sent 12 to Ada',
      'transfer 5000',
      '  asked: 5000 is a lot, {"to":"Ada","amount":5000}?',
      '  Transfer was refused: 5000 is a lot',
      'transfer -1',
      '  Transfer was refused: that is nothing to send'
    ])
  },
  '06-testing.ts': lines => {
    expect(lines[0]).toBe('three expectations hold')
    expect(lines[1]).toContain('expected deny, but PreToolUse was answered with no decision')
    expect(lines[2]).toBe('  no-force-push: silent')
    expect(lines[3]).toBe('after a minute: slow-scanner gave no answer within 60 s')
  },
  // F189, F197
  '07-agent.ts': lines => {
    expect(lines).toEqual([
      'user      Tidy up',
      'assistant calls Read {"file_path":"notes.txt"}',
      'user      result: Buy milk.',
      'assistant calls Bash {"command":"rm -rf /"}',
      'user      error: That would end badly.',
      'assistant I read the notes and left everything in place.'
    ])
  },
  // F100, F113
  '08-commands.ts': lines => {
    expect(lines).toEqual([
      'git status: no objection',
      'git push --force: deny force-pushing needs a person',
      'git status: deny, since scanner failed (spawn)',
      'ahead ran 3 times, 3 of them well'
    ])
  }
}

test('every example in the folder is run below, numbered without gaps', () => {
  const files = readdirSync(join(ROOT, 'examples'))
  expect(files.toSorted()).toEqual(Object.keys(EXAMPLES))
  expect(files.toSorted().map(file => Number(file.slice(0, 2)))).toEqual(files.map((_, index) => index + 1))
})

test.each(Object.entries(EXAMPLES))('%s', async (example, check) => check(await linesOf(example)))

const tour = (env: NodeJS.ProcessEnv) =>
  run(process.execPath, [join(ROOT, 'scripts/demo.ts')], { env: { ...process.env, ...env } })

test('the tour shows a refusal, a rewrite judged again, a broken hook, why hooks did not run, and scripts', async () => {
  const { stdout, stderr } = await tour({ NO_COLOR: '1', FORCE_COLOR: undefined })
  expect(stderr).toBe('')
  expect(stdout).toContain('refused by no-rm-rf: ask a person first')
  expect(stdout).toMatch(/no-sudo +said deny, “no sudo”, asked again about the new command/)
  expect(stdout).toContain('refused by policy: gate_failed:threw')
  expect(stdout).toContain('did not run: matcher "bash" does not fit "Bash"')
  expect(stdout).toContain('did not run: listens to PostToolUse, not PreToolUse')
  expect(stdout).toContain('did not run: is disabled')
  expect(stdout).toContain('refused by no-force.sh: force-pushing needs a person')
  expect(stdout).toContain('refused by scan.py: gate_failed:exit')
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(48)
})

test('the tour has colours where they are wanted, and plain text elsewhere', async () => {
  const escape = String.fromCodePoint(27)
  expect((await tour({ NO_COLOR: undefined, FORCE_COLOR: '1' })).stdout).toContain(escape)
  expect((await tour({ NO_COLOR: undefined, FORCE_COLOR: undefined })).stdout).not.toContain(escape)
  expect((await tour({ NO_COLOR: '1', FORCE_COLOR: undefined })).stdout).not.toContain(escape)
})
