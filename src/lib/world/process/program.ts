import type { ProgramWords } from './shell.ts'

/** What to start, and how. Nothing else is inherited. */
export interface Program extends Omit<ProgramWords, 'isConfined'> {
  readonly cwd: string
  /** `CARABINER_RUN` is added, by which everything that it starts can be found. */
  readonly env: Readonly<Record<string, string>>
  /** It is confined, so all that it starts ends with it. The file of its system call filter, its descriptor 3. */
  readonly filter?: string | undefined
}
