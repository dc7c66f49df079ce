import type { Mode } from '../../../src/lib/permissions/modes.ts'
import type { Rule } from '../../../src/lib/permissions/policy.ts'
import { allowRule, denyRule } from '../permission-kit.ts'
import { CLASSES } from './classes.ts'
import { corpus } from './corpus.ts'

/** A command that must not be allowed under these rules. */
export interface Attack {
  readonly command: string
  readonly rules: readonly Rule[]
  readonly mode: Mode
  readonly mustDeny: boolean
  /** A rule allows every program, and only files are refused: what other code opens cannot be determined. */
  readonly isOpen: boolean
}

const ruleOf = (text: string): Rule => (text.startsWith('!') ? denyRule(text.slice(1)) : allowRule(text))

const CORPUS_RULES = [
  ...['git *', 'grep *', 'echo *', 'cat *'].map(each => `Bash(${each})`),
  ...['!Bash(rm *)', '!Read(./secrets/**)', '!Write(./.agent/**)']
].map(ruleOf)

/** Characters that no shell reads as blanks, and texts without an end: they have no effect that could be kept. */
const isBroken = (command: string): boolean => /[^\n\t\x20-\x7E]/.test(command) || /"status$|<<E\nx$/.test(command)

/** All commands of the corpus and of the classes that must not be allowed. */
export const seedAttacks = (root: string): readonly Attack[] => [
  ...corpus(root).flatMap(([expected, command]) =>
    expected === 'OK' || isBroken(command) || command.length > 1000
      ? []
      : [{ command, rules: CORPUS_RULES, mode: 'default' as const, mustDeny: expected === 'D', isOpen: false }]
  ),
  ...CLASSES.flatMap(({ rules, mode = 'default', commands, denied = [] }) =>
    [
      ...commands.map(command => ({ command, mustDeny: false })),
      ...denied.map(command => ({ command, mustDeny: true }))
    ].map(({ command, mustDeny }) => ({
      command: command.replaceAll('ROOT', root),
      rules: rules.map(ruleOf),
      mode,
      mustDeny,
      isOpen: rules.includes('Bash') && !rules.some(rule => rule.startsWith('!Bash'))
    }))
  )
]
