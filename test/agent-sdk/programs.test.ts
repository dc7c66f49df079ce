/**
 * Programs as people write them for the Claude Agent SDK. Only the import differs: `check:agent-sdk` compiles them with
 * that SDK's own types too. Each runs in a process and a folder of its own, and talks to a provider on loopback.
 */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  anthropicServer,
  type AnthropicBlock,
  type AnthropicBody,
  type AnthropicReply
} from '../support/anthropic-server.ts'
import { buildPackage, REPOSITORY } from '../support/built-package.ts'

/** Compilers and processes take their time on a busy machine. */
const run = promisify(execFile)

let built: ReturnType<typeof buildPackage>
beforeAll(() => {
  built = buildPackage({ types: false })
  cpSync(join(REPOSITORY, 'test/agent-sdk/programs'), join(built.folder, 'programs'), { recursive: true })
})
afterAll(() => built.remove())

/** What a program printed, what the provider was asked, and the folder it worked in. */
interface Ran {
  readonly lines: readonly string[]
  readonly requests: readonly AnthropicBody[]
  readonly project: string
}

async function runProgram(program: string, replies: readonly AnthropicReply[]): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(home)
  mkdirSync(project)
  writeFileSync(join(project, 'notes.txt'), 'Buy milk.\n')
  writeFileSync(join(project, '.env'), 'PASSWORD=\n')
  const server = await anthropicServer(...replies)
  onTestFinished(() => server.close())
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    ANTHROPIC_API_KEY: 'key-of-a-test',
    ANTHROPIC_BASE_URL: server.url
  }
  const { stdout, stderr } = await run(process.execPath, [join(built.folder, 'programs', program)], {
    cwd: project,
    env
  })
  expect(stderr).toBe('')
  return { lines: stdout.trimEnd().split('\n'), requests: server.requests.map(({ body }) => body), project }
}

const says = (text: string): AnthropicReply => ({ blocks: [{ type: 'text', text }] })
const calls = (...uses: readonly (readonly [name: string, input: object, id?: string])[]): AnthropicReply => ({
  blocks: uses.map(([name, input, id]): AnthropicBlock => ({ type: 'tool_use', name, input, id }))
})

interface Case {
  readonly replies: readonly AnthropicReply[]
  readonly lines: readonly string[]
  check?(ran: Ran): void
}

const lastMessages = ({ requests }: Ran): string => JSON.stringify(requests.at(-1)?.messages)

const CASES: Readonly<Record<string, Case>> = {
  '01-single-prompt.ts': {
    replies: [calls(['Read', { file_path: 'notes.txt' }]), says('It says: buy milk.')],
    lines: [
      'model claude-sonnet-4-5',
      'read is there true',
      'calls Read',
      'says It says: buy milk.',
      'result It says: buy milk.'
    ],
    check: ran => expect(lastMessages(ran)).toContain('Buy milk.')
  },
  '02-streaming-input.ts': {
    replies: [says('Hello, Ada.'), says('Ada.')],
    lines: ['result Hello, Ada.', 'result Ada.'],
    check: ({ requests }) =>
      expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  },
  '03-hook-deny.ts': {
    replies: [
      calls(['Write', { file_path: '.env', content: 'PASSWORD=1' }, 'toolu_a']),
      calls(['Write', { file_path: 'b.txt', content: 'b' }, 'toolu_b']),
      says('Done.')
    ],
    lines: [
      'asked about toolu_a',
      'refused PreToolUse:Write hook error: [protectEnvFiles (options.hooks)]: Cannot modify .env files',
      'asked about toolu_b',
      expect.stringMatching(/^done .*created/),
      "denials [ 'Write' ]"
    ],
    check: ({ project }) => {
      expect(readFileSync(join(project, '.env'), 'utf8')).toBe('PASSWORD=\n')
      expect(readFileSync(join(project, 'b.txt'), 'utf8')).toBe('b')
    }
  },
  '04-hook-after.ts': {
    replies: [calls(['Bash', { command: 'echo noon' }]), says('Five past noon.')],
    lines: ['after Bash noon number', 'result Five past noon.'],
    check: ran => expect(lastMessages(ran)).toContain('The clock is five minutes slow.')
  },
  '05-hook-prompt.ts': {
    replies: [says('No.')],
    lines: ['event SessionStart', 'prompt Is the shop open?', 'event Stop', 'event SessionEnd', 'success 1'],
    check: ran => expect(lastMessages(ran)).toContain('Today is a Sunday.')
  },
  '06-can-use-tool.ts': {
    replies: [
      calls(
        ['Write', { file_path: 'draft.txt', content: 'mine' }, 'toolu_a'],
        ['Write', { file_path: 'final.txt', content: 'mine' }, 'toolu_b']
      ),
      calls(['Write', { file_path: 'other.txt', content: 'mine' }, 'toolu_c'])
    ],
    lines: [
      'asked Write toolu_a false',
      'asked Write toolu_b false',
      'done toolu_a',
      'refused toolu_b',
      'asked Write toolu_c false',
      'refused toolu_c',
      'over 2 2'
    ],
    check: ({ project, requests }) => {
      expect(readFileSync(join(project, 'draft.txt'), 'utf8')).toBe('written by somebody else\n')
      expect(existsSync(join(project, 'final.txt'))).toBe(false)
      expect(JSON.stringify(requests[1])).toContain('Not before Monday')
      expect(requests).toHaveLength(2)
    }
  },
  '07-custom-tools.ts': {
    replies: [
      calls(
        ['mcp__calculator__add', { a: 2, b: 3 }, 'toolu_a'],
        ['mcp__calculator__divide', { a: 2, b: 0 }, 'toolu_b']
      ),
      calls(['mcp__calculator__add', { a: 'two', b: 3 }, 'toolu_c']),
      says('5, and no.')
    ],
    lines: [
      "servers [ { name: 'calculator', status: 'connected', source: 'sdk' } ]",
      '{"type":"tool_result","tool_use_id":"toolu_a","content":[{"type":"text","text":"5"}]}',
      '{"type":"tool_result","tool_use_id":"toolu_b","content":[{"type":"text","text":"Nothing can be divided by nothing"}],"is_error":true}',
      expect.stringMatching(/InputValidationError.*"is_error":true}$/),
      'result 5, and no.'
    ],
    check: ({ requests }) => {
      const add = requests[0]?.tools?.find(({ name }) => name === 'mcp__calculator__add')
      expect(add).toMatchObject({ description: 'Adds two numbers' })
      expect(add?.['input_schema']).toMatchObject({ properties: { a: { type: 'number', description: 'the first' } } })
    }
  },
  '08-abort.ts': {
    replies: [calls(['Bash', { command: 'sleep 60' }])],
    lines: ['aborting', 'error_during_execution true', 'over']
  },
  '09-partial-messages.ts': {
    replies: [calls(['Glob', { pattern: '*.txt' }]), says('One, two, three, four.')],
    lines: ['starts', 'will call Glob', 'stops', 'starts', 'stops', 'true true One, two, three, four.']
  },
  '10-permission-modes.ts': {
    replies: [
      calls(['Write', { file_path: 'a.txt', content: 'a' }, 'toolu_a']),
      says('A plan.'),
      calls(['Write', { file_path: 'a.txt', content: 'a' }, 'toolu_b']),
      says('Written.')
    ],
    lines: ['mode plan', 'refused toolu_a', 'success', 'done toolu_b', 'success'],
    check: ({ project }) => expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('a')
  },
  '11-limits.ts': {
    replies: [calls(['Glob', { pattern: '*' }]), calls(['Glob', { pattern: '*' }])],
    lines: ['too many turns 2 1', 'tokens 20 40', 'cost true 1']
  },
  '12-structured-output.ts': {
    replies: [says('{"name":"Acme"}'), says('{"name":"Acme","founded":1947}')],
    lines: ['Acme 1947'],
    check: ran => expect(lastMessages(ran)).toContain('founded')
  },
  '13-hook-events.ts': {
    replies: [calls(['Glob', { pattern: '*.txt' }]), says('notes.txt')],
    lines: ['started PreToolUse', 'answered PreToolUse success', 'started Stop', 'answered Stop success']
  },
  '14-system-prompt.ts': {
    replies: [calls(['Bash', { command: 'echo $GREETING' }]), says('Bonjour.')],
    lines: ['printed bonjour', 'result Bonjour.'],
    check: ({ requests }) => expect(JSON.stringify(requests[0]?.system)).toContain('Always answer in French.')
  }
}

test('every program in the folder is run below, and needs nothing but another import', () => {
  const files = readdirSync(join(REPOSITORY, 'test/agent-sdk/programs')).toSorted()
  expect(files).toEqual(Object.keys(CASES))
  for (const file of files) {
    const imported = readFileSync(join(REPOSITORY, 'test/agent-sdk/programs', file), 'utf8').matchAll(/from '([^']+)'/g)
    expect(new Set([...imported].map(([, name]) => name).filter(name => name !== 'zod'))).toEqual(
      new Set(['carabiner'])
    )
  }
})

test.each(Object.entries(CASES))('%s', async (program, { replies, lines, check }) => {
  const ran = await runProgram(program, replies)
  expect(ran.lines).toEqual(lines)
  check?.(ran)
})
