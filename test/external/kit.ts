/** Hooks of every kind that give back the same, so that the same cases can be put to all of them. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { commandHook, httpHook, mcpToolHook, Outside, workerHook, type CommandSpec } from '../../src/external.ts'
import { HookRegistry, type EventName, type Profile, type Reply, type Reported } from '../../src/hooks.ts'
import { parseObject } from '../../src/lib/util/json.ts'
import { harness } from '../../src/testing.ts'

/** What a hook gives back, in the words of a process. Whatever is left out is nothing, and the code 0. */
export interface Behaviour {
  readonly code?: number
  readonly stdout?: string
  readonly stderr?: string
}

/** A kind of hook. */
export interface Driver {
  readonly kind: string
  /** Whether hooks of this kind can give that back at all, and it means the same there. */
  expresses(gives: Behaviour, event: EventName): boolean
  /** What comes of an event that one hook of this kind, named `hook`, answers so. */
  answer(gives: Behaviour, event: EventName, profile: Profile, place: Outside): Promise<Reported>
}

/** What a script can read in the folder of fixtures. */
export const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/hooks/${name}`, import.meta.url))

const ANSWER = readFileSync(fixture('answer.sh'), 'utf8')

/** A registry as whatever loads hooks from files would build it. */
const registryFor = (profile: Profile): HookRegistry =>
  new HookRegistry({ profile, precedence: 'ask-over-allow', sessionId: 'conformance' })

const fire = (hooks: HookRegistry, event: EventName): Promise<Reported> => harness(hooks).fire(event)

const variables = ({ code = 0, stdout = '', stderr = '' }: Behaviour): Record<string, string> => ({
  GIVES_CODE: String(code),
  GIVES_STDOUT: stdout,
  GIVES_STDERR: stderr
})

/** The reply that a callback would give; `undefined` where only a process can give it. */
function replyIn({ code = 0, stdout = '', stderr = '' }: Behaviour): { reply: Reply | undefined } | undefined {
  if (code !== 0 || stderr !== '') return undefined
  if (stdout.trim() === '') return { reply: undefined }
  try {
    return { reply: parseObject(stdout) }
  } catch {
    return undefined
  }
}

const callback: Driver = {
  kind: 'callback',
  expresses: gives => replyIn(gives) !== undefined,
  answer(gives, event, profile) {
    const hooks = registryFor(profile)
    const said = replyIn(gives)?.reply
    hooks.register({ name: 'hook', events: event, dialect: 'contract', concurrent: true, run: async () => said })
    return fire(hooks, event)
  }
}

/** All kinds of commands give back anything; they differ in how they are started. */
const commands = (kind: string, words: Pick<CommandSpec, 'command' | 'args'>): Driver => ({
  kind,
  expresses: () => true,
  answer(gives, event, profile, place) {
    const hooks = registryFor(profile)
    hooks.register(commandHook({ ...words, name: 'hook', events: event, env: variables(gives) }, place))
    return fire(hooks, event)
  }
})

/** Its first run, in a registry of its own, gets the second one started ahead. */
const prewarmed: Driver = {
  kind: 'prewarmed',
  expresses: () => true,
  async answer(gives, event, profile, place) {
    const spec: CommandSpec = { name: 'hook', events: event, command: ANSWER, env: variables(gives), prewarm: true }
    const hook = commandHook(spec, place)
    try {
      await fire(registryFor(profile).register(hook), event)
      return await fire(registryFor(profile).register(hook), event)
    } finally {
      hook.close()
    }
  }
}

/** One process that stays. Its frames hold a reply, or what a process would have given back. */
const worker: Driver = {
  kind: 'worker',
  expresses: () => true,
  async answer(gives, event, profile, place) {
    const reply = replyIn(gives)?.reply
    const { code = 0, stdout = '', stderr = '' } = gives
    const frame = reply === undefined ? { code, stdout, stderr } : { reply }
    const env = { FRAME: JSON.stringify(frame).slice(1, -1) }
    const hook = workerHook({ name: 'hook', events: event, command: 'sh', args: [fixture('worker.sh')], env }, place)
    try {
      return await fire(registryFor(profile).register(hook), event)
    } finally {
      hook.close()
    }
  }
}

/** Where a command may print text for the model. From a server text is always a mistake, in JSON or not. */
const TEXT_EVENTS: ReadonlySet<EventName> = new Set(['UserPromptSubmit', 'UserPromptExpansion', 'SessionStart'])

/** A server has no exit code, and sends JSON or nothing. */
const http: Driver = {
  kind: 'http',
  expresses: (gives, event) =>
    replyIn(gives) !== undefined ||
    (gives.code === undefined && gives.stdout?.startsWith('{') === true && !TEXT_EVENTS.has(event)),
  async answer({ stdout = '' }, event, profile, place) {
    const server = createServer((request, response) => {
      request.resume()
      request.on('end', () => response.end(stdout))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const hook = httpHook({ name: 'hook', events: event, url: `http://127.0.0.1:${port}/` }, place)
    try {
      return await fire(registryFor(profile).register(hook), event)
    } finally {
      hook.close()
      server.closeAllConnections()
      server.close()
    }
  }
}

/** The text of a tool is read as what a command prints; it has no exit code. */
const mcpTool: Driver = {
  kind: 'mcp_tool',
  expresses: ({ code = 0, stderr = '' }) => code === 0 && stderr === '',
  answer({ stdout = '' }, event, profile) {
    const place = new Outside({ callServer: async () => stdout })
    const hook = mcpToolHook({ name: 'hook', events: event, server: 'police', tool: 'ask' }, place)
    return fire(registryFor(profile).register(hook), event)
  }
}

/** Every kind there is. Processes are started by this process in one form, and by the helper in the other. */
export const DRIVERS: readonly Driver[] = [
  callback,
  commands('command', { command: ANSWER }),
  commands('exec', { command: 'sh', args: [fixture('answer.sh')] }),
  prewarmed,
  worker,
  http,
  mcpTool
]
