/** Commands that are called fully known are run: they start and change nothing besides what was predicted. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { judgeLeaves } from '../../../src/lib/permissions/allow-command.ts'
import { decide } from '../../../src/lib/permissions/decide.ts'
import { pathsUsedBy } from '../../../src/lib/permissions/used-paths.ts'
import type { CallFacts, Policy } from '../../../src/lib/permissions/policy.ts'
import { onlyReads } from '../../../src/lib/shell/only-reads.ts'
import { isThere, isWithin, resolvePath } from '../../../src/lib/world/files/paths.ts'
import { repositoryFacts } from '../../../src/lib/world/files/repository.ts'
import { seeded } from '../../support/seed.ts'
import { allowRule } from '../permission-kit.ts'
import { CommandMaker, knownRows, programsOf } from './known-commands.ts'
import { trace, type Place, type Traced } from './traced.ts'

/** Programs that belong to another one. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  tar: ['sh', 'gzip', 'bzip2', 'xz', 'zstd'],
  egrep: ['grep'],
  fgrep: ['grep'],
  // Scripts of git itself.
  'git bisect': ['git-bisect', 'basename', 'sed', 'uname', 'gettext', 'envsubst'],
  'git submodule': ['git-submodule', 'basename', 'sed', 'uname', 'gettext', 'envsubst']
}
/** They change what an archive or the repository names, in this project. */
const IN_PROJECT = /^(?:tar|zip|unzip|git)$/
/** They make temporary files in TMPDIR: `tac` for a pipe, `sort` for what is long. */
const WITH_TEMPORARY_FILES = /^(?:mktemp|tac|sort)$/
/** What `ln --force` calls a link before it takes the place of what is there. */
const FORCED_LINK = /\/Cu\w{6}$/

const BATCH = 150

export interface Soundness {
  run: number
  rows: Set<string>
  violations: string[]
}

/** A small project with a repository in it. */
function makeProject(root: string): void {
  const files = { f: 'x a\nb 2\n', g: 'x\n', 'README.md': '# x\n', 'src/a.ts': 'export {}\n', 'data.json': '{"a":1}\n' }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  writeFileSync(join(root, 'evil.sh'), '#!/bin/sh\ntouch p\n', { mode: 0o755 })
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, stdio: 'ignore' })
  git('init', '-q', '-b', 'main', '--template=')
  git('add', '-A')
  git('commit', '-qm', 'one')
  git('commit', '-q', '--allow-empty', '-m', 'two')
}

interface Candidate extends Place {
  readonly row: string
  readonly programs: readonly string[]
  readonly writes: readonly string[]
}

class Prover {
  readonly #scratch = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-')))
  readonly #template = join(this.#scratch, 'template')
  readonly #policy: Omit<Policy, 'roots'>
  readonly found: Soundness = { run: 0, rows: new Set(), violations: [] }
  #waiting: Candidate[] = []
  #made = 0

  constructor(programs: readonly string[]) {
    const rules = programs.map(name => allowRule(`Bash(${name} *)`))
    this.#policy = { rules, mode: 'default', home: join(this.#scratch, 'home') }
    mkdirSync(this.#template)
    makeProject(this.#template)
  }

  /** Whether it is allowed, and so will be run. */
  offer(row: string, command: string): boolean {
    const isRead = onlyReads(command)
    const folder = isRead ? this.#template : join(this.#scratch, `project-${this.#made}`)
    const policy: Policy = { ...this.#policy, roots: [this.#template] }
    const call: CallFacts = {
      tool: 'Bash',
      input: { command },
      subject: { kind: 'command', command },
      readOnly: isRead,
      cwd: this.#template,
      real: resolvePath,
      has: isThere,
      repository: repositoryFacts
    }
    if (decide(call, policy).decision !== 'allow') return false
    const programs = judgeLeaves(command, call, policy).map(({ text }) =>
      text.replace(/^(?:\w+=\S* )+/, '').replaceAll("'", '')
    )
    const writes = [...pathsUsedBy(command, policy, call).writes].map(path => path.replace(this.#template, folder))
    const names = programs.map(text => text.split(' ')[0]!)
    if (names.some(name => IN_PROJECT.test(name)) && !isRead) writes.push(folder)
    if (names.some(name => WITH_TEMPORARY_FILES.test(name))) writes.push(join(this.#scratch, 'tmp'))
    if (!isRead) this.#made++
    this.#waiting.push({ row, command, folder, programs, writes })
    if (this.#waiting.length >= BATCH) this.flush()
    return true
  }

  flush(): void {
    const batch = this.#waiting
    this.#waiting = []
    for (const { folder } of batch) if (folder !== this.#template) execFileSync('cp', ['-a', this.#template, folder])
    const traced = trace(batch, this.#scratch)
    for (const [index, each] of batch.entries()) this.#compare(each, traced[index]!)
    for (const { folder } of batch) if (folder !== this.#template) rmSync(folder, { recursive: true, force: true })
  }

  #compare({ row, command, programs, writes }: Candidate, { programs: started, written }: Traced): void {
    this.found.run++
    this.found.rows.add(row)
    const names = new Set(
      programs.flatMap(text => {
        const [name = '', second = ''] = text.split(' ')
        return [name, ...(PARTS[name] ?? []), ...(PARTS[`${name} ${second}`] ?? [])]
      })
    )
    for (const name of started)
      if (!names.has(name)) this.found.violations.push(`${JSON.stringify(command)} started ${name}`)
    for (const path of written)
      if (
        !(names.has('ln') && FORCED_LINK.test(path)) &&
        !writes.some(each => isWithin(path, each) || isWithin(each, path))
      )
        this.found.violations.push(`${JSON.stringify(command)} changed ${path.replace(this.#scratch, '')}`)
  }

  remove(): void {
    rmSync(this.#scratch, { recursive: true, force: true })
  }
}

/** Runs each row once and then `count` commands in all. */
export function proveSoundness(count: number, seed: number): Soundness {
  const rows = knownRows().filter(row => isInstalled(row.split(' ')[0]!))
  const maker = new CommandMaker(seeded(seed))
  const random = seeded(seed + 1)
  const prover = new Prover(programsOf(rows))
  try {
    let taken = 0
    for (const row of rows) if (prover.offer(row, maker.simple(row, true))) taken++
    for (let tries = 0; taken < count && tries < count * 20; tries++) {
      const row = rows[Math.floor(random() * rows.length)]!
      if (prover.offer(row, maker.make(row, rows))) taken++
    }
    prover.flush()
    return prover.found
  } finally {
    prover.remove()
  }
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('bash', ['-c', `type ${program === '[' ? '[' : program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
