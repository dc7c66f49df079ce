import { holderByFile, lockByFile } from './lock-file.ts'
import { holderBySocket, lockBySocket } from './lock-socket.ts'
import type { Holder } from './store.ts'

/** What keeps others from writing to a file. */
export interface Lock {
  /** Lets others have it. Once is enough. */
  release(): Promise<void>
}

/** The lock, or who has it. What cannot be learned about a holder is 0 or empty. */
export type Locked = Lock | { readonly holder: Holder }

/**
 * Makes this process the only one that writes to the file, or says who does; for all processes of one machine. The lock
 * ends with the process, however that ends. `doing` is asked when somebody else wants it, too.
 */
export const lock: (file: string, doing: () => string) => Promise<Locked> =
  process.platform === 'linux' ? lockBySocket : lockByFile

/** Who writes to the file just now, without keeping anybody from it; nothing where nobody does. */
export const holderOf: (file: string) => Promise<Holder | undefined> =
  process.platform === 'linux' ? holderBySocket : holderByFile
