/** Random commands that rules call fully known, run under strace: what they start and write must be predicted. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { formOf, type Form } from '../../../src/lib/shell/form.ts'
import { parseShell } from '../../../src/lib/shell/parse.ts'
import { programRow, rowNames, type ProgramRow } from '../../../src/lib/shell/row.ts'

export const hasStrace = (): boolean => spawnSync('strace', ['-V']).status === 0

/** They do not end, reach other machines or processes, or show what changes with time. */
const LEFT_OUT =
  /^(?:cd|popd|pushd|yes|curl|dig|host|nslookup|ping|gh|kill|sleep|wait|exit|set|export|unset|mktemp|rsync|zip|unzip|zipinfo|tar|rimraf|mkdirp|go|npm|pip|docker|kubectl|terraform|gofmt|rustc|rustfmt|yarn|pnpm|pip3|poetry|git (?:fetch|pull|push|clone|ls-remote|remote|submodule|gc|worktree|bisect))\b/

export const soundRows = (): readonly string[] =>
  rowNames().filter(name => {
    const row = programRow(name)
    const [program = ''] = name.split(' ')
    if (row === undefined || !/^(?:reads|changes)$/.test(row.does) || LEFT_OUT.test(name) || name.endsWith('#'))
      return false
    return (
      !row.operands.some(({ kind }) => kind === 'sub') && spawnSync('bash', ['-c', `type -t ${program}`]).status === 0
    )
  })

const VALUES: Readonly<Record<string, readonly string[]>> = {
  text: ['x', '1', '2', 'a b'],
  read: ['f', 'g', 'd/h', 'd', 'missing'],
  write: ['out', 'd/out', 'f'],
  rev: ['HEAD', 'f', 'd'],
  changed: ['f', 'g'],
  folder: ['d'],
  inside: ['d', 'new'],
  deep: ['d', 'f'],
  sed: ['s/a/b/', 'p', '1,2p', '$!d', '/x/p'],
  awk: ['{print $1}', 'NR==1', '1'],
  date: ['+%s'],
  filter: ['.', '.a'],
  option: ['pipefail'],
  psflags: ['aux'],
  name: ['x'],
  reflog: ['HEAD']
}

const NEVER = /^(?:-f|-F|--follow|--retry|-s|--pid|-i|-ok|-okdir)$/

export function randomCommand(name: string, random: () => number): string {
  const row = programRow(name)!
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const value = (kind: string): string => `'${pick(VALUES[kind === '' ? 'text' : kind] ?? ['x'])}'`
  const words: string[] = []
  const harmless = [...row.options].filter(
    ([option, { sign }]) =>
      /^[=<?^@.]?\^?$/.test(sign) &&
      !(name === 'tail' && NEVER.test(option)) &&
      /\w/.test(option) &&
      !option.includes('#')
  )
  for (let count = Math.floor(random() * 4); count > 0 && harmless.length > 0; count--) {
    const [option, { sign, kind, values }] = pick(harmless)
    const glue = option.startsWith('--') && random() < 0.5 && values === 1
    const held = values === 0 ? [] : Array.from({ length: values }, () => value(sign.startsWith('<') ? 'read' : kind))
    words.push(glue ? `${option}=${held[0]}` : [option, ...held].join(' '))
  }
  const operands = operandsOf(row, random, value)
  return [name, ...(random() < 0.7 ? [...words, ...operands] : [...operands, ...words])].join(' ')
}

const operandsOf = (
  { operands }: ProgramRow,
  random: () => number,
  value: (kind: string) => string
): readonly string[] =>
  operands.flatMap(({ kind, times }) => {
    const count =
      times === '' ? 1 : times === '?' ? Math.round(random()) : Math.floor(random() * 3) + (times === '+' ? 1 : 0)
    return Array.from({ length: count }, () => value(kind))
  })

export interface Seen {
  readonly programs: ReadonlySet<string>
  readonly written: ReadonlySet<string>
}

const OPENED = /openat\((?:AT_FDCWD|\d+)(?:<([^>]*)>)?, "([^"]*)", [^)]*(?:O_WRONLY|O_RDWR|O_CREAT)/
const CHANGED = /(?:mkdirat|unlinkat|fchmodat|mknodat|renameat2?)\((?:AT_FDCWD|\d+)(?:<([^>]*)>)?, "([^"]*)"/
const PLAIN = /(?:creat|mkdir|unlink|rmdir|truncate|chmod|rename|mknod)\(()"([^"]*)"/
const LINKED = /link(?:at)?\(.*?(?:(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"([^"]*)"(?:, \w+)?\)/

export class StraceFolder {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-')))
  readonly #log = join(tmpdir(), `carabiner-strace-${process.pid}.log`)

  reset(): void {
    rmSync(this.root, { recursive: true, force: true })
    mkdirSync(join(this.root, 'd'), { recursive: true })
    for (const file of ['f', 'g', 'd/h']) writeFileSync(join(this.root, file), '{"a":1}\nx y\n')
    const git = (...args: readonly string[]): unknown => execFileSync('git', args, { cwd: this.root, stdio: 'ignore' })
    git('init', '-q', '--template=')
    git('add', 'f', 'd')
    git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-qm', 'x')
  }

  run(command: string): Seen {
    const args = [
      '-f',
      '-y',
      '-qq',
      '-e',
      'trace=execve,chdir,openat,creat,mkdir,mkdirat,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,mknod,mknodat',
      '-e',
      'status=successful',
      '-o',
      this.#log
    ]
    const env = {
      PATH: process.env['PATH'],
      HOME: this.root,
      LC_ALL: 'C',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_CONFIG_NOSYSTEM: '1'
    }
    spawnSync('strace', [...args, 'timeout', '10', 'bash', '--noprofile', '--norc', '-c', command], {
      cwd: this.root,
      env,
      stdio: 'ignore'
    })
    const lines = readFileSync(this.#log, 'utf8').split('\n')
    const programs = lines.flatMap(line => /execve\("[^"]*\/([^"/]+)"/.exec(line)?.[1] ?? [])
    const folders = new Map<string, string>()
    const written = lines.flatMap(line => {
      const [pid = ''] = line.split(' ')
      const folder = folders.get(pid) ?? this.root
      const moved = /chdir\("([^"]*)"/.exec(line)?.[1]
      if (moved !== undefined) folders.set(pid, resolve(folder, moved))
      const found =
        OPENED.exec(line) ?? CHANGED.exec(line) ?? (/unlink/.test(line) ? null : LINKED.exec(line)) ?? PLAIN.exec(line)
      return found?.[2] === undefined ? [] : [resolve(found[1] || folder, found[2])]
    })
    return { programs: new Set(programs), written: new Set(written) }
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true })
    rmSync(this.#log, { force: true })
  }
}

/** What was started or written, and is not among what the forms say. */
export function violations(command: string, seen: Seen, root: string): readonly string[] {
  const forms: Form[] = parseShell(command).leaves.map(({ words }) => formOf(words))
  const inner = forms.flatMap(({ commands }) => commands.map(words => words[0]?.text ?? ''))
  const programs = new Set([
    'timeout',
    'bash',
    ...parseShell(command).leaves.map(({ words }) => words[0]?.text ?? ''),
    ...inner
  ])
  const writes = forms.flatMap(form => [...form.writes, ...form.inside].map(path => resolve(root, path)))
  // What git and touch change of their own: the repository, and what the names say.
  const isOwn = (path: string): boolean =>
    path.startsWith('/dev/') ||
    path.startsWith('/tmp/sort') ||
    writes.some(each => path === each || path.startsWith(`${each}/`) || resolve(path, '..') === each) ||
    (command.startsWith('git ') && forms.some(({ does }) => does === 'changes') && path.startsWith(root))
  const isGit = command.startsWith('git ')
  return [
    ...[...seen.programs]
      .filter(
        program =>
          !programs.has(program) &&
          !(isGit && program.startsWith('git')) &&
          !((program === 'sh' && programs.has('which')) || (program === 'grep' && /^[ef]grep /.test(command))) &&
          !(program === 'grep' && /^[ef]grep /.test(command))
      )
      .map(each => `starts ${each}`),
    ...[...seen.written].filter(path => !isOwn(path)).map(each => `writes ${each}`)
  ]
}
