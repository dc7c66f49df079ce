import { Turns } from '../../util/turns.ts'
import { explained, type OpenFile } from '../../world/files/files.ts'
import type { ToolCall } from '../tool.ts'

export const fileTurns = new Turns()

/** Works on a file while nothing else in this process does, and closes it in the end. */
export function onFile<File extends OpenFile | undefined, T>(
  path: string,
  { signal }: ToolCall,
  open: (path: string) => Promise<File>,
  work: (file: File) => Promise<T>
): Promise<T> {
  return fileTurns.take(path, async () => {
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
