import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { reaper } from './reaper.ts'
import { attempt } from '../../util/attempt.ts'

/** How long a process that was asked to end may take, in milliseconds. */
const TERM_GRACE = 2_000
const LOOK_AGAIN = 25

/**
 * Ends a process and all that it has started: those in its group, those that left the group, and those that left the
 * tree but carry the cookie in their environment. One that has done all three, and emptied its environment, gets away
 * on hosts without process namespaces.
 */
export function endTree(leader: number, run: number, isAlive: () => boolean): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(leader), '/t', '/f'], { stdio: 'ignore' }).on('error', () => undefined)
    return
  }
  const strays = descendantsOf(leader)
  signal(-leader, 'SIGTERM')
  for (const stray of strays) signalSame(stray, 'SIGTERM')
  const deadline = performance.now() + TERM_GRACE
  const look = (): void => {
    const late = performance.now() >= deadline
    if (!late && (isAlive() || signal(-leader, 0))) return void setTimeout(look, LOOK_AGAIN)
    if (isAlive()) strays.push(...descendantsOf(leader))
    signal(-leader, 'SIGKILL')
    for (const stray of strays) signalSame(stray, 'SIGKILL')
    reaper.sweep(run)
  }
  setTimeout(look, LOOK_AGAIN)
}

export function killTree(leader: number): void {
  const strays = descendantsOf(leader)
  signal(process.platform === 'win32' ? leader : -leader, 'SIGKILL')
  for (const stray of strays) signalSame(stray, 'SIGKILL')
}

/** A process id alone may belong to another by now; together with its time of birth it does not. */
interface Individual {
  readonly pid: number
  readonly born: string
}

function descendantsOf(pid: number): Individual[] {
  return childrenOf(pid).flatMap(child => {
    const born = birthOf(child)
    return born === undefined ? [] : [{ pid: child, born }, ...descendantsOf(child)]
  })
}

function childrenOf(pid: number): readonly number[] {
  const childrenIn = (task: string): readonly number[] =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return attempt(() => readdirSync(`/proc/${pid}/task`).flatMap(childrenIn)) ?? []
}

/** The 22nd field of `stat`; the second, a name in brackets, may hold anything. */
function birthOf(pid: number): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}

function signalSame({ pid, born }: Individual, name: NodeJS.Signals): void {
  if (birthOf(pid) === born) signal(pid, name)
}

const signal = (pid: number, name: NodeJS.Signals | 0): boolean => attempt(() => process.kill(pid, name)) === true
