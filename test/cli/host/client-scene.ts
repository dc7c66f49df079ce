/** hosts/client.sh as agents call it: in a home and a folder of its own, beside a package that tests put together. */
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { REPOSITORY } from '../../support/built-package.ts'
import { ended, type Ran } from '../../support/cli-stage.ts'

export interface ClientOptions {
  readonly payload?: string
  readonly host?: string
  readonly event?: string
  readonly failing?: 'closed' | 'open'
  readonly seconds?: number | string
  readonly node?: string
  readonly cwd?: string
  /** In place of the usual variables. */
  readonly env?: Readonly<Record<string, string>>
}

export interface ClientScene {
  readonly folder: string
  readonly home: string
  readonly package: string
  readonly env: Readonly<Record<string, string>>
  write(name: string, content: string, mode?: number): string
  /** Where the client looks for the process that stays. */
  readonly state: string
  start(options?: ClientOptions): ChildProcess
  call(options?: ClientOptions): Promise<Ran>
}

/** `at`: a package that is there already. */
export function clientScene(at?: string): ClientScene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-client-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, content: string, mode = 0o644): string => {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, content)
    chmodSync(file, mode)
    return file
  }
  for (const name of ['home', 'project']) mkdirSync(join(folder, name))
  const [home, own] = [join(folder, 'home'), at ?? join(folder, 'package')]
  mkdirSync(join(own, 'hosts'), { recursive: true })
  copyFileSync(join(REPOSITORY, 'hosts/client.sh'), join(own, 'hosts/client.sh'))
  const env = { PATH: process.env['PATH'] ?? '', HOME: home }
  const start = (options: ClientOptions = {}): ChildProcess => {
    const { host = 'claude', event = 'PreToolUse', failing = 'closed', seconds = 20, node = process.execPath } = options
    const args = ['-p', join(own, 'hosts/client.sh'), host, event, failing, String(seconds), node]
    return spawn('bash', args, { cwd: options.cwd ?? join(folder, 'project'), env: options.env ?? env })
  }
  return {
    ...{ folder, home, package: own, env, write, start },
    state: join(home, '.carabiner/warm', own.replaceAll('/', '%')),
    call: options => ended(start(options), options?.payload ?? '{}')
  }
}

/** A server that says to the client what the test wants, and keeps what it got. */
export interface ScriptedServer {
  readonly port: number
  readonly received: Buffer[]
}

export async function scriptedServer(say: (text: string, socket: Socket) => void): Promise<ScriptedServer> {
  const received: Buffer[] = []
  const server = createServer(socket => {
    const chunks: Buffer[] = []
    socket.on('error', () => undefined)
    socket.on('data', chunk => {
      chunks.push(chunk)
      say(Buffer.concat(chunks).toString(), socket)
    })
    socket.on('close', () => received.push(Buffer.concat(chunks)))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, received }
}

/** A program in place of the command line, which prints this. */
export const clientProgram = (code: string): string =>
  `const { writeSync, readFileSync } = require('node:fs')\n${code}\n`
