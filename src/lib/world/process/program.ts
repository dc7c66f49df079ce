import type { ProgramWords } from './shell.ts'

/** What to start, and how. Nothing else is inherited. */
export interface Program extends Omit<ProgramWords, 'isConfined'> {
  readonly cwd: string
  /** `CARABINER_RUN` is added, by which everything that it starts can be found. */
  readonly env: Readonly<Record<string, string>>
  /** It is confined, so all that it starts ends with it. Its system call filter, which it reads from descriptor 3. */
  readonly filter?: Uint8Array | undefined
}
