import { readFileSync } from 'node:fs'
import { ifThere } from './path-kind.ts'
import { whileLocked } from '../lock/lock.ts'
import { putOwnFile } from './own-file.ts'

/** Changes a file of ours while nobody else does: what is made of its text, if it has one, takes its place. */
export function changeOwnFile(path: string, change: (text: string | undefined) => string): void {
  whileLocked(path, () => putOwnFile(path, change(ifThere(() => readFileSync(path, 'utf8')))))
}
