import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'

/**
 * A small shell that outlives us. When our end of its pipe closes, however we ended, it kills what still runs: the
 * groups that it was told of, and whoever carries a number that we have not accounted for yet; each with its tree, and
 * with those that carry its cookie. It also looks for cookies on demand.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT
owner=$1 live= gone=0 mark=0
tree() {
  for list in /proc/"$1"/task/*/children; do
    children=; { read -r children < "$list"; } 2>/dev/null
    for child in $children; do tree "$child"; found="$found $child"; done
  done
}
holders() {
  patterns=; for each; do patterns="$patterns -e $each"; done
  for file in $(grep -lsF $patterns /proc/[0-9]*/environ); do
    file=\${file#/proc/}; kill -s KILL "\${file%/environ}"
  done
}
forget() {
  gone=0; kept=
  for each in $live; do eval 'cookie=$run_'"$each"; [ -z "$cookie" ] || kept="$kept $each"; done
  live=$kept
}
while read -r what group cookie; do
  case $what in
    +) eval "run_$group=$cookie"; live="$live $group";;
    -) unset "run_$group"; gone=$((gone + 1)); [ $gone -lt 200 ] || forget;;
    =) mark=$group;;
    !) holders $group $cookie; holders $group $cookie;;
  esac
done
forget
for group in $live; do
  found=; tree "$group"
  kill -s KILL -- "-$group" $found
  eval 'cookie=$run_'"$group"; holders "$cookie"
done
for file in $(grep -lsF -e "CARABINER_OF=$owner." /proc/[0-9]*/environ); do
  number=$(grep -aom1 "CARABINER_OF=$owner\\.[0-9]*" "$file"); number=\${number##*.}
  [ "\${number:-0}" -gt "$mark" ] || continue
  file=\${file#/proc/}; pid=\${file%/environ}; stat=
  { read -r stat < "/proc/$pid/stat"; } 2>/dev/null
  found=; tree "$pid"; set -- \${stat##*) }
  kill -s KILL -- \${3:+"-$3"} "$pid" $found
done
`

/** Marks all that this process starts; each has a number, too. */
const OWNER = randomUUID()
/** How long a group may run before the shell is told of it, in milliseconds: most have ended by then. */
const PATIENCE = 50
/** Groups that end at about the same time are swept together, in milliseconds. */
const TOGETHER = 20

interface Group {
  readonly id: number
  readonly cookie: string
  told: boolean
}

let shell: ChildProcess | undefined
let lastNumber = 0
let isDue = false
const live = new Map<number, Group>()
let swept: Group[] = []

/** The shell; should somebody have ended it, a new one that is told what runs. */
function listening(): ChildProcess {
  if (shell === undefined || shell.exitCode !== null || shell.signalCode !== null) {
    shell = start()
    for (const group of live.values()) group.told = false
    tellOfLive(shell)
  }
  return shell
}

function start(): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }
  const stdio: ['pipe', 'ignore', 'ignore'] = ['pipe', 'ignore', 'ignore']
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', OWNER], { stdio, detached: true, cwd: '/', env })
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  // It must not keep us from ending: our end is what it waits for.
  child.unref()
  if (child.stdin !== null && 'unref' in child.stdin) (child.stdin as unknown as { unref(): void }).unref()
  return child
}

/** From now on all numbers so far are accounted for: they have ended, or it knows them. */
function tellOfLive(to: ChildProcess): void {
  const fresh = [...live.values()].filter(group => !group.told)
  for (const group of fresh) group.told = true
  to.stdin?.write(`${fresh.map(({ id, cookie }) => `+ ${id} ${cookie}\n`).join('')}= ${lastNumber}\n`)
}

function sweepAll(): void {
  const all = swept
  swept = []
  const known = all.filter(group => group.told).map(({ id }) => `- ${id}\n`)
  for (const { id } of all) live.delete(id)
  listening().stdin?.write(`! ${all.map(({ cookie }) => cookie).join(' ')}\n${known.join('')}`)
}

const HAS_SHELL = process.platform !== 'win32'

export const reaper = {
  /** What the next process carries, so that it is found should we end before anybody is told of it. */
  mark: (): Record<string, string> => ({ CARABINER_OF: `${OWNER}.${++lastNumber}` }),

  /** The group runs: it must not outlive us. */
  watch(id: number, cookie: string): void {
    if (!HAS_SHELL) return
    live.set(id, { id, cookie, told: false })
    listening()
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      tellOfLive(listening())
    }, PATIENCE).unref()
  },

  /** The group has ended by itself; what it left behind may stay. */
  forget(id: number): void {
    const group = live.get(id)
    live.delete(id)
    if (group?.told === true) listening().stdin?.write(`- ${id}\n`)
  },

  /** The group was made to end: nobody of it may be left. */
  sweep(id: number, cookie: string): void {
    if (!HAS_SHELL) return
    const group = live.get(id) ?? { id, cookie, told: false }
    if (swept.push(group) === 1) setTimeout(sweepAll, TOGETHER)
  }
}
