/** The guided tour: what it shows is what happened, and nothing of it is left. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect, test, vi } from 'vitest'
import { CLI, ended, cliStage, type CliStage } from '../support/cli-stage.ts'
import { HANG } from '../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const SCRIPT = fileURLToPath(new URL('../../scripts/demo.ts', import.meta.url))
const hasScript = spawnSync('script', ['-qec', 'test -t 1', '/dev/null']).status === 0
const ESC = '\u001B'

/** A stage whose folder for temporary files is its own. */
function tour(): CliStage & { readonly temp: Readonly<Record<string, string>>; left(): readonly string[] } {
  const scene = cliStage()
  const folder = scene.path('temp')
  mkdirSync(folder)
  return {
    ...scene,
    temp: { TMPDIR: folder },
    left: () => [...readdirSync(folder).filter(name => name.startsWith('carabiner-demo-')), ...processesIn(folder)]
  }
}

/** Who is still at work in a folder. */
function processesIn(folder: string): readonly string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter(pid => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
    } catch {
      return false
    }
  })
}

/** The parts of the tour, without their titles. */
const scenesOf = (text: string): readonly string[] => text.split(/^\d\. .*\n/m)

test('an agent reads and edits, is refused, rewritten, stopped by a broken hook, and sent back by a test', async () => {
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
  expect(crash).toMatch(/crashed +\.claude\/hooks\/scan\.mjs .*Error: .*\n +refused +by \.claude\/hooks\/scan\.mjs/)
  expect(crash).toContain('NOTES.md is not there')
  expect(stop).toMatch(/sent back .*tests-pass\.sh .*a test fails: discount\n.*Edit total\.mjs/)
  expect(stop).toMatch(/may stop .*tests-pass\.sh .*the tests pass\n/)
  expect(left()).toEqual([])
  expect(readdirSync(home)).toEqual([])
})

test('npm run demo is the same, and without a terminal it is plain text', async () => {
  const { env, temp, project, left } = tour()
  const plain = await ended(spawn(process.execPath, [SCRIPT], { cwd: project, env: { ...env, ...temp } }))
  expect([plain.code, plain.stderr]).toEqual([0, ''])
  expect(scenesOf(plain.stdout)).toHaveLength(6)
  expect(plain.stdout).not.toContain(ESC)
  expect(left()).toEqual([])
})

test.skipIf(!hasScript).each([100, 60])(
  'in a terminal of %i columns it has colours and keeps to them',
  async columns => {
    const { env, temp, project, left } = tour()
    const command = `stty cols ${columns}; exec '${process.execPath}' '${CLI}' demo`
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: project,
      env: { ...env, ...temp, TERM: 'xterm-256color' }
    })
    const { code, stdout } = await ended(child)
    expect(code).toBe(0)
    expect(stdout).toContain(`${ESC}[`)
    const lines = stdout.split(/\r?\n/).map(stripVTControlCharacters)
    expect(lines.filter(line => line.length > columns)).toEqual([])
    expect(left()).toEqual([])
  }
)

/** Waits until it has printed this. */
const prints = (child: ChildProcess, words: string): Promise<void> =>
  new Promise(resolve => {
    let text = ''
    child.stdout?.on('data', (piece: Buffer) => (text += String(piece)).includes(words) && resolve())
  })

test.each([
  ['SIGINT', 'Read total', 130],
  ['SIGINT', 'Bash rm draft', 130],
  ['SIGTERM', 'I am done', 143]
] as const)('%s after “%s” ends it, and leaves neither process nor file', async (signal, words, code) => {
  const { start, temp, left } = tour()
  const child = start(['demo'], { env: temp })
  const end = ended(child)
  await prints(child, words)
  child.kill(signal)
  expect((await end).code).toBe(code)
  await vi.waitUntil(() => left().length === 0, { timeout: HANG / 2, interval: 20 })
})
