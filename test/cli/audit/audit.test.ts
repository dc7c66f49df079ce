/** `carabiner audit`: whether what was written is what is there, and a list of what was decided. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { signaturesIn, projectKeyOf } from '../../../src/lib/query/session-choice.ts'
import { seal } from '../../../src/lib/transcript/seal.ts'
import { verifyChain, type ChainReport } from '../../../src/lib/transcript/verify-chain.ts'
import type { Rec } from '../../../src/lib/transcript/entry.ts'
import { deny, HookRegistry } from '../../../src/index.ts'
import * as fc from '../../support/fast-check.ts'
import { bashTurn, callTurn, ownTool } from '../../support/agent-scene.ts'
import { repetitions } from '../../support/seed.ts'
import { HANG } from '../../support/waiting.ts'
import { desk, overwrite, type Desk } from '../sessions/sessions-kit.ts'

vi.setConfig({ testTimeout: HANG })

const work = ownTool('work', () => 'done')
const turns = [callTurn('work'), 'Done.']

/** Two prompts, a call each. */
async function made(): Promise<Desk> {
  const at = desk()
  for (const prompt of ['a', 'b']) await at.agent('s', turns, { prompt, tools: [work], allowedTools: ['work'] })
  return at
}

const audit = (at: Desk) => join(at.home, '.carabiner', 'audit')

const verdict = async (at: Desk, ...args: readonly string[]) => {
  const { code, stdout } = await at.run(['audit', 'verify', ...args])
  return { code, stdout }
}

const check = (at: Desk, id = 's'): ChainReport =>
  verifyChain(
    at.file(id),
    { projectKey: projectKeyOf(at.project), sessionId: id },
    signaturesIn(join(at.home, '.carabiner'))
  )!

test('what was written is signed; the key is for its user alone', async () => {
  const at = await made()
  expect(await verdict(at, 's')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^✓ s\n {2}\d+ entries, signed, and not changed since\n$/)
  })
  expect(statSync(join(audit(at), 'key')).mode & 0o777).toBe(0o600)
  expect(await at.json(['audit', 'verify', '--all'])).toMatchObject({
    ok: true,
    files: [{ id: 's', verdict: 'signed' }]
  })
})

test('flipped, dropped, swapped, added, repeated or cut: every change of a line is found', async () => {
  const at = await made()
  const whole = readFileSync(at.file('s'))
  const lines = whole.toString('latin1').trimEnd().split('\n')
  const place = fc.nat({ max: lines.length - 1 })
  const forged = (line: string): string =>
    seal({ ...(JSON.parse(line) as Rec), cwd: '/forged' }, (JSON.parse(line) as { seq: number }).seq)
      .toString()
      .trimEnd()
  const keepMac = (line: string): string => {
    const { mac, seq, ...rest } = JSON.parse(line) as Rec
    return seal({ ...rest, cwd: '/forged', type: 'system' } as Rec, Number(seq))
      .toString()
      .replace(/,"crc":"\w+"\}\n$/, `,"mac":"${String(mac)}"}`)
  }
  const changes = fc.oneof(
    fc.tuple(place, fc.nat(), fc.integer({ min: 1, max: 255 })).map(([n, at_, mask]) => {
      const bytes = Buffer.from(lines[n]!, 'latin1')
      const where = at_ % bytes.length
      bytes[where] = bytes[where]! ^ mask
      return lines.with(n, bytes.toString('latin1'))
    }),
    place.map(n => lines.toSpliced(n, 1)),
    place.map(n => lines.slice(0, n)),
    place.map(n => lines.with(n, forged(lines[n]!))),
    place.map(n => lines.with(n, keepMac(lines[n]!))),
    place.map(n => lines.toSpliced(n, 0, lines[n]!)),
    place.map(n => [...lines, forged(lines[n]!.replace(/"seq":\d+/, `"seq":${lines.length + 1}`))]),
    fc.string({ minLength: 1 }).map(text => [...lines, JSON.stringify(text)]),
    fc
      .tuple(place, place)
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => lines.with(a, lines[b]!).with(b, lines[a]!))
  )
  fc.assert(
    fc.property(changes, changed => {
      writeFileSync(at.file('s'), Buffer.from(changed.length === 0 ? '' : `${changed.join('\n')}\n`, 'latin1'))
      const { verdict: found } = check(at)
      return found === 'changed'
    }),
    { numRuns: repetitions(1_000) }
  )
  writeFileSync(at.file('s'), whole)
  expect(check(at).verdict).toBe('signed')
})

test('a crash is not taken for a change: any end that was not acknowledged may be torn', async () => {
  const at = await made()
  const whole = readFileSync(at.file('s'))
  const head = join(audit(at), 'heads', projectKeyOf(at.project), 's.head')
  // As if the last group of lines had been written, and not been acknowledged.
  const before = Buffer.from(readFileSync(head))
  await at.agent('s', turns, { prompt: 'c', tools: [work], allowedTools: ['work'] })
  const longer = readFileSync(at.file('s'))
  writeFileSync(head, before)
  for (let end = whole.length; end <= longer.length; end += 7) {
    writeFileSync(at.file('s'), longer.subarray(0, end))
    expect([end, check(at).verdict, check(at).problems]).toEqual([end, 'signed', []])
  }
  // The next run continues behind the torn line.
  writeFileSync(at.file('s'), longer.subarray(0, whole.length + 40))
  await at.agent('s', turns, { prompt: 'd', tools: [work], allowedTools: ['work'] })
  expect(check(at)).toMatchObject({ verdict: 'signed', problems: [], notes: [expect.stringContaining('as a crash')] })
})

test('an end that was cut off stays known after the session has gone on', async () => {
  const at = await made()
  overwrite(at.file('s'), bytes => bytes.subarray(0, bytes.lastIndexOf('\n', -2) + 1))
  await at.agent('s', turns, { prompt: 'c', tools: [work], allowedTools: ['work'] })
  expect(check(at)).toMatchObject({ verdict: 'changed', problems: [expect.stringContaining('does not follow')] })
})

describe('what cannot be checked is said', () => {
  test('a log of 0.1.0, and what is added to it', async () => {
    const at = await made()
    overwrite(at.file('s'), bytes =>
      Buffer.concat(
        bytes
          .toString()
          .trimEnd()
          .split('\n')
          .map((line, index) => seal(JSON.parse(line) as Rec, index + 1))
      )
    )
    rmSync(audit(at), { recursive: true })
    expect(await verdict(at, 's')).toEqual({ code: 0, stdout: expect.stringContaining('sealed, not signed') })
    await at.agent('s', turns, { prompt: 'c', tools: [work], allowedTools: ['work'] })
    expect(check(at)).toMatchObject({ verdict: 'signed', notes: [expect.stringContaining('have checksums only')] })
  })

  test('signatures that were removed', async () => {
    const at = await made()
    overwrite(at.file('s'), bytes =>
      Buffer.concat(
        bytes
          .toString()
          .trimEnd()
          .split('\n')
          .map((line, index) => seal(JSON.parse(line) as Rec, index + 1))
      )
    )
    expect(check(at)).toMatchObject({ verdict: 'changed' })
  })

  test('a key that was lost, and one that was made since', async () => {
    const at = await made()
    rmSync(join(audit(at), 'key'))
    expect(await verdict(at, 's')).toEqual({ code: 1, stdout: expect.stringContaining('it cannot be checked') })
    await at.agent('s', turns, { prompt: 'c', tools: [work], allowedTools: ['work'] })
    expect(check(at)).toMatchObject({ verdict: 'unchecked', problems: [] })
  })

  test('a head that was removed', async () => {
    const at = await made()
    rmSync(join(audit(at), 'heads'), { recursive: true })
    expect(check(at)).toMatchObject({ verdict: 'unchecked', notes: [expect.stringContaining('it has no head')] })
  })

  test('a copy elsewhere: all but its end', async () => {
    const at = await made()
    const copy = join(dirname(at.home), 'copy.jsonl')
    cpSync(at.file('s'), copy)
    const { code, stdout } = await verdict(at, copy)
    expect([code, stdout]).toEqual([0, expect.stringContaining('its end cannot be checked')])
  })
})

test('a session that is gone is missed', async () => {
  const at = await made()
  renameSync(at.file('s'), `${at.file('s')}.away`)
  expect(await verdict(at, '--all')).toEqual({ code: 1, stdout: expect.stringContaining('the file is gone') })
})

test('a repaired session says so', async () => {
  const at = await made()
  overwrite(at.file('s'), bytes => Buffer.concat([bytes.subarray(0, 100), bytes.subarray(120)]))
  expect(check(at).verdict).toBe('changed')
  await at.run(['sessions', 'repair', 's'])
  expect(check(at)).toMatchObject({ verdict: 'unsigned', notes: [expect.stringContaining('repaired')] })
  expect(existsSync(at.file('s'))).toBe(true)
})

test('calls are listed, and filtered', async () => {
  const at = desk()
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'Bash', () => deny('no'), { name: 'gate' })
  const asking = { watch: false, hooks, tools: ['Bash', work], allowedTools: ['work'] }
  await at.agent('s', [bashTurn('touch x'), callTurn('work'), 'Done.'], asking)
  const shown = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await at.run(['audit', 'show', '--json', ...args])
    const lines = stdout.split('\n').filter(line => line !== '')
    return lines.map(line => (JSON.parse(line) as { tool: string }).tool)
  }
  expect(await shown()).toEqual(['Bash', 'work'])
  expect(await shown('--decision', 'deny')).toEqual(['Bash'])
  expect(await shown('--tool', 'work')).toEqual(['work'])
  expect(await shown('--hook', 'gate')).toEqual(['Bash'])
  expect(await shown('--agent', 'main')).toEqual(['Bash', 'work'])
  expect(await shown('--since', '2100-01-01')).toEqual([])
  expect(await shown('s', '--until', '2100-01-01')).toEqual(['Bash', 'work'])
  const { stdout } = await at.run(['audit', 'show'])
  expect(stdout).toMatch(/Z {2}Bash {2}deny {2}toolu_1 {2}hook gate, refused/)
})
