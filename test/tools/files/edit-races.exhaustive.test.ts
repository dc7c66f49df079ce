import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { editTool } from '../../../src/lib/tools/files/edit.ts'
import { readTool } from '../../../src/lib/tools/files/read.ts'
import { callsOf, contentOf, FILE, leftIn, WAYS } from './change-scene.ts'
import { untouched, withWatchedFs, type Watch } from './faulty-fs.ts'
import { makePlace, makeSession, use, type ToolPlace } from '../tool-kit.ts'

/** What others may do to a file while it is edited. Each gives what the file then holds. */
const INTRUSIONS: Readonly<Record<string, (place: ToolPlace) => string | undefined>> = {
  overwrite({ path }) {
    untouched.writeFileSync(path(FILE), 'one\ntwo!')
    return 'one\ntwo!'
  },
  'overwrite in place': ({ path }) => {
    const descriptor = untouched.openSync(path(FILE), 'r+')
    untouched.writeSync(descriptor, 'ONE')
    untouched.closeSync(descriptor)
    return untouched.readFileSync(path(FILE), 'utf8')
  },
  append({ path }) {
    untouched.appendFileSync(path(FILE), 'three\n')
    return untouched.readFileSync(path(FILE), 'utf8')
  },
  'replace by renaming': ({ path }) => {
    untouched.writeFileSync(path('folder/new'), 'one\ntwo\nnew\n')
    untouched.renameSync(path('folder/new'), path(FILE))
    return 'one\ntwo\nnew\n'
  },
  remove({ path }) {
    untouched.rmSync(path(FILE))
    return undefined
  },
  'put a link there': ({ path }) => {
    untouched.rmSync(path(FILE))
    untouched.symlinkSync('../secret', path(FILE))
    return 'one\ntwo\nsecret'
  },
  'put a link in place of the folder': ({ path }) => {
    untouched.renameSync(path('folder'), path('away'))
    untouched.symlinkSync('secrets', path('folder'))
    return 'one\ntwo\nsecrets'
  }
}

// FM44, P6
describe('races: nothing that others write is lost, and nothing is written elsewhere', () => {
  const way = WAYS[0]

  /** Everything as it was. */
  function restore({ path }: ToolPlace): void {
    for (const each of ['folder', 'away']) untouched.rmSync(path(each), { recursive: true, force: true })
    untouched.mkdirSync(path('folder'))
    untouched.writeFileSync(path('secret'), 'one\ntwo\nsecret')
    untouched.mkdirSync(path('secrets'), { recursive: true })
    untouched.writeFileSync(path('secrets/a'), 'one\ntwo\nsecrets')
  }

  /** Something happens before call number `moment`. Where there is no such call, nothing does. */
  async function race(place: ToolPlace, kind: string, moment: number): Promise<void> {
    const { folder, path } = place
    untouched.writeFileSync(path(FILE), way.before)
    const session = makeSession(folder)
    await use(readTool, { file_path: path(FILE) }, session)
    let count = 0
    let isRenamed = false
    let held: string | undefined
    const watch: Watch = (name, make) => {
      isRenamed ||= name === 'renameSync'
      // A change between the last check and the rename cannot be detected.
      if (name !== 'renameSync' && count++ === moment) held = INTRUSIONS[kind]!(place)
      // Disks are slow, and not what is tried here.
      return name === 'sync' ? Promise.resolve() : make()
    }
    const edit = async (): Promise<unknown> => use(editTool, { file_path: path(FILE), ...way.input }, session)
    const result = await withWatchedFs(watch, edit).catch((error: unknown) => error)
    const where = `${kind} before call ${moment}`
    if (moment >= count) held = isRenamed ? way.after : way.before
    expect(contentOf(place), where).toBe(held)
    expect(result instanceof Error, where).toBe(!isRenamed)
    expect(untouched.readFileSync(path('secret'), 'utf8')).toBe('one\ntwo\nsecret')
    expect(untouched.readFileSync(path('secrets/a'), 'utf8')).toBe('one\ntwo\nsecrets')
    expect(untouched.readdirSync(path('secrets'))).toEqual(['a'])
    expect(leftIn(place), where).toEqual([])
  }

  test('each kind, before each call', async () => {
    const place = makePlace()
    const { length } = await callsOf(way)
    for (const kind of Object.keys(INTRUSIONS)) {
      for (let moment = 0; moment <= length; moment++) {
        restore(place)
        await race(place, kind, moment)
      }
    }
  })

  test('10,000 at random', async () => {
    const place = makePlace()
    restore(place)
    const { length } = await callsOf(way)
    const kinds = fc.constantFrom('overwrite', 'overwrite in place', 'append', 'replace by renaming', 'remove')
    const property = fc.asyncProperty(kinds, fc.nat(length), async (kind, moment) => race(place, kind, moment))
    await fc.assert(property, { numRuns: 10_000 })
  })
})
