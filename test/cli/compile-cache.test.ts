/** Compiled code of the command line: where it is cached, and that the cache does not grow for ever. */
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliStage } from '../support/cli-stage.ts'

const MONTH = new Date().toISOString().slice(0, 7)

/** A temporary directory with the cache of an earlier month. */
function stage() {
  const here = cliStage()
  const file = here.write(`tmp/carabiner-cache-${process.getuid?.()}/2020-01/run/entry`, 'compiled')
  const base = join(file, '../../..')
  chmodSync(base, 0o700)
  const start = () => here.run(['hooks', 'list'], { env: { TMPDIR: join(base, '..') } })
  return { file, base, start }
}

test('the first command of a month removes the caches of other months, and later ones only read', async () => {
  const { base, start } = stage()
  expect((await start()).code).toBe(0)
  expect(readdirSync(base)).toEqual([MONTH])
  const [version = ''] = readdirSync(join(base, MONTH, 'other'))
  expect(readdirSync(join(base, MONTH, 'other', version)).length).toBeGreaterThan(3)
  // Only creating the folder of a month removes others.
  mkdirSync(join(base, '2020-02'))
  expect((await start()).code).toBe(0)
  expect(readdirSync(base)).toEqual(['2020-02', MONTH])
})

test('a cache that others may write to is neither used nor emptied', async () => {
  const { base, file, start } = stage()
  chmodSync(base, 0o770)
  expect((await start()).code).toBe(0)
  expect(existsSync(file)).toBe(true)
  expect(readdirSync(base)).toEqual(['2020-01'])
  expect(lstatSync(base).mode & 0o777).toBe(0o770)
})
