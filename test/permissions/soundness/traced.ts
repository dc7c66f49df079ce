/**
 * Runs commands under strace, many in one go, and reports which programs each started and which files it changed or,
 * on a file system that is read-only, tried to change.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { readOnlyGit } from '../../../src/lib/tools/bash/bash-run.ts'
import { quoted } from '../attacks/mutations.ts'

export interface Traced {
  readonly programs: ReadonlySet<string>
  readonly written: ReadonlySet<string>
}

export interface Place {
  readonly command: string
  readonly folder: string
}

const CALLS = `execve open openat creat mkdir mkdirat unlink unlinkat rmdir rename renameat renameat2 link linkat symlink
  symlinkat truncate mknod mknodat chmod fchmodat chown lchown fchownat chdir fchdir`

export const isTracing = (): boolean => spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

/** If bubblewrap works here, commands can write only to the scratch folder, and reach no other process and no network. */
const CONFINED =
  '--unshare-user --unshare-pid --unshare-net --unshare-ipc --die-with-parent --ro-bind / / --dev /dev --proc /proc'

const canConfine = (): boolean => spawnSync('bwrap', [...CONFINED.split(' '), 'true']).status === 0

/** `scratch`: a folder for the script, the log, and what commands take for the home and for temporary files. */
export function trace(places: readonly Place[], scratch: string): readonly Traced[] {
  const [script, log] = [join(scratch, 'script'), join(scratch, 'log')]
  for (const name of ['home', 'tmp']) mkdirSync(join(scratch, name), { recursive: true })
  const lines = places.flatMap(({ command, folder }, index) => [
    `cd ${quoted(folder)}`,
    `/bin/true marker-${index}`,
    `timeout -s KILL 5 bash --noprofile --norc -c ${quoted(command)} </dev/null >/dev/null 2>&1`
  ])
  writeFileSync(script, [...lines, `/bin/true marker-${places.length}`, ''].join('\n'))
  const calls = CALLS.split(/\s+/).map(name => `?${name}`)
  const traced = ['strace', '-f', '-y', '-s', '9999', '-e', `trace=${calls.join()}`, '-o', log, 'bash', script]
  const confined = canConfine() ? ['bwrap', ...CONFINED.split(' '), '--bind', scratch, scratch] : []
  const [program = '', ...args] = [...confined, ...traced]
  execFileSync(program, args, {
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: join(scratch, 'home'),
      TMPDIR: join(scratch, 'tmp'),
      ...readOnlyGit({}),
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b'
    },
    stdio: 'ignore'
  })
  return readLog(readFileSync(log, 'utf8'), places)
}

function readLog(log: string, places: readonly Place[]): readonly Traced[] {
  const found = places.map((): Effects => ({ programs: [], written: new Set(), opened: new Map() }))
  const begun = new Map<string, string>()
  const folders = new Map<string, string>()
  let at = -1
  for (const line of log.split('\n')) {
    const [, pid = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const [, before] = /^(.*) <unfinished \.\.\.>$/.exec(rest) ?? []
    if (before !== undefined) begun.set(pid, before)
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)?.[1]
    const call = resumed === undefined ? rest : `${begun.get(pid) ?? ''}${resumed}`
    const marker = /^execve\("\/bin\/true", \["\/bin\/true", "marker-(\d+)"\]/.exec(call)?.[1]
    if (marker !== undefined) at = Number(marker)
    const [, changed = /^fchdir\(\d+<(.*)>\)\s+= 0/.exec(call)?.[1]] = /^chdir\("(.*)"\)\s+= 0/.exec(call) ?? []
    const folder = folders.get(pid) ?? places[at]?.folder ?? '/'
    if (changed !== undefined) folders.set(pid, resolve(folder, decoded(changed)))
    const into = found[at]
    if (marker === undefined && before === undefined && into !== undefined) readCall(call, into, { pid, folder })
  }
  // The first two are those of the script.
  return found.map(({ programs, written }) => ({ programs: new Set(programs.slice(2)), written }))
}

interface Effects {
  readonly programs: string[]
  readonly written: Set<string>
  /** By process and descriptor. */
  readonly opened: Map<string, string>
}

function readCall(call: string, into: Effects, { pid, folder }: Readonly<Record<'pid' | 'folder', string>>): void {
  const [, name, args = '', result = '', opened] = /^(\w+)\((.*)\)\s+= (\d+|-1 EROFS)(?:<(.*)>)?/.exec(call) ?? []
  if (name === undefined || name.endsWith('chdir')) return
  const texts = Array.from(args.matchAll(/"((?:\\.|[^"\\])*)"/g), ([, text = '']) => decoded(text))
  const base = /^(?:\d+|AT_FDCWD)<([^>]*)>/.exec(args)?.[1] ?? folder
  const isTried = result === '-1 EROFS'
  if (name === 'execve') into.programs.push(basename(texts[0] ?? ''))
  else if (/^(?:open|openat|creat)$/.test(name)) {
    const path = isTried ? resolve(base, texts[0] ?? '') : decoded(opened ?? '')
    into.opened.set(`${pid} /proc/self/fd/${result}`, path)
    if (name === 'creat' || /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(args)) note(path, into.written)
  } else if (result === '0' || isTried) {
    const paths = name.startsWith('rename') ? texts : texts.slice(-1)
    for (const path of paths) into.written.add(into.opened.get(`${pid} ${path}`) ?? resolve(base, path))
  }
}

/** As C writes strings. */
const decoded = (text: string): string =>
  text.replaceAll(/\\([0-7]{1,3}|.)/g, (_, sign: string) =>
    /^[0-7]/.test(sign) ? String.fromCharCode(Number.parseInt(sign, 8)) : (ESCAPES[sign] ?? sign)
  )

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

/** Streams are opened by everyone. */
function note(path: string, written: Set<string>): void {
  if (path !== '' && !/^\/(?:dev|proc)\//.test(path)) written.add(path)
}
