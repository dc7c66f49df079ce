/** The process table, as Linux shows it. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** One process. Numbers are given out again: the moment of its start sets it apart. */
interface Living {
  readonly pid: number
  readonly start: string
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** What is living under this number; nothing where that is only waiting to be forgotten. */
function living(pid: number): Living | undefined {
  const stat = textOf(`/proc/${pid}/stat`)
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' || state === 'Z' || state === 'X' ? undefined : { pid, start: rest[18]! }
}

/** The same as a list. */
const there = (pid: number): readonly Living[] => [living(pid)].filter(each => each !== undefined)

/** What a process has started, and what that has started, just now. */
export function treeOf(pid: number): readonly Living[] {
  const threads = namesIn(`/proc/${pid}/task`)
  const children = threads.flatMap(thread => textOf(`/proc/${pid}/task/${thread}/children`).match(/\d+/g) ?? [])
  return children.map(Number).flatMap(child => [...there(child), ...treeOf(child)])
}

/** The processes that have this text in their environment. */
const bearersOf = (mark: string): readonly Living[] =>
  namesIn('/proc')
    .filter(name => /^\d+$/.test(name) && textOf(`/proc/${name}/environ`).includes(mark))
    .flatMap(name => there(Number(name)))

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** How long a process may take to be gone, in milliseconds. */
const PATIENCE = 30_000

/**
 * Waits until none of these processes exists any more, nor one with this text in its environment. Returns the command
 * lines of those that stay, and ends them.
 */
export async function leftBehind(known: readonly Living[], mark: string): Promise<readonly string[]> {
  const begun = performance.now()
  const left = (): readonly Living[] => [
    ...known.filter(({ pid, start }) => living(pid)?.start === start),
    ...bearersOf(mark)
  ]
  for (let rest = left(); rest.length > 0; rest = left()) {
    if (performance.now() - begun > PATIENCE) return rest.map(end)
    await pause(20)
  }
  return []
}

function end({ pid }: Living): string {
  const words = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself in the meantime.
  }
  return `${pid} ${words}`
}
