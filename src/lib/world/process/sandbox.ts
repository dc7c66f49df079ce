import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { attempt } from '../../util/attempt.ts'
import { isFolder, isThere, isWithin, realPath } from '../files/paths.ts'
import type { Program } from './program.ts'
import { findProgram } from './shell.ts'
import { systemCallFilter } from './system-call-filter.ts'

/** What confined processes may do. All paths are real paths. */
export interface SandboxPolicy {
  readonly writable: readonly string[]
  /** Called at each start. Paths that do not exist are ignored. */
  places(): {
    /** Read-only, although they are in a writable folder. */
    readonly readOnly: readonly string[]
    /** Nothing of their content can be read. */
    readonly hidden: readonly string[]
    /** Read-only, although they are in a hidden folder. */
    readonly shown: readonly string[]
  }
  /** Read-only. If one is missing, a placeholder is created for the time of the session, so that nothing else can be. */
  readonly guarded: readonly Guarded[]
  /** Written by programs that have it as `CLAUDE_ENV_FILE`, and read by others. */
  readonly envFile: string | undefined
  readonly network: boolean
  readonly unixSockets: boolean
  /** The same, with this folder of the project. */
  with(folder: string): SandboxPolicy
}

export interface Guarded {
  readonly path: string
  /** The placeholder is a file with this text; else an empty folder. */
  readonly text?: string
}

const NAMESPACES = '--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try'
const BASE =
  `${NAMESPACES} --die-with-parent --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --remount-ro /proc`.split(' ')
/** Programs of NixOS are in `/run`. */
const SHOWN_IN_RUN = ['/run/current-system', '/run/wrappers', '/run/opengl-driver']
/** Variables that name sockets. */
const SOCKETS =
  /^(?:SSH_(?:AUTH_SOCK|AGENT_PID)$|DBUS_|GPG_AGENT|DISPLAY$|WAYLAND_|XAUTHORITY$|XDG_RUNTIME_DIR$|DOCKER_HOST$|CONTAINER_HOST$|TMUX|STY$|VSCODE_IPC)/

/** Variables by which the loader of bwrap itself would run code, outside: only the confined program gets them. */
const LOADER = /^(?:LD_\w+|GLIBC_TUNABLES|GCONV_PATH|LOCPATH)$/

const PREFIX = 'carabiner-sandbox-'

let tried: { readonly problem: string | undefined } | undefined

/** Why this machine cannot confine processes. It is tried once. */
export const sandboxProblem = (): string | undefined => (tried ??= { problem: tryOut() }).problem

function tryOut(): string | undefined {
  if (process.platform !== 'linux') return `it needs Linux, and this is ${process.platform}`
  if (systemCallFilter(false) === undefined) return `processors of type ${process.arch} are not supported`
  const bwrap = findProgram('bwrap')
  if (bwrap === undefined)
    return 'bubblewrap is not installed (the program bwrap); install the package bubblewrap, 0.8 or newer'
  const { status, stderr } = spawnSync(bwrap, [...BASE, '--unshare-net', '--', '/bin/sh', '-c', ':'], {
    timeout: 20_000
  })
  if (status === 0) return undefined
  return `bwrap does not work here (${stderr.toString().trim().slice(0, 300) || 'no answer'}); it needs version 0.8 or newer, and user namespaces that the kernel, AppArmor or the container allows`
}

/** Starts programs in namespaces of their own, with bubblewrap. `close` after all of them have ended. */
export class Sandbox {
  #policy: SandboxPolicy
  readonly #folder: string
  /** What confined processes see as `/tmp`. */
  readonly scratch: string
  readonly #filter: Buffer
  /** Closes descriptors that this process itself inherited, such as those of a lock, and would pass on. */
  readonly #closing = closingWords(inheritable())
  /** Folders that are mounts in every process of this sandbox. */
  #held: ReadonlySet<string> | undefined

  constructor(policy: SandboxPolicy) {
    this.#policy = policy
    // Elsewhere, confined processes of other sessions could put another folder in its place.
    const isOpen = (path: string): boolean => policy.writable.some(each => isWithin(realPath(path), each))
    const above = [tmpdir(), '/tmp', '/var/tmp'].find(path => !isOpen(path)) ?? tmpdir()
    this.#folder = realPath(mkdtempSync(join(above, PREFIX)))
    this.scratch = join(this.#folder, 'tmp')
    mkdirSync(this.scratch, { mode: 0o700 })
    this.#filter = systemCallFilter(policy.unixSockets) ?? Buffer.alloc(0)
  }

  admit(folder: string): void {
    this.#policy = this.#policy.with(folder)
  }

  /** The same program, confined. Throws if that is not possible. */
  confine({ file, args, cwd, env }: Program): Program {
    const net = this.#policy.network ? [] : ['--unshare-net']
    const kept = Object.entries(env).filter(([name]) => !SOCKETS.test(name))
    const own = kept.filter(([name]) => !LOADER.test(name))
    const inside = kept.flatMap(([name, value]) => (LOADER.test(name) ? ['--setenv', name, value] : []))
    const mounts = this.#mounts(env)
    const words = [
      ...BASE,
      ...net,
      '--seccomp',
      '3',
      ...mounts.flatMap(([, each]) => each),
      ...inside,
      '--chdir',
      cwd,
      '--',
      ...checkingWords(mounts.filter(([path]) => this.#isWritable(path))),
      ...this.#closing,
      file,
      ...args
    ]
    const temporary = { TMPDIR: '/tmp', TMP: '/tmp', TEMP: '/tmp' }
    return {
      file: findProgram('bwrap') ?? 'bwrap',
      args: words,
      cwd,
      env: { ...Object.fromEntries(own), ...temporary },
      filter: this.#filter
    }
  }

  #isWritable(path: string): boolean {
    return this.#policy.writable.some(each => isWithin(path, each))
  }

  /**
   * Without those that a confined process which still runs could exchange for a link, because they are no mounts there:
   * what bwrap creates in them could be elsewhere.
   */
  #unmoved(folders: readonly string[]): readonly string[] {
    const held = (this.#held ??= new Set(folders))
    if (folders.every(path => held.has(path))) return folders
    const { writable } = this.#policy
    const tables = mountTables().filter(table => table.includes(PREFIX))
    const mayMove = (path: string, table: string): boolean =>
      !hasMount(table, path) && writable.some(each => isWithin(path, each) && hasMount(table, each))
    return folders.filter(path => !tables.some(table => mayMove(path, table)))
  }

  #mounts(env: Program['env']): readonly Mount[] {
    const { writable, envFile, network, guarded } = this.#policy
    const { readOnly, hidden: wanted, shown } = this.#policy.places()
    const runtime = env['XDG_RUNTIME_DIR']
    const named = ['/run', '/var/run', ...(runtime === undefined ? [] : [runtime]), ...wanted]
    const hidden = [...new Set(named.filter(isThere).map(path => realPath(path)))]
    const isHidden = (path: string): boolean => hidden.some(each => each !== path && isWithin(path, each))
    const session = envFile === undefined ? [] : [dirname(envFile)]
    const writes = envFile !== undefined && env['CLAUDE_ENV_FILE'] === envFile ? session : []
    const more = [...SHOWN_IN_RUN, ...(network ? ['/etc/resolv.conf'] : []), ...shown, ...session]
    for (const each of guarded) if (!isThere(each.path)) createPlaceholder(each)
    const own = writable.some(each => isWithin(this.#folder, each)) ? [this.#folder] : []
    const fixed = [...own, ...readOnly, ...guarded.map(({ path }) => path)].filter(
      path => isThere(path) && !isHidden(path)
    )
    const emptied = hidden.filter(path => !isHidden(path))
    const isOpen = (path: string): boolean =>
      this.#isWritable(path) && ![...fixed, ...emptied].some(each => isWithin(path, each))
    // What was missing at first may be a link of a confined process now.
    const isOwn = (path: string): boolean => isThere(path) && (!this.#isWritable(path) || realPath(path) === path)
    // For the same path, the last one counts.
    const mounts = new Map<string, readonly string[]>([
      ['/tmp', ['--bind', this.scratch, '/tmp']],
      // A folder that is a mount cannot be renamed, to put another one in its place.
      ...this.#unmoved([...new Set([...fixed, ...emptied].flatMap(foldersAbove))].filter(isOpen)).map(path =>
        bound('--bind', path)
      ),
      ...fixed.map(path => bound('--ro-bind', path)),
      ...more.filter(isOwn).map(path => bound('--ro-bind', realPath(path))),
      ...[...writable, ...writes].filter(isOwn).map(path => bound('--bind', path)),
      ...emptied.map(
        path =>
          [path, isFolder(path) ? ['--perms', '0555', '--tmpfs', path] : ['--ro-bind', '/dev/null', path]] as const
      )
    ])
    // A mount covers what was mounted below it before.
    return [...mounts].toSorted(([one], [other]) => depthOf(one) - depthOf(other))
  }

  /** Placeholders that another session uses are left to that session: removing them would remove its mounts as well. */
  close(): void {
    const left = this.#policy.guarded.filter(isPlaceholder)
    const others = left.length === 0 ? [] : mountTables().filter(table => !table.includes(basename(this.#folder)))
    for (const { path, text } of left)
      if (!others.some(table => hasMount(table, path)))
        attempt(() => (text === undefined ? rmdirSync(path) : rmSync(path)))
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Where it is, and the words for bwrap. */
type Mount = readonly [path: string, words: readonly string[]]

const bound = (word: '--bind' | '--ro-bind', path: string): Mount => [path, [word, path, path]]

/** `$0` is the program that prints a file, `$1` says how many lines follow. */
const CHECK = `mounts=$("$0" /proc/self/mountinfo); left=$1; shift
while [ "$left" -gt 0 ]; do
  case $mounts in *" $1 "*) ;; *) echo "bwrap: a folder was exchanged while it was mounted: $1" >&2; exit 1 ;; esac
  shift; left=$((left - 1))
done
exec "$@"`

/**
 * Ends the program before it starts if one of its mounts is not what was wanted: bwrap follows links, and a confined
 * process that still runs may have put one there. The kernel lists what is mounted, and where.
 */
function checkingWords(mounts: readonly Mount[]): readonly string[] {
  const table = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map(line => line.split(' '))
  const lines = mounts.flatMap(([path, [, source]]) => (source === path ? [listed(escaped(path), table)] : []))
  const sh = [findProgram('sh') ?? '/bin/sh', '-c', CHECK, findProgram('cat') ?? '/bin/cat']
  return [...sh, String(lines.length), ...lines]
}

/** How the kernel lists a folder that is mounted where it is: device, path in the file system, path. */
function listed(path: string, table: readonly (readonly string[])[]): string {
  const [, , device = '', root = '', point = ''] = table
    .filter(([, , , , at = '-']) => isWithin(path, at))
    .reduce((one, other) => (other[4]!.length >= (one[4] ?? '').length ? other : one), [])
  return device === '' ? path : `${device} ${join(root, path.slice(point.length))} ${path}`
}

const closingWords = (descriptors: readonly string[]): readonly string[] =>
  descriptors.length === 0
    ? []
    : [findProgram('bash') ?? 'bash', '-c', `exec "$@" ${descriptors.map(each => `${each}>&-`).join(' ')}`, 'bash']

/** Descriptors above 2 that programs would inherit: Node marks those that it opens, and not all that it was given. */
function inheritable(): readonly string[] {
  const CLOSES = 0o2000000
  return (attempt(() => readdirSync('/proc/self/fd')) ?? []).filter(descriptor => {
    const text = attempt(() => readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? ''
    const [, flags] = /^flags:\s*([0-7]+)/m.exec(text) ?? []
    return Number(descriptor) > 2 && flags !== undefined && (Number.parseInt(flags, 8) & CLOSES) === 0
  })
}

function foldersAbove(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [] : [above, ...foldersAbove(above)]
}

const depthOf = (path: string): number => path.split('/').filter(Boolean).length

function createPlaceholder({ path, text }: Guarded): void {
  if (text === undefined) mkdirSync(path, { mode: 0o555 })
  else writeFileSync(path, text, { mode: 0o444, flag: 'wx' })
}

/** Recognized by what it is, so that one that was left after a crash is removed as well. */
function isPlaceholder({ path, text }: Guarded): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (text === undefined)
    return stat?.isDirectory() === true && (stat.mode & 0o777) === 0o555 && readdirSync(path).length === 0
  return stat?.isFile() === true && (stat.mode & 0o777) === 0o444 && readFileSync(path, 'utf8') === text
}

/** The mounts of every process. */
const mountTables = (): readonly string[] =>
  readdirSync('/proc').flatMap(pid =>
    /^\d+$/.test(pid) ? [attempt(() => readFileSync(`/proc/${pid}/mountinfo`, 'utf8')) ?? ''] : []
  )

const hasMount = (table: string, path: string): boolean => table.includes(` ${escaped(path)} `)

/** As the kernel writes a path there. */
const escaped = (path: string): string =>
  path.replaceAll(/[ \t\n\\]/g, char => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
