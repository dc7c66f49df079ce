/** A search reads every file below a folder: a deny rule counts by the files that are there, however it names them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allowRule, denyRule } from '../permission-kit.ts'
import { attackStage, type Stage } from './stage.ts'

let stage: Stage
beforeAll(() => {
  stage = attackStage()
  for (const file of ['secrets/b.pem', 'a.pem', '.env.local']) writeFileSync(join(stage.root, file), 'x\n')
})
afterAll(() => stage.remove())

const IN_SECRETS = ["grep -r '' secrets", "cd secrets && grep -r ''", 'find secrets -type f -exec cat {} +']
const IN_ALL = [
  "grep -r '' .",
  "find . -name '*.pem' -type f -exec cat {} +",
  'rg -uu x',
  String.raw`find . -maxdepth 0 -exec rg x \;`
]
const RULED = ['cp -r secrets x', 'tar cf x.tar secrets', 'cat secrets/*']

describe.each<readonly [rule: string, commands: readonly string[]]>([
  ...['secrets/*.pem', 'secrets/**/*.pem', 'secrets/b*', '**/*.pem', '{x,*.pem}'].map(
    rule => [rule, [...IN_SECRETS, ...RULED]] as const
  ),
  ...['*.pem', '**/*.pem', '.env*', '{.env.local,a.pem}', '**/secrets/**', '**/secrets/k'].map(
    rule => [rule, IN_ALL] as const
  ),
  ...['./**/k', 's*/k', '[s]ecrets/**'].map(rule => [rule, IN_ALL] as const)
])('Read(%s)', (rule, commands) => {
  test.each(commands)('%s needs a prompt', command => {
    const rules = [
      denyRule(`Read(${rule})`),
      allowRule('Bash(cp *)'),
      allowRule('Bash(tar *)'),
      allowRule('Bash(cat *)')
    ]
    expect(stage.judge(command, rules).decision).not.toBe('allow')
  })

  test.each(commands)('%s needs a prompt, although a rule allows every command', command => {
    expect(stage.judge(command, [denyRule(`Read(${rule})`), allowRule('Bash')]).decision).not.toBe('allow')
  })

  test('a search elsewhere does not', () => {
    expect(stage.judge('grep -rn x src', [denyRule(`Read(${rule})`)]).decision).toBe('allow')
  })
})

test.each([
  ["rm -rf '~/victim'", 'rm -rf ~/victim'],
  ["rm -rf '$HOME/x'", 'rm -rf $HOME/x'],
  ["rm 'f?'", 'rm f?']
])('a rule for %s does not cover %s', (quoted, expanded) => {
  expect(stage.judge(quoted, [allowRule(`Bash(${quoted})`)]).decision).toBe('allow')
  for (const command of [expanded, `true; ${expanded}`, `true && ${expanded}`])
    expect(stage.judge(command, [allowRule(`Bash(${quoted})`)]).decision).not.toBe('allow')
})

test.each(['gofmt -w src', 'rustfmt src', "rimraf -g 'src/a*'", 'rm -r src'])(
  '%s changes files that a rule names',
  command => {
    const rules = ['gofmt', 'rustfmt', 'rimraf', 'rm'].map(name => allowRule(`Bash(${name} *)`))
    expect(stage.judge(command, rules).decision).toBe('allow')
    expect(stage.judge(command, [...rules, denyRule('Edit(src/a.ts)')]).decision).not.toBe('allow')
  }
)

test.each(['xxd f -p', 'xxd -ps f g'])('%s writes a file, and needs a prompt', command => {
  expect(stage.judge(command, []).decision).toBe('ask')
})
