/** Processes that all want the same file. */
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { locker, scene, WAYS } from './lock-kit.ts'

vi.setConfig({ testTimeout: 120_000 })

const RACERS = 8
const ROUNDS = 1_000

// FM41
test.each(WAYS)('by %s: eight processes, a thousand rounds, one writer at a time', async way => {
  const path = scene()
  const [file, shared] = [path('a.jsonl'), path('shared')]
  writeFileSync(shared, '')
  const racers = await Promise.all(Array.from({ length: RACERS }, locker))
  const wins: number[] = []
  const told = new Set<unknown>()
  for (let round = 0; round < ROUNDS; round++) {
    if (way === 'file') leaveBehind(`${file}.lock`, round)
    const answers = await Promise.all(racers.map(racer => racer.ask({ order: 'race', way, file, shared, round })))
    wins.push(answers.filter(answer => 'won' in answer).length)
    for (const { holder } of answers) if (holder !== undefined) told.add((holder as { pid: number }).pid)
  }
  expect(wins.filter(count => count === 0)).toEqual([])
  expect(writersIn(readFileSync(shared, 'utf8'))).toEqual(wins)
  // Some lost; and where the winner had no time to say who it is, nobody knows.
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

/** In most rounds the racers find what is left of somebody who is gone, and all want to be the next. */
function leaveBehind(path: string, round: number): void {
  const claim = { id: randomUUID(), pid: process.pid, start: 1, since: '2026-01-01T00:00:00.000Z' }
  const line = `#\n${JSON.stringify(claim)}\n`
  const left = [undefined, line, '', line.slice(0, 40), line.repeat(20)][round % 5]
  if (left !== undefined) writeFileSync(path, left, { flag: 'wx' })
}
