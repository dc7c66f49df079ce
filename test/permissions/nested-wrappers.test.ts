/** A command behind others that run it: the whole is never judged less strictly than the command, or than any part. */
import { afterAll, expect, test } from 'vitest'
import { judgeLeaves } from '../../src/lib/permissions/allow-command.ts'
import { isThere, resolvePath } from '../../src/lib/world/files/paths.ts'
import { SEED, seeded } from '../support/seed.ts'
import { attackStage } from './attacks/stage.ts'
import { allowRule, denyRule } from './permission-kit.ts'

const stage = attackStage()
afterAll(() => stage.remove())

const random = seeded(SEED)
const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!

const WRAPPERS = ['env', 'env A=1', 'timeout 20', 'timeout -k 1 20', 'nice', 'nice -n 5', 'nohup', 'command']
const MORE = ['stdbuf -oL', 'setsid -w', 'ionice -c 3', 'sudo', 'doas', 'strace -f', 'xargs', 'busybox', 'exec']
const INNER = [
  'cat secrets/k',
  'rm x',
  'ls -R secrets',
  'grep k secrets/k',
  'cat f',
  'echo x',
  'cat linkdir/k',
  'foo f'
]
const STRICTNESS = ['allow', 'ask', 'deny']
const RULES = [
  ...[...WRAPPERS, ...MORE].map(each => allowRule(`Bash(${each.split(' ')[0]} *)`)),
  ...['cat *', 'echo *', 'grep *', 'ls *', 'rm *', 'foo *'].map(each => allowRule(`Bash(${each})`)),
  denyRule('Read(secrets/**)'),
  denyRule('Bash(rm *)')
]
const strictness = (command: string): number => STRICTNESS.indexOf(stage.judge(command, RULES).decision)

test('up to twelve deep', () => {
  const looser = Array.from({ length: 500 }, () => {
    const depth = 1 + Math.floor(random() * 12)
    const inner = oneOf(INNER)
    const around = Array.from({ length: depth }, () => oneOf(random() < 0.8 ? WRAPPERS : MORE))
    const command = [...around, inner].join(' ')
    const call = { tool: 'Bash', input: { command }, subject: undefined, readOnly: false, cwd: stage.root }
    const policy = { rules: RULES, mode: 'default', roots: [stage.root] } as const
    const parts = judgeLeaves(command, { ...call, real: resolvePath, has: isThere }, policy).map(({ text }) => text)
    const whole = strictness(command)
    return [inner, ...parts].filter(part => strictness(part) > whole).map(part => `${command}: ${part}`)
  })
  expect(looser.flat()).toEqual([])
})
