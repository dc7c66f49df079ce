/** Sub-commands that fetch or run what the words behind them name, and options whose values are other than they seem. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { programRow } from '../../../src/lib/shell/row.ts'
import { FREE } from '../../../src/lib/shell/rows/free.ts'
import { allowRule } from '../permission-kit.ts'
import { onStage, runGit, writeProgram } from './stage.ts'

test.each([
  ['nx exec', 'nx exec -- rm x'],
  ['nx exec', 'nx exec rm x'],
  ['nx generate', 'nx generate @evil/x:y'],
  ['nx init', 'nx init x'],
  ['npx nx exec', 'npx nx exec -- rm x'],
  ['turbo', 'turbo gen'],
  ['turbo gen', 'turbo gen workspace'],
  ['turbo generate', 'turbo generate run x'],
  ['npm create', 'npm create evil'],
  ['npm create', 'npm create evil x'],
  ['npm init', 'npm init evil'],
  ['npm innit', 'npm innit evil'],
  ['npm explore', 'npm explore x -- rm y'],
  ['pnpm create', 'pnpm create evil'],
  ['yarn create', 'yarn create evil'],
  ['bun create', 'bun create evil'],
  ['bun x', 'bun x evil'],
  ['mytool', 'mytool exec npm publish'],
  ['mytool exec', 'mytool exec npm publish'],
  ['mytool exec --', 'mytool exec -- touch'],
  ['mytool dlx', 'mytool dlx evil'],
  ['mytool', 'mytool run sh'],
  ['mytool', 'mytool bash'],
  ['go', 'go list -json ../x'],
  ['go', 'go list /etc/x'],
  ['go', 'go doc ../x'],
  // The module is imported: antigravity opens a browser.
  ['python3', 'python3 -W error::antigravity.X f'],
  ['python3', 'python3 -Werror::antigravity.X f'],
  ['python3', 'python3 -X presite=antigravity f']
])('a rule for %s does not cover %j', (program, command) =>
  onStage(stage => {
    for (const name of ['nx', 'turbo']) writeProgram(`${stage.root}/node_modules/.bin/${name}`)
    expect(stage.judge(command, [allowRule(`Bash(${program} *)`)]).decision).not.toBe('allow')
  })
)

test.each([
  ['npm create vite', 'npm create vite app'],
  ['mytool exec pytest', 'mytool exec pytest tests'],
  ['nx', 'nx build app'],
  ['turbo', 'turbo build'],
  ['turbo', 'turbo run test lint'],
  ['mytool', 'mytool exec'],
  ['mytool', 'mytool generate'],
  ['go', 'go list -m all'],
  ['go', 'go list ./...'],
  ['go', 'go doc net/http.Client'],
  ['python3', 'python3 -W ignore::DeprecationWarning f'],
  ['python3', 'python3 -X importtime f']
])('a rule for %s covers %j', (program, command) =>
  onStage(stage => expect(stage.judge(command, [allowRule(`Bash(${program} *)`)]).reason).toBeUndefined())
)

// Otherwise git compares with the file behind it, which no row has looked at.
test.each(['-U', '--unified', '-w -U', '-sU'])('%s of git takes no word of its own as its value', option =>
  onStage(stage => {
    for (const mode of ['default', 'plan'] as const)
      expect(stage.judge(`git diff ${option} /etc/passwd f`, [], { mode }).decision).not.toBe('allow')
    expect(stage.judge(`git diff ${option} /etc/passwd f`, [allowRule('Bash(git *)')]).decision).not.toBe('allow')
    expect(stage.judge(`git diff -U5 --unified=5 f`, []).decision).toBe('allow')
  })
)

// At the end, they stand for HEAD.
const MAY_BE_LAST = /^--(?:points-at|(?:no-)?(?:contains|merged))$/

test.each(Object.keys(FREE).filter(name => name.startsWith('git ') && name !== 'git stash list'))(
  'options of %s that take a word as their value do not work without it',
  name =>
    onStage(({ root }) => {
      writeFileSync(join(root, 'a'), 'a')
      runGit(root, 'add', 'a')
      runGit(root, 'commit', '-qm', 'a')
      const worked = [...(programRow(name)?.options ?? [])]
        .filter(([option, { values }]) => values > 0 && !MAY_BE_LAST.test(option))
        .map(([option]) => option)
        .filter(option => spawnSync('git', [...name.split(' ').slice(1), option], { cwd: root }).status === 0)
      expect(worked).toEqual([])
    })
)
