/** One host with Carabiner in front of it, in a folder of its own: home, project, and a copy of the package. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { HOST_PROGRAMS } from '../../src/lib/cli/host/probe/host-program.ts'
import type { HostName } from '../../src/lib/cli/host/hosts.ts'
import type { HostRequest, ScriptStep } from '../../src/lib/cli/host/probe/model-wire.ts'
import { runHost } from '../../src/lib/cli/host/probe/run-host.ts'
import { installedHost } from './hosts-cache.ts'

/** Of Carabiner, in seconds: a policy that hangs is given up then. */
const DEADLINE = 5
const PARTS = ['dist', 'hosts', 'schemas', 'starter', 'package.json']

export class Trial {
  readonly host: HostName
  readonly project: string
  readonly home: string
  readonly package: string
  /** The Node that the installed line names. */
  readonly node: string
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-hosts-')))
  readonly #env: Readonly<Record<string, string>>

  /** `built`: the package's files. */
  constructor(host: HostName, built: string) {
    this.host = host
    const inside = (name: string): string => join(this.#folder, name)
    this.project = inside('project')
    this.home = inside('home')
    this.package = inside('package')
    this.node = inside('node/node')
    for (const folder of ['project', 'home', 'package', 'node', 'programs']) mkdirSync(inside(folder))
    cpSync(built, this.package, { recursive: true, verbatimSymlinks: true })
    linkOrCopy(process.execPath, this.node)
    // Everything in PATH but Node, which the host does not need there.
    for (const file of globSync('{/bin,/usr/bin,/usr/local/bin}/*'))
      if (!/^(node|npm|npx|nodejs|corepack)$/.test(basename(file)) && !existsSync(inside(`programs/${basename(file)}`)))
        symlinkSync(file, inside(`programs/${basename(file)}`))
    this.#env = { HOME: this.home, PATH: inside('programs'), TERM: 'dumb' }
    writeFileSync(inside('host'), `#!/bin/sh\nexec ${startOf(installedHost(host))} "$@"\n`, { mode: 0o755 })
  }

  /** Puts the gate in front of the host. */
  install(): void {
    const args = [
      join(this.package, 'dist/cli.js'),
      'hooks',
      'install',
      '--for',
      this.host,
      '--no-probe',
      '--deadline',
      `${DEADLINE}`
    ]
    const { status, stderr } = spawnSync(this.node, args, { cwd: this.home, env: this.#env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`hooks install --for ${this.host} failed: ${stderr}`)
  }

  /** The settings of the person who uses the host. */
  policy(text: string): void {
    mkdirSync(join(this.home, '.carabiner'), { recursive: true })
    writeFileSync(join(this.home, '.carabiner/settings.json'), text)
  }

  /** Has the model ask for a command, after `during`, and says what became of it. */
  async call(during: () => void): Promise<{ readonly ran: boolean; readonly result: string | undefined }> {
    const call = HOST_PROGRAMS[this.host].shell('touch ran')
    let isAsked = false
    const answer = ({ tools, results }: HostRequest): ScriptStep => {
      if (!tools.includes(call.name) || results.length > 0) return { text: 'All done.' }
      if (!isAsked) during()
      isAsked = true
      return { calls: [call] }
    }
    // Codex runs hooks that nobody has reviewed only so.
    const args = this.host === 'codex' ? ['--dangerously-bypass-hook-trust'] : []
    const { host, project } = this
    const file = join(this.#folder, 'host')
    const { requests, printed } = await runHost({
      host,
      file,
      project,
      folder: this.#folder,
      env: this.#env,
      args,
      answer,
      limit: 90
    })
    if (!isAsked) throw new Error(`${host} made no call: ${printed}`)
    return { ran: existsSync(join(project, 'ran')), result: requests.flatMap(({ results }) => results).at(-1) }
  }

  /** To the process that stays to judge. */
  signalWarm(signal: 'SIGKILL' | 'SIGSTOP'): void {
    this.#signal(signal, /\0hook\0--serve\0/)
  }

  /** Processes of the trial have its home in their environment. */
  #signal(signal: 'SIGKILL' | 'SIGSTOP', words: RegExp): void {
    const mark = `\0HOME=${this.home}\0`
    for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name)))
      try {
        const [own, environment] = ['cmdline', 'environ'].map(
          name => `\0${readFileSync(`/proc/${pid}/${name}`, 'utf8')}`
        )
        if (words.test(own ?? '') && environment?.includes(mark) === true) process.kill(Number(pid), signal)
      } catch {
        // It has ended, or is not ours.
      }
  }

  close(): void {
    this.#signal('SIGKILL', /(?:)/)
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Builds the package in a folder of its own, since dist may be built again meanwhile. */
export function builtPackage(): string {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.ts'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the package cannot be built: ${stderr}`)
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-hosts-package-'))
  for (const part of PARTS) cpSync(part, join(folder, part), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    cpSync(from, to)
  }
}

/** A script needs Node, which is not in PATH. */
function startOf(file: string): string {
  const real = realpathSync(file)
  const isScript = readFileSync(real).subarray(0, 2).toString() === '#!' && statSync(real).size < 1e7
  return isScript ? `'${process.execPath}' '${real}'` : `'${real}'`
}
