/** The helper process: starts programs for its parent, and ends them all when the parent is gone. */
import type { HelperNews, HelperOrder } from './helper.ts'
import { startProcess, type Running } from './process.ts'

/** In bytes. A program that prints more is ended: no caller accepts that much. */
const MOST = 4 * 1024 * 1024

const running = new Map<number, Running>()

const tell = (news: HelperNews): void => void process.send?.(news, () => undefined)

function obey(order: HelperOrder): void {
  const { id } = order
  if ('start' in order) {
    let left = MOST
    const within = (chunk: Uint8Array): boolean => {
      left -= chunk.length
      if (left < 0) started.end()
      return left >= 0
    }
    const stdout = (chunk: Uint8Array): void => void (within(chunk) && tell({ id, stdout: chunk }))
    const stderr = (chunk: Uint8Array): void => void (within(chunk) && tell({ id, stderr: chunk }))
    const started = startProcess(order.start, { stdout, stderr })
    running.set(id, started)
    void started.ended.then(ended => {
      running.delete(id)
      tell({ id, ended })
    })
  } else if ('write' in order) running.get(id)?.write(order.write)
  else running.get(id)?.[order.do]()
}

process.on('message', order => obey(order as HelperOrder))
process.on('disconnect', () => process.exit())
