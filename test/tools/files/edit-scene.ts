/** A file that was read, and edits of it. */
import { expect } from 'vitest'
import { editTool } from '../../../src/lib/tools/files/edit.ts'
import { readTool } from '../../../src/lib/tools/files/read.ts'
import { failure, makePlace, use, type ToolPlace } from '../tool-kit.ts'

export interface EditScene extends ToolPlace {
  /** Edits the file, which was read before. Returns what the model receives. */
  edit(old: string, now: string, all?: boolean): Promise<unknown>
  /** The words with which that fails, while the file stays as it is. */
  fails(old: string, now: string, all?: boolean): Promise<string>
}

/** A file `a` that was read. */
export async function editScene(content: string | Buffer): Promise<EditScene> {
  const place = makePlace()
  const { session, path } = place
  place.write('a', content)
  await use(readTool, { file_path: path('a') }, session)
  const input = (old: string, now: string, all?: boolean): object => {
    const more = all === undefined ? {} : { replace_all: all }
    return { file_path: path('a'), old_string: old, new_string: now, ...more }
  }
  return {
    ...place,
    edit: async (...args) => (await use(editTool, input(...args), session)).content,
    async fails(...args) {
      const before = place.bytes('a')
      const words = await failure(editTool, input(...args), session)
      expect(place.bytes('a').equals(before)).toBe(true)
      expect(place.names().filter(name => name.endsWith('.tmp'))).toEqual([])
      return words
    }
  }
}
