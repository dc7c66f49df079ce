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
const testsWith = (text: RegExp, globs = ORDINARY): readonly string[] =>
  globSync(globs, { cwd: import.meta.dirname, exclude: path => path.includes('node_modules') }).filter(path =>
    text.test(readFileSync(join(import.meta.dirname, path), 'utf8'))
  )

/** They repeat something less often in `npm test`; the exhaustive suites have all of it. */
const REPEATING = /\brepetitions\(/

/** They share processes, which saves their start and what they import: what their tests change of one, they restore. */
const SHARED = [
  'test/{dialects,permissions,permissions/attacks,permissions/in-agent,schema,seeds,shell}/*.test.ts',
  'test/hooks/{,dispatch/,events/,time/}*.test.ts',
  'test/{agent,cli,e2e,gates,settings,tools/files,tools/mcp,tools/search,transcript}/**/*.test.ts'
]
/** What one session keeps secret is masked in all of its process: files with a credential have their own. */
const shared = testsWith(/^(?![^]*(?:API_KEY|TOKEN\b|[aA]piKey\b|[aA]uthorization|[cC]redential))/, SHARED)

/** A hang limit, not a speed: a busy machine is only slower. */
const HANG = 600_000

export default defineConfig({
  test: {
    ...(exhaustive
      ? { include: [EXHAUSTIVE, ...testsWith(REPEATING)] }
      : {
          projects: [
            { extends: true, test: { name: 'shared', include: [...shared], exclude, isolate: false } },
            { extends: true, test: { name: 'own', include: ORDINARY, exclude: [...exclude, ...shared] } }
          ]
        }),
    globalSetup: [fileURLToPath(new URL('scripts/build.ts', import.meta.url))],
    env: { CARABINER_SEED: process.env['CARABINER_SEED'] },
    reporters: ['default', './scripts/closing-line.ts'],
    testTimeout: HANG,
    hookTimeout: HANG,
    teardownTimeout: HANG,
    expect: { poll: { timeout: HANG / 2 } },
    // On two cores: most tests wait for processes, and many of these for a time limit.
    maxWorkers: exhaustive ? 2 : 3
  }
})
