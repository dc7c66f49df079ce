/**
 * A process that stays and answers hosts/client.sh, without a start of Node for each event. It keeps no policy: files
 * are read again for each event, and what Node itself keeps is checked before. Whatever it cannot answer exactly as a
 * new process would, it leaves to one.
 */
import { spawn } from 'node:child_process'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { attempt } from '../../util/attempt.ts'
import { holdCredentialsIn } from '../../util/credentials.ts'
import { addOwnFile, makeFolders } from '../../world/files/own-file.ts'
import { kindOf } from '../../world/files/paths.ts'
import { settingsPlaces } from '../common.ts'
import { answerHook } from './answer.ts'
import { readCall, type HookCall } from './call.ts'
import { KeptModules } from './kept-modules.ts'

/** In milliseconds. */
const IDLE = 600_000
const CHECKED_EVERY = 20_000
const PROOF_WITHIN = 1_000
const STARTS_WITHIN = 5_000
const SENT_WITHIN = 10_000

const MOST_CONNECTIONS = 64

/** What Node or we read only once. */
const READ_ONCE = /^(?:NODE_|LD_|UV_|SSL_|OPENSSL_|ICU_|LC_|LANG|TZ$|CARABINER_HOST$)|_proxy$/i

type Environment = Readonly<Record<string, string | undefined>>

const readOnce = (env: Environment): string =>
  Object.keys(env)
    .filter(name => READ_ONCE.test(name))
    .toSorted()
    .map(name => `${name}=${env[name]}`)
    .join('\0')

const PACKAGE = dirname(nodeModule.createRequire(import.meta.url).resolve('carabiner/package.json'))

/** Where the client looks for it. */
const stateFile = (): string => join(settingsPlaces(undefined).ownHome, 'warm', PACKAGE.replaceAll('/', '%'))

/** The client needs /proc; sources change while they are worked on; older versions of Node cannot tell what they load. */
const isPossible = (): boolean =>
  process.platform === 'linux' && import.meta.url.endsWith('.js') && 'registerHooks' in nodeModule

/** Starts the process that stays, unless one is just being started. Nothing depends on it. */
export function startWarm(): void {
  attempt(() => {
    const { HOME, CARABINER_HOME } = process.env
    if (!isPossible() || !(CARABINER_HOME || HOME)) return
    const file = stateFile()
    const starting = `${file}.starting`
    // Another process may have started it meanwhile.
    if (!isOurFolder(dirname(file)) || (kindOf(file)?.ctimeMs ?? 0) > performance.timeOrigin) return
    if (Date.now() - (kindOf(starting)?.mtimeMs ?? Date.now()) > STARTS_WITHIN) rmSync(starting, { force: true })
    if (!addOwnFile(starting, '')) return
    const args = [...process.execArgv, join(PACKAGE, 'dist/cli.js'), 'hook', '--serve']
    const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore', cwd: '/' })
    child.on('error', () => undefined)
    child.unref()
  })
}

/** Creates it only where this user owns what is there: root may use the home of another one. */
function isOurFolder(folder: string): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat === undefined && folder !== dirname(folder) && isOurFolder(dirname(folder))) makeFolders(folder)
  const made = stat ?? statSync(folder, { throwIfNoEntry: false })
  return made?.uid === process.getuid?.()
}

/** `carabiner hook --serve`. Ends when idle, when its code changed, or when another process took its place. */
export async function serveHooks(): Promise<number> {
  const file = stateFile()
  if (!isPossible() || !isOurFolder(dirname(file))) return 1
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const service = new Service(file, end)
  const server = createServer({ noDelay: true }, socket => void service.serve(socket))
  server.maxConnections = MOST_CONNECTIONS
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const isFirst = await service.announce((server.address() as AddressInfo).port)
  rmSync(`${file}.starting`, { force: true })
  if (isFirst) await over
  server.close()
  return 0
}

class Service {
  readonly #secret = randomBytes(16).toString('hex')
  readonly #proof = randomBytes(16).toString('hex')
  readonly #file: string
  readonly #code = codeNow()
  readonly #readOnce = readOnce(process.env)
  readonly #modules = new KeptModules(pathToFileURL(join(PACKAGE, 'dist/')).href)
  readonly #idle: NodeJS.Timeout
  readonly #end: () => void
  #state = ''
  #open = 0
  #running = 0
  #isOver = false
  /** For whom it answers, or answered last. */
  #situation = ''

  constructor(file: string, end: () => void) {
    this.#file = file
    this.#idle = setTimeout(() => this.#leave(), IDLE)
    const check = setInterval(() => this.#isCurrent() || this.#leave(), CHECKED_EVERY)
    process.on('exit', () => this.#withdraw())
    this.#end = () => {
      clearInterval(check)
      clearTimeout(this.#idle)
      end()
    }
  }

  /** False if another process does the same already. One that does not move is ended. */
  async announce(port: number): Promise<boolean> {
    const state = `${port} ${this.#secret} ${this.#proof} ${process.pid} ${startOf('self')}\n`
    for (let attempts = 0; attempts < 3; attempts++) {
      if (addOwnFile(this.#file, state)) {
        this.#state = state
        return this.#isCurrent()
      }
      const other = attempt(() => readFileSync(this.#file, 'utf8'))
      if (other !== undefined && (await answers(other))) return false
      if (attempt(() => readFileSync(this.#file, 'utf8')) === other) rmSync(this.#file, { force: true })
      attempt(() => endServer(other?.split(/\s/) ?? []))
    }
    return false
  }

  async serve(socket: Socket): Promise<void> {
    this.#open++
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#open--
      if (this.#isOver) this.#leave()
    })
    socket.setTimeout(SENT_WITHIN, () => socket.destroy())
    const call = await readCall(socket, given => {
      const isOurs = given.length === this.#secret.length && timingSafeEqual(given, Buffer.from(this.#secret))
      return isOurs ? `${this.#proof}\n` : undefined
    }).catch(() => undefined)
    if (call === undefined) return void socket.destroy()
    socket.setTimeout(0)
    socket.resume()
    this.#idle.refresh()
    const answer = await this.#answer(call)
    socket.setTimeout(SENT_WITHIN)
    socket.end(answer)
    if (this.#modules.areSpent) this.#leave(startWarm)
  }

  async #answer(call: HookCall): Promise<string> {
    const situation = JSON.stringify([call.session, call.cwd, call.umask, call.env])
    const isSame = situation === this.#situation
    if (this.#isOver || this.#modules.areSpent || !this.#isCurrent() || (this.#modules.any && !isSame)) {
      this.#leave()
      return 'over'
    }
    if ((this.#running > 0 && !isSame) || readOnce(call.env) !== this.#readOnce) return 'busy'
    if (this.#running === 0 && !enter(call)) return 'busy'
    this.#situation = situation
    this.#running++
    const { code, stdout, stderr } = await answerHook({ ...call, cwd: process.cwd() })
    this.#running--
    // No folder is kept busy.
    if (this.#running === 0) process.chdir('/')
    return `${code} ${Buffer.byteLength(stdout)} ${Buffer.byteLength(stderr)}\n${stdout}${stderr}`
  }

  #isCurrent(): boolean {
    const isKnown = attempt(() => readFileSync(this.#file, 'utf8')) === this.#state
    return isKnown && this.#code !== undefined && codeNow() === this.#code && this.#modules.areUnchanged()
  }

  #withdraw(): void {
    if (attempt(() => readFileSync(this.#file, 'utf8')) === this.#state) rmSync(this.#file, { force: true })
  }

  /** What is running gets its answer. */
  #leave(next?: () => void): void {
    this.#withdraw()
    if (!this.#isOver) next?.()
    this.#isOver = true
    if (this.#open === 0) this.#end()
  }
}

/** Our own files as they are now. Undefined if they changed since this process began to load them. */
function codeNow(): string | undefined {
  const stats = ['package.json', 'dist/cli.js', 'dist/chunks'].map(name => kindOf(join(PACKAGE, name)))
  if (stats.some(stat => stat === undefined || stat.ctimeMs > performance.timeOrigin)) return undefined
  return stats.map(stat => `${stat?.ino} ${stat?.size} ${stat?.mtimeMs} ${stat?.ctimeMs}`).join()
}

/** Makes the environment of a client that of this process. */
function enter({ env, cwd, umask }: HookCall): boolean {
  if (attempt(() => (process.chdir(cwd), true)) !== true) return false
  process.umask(umask)
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name]
  for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value
  process.env['CLAUDE_CODE_ENTRYPOINT'] ??= 'sdk-cli'
  holdCredentialsIn(process.env)
  return true
}

/** Whether the process of this state proves itself. */
function answers(state: string): Promise<boolean> {
  const [port, secret, proof] = state.split(' ')
  return new Promise(resolve => {
    const socket = connect(Number(port) || 1, '127.0.0.1', () => socket.write(`${secret}\0`))
    const settle = (isThere: boolean): void => {
      socket.destroy()
      resolve(isThere)
    }
    socket.setTimeout(PROOF_WITHIN, () => settle(false))
    socket.on('error', () => settle(false))
    socket.on('close', () => settle(false))
    socket.on('data', data => settle(String(data) === `${proof}\n`))
  })
}

/** It does not answer: a hook may block it for ever. */
function endServer([, , , pid = '', start]: readonly string[]): void {
  const isIt = start !== undefined && startOf(pid) === start && statSync(`/proc/${pid}`).uid === process.getuid?.()
  if (isIt) process.kill(Number(pid), 'SIGKILL')
}

/** When a process began, in ticks since the machine did: with its number, it is that of no other. */
const startOf = (pid: string): string | undefined =>
  attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/.*\) /s, '').split(' ')[19])
