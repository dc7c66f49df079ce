import { spawnSync } from 'node:child_process'
import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readTool } from '../../../src/lib/tools/files/read.ts'
import { writeTool } from '../../../src/lib/tools/files/write.ts'
import { callsOf, contentOf, FILE, leftIn, prepare, WAYS } from './change-scene.ts'
import { systemError, untouched, withWatchedFs, type Watch } from './faulty-fs.ts'
import { makePlace, makeSession, use, type ToolPlace } from '../tool-kit.ts'

/** What is still open in that folder. */
function openIn({ folder }: ToolPlace): readonly string[] {
  if (process.platform !== 'linux') return []
  const targets = untouched.readdirSync('/proc/self/fd').map(name => {
    // The one that lists them is gone by now.
    return untouched.existsSync(`/proc/self/fd/${name}`) ? untouched.readlinkSync(`/proc/self/fd/${name}`) : ''
  })
  return targets.filter(target => target.startsWith(folder))
}

// FM43, FM48
describe.each(WAYS)('$way: whatever call fails', way => {
  test.each(['EIO', 'ENOSPC', 'EMFILE', 'EACCES'])(
    '%s: there is the old file or the new one, and nothing else',
    async code => {
      const names = await callsOf(way)
      expect(names).toEqual(expect.arrayContaining(['open', 'writev', 'sync']))
      for (const [index, name] of names.entries()) {
        const place = await prepare(way)
        let count = 0
        const watch: Watch = (_, make) => {
          if (count++ === index) throw systemError(code)
          return make()
        }
        const input = { file_path: place.path(FILE), ...way.input }
        const result = await withWatchedFs(watch, async () => use(way.tool, input, place.session)).catch(
          (error: unknown) => error
        )
        if (!(result instanceof Error)) expect(contentOf(place)).toBe(way.after)
        expect([way.before, way.after]).toContain(contentOf(place))
        if (name !== 'unlinkSync') expect(leftIn(place), `${index} ${name}`).toEqual([])
        expect(openIn(place), `${index} ${name}`).toEqual([])
        // It works as soon as the fault is gone.
        const again = makeSession(place.folder)
        if (contentOf(place) !== undefined) await use(readTool, { file_path: place.path(FILE) }, again)
        if (contentOf(place) === way.before) await use(way.tool, input, again)
        expect(contentOf(place)).toBe(way.after)
      }
    }
  )

  test('a disk that takes only a part, and says nothing', async () => {
    const place = await prepare(way)
    let isFull = false
    const watch: Watch = (name, make, args) => {
      if (name !== 'writev') return make()
      if (isFull) throw systemError('ENOSPC')
      isFull = true
      return make([(args[0] as Buffer[])[0]!.subarray(0, 1)])
    }
    const input = { file_path: place.path(FILE), ...way.input }
    await expect(withWatchedFs(watch, async () => use(way.tool, input, place.session))).rejects.toThrow('no space left')
    expect(contentOf(place)).toBe(way.before)
    expect(leftIn(place)).toEqual([])
  })

  test('a disk that takes little at a time', async () => {
    const place = await prepare(way)
    const watch: Watch = (name, make, args) => {
      if (name !== 'writev') return make()
      return make([(args[0] as Buffer[])[0]!.subarray(0, 2)])
    }
    await withWatchedFs(watch, async () => use(way.tool, { file_path: place.path(FILE), ...way.input }, place.session))
    expect(contentOf(place)).toBe(way.after)
  })
})

const DRIVER = join(import.meta.dirname, 'drivers/change-and-die.ts')

// FM43
describe.each(WAYS)('$way: killed', way => {
  /** Gives whether it was killed, or came to its end before that. */
  async function kill(moment: string): Promise<{ readonly isKilled: boolean; readonly strays: number }> {
    const place = await prepare(way)
    const input = { file_path: place.path(FILE), ...way.input }
    const args = [DRIVER, way.tool.name, JSON.stringify(input), moment]
    const { signal, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(signal ?? status, stderr).toBe(signal === null ? 0 : 'SIGKILL')
    expect(signal === null ? [way.after] : [way.before, way.after]).toContain(contentOf(place))
    if (way.before !== undefined) expect(statSync(place.path(FILE)).mode & 0o777).toBe(0o640)
    const strays = leftIn(place).length
    await use(writeTool, { file_path: place.path('folder/other'), content: '' }, place.session)
    expect(leftIn(place)).toEqual([])
    return { isKilled: signal !== null, strays }
  }

  test('before every change: old or new, and the next to write there removes what was left', async () => {
    let strays = 0
    for (let moment = 0; ; moment++) {
      const killed = await kill(String(moment))
      strays += killed.strays
      if (!killed.isKilled) break
    }
    expect(strays).toBeGreaterThan(0)
  })

  test('half-way through writing', async () => {
    expect(await kill('writev')).toEqual({ isKilled: true, strays: 1 })
  })
})

test.runIf(process.platform === 'linux')('a file that may not grow stays as it was', async () => {
  const { write, text, names } = makePlace()
  const file_path = write('a', `one\n${'x'.repeat(1000)}`)
  const input = JSON.stringify({ file_path, old_string: 'one', new_string: 'y'.repeat(100_000) })
  const limited = ['-c', 'ulimit -f 8; exec "$@"', 'sh', process.execPath, DRIVER, 'Edit', input, 'never']
  const { status, signal, stderr } = spawnSync('bash', limited, { encoding: 'utf8' })
  expect(status, `${signal} ${stderr}`).toBe(1)
  expect(stderr).toContain('larger than is allowed')
  expect(text('a')).toBe(`one\n${'x'.repeat(1000)}`)
  expect(names()).toEqual(['a'])
})

// E11
test.runIf(process.getuid?.() === 0)(
  'a file of someone else, whose owner would be lost, stays as it was',
  async ctx => {
    const { folder, write, text, names } = makePlace()
    const file_path = write('a', 'one')
    chmodSync(folder, 0o777)
    chmodSync(file_path, 0o666)
    const [uid, gid] = [65_534, 65_534]
    const look = ['-e', 'require("fs").accessSync(process.argv[1])', DRIVER]
    if (spawnSync(process.execPath, look, { uid, gid }).status !== 0) ctx.skip('nobody else may read this folder')
    const input = JSON.stringify({ file_path, old_string: 'one', new_string: 'two' })
    const { status, stderr } = spawnSync(process.execPath, [DRIVER, 'Edit', input, 'never'], {
      uid,
      gid,
      encoding: 'utf8'
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining('belongs to 0:0')])
    expect(text('a')).toBe('one')
    expect(names()).toEqual(['a'])
  }
)
