/** Each attack in many other spellings: none may be allowed, and what was refused is refused in each that can be read. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { SEED, seeded } from '../../support/seed.ts'
import { allowRule } from '../permission-kit.ts'
import { seedAttacks, type Attack } from './seed-attacks.ts'
import { isPlain, MUTATIONS, type Spelling } from './mutations.ts'
import { ORDINARY_RULES } from './ordinary-rules.ts'
import { attackStage } from './stage.ts'

const stage = attackStage()
afterAll(() => stage.remove())

const ORDINARY = ORDINARY_RULES.map(each => allowRule(each))
const ATTACKS = seedAttacks(stage.root)
const random = seeded(SEED)
const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!

const fits = ({ of, isCarried }: Spelling, command: string, isOpen: boolean): boolean =>
  (of === 'text' || isPlain(command)) && !(isOpen && isCarried === true)
const fitting = (command: string, isOpen = false): readonly Spelling[] =>
  MUTATIONS.filter(mutation => fits(mutation, command, isOpen))

/** What is wrong with the decision, if anything. */
function wrongs({ rules, mode, mustDeny }: Attack, command: string, isStatic: boolean): readonly string[] {
  const denied = stage.judge(command, [...ORDINARY, ...rules], { mode }).decision
  if (denied === 'allow') return [`allowed: ${JSON.stringify(command)}`]
  return mustDeny && isStatic && denied !== 'deny' ? [`not refused: ${JSON.stringify(command)}`] : []
}

let judged = 0

describe('each attack, written in another way', () => {
  test.each(MUTATIONS)('$title', mutation => {
    const found = ATTACKS.flatMap(attack => {
      if (!fits(mutation, attack.command, attack.isOpen)) return []
      judged++
      return wrongs(attack, mutation.apply(attack.command), mutation.isStatic)
    })
    expect(found).toEqual([])
  })

  test('two or three ways at once', () => {
    const found = Array.from({ length: 20_000 }, () => {
      const attack = oneOf(ATTACKS)
      let { command } = attack
      let isStatic = true
      for (let left = 2 + Math.floor(random() * 2); left > 0; left--) {
        const mutation = oneOf(fitting(command, attack.isOpen))
        command = mutation.apply(command)
        isStatic &&= mutation.isStatic
      }
      judged++
      return wrongs(attack, command, isStatic)
    })
    expect(found.flat()).toEqual([])
  })

  test('there are many', () => {
    console.log(`${judged} commands from ${ATTACKS.length} attacks in ${MUTATIONS.length} ways`)
    expect(judged).toBeGreaterThanOrEqual(20_000)
  })
})

const installed = (program: string): boolean => {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs it, and says whether it left the file. */
function leavesFile(command: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-'))
  try {
    execFileSync('bash', ['--noprofile', '--norc', '-c', command], {
      cwd: folder,
      // They are closed when everything that it started has ended.
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 20_000,
      env: { PATH: process.env['PATH'], HOME: folder }
    })
  } catch {
    // The effect counts, not how it ended.
  }
  const isThere = existsSync(join(folder, 'p'))
  rmSync(folder, { recursive: true })
  return isThere
}

describe('each way keeps the effect: it is run, and leaves the file', () => {
  const able = MUTATIONS.filter(({ needs }) => needs === undefined || installed(needs))
  test.each(able)('$title', mutation => {
    expect(leavesFile(mutation.apply('touch p')), mutation.apply('touch p')).toBe(true)
    if (mutation.of === 'text')
      expect(leavesFile(mutation.apply('x="a  b"; [ "$x" = \'a  b\' ] && touch p')), mutation.title).toBe(true)
  })
})
