/** The guided tour: what it shows is what happened, and nothing of it is left. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect, test, vi } from 'vitest'
import { demoPicture } from '../../../scripts/print-demo.ts'
import { CLI } from '../../support/built-package.ts'
import { ended } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { endsBy, untilPrinted, tour } from './demo-kit.ts'

vi.setConfig({ testTimeout: HANG })

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))
const hasScript = spawnSync('script', ['-qec', 'test -t 1', '/dev/null']).status === 0
const ESC = '\u001B'

/** The parts of the tour, without their titles. */
const scenesOf = (text: string): readonly string[] => text.split(/^\d\. .*\n/m)

test('an agent is refused, rewritten, stopped by a broken hook, sent back by a test, killed, and resumed', async () => {
  const { run, temp, left, home } = tour()
  const { code, stdout, stderr } = await run(['demo'], { env: temp })
  expect([code, stderr]).toEqual([0, ''])
  const [, edits, gate, rewrite, crash, stop] = scenesOf(stdout)
  expect(edits).toMatch(/Read total\.mjs\n +allowed +by reading-is-fine\n.*Edit total\.mjs: “so - price” becomes/)
  expect(gate).toMatch(/Bash rm -rf build\n +refused +by no-rm-rf: .*\n +on disk +build\/report\.txt is there/)
  expect(rewrite).toMatch(
    /Bash rm draft\.txt\n +becomes +Bash mv draft\.txt \.trash\/\n +allowed +by \.claude\/hooks\/tr/
  )
  expect(rewrite).toContain('draft.txt is not there, .trash/draft.txt is there')
  expect(crash).toMatch(/crashed +\.claude\/hooks\/scan\.mjs.*Error: .*\n +refused +by \.claude\/hooks\/scan\.mjs/)
  expect(crash).toContain('NOTES.md is not there')
  expect(stop).toMatch(/sent back .*tests-pass\.sh.*a test fails: discount\n.*Edit total\.mjs/)
  expect(stop).toMatch(/may stop .*tests-pass\.sh.*the tests pass\n/)
  const [, before = '', after = ''] =
    /^6\. .*\n +starts +process \d+: carabiner run -p "(.*?)^ +killed +process \d+ by SIGKILL(.*?)^Try next/ms.exec(
      stdout
    ) ?? []
  const [first, killed, second] = stdout.match(/(?<=process )\d+/g) ?? []
  expect(killed).toBe(first)
  expect(second).not.toBe(first)
  const calls = (text: string): readonly string[] => text.match(/(?<=agent calls {2}Bash ).*/g) ?? []
  expect(calls(before)).toEqual(['./send.sh invoice-1', './send.sh invoice-2'])
  expect(calls(after)).toEqual(['cat outbox.txt', './send.sh invoice-3'])
  expect(after).toMatch(/carabiner run -p --resume .*\n +agent reads +“Interrupted while running;/)
  expect(after).toContain('outbox.txt: invoice-1 once, invoice-2 once, invoice-3 once\n')
  expect(after).toMatch(/verified +the transcript is whole/)
  expect(left()).toEqual([])
  expect(readdirSync(home)).toEqual([])
})

/** The commands below “Try next”, as lists of arguments. */
const nextSteps = (text: string, program: string): readonly (readonly string[])[] =>
  text
    .slice(text.indexOf('Try next'))
    .split('\n')
    .flatMap(line => (line.startsWith(`  ${program} `) ? [line.slice(program.length + 3).split(' ')] : []))

test('npm run demo is the same as plain text, and the three commands it ends with work', async () => {
  const { env, temp, home, left, run, project } = tour()
  const npm = spawn('npm', ['run', '--silent', 'demo'], { cwd: REPOSITORY, env: { ...env, ...temp, HOME: home } })
  const plain = await ended(npm)
  expect(plain.code).toBe(0)
  expect(scenesOf(plain.stdout)).toHaveLength(7)
  expect(plain.stdout).not.toContain(ESC)
  expect(plain.stdout.split('\n').filter(line => line.length > 80)).toEqual([])
  expect(left()).toEqual([])
  const steps = nextSteps(plain.stdout, 'npm run -s carabiner --')
  expect(steps).toHaveLength(3)
  for (const step of steps) {
    const { code, stderr } = await run(step.map(word => (word === '../your-project' ? project : word)))
    expect([step, code, stderr]).toEqual([step, 0, ''])
  }
})

const inTerminal = (columns: number, env: Readonly<Record<string, string>>, cwd: string): ChildProcess =>
  spawn('script', ['-qec', `stty cols ${columns}; exec '${process.execPath}' '${CLI}' demo`, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color' }
  })

test.skipIf(!hasScript).each([
  [120, 'with colours', {}],
  [60, 'without colours', { NO_COLOR: '1' }]
] as const)('in a terminal of %i columns it keeps to them, %s', async (columns, colours, more) => {
  const { env, temp, project, left } = tour()
  const { code, stdout } = await ended(inTerminal(columns, { ...env, ...temp, ...more }, project))
  expect(code).toBe(0)
  expect(stdout.includes(ESC)).toBe(colours === 'with colours')
  const lines = stdout.split(/\r?\n/).map(stripVTControlCharacters)
  // Commands stay on one line, so that they can be copied.
  const text = lines.filter(line => !line.startsWith('  npx carabiner '))
  expect(lines).toHaveLength(text.length + 3)
  expect(text.filter(line => line.length > columns || line.endsWith(' '))).toEqual([])
  expect(left()).toEqual([])
})

test('docs/demo.svg is a picture of this: run `npm run docs`', () => {
  const committed = readFileSync(join(REPOSITORY, 'docs/demo.svg'), 'utf8')
  expect(committed).toBe(demoPicture())
  expect(committed.length).toBeLessThan(60_000)
  expect(committed).not.toMatch(/@import|@font-face|url\(|<image|<script/)
})

// The other scenes are in demo.exhaustive.test.ts.
test.each([
  ['SIGTERM', 'Read total', 143],
  ['SIGINT', './send.sh invoice-1', 130]
] as const)('%s after “%s” ends it, and leaves neither process nor file', endsBy)

test.skipIf(!hasScript)('Ctrl-C in a terminal reaches the agent as well, and nothing is left', async () => {
  const { env, temp, project, left } = tour()
  const child = inTerminal(80, { ...env, ...temp }, project)
  const end = new Promise<number | null>(resolve => child.once('close', resolve))
  await untilPrinted(child, './send.sh invoice-2')
  child.stdin?.write('\u0003')
  expect(await end).toBe(130)
  await vi.waitUntil(() => left().length === 0, { timeout: HANG / 2, interval: 20 })
})
