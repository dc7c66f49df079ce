/** Hooks of files that announce their answer, in a running agent. */
import { expect, test } from 'vitest'
import { ask, project } from '../../support/agent-kit.ts'

const touch = { calls: [{ name: 'Bash', input: { command: 'touch ran' } }] }

/** A project whose file has this command on an event of Bash. */
const hooked = (event: string, command: string, more: object = {}) =>
  project({
    '.claude/settings.json': JSON.stringify({
      hooks: { [event]: [{ matcher: 'Bash', hooks: [{ type: 'command', command, ...more }] }] }
    })
  })

const later = (announcement: object, answer: object): string =>
  `echo '${JSON.stringify(announcement)}'; sleep 0.2; echo '${JSON.stringify(answer)}'`

const BLOCK = { decision: 'block', reason: 'scanned' }
const CONTEXT = { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'formatted two files' } }

test.each([
  ['milliseconds in the contract', 60_000, {}],
  ['seconds in the dialect of the library', 60, { dialect: 'library' }]
])('S3: the block of a hook that announced it keeps the tool from running: %s', async (_, asyncTimeout, more) => {
  const place = hooked('PreToolUse', later({ async: true, asyncTimeout }, BLOCK), more)
  const { result } = await ask([touch, 'done'], { in: place, trust: true, allowedTools: ['Bash'] })
  expect(place.has('ran')).toBe(false)
  expect(result.permission_denials).toHaveLength(1)
})

test('S3: without an answer in time the tool does not run, and the failure is told', async () => {
  const place = hooked('PreToolUse', `echo '{"async":true,"asyncTimeout":50}'; sleep 1000`)
  const { messages } = await ask([touch, 'done'], { in: place, trust: true, allowedTools: ['Bash'] })
  expect(place.has('ran')).toBe(false)
  expect(JSON.stringify(messages)).toMatch(/gave no answer within (?:the )?50 ms/)
})

test('S3: in the compat profile the tool runs, as in Claude Code', async () => {
  const place = hooked('PreToolUse', later({ async: true, asyncTimeout: 60_000 }, BLOCK))
  const options = { in: place, trust: true, allowedTools: ['Bash'], profile: 'compat' } as const
  const { messages } = await ask([touch, 'done'], options)
  expect(place.has('ran')).toBe(true)
  expect(messages).toContainEqual(expect.objectContaining({ subtype: 'informational', tag: 'hook_failed_open' }))
})

test('S3: the late context of PostToolUse reaches the model before the turn ends', async () => {
  const place = hooked('PostToolUse', later({ async: true, asyncTimeout: 60_000 }, CONTEXT))
  const { sent, result } = await ask([touch, 'done', 'now it is'], { in: place, trust: true, allowedTools: ['Bash'] })
  expect(JSON.stringify(sent[2])).toContain('formatted two files')
  expect(result.result).toBe('now it is')
})

test('S3: an announcement without a limit does not hold up the end of a turn', async () => {
  const place = hooked('PostToolUse', `echo '{"async":true}'; until [ -e go ]; do sleep 0.01; done`)
  const { result } = await ask([touch, 'done'], {
    in: place,
    trust: true,
    allowedTools: ['Bash'],
    each: message => void (message.type === 'result' && place.write('go', ''))
  })
  expect(result.result).toBe('done')
})
