/** Every example, run as its reader would run it, and the tour. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPackage, REPOSITORY } from './support/built-package.ts'

/** Compilers and processes take their time on a busy machine. */
const run = promisify(execFile)

let built: ReturnType<typeof buildPackage>
beforeAll(() => {
  built = buildPackage({ types: false })
  cpSync(join(REPOSITORY, 'examples'), join(built.folder, 'examples'), { recursive: true })
})
afterAll(() => built.remove())

/** The lines that an example prints. The home directory of the user does not matter, and is not changed. */
async function linesOf(example: string): Promise<readonly string[]> {
  const home = join(built.folder, 'home')
  const env = { ...process.env, HOME: home, CARABINER_HOME: undefined }
  const { stdout, stderr } = await run(process.execPath, [join(built.folder, 'examples', example)], { env })
  expect(stderr).toBe('')
  expect(existsSync(home)).toBe(false)
  return stdout.trimEnd().split('\n')
}

const EXAMPLES: Record<string, (lines: readonly string[]) => void> = {
  '01-deny.ts': lines => {
    expect(lines).toEqual([
      'ls build      no objection',
      'rm -rf build  denied by no-rm-rf: deleting directories needs approval'
    ])
  },
  // F36
  '02-rewrite.ts': lines => {
    const [allowed, refused] = [lines.slice(0, 6), lines.slice(6)]
    expect(allowed).toContain('  becomes   /home/agent/notes.txt')
    expect(allowed).toContain('  outcome   allow')
    expect(allowed).toContain('  your own object still has /tmp/notes.txt')
    expect(refused).toContain('  only-outside-srv, judged the new path as well')
    expect(refused).toContain('  outcome   deny: agents may not write to /srv')
  },
  '03-audit.ts': lines => {
    expect(lines).toEqual([
      'Bash {"command":"make test"} → no objection',
      'Bash {"command":"sudo make install"} → deny (sudo is not allowed)',
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
      'git push, by the reviewer: deny, a reviewer is read-only',
      'git push, by other agents: no objection',
      'after release: format, limit, test'
    ])
  },
  '05-guard.ts': lines => {
    expect(lines).toEqual([
      'transfer 12.4',
      '  log: call-1 {"to":"Ada","amount":12}',
      '  sent 12 to Ada',
      'transfer 5000',
      '  asked: 5000 is a lot, {"to":"Ada","amount":5000}?',
      '  Transfer was refused by onAsk: the answer was no (asked for by limits: 5000 is a lot)',
      'transfer -1',
      '  Transfer was refused by limits: the amount must be positive'
    ])
  },
  '06-testing.ts': lines => {
    expect(lines[0]).toBe('three expectations pass')
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
      'user      error: This command is destructive.',
      'assistant I read the notes and changed nothing.'
    ])
  },
  // F100, F113
  '08-commands.ts': lines => {
    expect(lines).toEqual([
      'git status: no objection',
      'git push --force: deny force-pushing needs approval',
      'git status: deny, because scanner failed (spawn)',
      'ahead ran 3 times, 3 successfully'
    ])
  },
  // F184, F187, F189
  '09-agent-with-hooks.ts': lines => {
    expect(lines).toEqual([
      'denied: Bash was refused by bash-guard: this command is destructive',
      'denied: Bash was refused by bash-guard: this command is destructive',
      expect.stringMatching(
        /^denied: Bash was refused by .*no one was available to approve it; to allow it, add Bash\(npm publish\) to .*$/
      ),
      'I read the notes and changed nothing. (3 turns)'
    ])
  },
  // F185
  '10-agent-elsewhere.ts': lines => {
    expect(lines).toEqual([
      'the agent calls   Read {"file_path":"/notes.txt"}',
      'the agent calls   Edit {"file_path":"/notes.txt","old_string":"milk","new_string":"bread"}',
      'the agent calls   Write {"file_path":"/done.txt","content":"Yes."}',
      'notes.txt contains Buy bread.',
      'done.txt contains  Yes.'
    ])
  },
  // F186
  '11-forget-secrets.ts': lines => {
    expect(lines).toEqual([
      'first: 1 messages, 1 of them with the password',
      'then: 3 messages, 0 of them with the password',
      'There are no such files.'
    ])
  },
  // F188, F190, F191, F192, F193
  '12-security-and-logs.ts': lines => {
    expect(lines.toSorted()).toEqual(
      [
        'log: pre_tool_use Bash',
        'Bash was refused by security: it contains “sudo”',
        'log: pre_tool_use Bash',
        'log: post_tool_use Bash',
        'audit: Bash returned {"stdout":"hello","stderr":"",',
        'log: pre_tool_use Bash',
        'log: post_tool_use_failure Bash',
        'subagent agent-1 started',
        'subagent agent-1 succeeded',
        'subagent agent-1 failed: out of tokens'
      ].toSorted()
    )
  },
  '13-until-tests-pass.ts': lines => {
    expect(lines.filter(line => !line.startsWith('tests'))).toEqual([
      'agent: It is done.',
      'feedback: "Stop hook feedback:\\nthe tests fail [tests-first]"',
      'agent: tool_use',
      'agent: tool_use',
      'agent: Now it is done.',
      'completed after 4 turns'
    ])
    expect(lines.filter(line => line.startsWith('tests'))).toEqual(['tests: fail', 'tests: pass'])
  },
  '14-own-tools.ts': lines => {
    expect(lines.filter(line => line.startsWith('asked'))).toEqual([
      'asked: mcp__shop__sell {"thing":"rope","count":5}? yes',
      'asked: mcp__shop__sell {"thing":"rope","count":2}? yes',
      'asked: mcp__shop__sell {"thing":"rope","count":100}? no'
    ])
    expect(lines.filter(line => !line.startsWith('asked'))).toEqual([
      'result: 3',
      expect.stringContaining('error: InputValidationError: count'),
      'error: there are fewer than 5',
      'result: sold; 1 left',
      'error: Permission to use mcp__shop__sell was denied: that is too many [the user (canUseTool)]'
    ])
  },
  '15-conversation.ts': lines => {
    expect(lines.filter(line => !line.startsWith(' '))).toEqual([
      'you: Hi!',
      'agent: Hello.',
      'you: What is a carabiner?',
      'agent: A hook with a gate.',
      'the session ends: other'
    ])
    expect(lines).toContain('  UserPromptSubmit says: 3 characters')
  },
  '16-hooks-of-a-project.ts': lines => {
    expect(lines).toEqual(['not trusted, not started', 'Bash: force-pushing needs approval', 'Then not.'])
  },
  '17-decide-later.ts': lines => {
    expect(lines).toEqual(['tool_deferred call_1 call_2', 'paid 10 to Ada', 'Ada has been paid.'])
  }
}

test('every example in the folder is run below, numbered without gaps', () => {
  const files = readdirSync(join(REPOSITORY, 'examples')).filter(file => file.endsWith('.ts'))
  expect(files.toSorted()).toEqual(Object.keys(EXAMPLES))
  expect(files.toSorted().map(file => Number(file.slice(0, 2)))).toEqual(files.map((_, index) => index + 1))
})

test.each(Object.entries(EXAMPLES))('%s', async (example, check) => check(await linesOf(example)))
