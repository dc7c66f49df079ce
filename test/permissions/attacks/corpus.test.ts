/** The corpus of shell commands against four rules that allow and three that refuse. */
import { afterAll, describe, expect, test } from 'vitest'
import { allowRule, denyRule } from '../permission-kit.ts'
import { corpus } from './corpus.ts'
import { attackStage } from './stage.ts'

const RULES = [
  ...['git *', 'grep *', 'echo *', 'cat *'].map(each => allowRule(`Bash(${each})`)),
  ...['Bash(rm *)', 'Read(./secrets/**)', 'Write(./.agent/**)'].map(each => denyRule(each))
]
const DECISIONS = { D: ['deny'], A: ['ask', 'deny'], OK: ['allow'] }

const stage = attackStage()
afterAll(() => stage.remove())

describe('each command is decided as listed', () => {
  test.each(corpus(stage.root))('%s %j', (expected, command) => {
    const { decision, by, reason } = stage.judge(command, RULES)
    expect(DECISIONS[expected], `${decision} by ${by}: ${reason}`).toContain(decision)
  })
})
