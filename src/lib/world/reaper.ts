import { spawn, type ChildProcess } from 'node:child_process'

/**
 * A small shell that outlives us. It is told which groups run; when our end of its pipe closes, however we ended, it
 * kills what still runs: the tree, the group, and whoever carries the cookie, also that of a process which was just
 * being started. It also looks for cookies on demand; what is no cookie is not looked for, since everybody might carry
 * it. What it is told is short: a shell reads a pipe byte by byte.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
live= gone=0 next=
tree() {
  for list in /proc/"$1"/task/*/children; do
    children=; { read -r children < "$list"; } 2>/dev/null
    for child in $children; do found="$found $child"; tree "$child"; done
  done
}
holders() {
  patterns=
  for each; do case $each in ????????.*x) patterns="$patterns -e $each";; esac; done
  [ -n "$patterns" ] || return
  for file in $(grep -lsF $patterns /proc/[0-9]*/environ); do
    file=\${file#/proc/}; kill -s KILL "\${file%/environ}"
  done
}
forget() {
  gone=0; kept=
  for each in $live; do eval 'cookie=$run_'"$each"; [ -z "$cookie" ] || kept="$kept $each"; done
  live=$kept
}
while read -r what which; do
  case $what in
    '?') next=$which;;
    +) eval "run_$which=$next"; next=; live="$live $which";;
    -) unset "run_$which"; gone=$((gone + 1)); [ $gone -lt 200 ] || forget;;
    !) holders $which; holders $which;;
  esac
done
[ -z "$next" ] || { holders "$next"; sleep 0.1; holders "$next"; }
forget
for group in $live; do
  found=; tree "$group"
  kill -s KILL -- "-$group" $found
  eval 'cookie=$run_'"$group"; holders "$cookie"
done
`

/** Groups that end at about the same time are swept together, in milliseconds. */
const TOGETHER = 20

let shell: ChildProcess | undefined
/** What a new shell must be told, should somebody end this one. */
const live = new Map<number, string>()
let swept: { readonly group: number; readonly cookie: string }[] = []

function tell(line: string): void {
  if (process.platform === 'win32') return
  if (shell === undefined || shell.exitCode !== null || shell.signalCode !== null) {
    shell = start()
    for (const [group, cookie] of live) shell.stdin?.write(`? ${cookie}\n+ ${group}\n`)
  }
  shell.stdin?.write(line)
}

function start(): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }
  const child = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/', env })
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  // It must not keep us from ending: our end is what it waits for.
  child.unref()
  const stdin = child.stdin as { unref?(): void } | null | undefined
  // Without descriptors to spare there is none: then nothing else may be started either.
  if (stdin === undefined) throw Object.assign(new Error('spawn /bin/sh EMFILE'), { code: 'EMFILE' })
  stdin?.unref?.()
  return child
}

function sweepAll(): void {
  const all = swept
  swept = []
  for (const { group } of all) live.delete(group)
  tell(`! ${all.map(({ cookie }) => cookie).join(' ')}\n${all.map(({ group }) => `- ${group}\n`).join('')}`)
}

export const reaper = {
  /** Something that carries the cookie is about to start: we may end before we know its group. */
  expect(cookie: string): void {
    tell(`? ${cookie}\n`)
  },

  /** It has started, in this group: it must not outlive us. */
  watch(group: number, cookie: string): void {
    tell(`+ ${group}\n`)
    live.set(group, cookie)
  },

  /** The group has ended by itself; what it left behind may stay. */
  forget(group: number): void {
    live.delete(group)
    tell(`- ${group}\n`)
  },

  /** The group was made to end: nobody of it may be left. */
  sweep(group: number, cookie: string): void {
    if (swept.push({ group, cookie }) === 1) setTimeout(sweepAll, TOGETHER)
  }
}
