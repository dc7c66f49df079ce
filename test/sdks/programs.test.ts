/** The programs of docs/sdks.md, run as their reader would run them. */
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { REPOSITORY } from '../support/built-package.ts'
import { sdksMissing } from './driver.ts'

const run = promisify(execFile)

/** What each program prints. */
const printed = (program: string): readonly (string | RegExp)[] => [
  'wrote hello to /home/agent/a',
  new RegExp(`^write_note was refused by PreToolUse \\(.*${program}:\\d+\\): notes do not belong in /etc$`),
  'Done.'
]
const PROGRAMS: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  'ai-sdk.ts': printed('ai-sdk.ts'),
  'langchain.ts': printed('langchain.ts'),
  'mastra.ts': printed('mastra.ts'),
  'openai-agents.ts': printed('openai-agents.ts'),
  'strands.ts': printed('strands.ts')
}

test('every program of examples/sdks is run below', () => {
  const files = readdirSync(join(REPOSITORY, 'examples/sdks')).filter(file => file.endsWith('.ts'))
  expect(files.toSorted()).toEqual(Object.keys(PROGRAMS).toSorted())
})

describe.skipIf(sdksMissing !== undefined)('with the real SDKs', () => {
  test.each(Object.entries(PROGRAMS))('%s', async (program, expected) => {
    const { stdout, stderr } = await run(process.execPath, [join(REPOSITORY, 'examples/sdks', program)])
    expect(stderr).toBe('')
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toEqual(expected.map(line => (typeof line === 'string' ? line : expect.stringMatching(line))))
  })
})
