/** What `sessions show` and `export` need for a file of 100 MB. */
import { spawn } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPackage } from '../../support/built-package.ts'
import { writeLong } from './long-file.ts'
import { desk } from './sessions-kit.ts'
import { ended } from '../../support/cli-stage.ts'

const MOST = 120 * 1024 * 1024
const BYTES = 100 * 1024 * 1024

let built: ReturnType<typeof buildPackage>
beforeAll(() => void (built = buildPackage({ types: false })))
afterAll(() => built.remove())

/** Says at its end how much memory it had at most. */
const TELL = `data:text/javascript,${encodeURIComponent("process.on('exit', () => process.stderr.write(`${process.resourceUsage().maxRSS * 1024}`))")}`

test.each([true, false])('D9: 100 MB take no more than 120 MB of memory, in every form (ours: %s)', async isOurs => {
  const at = desk()
  mkdirSync(dirname(at.file('long')), { recursive: true })
  const path = isOurs ? at.file('long') : at.path('project/long.jsonl')
  writeLong(path, BYTES, isOurs)
  for (const args of [
    ['show'],
    ['show', '--json'],
    ['export'],
    ['export', '--format', 'jsonl'],
    ['export', '--format', 'json']
  ]) {
    const out = openSync(at.path('project/out'), 'w')
    const child = spawn(
      process.execPath,
      ['--import', TELL, join(built.folder, 'dist/cli.js'), 'sessions', ...args, isOurs ? 'long' : path],
      {
        cwd: at.project,
        env: at.env,
        stdio: ['ignore', out, 'pipe']
      }
    )
    const { code, stderr } = await ended(child)
    expect({ args, code }).toEqual({ args, code: 0 })
    expect(stderr).toMatch(/^\d+$/)
    expect(Number(stderr), args.join(' ')).toBeLessThan(MOST)
  }
})
