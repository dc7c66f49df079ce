import { openFile, readAll } from '../world/files/files.ts'
import { realPath } from '../world/files/paths.ts'
import { replaceFile } from '../world/files/replace.ts'

/** Some editors begin a file with it. Reading removes it. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Replaces the text `old` of a file: whole or not at all, whatever happens on the way. Links are followed. */
export async function writeText(path: string, old: string | undefined, content: string): Promise<void> {
  const file = realPath(path)
  if (old === undefined) {
    await replaceFile(file, [Buffer.from(content)], undefined, () => undefined)
    return
  }
  const open = await openFile(file)
  try {
    const bytes = await readAll(open)
    const text = bytes.toString('utf8')
    const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
    if (text !== mark + old) throw new Error('it was changed just now')
    await replaceFile(file, [Buffer.from(mark + content)], { file: open, bytes }, () => undefined)
  } finally {
    await open.handle.close()
  }
}
