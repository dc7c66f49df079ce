import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

/** Crash points, kills, attacks: minutes of work. `npm test` leaves them out, `npm run test:all` runs them as well. */
const EXHAUSTIVE = 'test/**/*.exhaustive.test.ts'
const exhaustive = process.env['CARABINER_TESTS'] === 'exhaustive'
process.env['CARABINER_SEED'] ??= String(randomInt(2 ** 31))
/** Processes that tests start from sources take a third of the time. */
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url))

const ORDINARY = ['src/**/*.test.ts', 'test/**/*.test.ts']
const exclude = [...configDefaults.exclude, EXHAUSTIVE]
const testsWith = (text: RegExp): readonly string[] =>
  globSync(ORDINARY, { cwd: import.meta.dirname, exclude: path => path.includes('node_modules') }).filter(path =>
    text.test(readFileSync(join(import.meta.dirname, path), 'utf8'))
  )

/** They repeat something less often in `npm test`; the exhaustive suites have all of it. */
const REPEATING = /\brepetitions\(/

/** About code that keeps no state: these files share a process, which saves its start and what they import. */
const SHARED = [
  'test/{dialects,permissions,permissions/attacks,schema,seeds,shell}/*.test.ts',
  'test/hooks/{,dispatch/,events/,time/}*.test.ts'
]

/** A hang limit, not a speed: a busy machine is only slower. */
const HANG = 600_000

export default defineConfig({
  test: {
    ...(exhaustive
      ? { include: [EXHAUSTIVE, ...testsWith(REPEATING)] }
      : {
          projects: [
            { extends: true, test: { name: 'shared', include: SHARED, exclude, isolate: false } },
            { extends: true, test: { name: 'own', include: ORDINARY, exclude: [...exclude, ...SHARED] } }
          ]
        }),
    globalSetup: [fileURLToPath(new URL('scripts/build.ts', import.meta.url))],
    env: { CARABINER_SEED: process.env['CARABINER_SEED'] },
    reporters: ['default', './scripts/closing-line.ts'],
    testTimeout: HANG,
    hookTimeout: HANG,
    teardownTimeout: HANG,
    expect: { poll: { timeout: HANG / 2 } },
    // Most tests wait for processes.
    maxWorkers: 2
  }
})
