/** Tries the gate for real: starts the installed host with the person's configuration, and has it try a refused call. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { escapeLine } from '../../print.ts'
import { HOST_PROGRAMS } from './host-program.ts'
import { dialectOf, type HostName } from '../hosts.ts'
import type { HostRequest, ScriptStep } from './model-wire.ts'
import { endOfProgram, runHost, type HostRan } from './run-host.ts'

export interface Probed {
  /** The call was refused by Carabiner, and did not run. Undefined if nothing could be tried. */
  readonly crossed?: boolean
  readonly why: string
  readonly version?: string
}

export interface ProbeOptions {
  /** The host's file, or its name in PATH. */
  readonly file?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly args?: readonly string[]
  /** Of the whole probe, in seconds. */
  readonly limit?: number
}

export async function probeHost(host: HostName, options: ProbeOptions = {}): Promise<Probed> {
  const { program, shell, forgetful = [] } = HOST_PROGRAMS[host]
  const { file = program, limit = 60 } = options
  const args = [...forgetful, ...(options.args ?? [])]
  const start = performance.now()
  const env = Object.fromEntries(Object.entries(options.env ?? process.env).filter(isDefined))
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-probe-')))
  try {
    const version = /\d+\.\d+\.\d+(?:-[\w.]*\w)?/.exec(
      (await endOfProgram({ file, args: ['--version'], cwd: folder, env }, limit)).printed
    )?.[0]
    if (version === undefined) return { why: `${dialectOf(host).title} did not start as ${file}` }
    const project = join(folder, 'project')
    const command = `touch ${randomUUID()}`
    mkdirSync(join(project, '.claude'), { recursive: true })
    writeFileSync(
      join(project, '.claude/settings.json'),
      JSON.stringify({ permissions: { deny: [`Bash(${command})`] } })
    )
    const call = shell(command)
    const answer = ({ tools, results }: HostRequest): ScriptStep =>
      tools.includes(call.name) && results.length === 0 ? { calls: [call] } : { text: 'All done.' }
    const left = limit - (performance.now() - start) / 1_000
    const ran = await runHost({ host, file, project, folder, env, args, answer, limit: left })
    const isRun = existsSync(join(project, command.slice('touch '.length)))
    return { ...verdict(ran, isRun, `Bash(${command})`), version }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

const isDefined = (entry: [string, string | undefined]): entry is [string, string] => entry[1] !== undefined

function verdict({ requests, isLate, printed }: HostRan, isRun: boolean, rule: string): Probed {
  if (isRun) return { crossed: false, why: 'it ran a command that Carabiner refuses: it did not start the hook' }
  const result = requests.flatMap(({ results }) => results).at(-1)
  if (result?.includes(`the rule ${rule}`) === true)
    return { crossed: true, why: `the model was told: ${firstPart(result)}` }
  if (result !== undefined)
    return { crossed: false, why: `the command did not run, but not because of Carabiner: ${firstPart(result)}` }
  return {
    why: isLate ? 'it did not end in time' : `it made no call: ${firstPart(printed.trim().split('\n').at(-1) ?? '')}`
  }
}

/** Without what agents add for the model. */
function firstPart(whole: string): string {
  const text = whole.replaceAll(/<system-reminder>[^]*?<\/system-reminder>/g, '').trim()
  return escapeLine(text.length > 300 ? `${text.slice(0, 300)}…` : text)
}
