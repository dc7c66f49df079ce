/** `npm run bench:check`: the comparison, and the command in a small repository whose benches print fixed results. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { changeOf, compareRuns, conclusion, verdictOf } from '../../bench/compare.ts'
import { ratioOf, type Report } from '../../bench/report.ts'
import { gone, POLL } from '../support/waiting.ts'

const report = (
  ratios: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>> = {},
  error = 0.01
): Report => ({
  about: '',
  tables: [],
  scenes: [
    ...Object.entries(ratios).map(([scene, ratio]) => ({ scene, dist: 'carabiner', ratio, of: 'peer', error })),
    ...Object.entries(other).map(([scene, ratio]) => ({ scene, dist: 'other', ratio, of: 'peer', error: 0 }))
  ]
})

describe('the comparison', () => {
  const verdicts = (measured: readonly number[], expected: number): string => {
    const reports = measured.map(ratio => report({ a: ratio }))
    return compareRuns('turns', reports, 'carabiner', { ratios: { a: expected } })
      .map(verdictOf)
      .join()
  }

  test('worse beyond 15 %, better beyond 15 %, and the same between', () => {
    expect(verdicts([1.16], 1)).toBe('worse')
    expect(verdicts([1.14], 1)).toBe('same')
    expect(verdicts([0.86], 1)).toBe('same')
    expect(verdicts([0.84], 1)).toBe('better')
  })

  test('the median of all runs counts, not the worst', () => {
    expect(verdicts([2, 1, 1.1], 1)).toBe('same')
    expect(verdicts([2, 1, 1.2], 1)).toBe('worse')
  })

  test('where the rounds differ more than the change, nothing can be told, and nothing fails', () => {
    const found = (error: number, runs: number) =>
      compareRuns(
        'turns',
        Array.from({ length: runs }, () => report({ a: 1.3 }, {}, error)),
        'carabiner',
        { ratios: { a: 1 } }
      )
    expect(found(0.2, 1).map(verdictOf)).toEqual(['unsure'])
    expect(found(0.2, 3).map(verdictOf)).toEqual(['worse'])
    expect(conclusion(found(0.2, 1), undefined).join('\n')).toContain(
      'Rounds differ too much to tell: turns, "a"; repeat on a quieter machine.'
    )
  })

  test('a difference of almost nothing is none, however small the ratio is', () => {
    expect(verdicts([0.03], 0.015)).toBe('same')
    expect(verdicts([0.05], 0.015)).toBe('worse')
    expect(verdicts([-0.01], 0)).toBe('same')
  })

  test('another build is compared within each run, so that a slow run slows both', () => {
    const reports = [report({ a: 1 }, { a: 1 }), report({ a: 3 }, { a: 2.9 }), report({ a: 1.1 }, { a: 1 })]
    const [comparison] = compareRuns('turns', reports, 'carabiner', { dist: 'other' })
    expect([changeOf(comparison!), verdictOf(comparison!)]).toEqual([expect.closeTo(0.034, 3), 'same'])
  })

  test('a scene that is not expected, and one that is not measured, are reported; the second fails', () => {
    const found = compareRuns('turns', [report({ a: 1 })], 'carabiner', { ratios: { b: 1 } })
    expect(found.map(verdictOf)).toEqual(['new', 'gone'])
    const words = conclusion(found, undefined).join('\n')
    expect(words).toContain('✗ turns, "b": in bench/expected.json, but not measured')
    expect(words).toMatch(/Not in bench\/expected.json: turns, "a"; run `npm run bench:check -- --update`/)
  })

  test('ratios are taken round by round: what slows a round slows both', () => {
    expect(ratioOf([2, 20, 200], [1, 10, 100])).toEqual({ ratio: 2, error: 0 })
    expect(ratioOf([1, 2, 3, 40], [1, 1, 1, 1])).toEqual({ ratio: 3, error: expect.closeTo(5.88, 1) })
  })
})

const made: string[] = []
afterEach(() => made.splice(0).forEach(folder => rmSync(folder, { recursive: true, force: true })))

const SOURCES = join(import.meta.dirname, '../../bench')

/**
 * A repository with one bench, which prints the ratio that each `dist/ratio.txt` has; the build copies it from `ratio.txt`.
 * With several values the n-th run prints the n-th.
 */
function repository(expected?: number) {
  const root = mkdtempSync(join(tmpdir(), 'bench-check-'))
  made.push(root)
  const write = (file: string, text: string): void => writeFileSync(join(root, file), text)
  for (const folder of ['bench/turns', 'temporary']) mkdirSync(join(root, folder), { recursive: true })
  for (const file of readdirSync(SOURCES).filter(name => name.endsWith('.ts')))
    cpSync(join(SOURCES, file), join(root, 'bench', file))
  const copy = `node -e "fs.mkdirSync('dist', { recursive: true }); fs.copyFileSync('ratio.txt', 'dist/ratio.txt')"`
  write('package.json', JSON.stringify({ type: 'module', scripts: { build: copy } }))
  write(
    'bench/turns/bench.ts',
    `import { execFileSync } from 'node:child_process'
     import { appendFileSync, readFileSync } from 'node:fs'
     import { fileURLToPath } from 'node:url'
     import { benchOptions, printReport } from '../report.ts'
     const { dists, json } = benchOptions(1)
     appendFileSync('runs.txt', 'x')
     if (process.env.HANG) execFileSync(process.execPath, ['-e', 'fs.writeFileSync("pid.txt", String(process.pid)); setInterval(() => undefined, 1000)'])
     const run = readFileSync('runs.txt', 'utf8').length - 1
     const scenes = dists.map(({ name, url }) => {
       const ratios = readFileSync(fileURLToPath(url + 'ratio.txt'), 'utf8').trim().split(' ').map(Number)
       return { scene: '200 turns', dist: name, ratio: ratios[Math.min(run, ratios.length - 1)], of: 'pi', error: 0.01 }
     })
     printReport({ about: '', tables: [], scenes }, json)`
  )
  if (expected !== undefined)
    write('bench/expected.json', JSON.stringify({ ratios: { turns: { '200 turns': expected } } }))
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: root,
      encoding: 'utf8'
    })
  const build = (ratios: string): void => {
    write('ratio.txt', ratios)
    execFileSync('npm', ['run', 'build', '--silent'], { cwd: root })
  }
  const env = { ...process.env, TMPDIR: join(root, 'temporary') }
  const check = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['bench/check.ts', 'turns', ...args], { cwd: root, encoding: 'utf8', env })
  const runs = (): number => readFileSync(join(root, 'runs.txt'), 'utf8').length
  const leftovers = (): readonly string[] =>
    readdirSync(join(root, 'temporary')).filter(name => name.startsWith('carabiner-'))
  return { root, env, build, check, runs, git, leftovers }
}

describe('npm run bench:check', () => {
  test('passes where the ratio is as expected, and says how noisy the machine was', () => {
    const { build, check, runs } = repository(0.5)
    build('0.55')
    const { status, stdout } = check()
    expect(stdout).toContain('| turns | 200 turns | pi | 0.50× | 0.55× | +10 % | 1 % | 1 | same |')
    expect(stdout).toMatch(/Machine: .* load [\d.]+ before, [\d.]+ after\. A fixed loop waited for a core \d+ % /)
    expect([status, runs()]).toEqual([0, 1])
  })

  test('what seems worse is run again; worse three times fails, and names scene, figures and what to do', () => {
    const { build, check, runs } = repository(0.5)
    build('0.7 0.8 0.9')
    const { status, stdout } = check()
    expect(stdout).toContain('✗ turns, "200 turns": expected 0.50× of pi, measured 0.80× (+60 %, median of 3 runs)')
    expect(stdout).toMatch(/--against COMMIT.*--update/)
    expect([status, runs()]).toEqual([1, 3])
  })

  test('a disturbed run alone does not fail', () => {
    const { build, check, runs } = repository(0.5)
    build('0.9 0.5 0.5')
    expect([check().status, runs()]).toEqual([0, 3])
  })

  test('--update writes the median of three runs, and the next check passes', () => {
    const { build, check, root } = repository()
    build('0.7 0.9 0.8')
    expect(check('--update').status).toBe(0)
    const written: unknown = JSON.parse(readFileSync(join(root, 'bench/expected.json'), 'utf8'))
    expect(written).toEqual({ measured: expect.stringContaining('Node v'), ratios: { turns: { '200 turns': 0.8 } } })
    expect(check().status).toBe(0)
  })

  test('--against builds the commit in a temporary worktree, which is gone afterwards', () => {
    const { build, check, git, leftovers } = repository(0.9)
    git('init', '-q')
    build('0.5')
    git('add', 'package.json', 'ratio.txt', 'bench')
    git('commit', '-qm', 'before')
    build('0.9')
    const { status, stdout } = check('--against', 'HEAD')
    expect(stdout).toContain('expected 0.50× of pi, measured 0.90× (+80 %, median of 3 runs)')
    expect(stdout).toContain('costs more than in HEAD')
    expect(status).toBe(1)
    expect(leftovers()).toEqual([])
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })

  test('Ctrl-C ends what is running and removes the worktree', async () => {
    const { build, git, root, env, leftovers } = repository(0.5)
    git('init', '-q')
    build('0.5')
    git('add', 'package.json', 'ratio.txt', 'bench')
    git('commit', '-qm', 'before')
    const child = spawn(process.execPath, ['bench/check.ts', 'turns', '--against', 'HEAD'], {
      cwd: root,
      env: { ...env, HANG: '1' },
      stdio: 'ignore'
    })
    const pid = (): number => Number(existsSync(join(root, 'pid.txt')) && readFileSync(join(root, 'pid.txt'), 'utf8'))
    await expect.poll(pid, POLL).toBeGreaterThan(1)
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([130, null])
    await gone([pid()])
    expect(leftovers()).toEqual([])
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1)
  })

  test('a bench that does not exist is an error of use', () => {
    const { check } = repository(0.5)
    const { status, stderr } = check('edit')
    expect([status, stderr]).toEqual([64, expect.stringContaining('There is no short bench edit; there are dispatch,')])
  })
})

test('bench/README.md has a place for the tables of every bench', () => {
  const text = readFileSync(join(SOURCES, 'README.md'), 'utf8')
  const benches = readdirSync(SOURCES).filter(name => existsSync(join(SOURCES, name, 'bench.ts')))
  for (const name of benches)
    expect(text).toMatch(
      new RegExp(`## ${name}\\n[^]*<!-- ${name}: printed by npm run bench:print -->[^]*<!-- end of ${name} -->`)
    )
  expect(benches.length).toBeGreaterThan(5)
})
