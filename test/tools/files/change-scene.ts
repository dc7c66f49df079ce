/** Files that are about to be changed, and what is left when that goes wrong. */
import { chmodSync } from 'node:fs'
import { editTool } from '../../../src/lib/tools/files/edit.ts'
import { readTool } from '../../../src/lib/tools/files/read.ts'
import type { Tool } from '../../../src/lib/tools/tool.ts'
import { writeTool } from '../../../src/lib/tools/files/write.ts'
import { untouched, withWatchedFs, type Watch } from './faulty-fs.ts'
import { makePlace, use, type ToolPlace } from '../tool-kit.ts'

/** Three ways to change a file, and what is there before and after. */
export const WAYS = [
  {
    way: 'edit',
    tool: editTool,
    before: 'one\ntwo\n',
    after: 'one\nzwei\n',
    input: { old_string: 'two', new_string: 'zwei' }
  },
  { way: 'replace', tool: writeTool, before: 'one\n', after: 'all new', input: { content: 'all new' } },
  { way: 'create', tool: writeTool, before: undefined, after: 'all new', input: { content: 'all new' } }
] as const

export const FILE = 'folder/a'

export interface Way {
  readonly tool: Tool
  readonly before: string | undefined
  readonly after: string
  readonly input: object
}

/** A place where this may be done. */
export async function prepare({ before }: Way): Promise<ToolPlace> {
  const place = makePlace()
  if (before === undefined) return place
  place.write(FILE, before)
  chmodSync(place.path(FILE), 0o640)
  await use(readTool, { file_path: place.path(FILE) }, place.session)
  return place
}

/** What is in the file, if there is one. */
export function contentOf({ path }: ToolPlace): string | undefined {
  try {
    return untouched.readFileSync(path(FILE), 'utf8')
  } catch {
    return undefined
  }
}

export const leftIn = ({ folder }: ToolPlace): readonly string[] =>
  untouched
    .readdirSync(folder, { recursive: true })
    .map(String)
    .filter(name => name.endsWith('.tmp'))

/** Which calls it makes. */
export async function callsOf(way: Way): Promise<readonly string[]> {
  const place = await prepare(way)
  const names: string[] = []
  const watch: Watch = (name, make) => {
    names.push(name)
    return make()
  }
  await withWatchedFs(watch, async () => use(way.tool, { file_path: place.path(FILE), ...way.input }, place.session))
  return names
}
