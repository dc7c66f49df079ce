import { explained, type OpenFile } from '../../world/files/files.ts'
import type { ToolCall } from '../tool.ts'

const last = new Map<string, Promise<unknown>>()

/** Runs this when all that came before it under the same key is done. */
export async function inTurn<T>(key: string, run: () => Promise<T>): Promise<T> {
  const turn = (last.get(key) ?? Promise.resolve()).then(run, run)
  last.set(key, turn)
  try {
    return await turn
  } finally {
    if (last.get(key) === turn) last.delete(key)
  }
}

/** Works on a file that nobody else here works on meanwhile, and closes it in the end. */
export function onFile<File extends OpenFile | undefined, T>(
  path: string,
  { signal }: ToolCall,
  open: (path: string) => Promise<File>,
  work: (file: File) => Promise<T>
): Promise<T> {
  return inTurn(path, async () => {
    let file: OpenFile | undefined
    try {
      signal.throwIfAborted()
      const opened = await open(path)
      file = opened
      return await work(opened)
    } catch (error) {
      throw explained(error, path)
    } finally {
      await file?.handle.close()
    }
  })
}
