/** Processes that all want the same file. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { locker, lockFolder } from './lock-kit.ts'

const RACERS = 8
const ROUNDS = 1_000

// FM41
test.skipIf(process.platform !== 'linux')('eight processes, a thousand rounds, one writer at a time', async () => {
  const path = lockFolder()
  const [file, shared] = [path('a.jsonl'), path('shared')]
  writeFileSync(shared, '')
  const racers = await Promise.all(Array.from({ length: RACERS }, () => locker()))
  const wins: number[] = []
  const told = new Set<unknown>()
  for (let round = 0; round < ROUNDS; round++) {
    leaveBehind(`${file}.lock`, round)
    const answers = await Promise.all(racers.map(racer => racer.ask({ order: 'race', file, shared, round })))
    wins.push(answers.filter(answer => 'won' in answer).length)
    for (const { holder } of answers) if (holder !== undefined) told.add((holder as { pid: number }).pid)
  }
  expect(wins.filter(count => count === 0)).toEqual([])
  expect(writersIn(readFileSync(shared, 'utf8'))).toEqual(wins)
  // Some lost; if the winner had no time to write its name, the holder is unknown.
  const known = new Set<unknown>([0, ...racers.map(({ pid }) => pid)])
  expect(told.size).toBeGreaterThan(0)
  expect([...told].filter(pid => !known.has(pid))).toEqual([])
})

/** How many wrote in each round, one after the other. */
function writersIn(text: string): readonly number[] {
  const lines = text.trimEnd().split('\n')
  const counts: number[] = []
  for (let at = 0; at < lines.length; at += 2) {
    const [begin, pid, round] = lines[at]!.split(' ')
    expect([begin, lines[at + 1]]).toEqual(['begin', `end ${pid} ${round}`])
    counts[Number(round)] = (counts[Number(round)] ?? 0) + 1
  }
  return counts
}

/** In most rounds the racers find the leftovers of a dead process, and all try to be the next. */
function leaveBehind(path: string, round: number): void {
  const device = statSync(dirname(path)).dev
  const host = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const claim = (id: string): string =>
    JSON.stringify({ id, host, name: 'here', pid: 1, since: '', device, socket: `.carabiner-${id}.sock` })
  const [first, second] = [1, 2].map(place => `${round}${place}`.padStart(16, '0')) as [string, string]
  if (round % 3 === 0) return
  writeFileSync(path, claim(first), { flag: 'wx' })
  if (round % 3 === 1) writeFileSync(`${path}.${first}`, claim(second), { flag: 'wx' })
}
