/** `carabiner sessions repair`: a whole file in the place of one with gaps, and no byte is lost. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { gate, ownTool, words } from '../../support/agent-scene.ts'
import { desk, overwrite, type Desk } from './sessions-kit.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

/** A session in which one line is damaged, and the last is torn. */
async function damaged(): Promise<Desk> {
  const at = desk()
  await at.agent('s', ['First.'], { prompt: 'a' })
  await at.agent('s', ['Second.'], { prompt: 'b' })
  overwrite(at.file('s'), bytes => Buffer.from(`${bytes.toString().replace('First.', 'Worst.')}{"seq":9,"ty`))
  return at
}

const beside = (path: string): readonly string[] => readdirSync(dirname(path)).filter(name => !name.endsWith('.jsonl'))

test('what verifies is kept, what does not is named, and the original stays', async () => {
  const at = await damaged()
  const before = readFileSync(at.file('s'))
  const { code, stdout } = await at.run(['sessions', 'repair', 's'])
  expect(code).toBe(0)
  expect(stdout).toContain('3 entries are kept; left out:')
  expect(stdout).toMatch(/damaged at byte \d+ \(\d+ bytes\)\n {2}entry 2 is missing before byte \d+\n {2}torn at byte/)
  const [bak, ...more] = beside(at.file('s'))
  expect([bak, more]).toEqual([expect.stringMatching(/^s\.jsonl\.\d{8}T\d{9}Z\.bak$/), []])
  expect(readFileSync(join(dirname(at.file('s')), bak!))).toEqual(before)
  expect((await at.run(['sessions', 'verify', 's'])).code).toBe(0)
  expect(at.lines('s').map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  expect(at.lines('s').at(-1)).toMatchObject({
    type: 'system',
    subtype: 'repaired',
    original: bak,
    sessionId: 's',
    leftOut: [{ why: 'damaged' }, { why: 'missing', seqs: [2, 2] }, { why: 'torn' }]
  })
  expect((await at.run(['sessions', 'show', 's'])).stdout).toContain('── repaired: 3 places were left out')
  // And it continues.
  const { sent } = await at.agent('s', ['Third.'], { prompt: 'c' })
  expect(sent[0]!.map(words)).toEqual(['a', 'b', 'Second.', 'c'])
  expect((await at.run(['sessions', 'verify', 's'])).code).toBe(0)
})

test('--dry-run only says so', async () => {
  const at = await damaged()
  const before = readFileSync(at.file('s'))
  const { code, stdout } = await at.run(['sessions', 'repair', 's', '--dry-run'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('3 entries would be kept')])
  expect(stdout).toContain('nothing was changed')
  expect([readFileSync(at.file('s')), beside(at.file('s'))]).toEqual([before, []])
  expect(await at.json(['sessions', 'repair', 's', '--dry-run'])).toMatchObject({
    dryRun: true,
    files: [{ path: at.file('s'), entries: 3, leftOut: [{}, {}, {}] }]
  })
})

test('where there is nothing to repair, nothing is changed', async () => {
  const at = desk()
  await at.agent('s', ['First.'])
  const before = readFileSync(at.file('s'))
  const { code, stdout } = await at.run(['sessions', 'repair', 's'])
  expect([code, stdout]).toEqual([0, 'there is nothing to repair; nothing was changed\n'])
  expect([readFileSync(at.file('s')), beside(at.file('s'))]).toEqual([before, []])
})

// FM41
test('refused while the session is running, with who has it and what it does', async () => {
  const at = await damaged()
  const [begun, end] = [gate(), gate()]
  const work = ownTool('work', async () => {
    begun.open()
    await end.opened
    return 'done'
  })
  const running = at.agent('s', [{ calls: [{ name: 'work', input: {} }] }, 'Done.'], {
    tools: [work],
    allowedTools: ['work']
  })
  await begun.opened
  const { code, stderr } = await at.run(['sessions', 'repair', 's'])
  end.open()
  await running
  expect([code, stderr]).toEqual([4, expect.stringMatching(/session s is running: process \d+ .*running work/)])
  expect(beside(at.file('s'))).toEqual([])
})

test('what another program wrote is not touched, nor what holds nothing of ours', async () => {
  const at = desk()
  at.write('project/theirs.jsonl', '{"type":"user","uuid":"u"}\n{"torn')
  at.write('project/zeros.jsonl', '\0'.repeat(1000))
  for (const [name, why] of [
    ['theirs', 'another program wrote it'],
    ['zeros', 'nothing in it is an entry of ours']
  ] as const) {
    const { code, stderr } = await at.run(['sessions', 'repair', `${name}.jsonl`])
    expect([code, stderr]).toEqual([4, expect.stringContaining(why)])
  }
  expect(at.read('project/zeros.jsonl')).toBe('\0'.repeat(1000))
})

test('subagents, too', async () => {
  const at = desk()
  const input = { description: 'Look', prompt: 'Look around', subagent_type: 'general-purpose' }
  await at.agent('s', [{ calls: [{ name: 'Agent', input }] }, 'I looked.', 'Good.'])
  const { agents } = await at.json<{ agents: readonly string[] }>(['sessions', 'show', 's'])
  const path = at.file('s', agents[0])
  overwrite(path, bytes => Buffer.from(bytes.toString().replace('I looked.', 'I walked.')))
  expect(await at.json(['sessions', 'repair', 's'])).toMatchObject({ files: [{ path, leftOut: [{ why: 'damaged' }] }] })
  expect((await at.run(['sessions', 'verify', 's'])).code).toBe(0)
})
