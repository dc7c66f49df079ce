import type * as nodeChildren from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Writable } from 'node:stream'

/** Loaded on first use: most commands start no process. */
export const childProcess = (): typeof nodeChildren => process.getBuiltinModule('node:child_process')

/**
 * A small shell that outlives this process. When our end of its pipe closes, it kills everything that still runs, each
 * process with its group and its tree. It finds them by the cookie in their environment, a common prefix and the number
 * of the run; runs known to have ended are left alone, and runs it has not been told about are killed. So nothing is
 * sent before a start: from time to time a line gives the last number and which runs started (`+group.number`) and
 * ended (`-group.number`). `!` searches for numbers immediately; `.` means that nothing runs. Process ids 0 and 1 are
 * never signalled: that would hit every process.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
ours=$1 last=0 live=' ' calm=
case $ours in *[!A-Za-z0-9]*) exit;; ????????) ;; *) exit;; esac
tree() {
  for list in /proc/"$1"/task/*/children; do
    children=; { read -r children < "$list"; } 2>/dev/null
    for child in $children; do found="$found $child"; tree "$child"; done
  done
}
strike() {
  case $1 in ''|0|1|*[!0-9]*) return;; esac
  found=; tree "$1"
  shift; kill -s KILL -- "$@" $found
}
holders() {
  for each in $(grep -aosHE "$ours[.][0-9]+x" /proc/[0-9]*/environ); do
    run=\${each##*.}; run=\${run%x}
    case $sought in
      *" $run "*) ;;
      rest) [ "$run" -gt "$last" ] || case $live in *".$run "*) ;; *) continue;; esac;;
      *) continue;;
    esac
    pid=\${each#/proc/}; pid=\${pid%%/*}
    strike "$pid" "$pid" "-$pid"
  done
}
while read -r what which; do
  calm=
  case $what in
    !) sought=" $which "; holders; holders;;
    .) calm=yes;;
    [0-9]*) last=$what
      for each in $which; do
        case $each in
          +*) live="$live\${each#+} ";;
          *) each=\${each#-}; case $live in *" $each "*) live=\${live%%" $each "*}' '\${live#*" $each "};; esac;;
        esac
      done;;
  esac
done
[ -z "$calm" ] || exit
for each in $live; do strike "\${each%.*}" "-\${each%.*}"; done
sought=rest
holders; sleep 0.1; holders
`

/** The prefix of our cookies: eight letters and digits. The shell accepts nothing else. */
const OURS = randomBytes(6)
  .toString('base64url')
  .replaceAll(/[^A-Za-z0-9]/g, 'q')

/** In milliseconds. Runs shorter than this are never reported. Only Linux shows cookies. */
const SOON = process.platform === 'linux' ? 100 : 0
/** Groups that end within this time are swept together, in milliseconds. */
const TOGETHER = 20

let shell: ChildProcess | undefined
let last = 0
const known = new Map<number, number>()
const fresh = new Map<number, number>()
let gone: string[] = []
let swept: number[] = []
let timer: NodeJS.Timeout | undefined
let leaving = false

/** The shell. If it was killed, a new one is started and gets the whole state. */
function ready(): ChildProcess {
  if (shell !== undefined && shell.exitCode === null && shell.signalCode === null) return shell
  const isFirst = shell === undefined
  shell = start()
  if (isFirst) process.once('exit', leave)
  for (const [run, group] of known) fresh.set(run, group)
  known.clear()
  soon()
  return shell
}

function start(): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }
  const stdio: ['pipe', 'ignore', 'ignore'] = ['pipe', 'ignore', 'ignore']
  const child = childProcess().spawn('/bin/sh', ['-c', SCRIPT, 'sh', OURS], { stdio, detached: true, cwd: '/', env })
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  // It must not keep this process alive: it waits for our end.
  child.unref()
  const stdin = child.stdin as { unref?(): void } | null | undefined
  // Without free descriptors there is no pipe: then nothing else may be started either.
  if (stdin === undefined) throw Object.assign(new Error('spawn /bin/sh EMFILE'), { code: 'EMFILE' })
  stdin?.unref?.()
  return child
}

/** Null without free descriptors: the next start tries again and reports the error. */
function pipe(): Writable | null {
  try {
    return ready().stdin
  } catch {
    return null
  }
}

function say(): void {
  clearTimeout(timer)
  timer = undefined
  const to = pipe()
  if (to === null) return
  const came = Array.from(fresh, ([run, group]) => `+${group}.${run}`)
  to.write(`${[last, ...came, ...gone].join(' ')}\n`)
  for (const [run, group] of fresh) known.set(run, group)
  fresh.clear()
  gone = []
}

function soon(): void {
  if (process.platform === 'win32') return
  if (SOON === 0 || leaving) say()
  else timer ??= setTimeout(say, SOON).unref()
}

/** Runs that ended just now may have left daemons on purpose: these stay, unless other runs are still active. */
function leave(): void {
  leaving = true
  if (known.size + fresh.size > 0) say()
  else shell?.stdin?.write('.\n')
}

function sweepAll(): void {
  const runs = swept
  swept = []
  if (process.platform !== 'win32') pipe()?.write(`! ${runs.join(' ')}\n`)
  for (const run of runs) reaper.forget(run)
}

/** The cookie in the environment of everything that a run starts. None is a prefix of another. */
export const cookieOf = (run: number): string => `${OURS}.${run}x`

export const reaper = {
  expect(): number {
    if (process.platform !== 'win32') ready()
    return ++last
  },

  watch(run: number, group: number): void {
    fresh.set(run, group)
    soon()
  },

  forget(run: number): void {
    if (!fresh.delete(run)) gone.push(`-${known.get(run)}.${run}`)
    known.delete(run)
    soon()
  },

  sweep(run: number): void {
    if (swept.push(run) === 1) setTimeout(sweepAll, TOGETHER)
  }
}
