/** `carabiner hooks init`, killed at each of its system calls that change files. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { CLI } from '../../support/built-package.ts'
import { ended } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { FILES, INIT, repository, SETTINGS } from './init-kit.ts'

vi.setConfig({ testTimeout: HANG })

/** System calls at which it is killed, and how many of them there are at least: three new files, and one that is changed. */
const KILLS = [
  ['mkdir,mkdirat', 2],
  ['fsync,fdatasync', 8],
  ['link,linkat', 3],
  ['rename,renameat,renameat2', 1]
] as const
const hasStrace = spawnSync('strace', ['-f', '-e', 'trace=execve', 'true']).status === 0

describe.skipIf(!hasStrace)('killed in the middle (skipped where there is no strace)', () => {
  test.each(KILLS)('at %s: no file is half-written, and the next run completes it', async (at, least) => {
    const whole = repository()
    await whole.run(INIT)
    const complete = FILES.map(whole.read)
    const begun = '{ "model": "sonnet" }\n'
    let kills = 0
    for (let when = 1; ; when++) {
      const { project, path, read, run, settings, ...here } = repository()
      // One thread: strace counts the calls of each thread on its own.
      const env = { ...here.env, UV_THREADPOOL_SIZE: '1' }
      settings(begun)
      const inject = ['-f', '-qq', '-o', path('log'), '-e', `inject=${at}:signal=KILL:when=${when}`]
      const { signal, code } = await ended(
        spawn('strace', [...inject, process.execPath, CLI, ...INIT], { cwd: project, env })
      )
      const there = FILES.map(file => (existsSync(path(file)) ? read(file) : undefined))
      for (const [place, text] of there.slice(0, 3).entries()) expect([undefined, complete[place]]).toContain(text)
      const isNamed = there[3] !== begun
      if (isNamed) expect(there.slice(0, 3)).toEqual(complete.slice(0, 3))
      if (signal === null && code === 0) break
      kills++
      expect((await run(INIT)).code).toBe(0)
      expect(FILES.slice(0, 3).map(read)).toEqual(complete.slice(0, 3))
      expect(read(SETTINGS)).toContain('protect-repository.mjs')
      expect(readdirSync(path('project/.claude')).toSorted()).toEqual(['hooks', 'settings.json', 'tests'])
    }
    expect(kills).toBeGreaterThanOrEqual(least)
  })
})
