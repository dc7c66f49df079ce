/** The processes of this machine. Nothing here needs the test runner. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Whether a process is there. One that has ended and was not fetched yet is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch (error) {
    // Without /proc the state is unknown; a process that can be signalled counts as alive.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync('/proc')
  }
}

/** The processes that have this in their environment or among their words. */
export const processesWith = (text: string): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && (holds(`/proc/${pid}/environ`, text) || holds(`/proc/${pid}/cmdline`, text)))

function holds(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'latin1').includes(text)
  } catch {
    return false
  }
}

/** Ends processes that a test has found and that nothing else ends. */
export function endAll(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}
