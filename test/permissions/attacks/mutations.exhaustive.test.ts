/** Mutations of denied and of harmful commands: quoted, split, wrapped, nested, encoded, repeated, with an environment. */
import { afterAll, expect, test } from 'vitest'
import { SEED, seeded } from '../../support/seed.ts'
import { allowRule, denyRule } from '../permission-kit.ts'
import { CLASSES } from './classes.ts'
import { corpus } from './corpus.ts'
import { attackStage } from './stage.ts'

const stage = attackStage()
afterAll(() => stage.remove())

type Mutation = (command: string) => string

const single = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** They leave it certain that the command runs. */
const CERTAIN: readonly Mutation[] = [
  command => `ls; ${command}`,
  command => `ls && ${command}`,
  command => `ls | ${command}`,
  command => `false || ${command}`,
  command => `ls\n${command}`,
  command => `${command}\nls`,
  command => `${command} && ls`,
  command => `${command} # ok`,
  command => `# ok\n${command}`,
  command => `  ${command}  `,
  command => `( ${command}\n)`,
  command => `{ ${command}\n}`,
  command => `! ${command}`,
  command => `if true; then ${command}\nfi`,
  command => `for i in 1; do ${command}\ndone`,
  command => `while true; do ${command}\ndone`,
  command => `f() { ${command}\n}; f`,
  command => `echo "$(${command}\n)"`,
  command => `echo <(${command}\n)`,
  command => `sh -c ${single(command)}`,
  command => `bash -c ${single(command)}`,
  command => `eval ${single(command)}`,
  command => `trap ${single(command)} EXIT`,
  command => `bash <<'E'\n${command}\nE`,
  command => `${command} & wait`,
  command => `${command} 2>&1`,
  command => `${command} > /dev/null`
]
const PREFIXES = [
  'env',
  'nohup',
  'timeout 5',
  'nice -n 5',
  'sudo',
  'command',
  'stdbuf -oL',
  'setsid',
  'time',
  'env A=1',
  'A=1',
  'LANG=C'
].map(
  (prefix): Mutation =>
    command =>
      `${prefix} ${command}`
)

/** The program in other spellings. */
const SPELLINGS: readonly Mutation[] = [
  program => `'${program}'`,
  program => `"${program}"`,
  program => `\\${program}`,
  program => `${program[0]}''${program.slice(1)}`,
  program => `${program[0]}""${program.slice(1)}`,
  program => `${program[0]}\\${program.slice(1)}`,
  program => `/bin/${program}`,
  program => `/usr/bin/../bin/${program}`,
  program => `$'${Array.from(program, letter => `\\x${letter.charCodeAt(0).toString(16)}`).join('')}'`,
  program => `$'${Array.from(program, letter => `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')}'`,
  program => program
]

const random = seeded(SEED)
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!

test('a denied program is refused in 10,000 mutations', { timeout: 600_000 }, () => {
  const rules = [allowRule('Bash'), denyRule('Bash(rm *)')]
  const missed: string[] = []
  for (let count = 0; count < 10_000; count++) {
    let command = `${pick(SPELLINGS)('rm')} ${pick(['x', '-rf x', '-- x', '"a b"', '-f -r x y'])}`
    for (let depth = Math.floor(random() * 3); depth > 0; depth--)
      command = pick(random() < 0.5 ? PREFIXES : CERTAIN)(command)
    // A keyword behind a wrapper is no keyword any more.
    if (
      /(?:env|nohup|timeout 5|nice -n 5|sudo|command|stdbuf -oL|setsid|A=1|LANG=C|time) +(?:[({!#]|if|for|while|f\(\)|ls|false|echo|trap|\w+ <<| )/.test(
        command
      )
    )
      continue
    if (stage.judge(command, rules, { mode: 'bypassPermissions' }).decision !== 'deny') missed.push(command)
  }
  expect(missed.slice(0, 20)).toEqual([])
})

test('no mutation of a harmful command is allowed, in 12,000', { timeout: 600_000 }, () => {
  const rulesOf = (texts: readonly string[]) =>
    texts.map(text => (text.startsWith('!') ? denyRule(text.slice(1)) : allowRule(text)))
  const seeds = [
    ...CLASSES.flatMap(({ rules, mode = 'default', commands, denied = [] }) =>
      [...commands, ...denied].map(command => ({
        command: command.replaceAll('ROOT', stage.root),
        rules: rulesOf(rules),
        mode
      }))
    ),
    ...corpus(stage.root)
      .filter(([expected, command]) => expected !== 'OK' && command.length < 1_000)
      .map(([, command]) => ({
        command,
        mode: 'default' as const,
        rules: rulesOf([
          'Bash(git *)',
          'Bash(grep *)',
          'Bash(echo *)',
          'Bash(cat *)',
          '!Bash(rm *)',
          '!Read(./secrets/**)',
          '!Write(./.agent/**)'
        ])
      }))
  ]
  const repeat: Mutation = command => command.replace(/ (-\S+)/, ' $1 $1')
  const quoteLast: Mutation = command => command.replace(/ ([\w./-]+)$/, ` '$1'`)
  const others = [...CERTAIN, ...PREFIXES.filter((_, index) => index !== 4), repeat, quoteLast]
  const allowed: string[] = []
  for (let count = 0; count < 12_000; count++) {
    const seed = pick(seeds)
    let { command } = seed
    for (let depth = 1 + Math.floor(random() * 2); depth > 0; depth--) command = pick(others)(command)
    if (stage.judge(command, seed.rules, { mode: seed.mode }).decision === 'allow') allowed.push(command)
  }
  expect(allowed.slice(0, 20)).toEqual([])
})
