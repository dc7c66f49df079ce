/** Runs a host once, without a person, against a scripted model. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { startProcess } from '../../../world/process/process.ts'
import type { Program } from '../../../world/process/program.ts'
import { HOST_PROGRAMS } from './host-program.ts'
import type { HostName } from '../hosts.ts'
import { startModelServer, type ModelServer } from './model-server.ts'
import type { HostRequest, ScriptStep } from './model-wire.ts'

export interface HostRun {
  readonly host: HostName
  /** The program's file, or its name in PATH. */
  readonly file: string
  readonly project: string
  /** For files that only this run needs. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** After the arguments that all runs have. */
  readonly args?: readonly string[]
  readonly answer: (request: HostRequest) => ScriptStep
  /** Then it is endOfProgram, in seconds. */
  readonly limit: number
}

export interface HostRan {
  readonly code: number | null
  readonly isLate: boolean
  /** All that it printed, or why it did not start. */
  readonly printed: string
  readonly requests: ModelServer['requests']
}

export async function runHost(wanted: HostRun): Promise<HostRan> {
  const { host, file, project, folder } = wanted
  const server = await startModelServer(wanted.answer)
  try {
    const { args, env, files = {} } = HOST_PROGRAMS[host].start({ url: server.url, project, folder })
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    const program = { file, args: [...args, ...(wanted.args ?? [])], cwd: project, env: { ...wanted.env, ...env } }
    return { ...(await endOfProgram(program, wanted.limit)), requests: server.requests }
  } finally {
    await server.close()
  }
}

/** Starts a program, and waits for its end, which comes after `limit` seconds at the latest. */
export async function endOfProgram(program: Program, limit: number): Promise<Omit<HostRan, 'requests'>> {
  let printed = ''
  let isLate = false
  const add = (chunk: Buffer): void => void (printed += chunk.toString())
  const running = startProcess(program, { stdout: add, stderr: add })
  running.close()
  const timer = setTimeout(() => {
    isLate = true
    running.end()
  }, limit * 1_000)
  const { code, error } = await running.ended
  clearTimeout(timer)
  return { code, isLate, printed: error === undefined ? printed : error.message }
}
