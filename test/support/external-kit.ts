/** Hooks of every kind that return the same, so that the same cases run through all of them. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  agentHook,
  commandHook,
  httpHook,
  mcpToolHook,
  HookEnvironment,
  promptHook,
  workerHook,
  type CommandSpec
} from '../../src/external.ts'
import { HookRegistry, type EventName, type Profile, type Reply, type Reported } from '../../src/hooks.ts'
import { parseObject } from '../../src/lib/util/json.ts'
import { harness, type Turn } from '../../src/testing.ts'
import { withModel } from '../hooks/kinds/model-drivers.ts'
import { fixture } from './fixture.ts'

/** What a hook returns, in the terms of a process. A missing text is empty, and a missing code is 0. */
export interface Behaviour {
  readonly code?: number
  readonly stdout?: string
  readonly stderr?: string
}

/** Why a kind of hook is not put to a case. */
export const OBSTACLES = {
  code: 'it is not a process: it has no exit code and no standard error',
  text: 'it returns an object, never text',
  words: 'it sends JSON or nothing: words are a failure on every event, never context',
  verdict: 'a model says yes or no, and nothing else: see [verdicts](#verdicts)',
  agent: 'an agent cannot judge an answer, so it fails: hooks on its own events would see the answer'
}
export type Obstacle = keyof typeof OBSTACLES

/** A kind of hook. */
export interface Driver {
  readonly kind: string
  /** What keeps hooks of this kind from giving that back, or from meaning the same by it. */
  obstacle(gives: Behaviour, event: EventName): Obstacle | undefined
  /** What comes of an event that one hook of this kind, named `hook`, answers so. */
  answer(gives: Behaviour, event: EventName, profile: Profile, place: HookEnvironment): Promise<Reported>
}

const ANSWER = readFileSync(fixture('hooks/answer.sh'), 'utf8')

/** A registry as a loader of hooks from files would build it. */
const registryFor = (profile: Profile): HookRegistry =>
  new HookRegistry({ profile, precedence: 'ask-over-allow', sessionId: 'conformance' })

const fire = (hooks: HookRegistry, event: EventName): Promise<Reported> => harness(hooks).fire(event)

const variables = ({ code = 0, stdout = '', stderr = '' }: Behaviour): Record<string, string> => ({
  GIVES_CODE: String(code),
  GIVES_STDOUT: stdout,
  GIVES_STDERR: stderr
})

/** The reply that a callback would give; `undefined` where only a process can give it. */
function replyIn(gives: Behaviour): { reply: Reply | undefined } | undefined {
  const { stdout = '' } = gives
  if (isProcess(gives)) return undefined
  if (stdout.trim() === '') return { reply: undefined }
  try {
    return { reply: parseObject(stdout) }
  } catch {
    return undefined
  }
}

const isProcess = ({ code = 0, stderr = '' }: Behaviour): boolean => code !== 0 || stderr !== ''

const callback: Driver = {
  kind: 'callback',
  obstacle: gives => (isProcess(gives) ? 'code' : replyIn(gives) === undefined ? 'text' : undefined),
  answer(gives, event, profile) {
    const hooks = registryFor(profile)
    const said = replyIn(gives)?.reply
    hooks.register({ name: 'hook', events: event, dialect: 'contract', concurrent: true, run: async () => said })
    return fire(hooks, event)
  }
}

/** All kinds of commands can return anything; they differ in how they are started. */
const commands = (kind: string, words: Pick<CommandSpec, 'command' | 'args'>): Driver => ({
  kind,
  obstacle: () => undefined,
  answer(gives, event, profile, place) {
    const hooks = registryFor(profile)
    hooks.register(commandHook({ ...words, name: 'hook', events: event, env: variables(gives) }, place))
    return fire(hooks, event)
  }
})

/** Its first run, in a separate registry, starts the second one ahead. */
const prewarmed: Driver = {
  kind: 'prewarmed',
  obstacle: () => undefined,
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

/** One long-running process. Its frames contain a reply, or the output of a process. */
const worker: Driver = {
  kind: 'worker',
  obstacle: () => undefined,
  async answer(gives, event, profile, place) {
    const reply = replyIn(gives)?.reply
    const { code = 0, stdout = '', stderr = '' } = gives
    const frame = reply === undefined ? { code, stdout, stderr } : { reply }
    const env = { FRAME: JSON.stringify(frame).slice(1, -1) }
    const hook = workerHook(
      { name: 'hook', events: event, command: 'sh', args: [fixture('hooks/worker.sh')], env },
      place
    )
    try {
      return await fire(registryFor(profile).register(hook), event)
    } finally {
      hook.close()
    }
  }
}

/** Where a command may print text for the model. From a server text is always a mistake, in JSON or not. */
const TEXT_EVENTS: ReadonlySet<EventName> = new Set([
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'PostModelSwitch'
])

/** JSON that cannot be read, in a place where it does not count as text. */
const isBroken = ({ stdout = '' }: Behaviour, event: EventName): boolean =>
  stdout.startsWith('{') && !TEXT_EVENTS.has(event)

/** A server has no exit code, and sends JSON or nothing. */
const http: Driver = {
  kind: 'http',
  obstacle: (gives, event) => {
    if (isProcess(gives)) return 'code'
    const isMeant = replyIn(gives) !== undefined || isBroken(gives, event)
    return isMeant ? undefined : 'words'
  },
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
  obstacle: gives => (isProcess(gives) ? 'code' : undefined),
  answer({ stdout = '' }, event, profile) {
    const place = new HookEnvironment({ callServer: async () => stdout })
    const hook = mcpToolHook({ name: 'hook', events: event, server: 'police', tool: 'ask' }, place)
    return fire(registryFor(profile).register(hook), event)
  }
}

/** The corresponding answer of a model: yes, no, or something unreadable. */
function verdictFor(gives: Behaviour, event: EventName): string | undefined {
  const said = replyIn(gives)
  if (said === undefined) return isBroken(gives, event) ? gives.stdout : undefined
  const { decision, reason, ...more } = said.reply ?? {}
  // Missing text of a model is not a yes; so blanks are an empty answer.
  if (Object.keys(more).length > 0 || (gives.stdout !== '' && gives.stdout?.trim() === '')) return undefined
  if (decision === undefined) return JSON.stringify({ ok: true })
  return decision === 'block' ? JSON.stringify({ ok: false, reason }) : undefined
}

/** What comes of an event about which a model, asked in this manner, says that. */
export const answerBy = (
  manner: 'prompt' | 'prompt, continueOnBlock' | 'agent',
  says: Turn,
  event: EventName,
  profile: Profile
): Promise<Reported> =>
  withModel([says], place => {
    const spec = { name: 'hook', events: event, prompt: 'Is it all right?' }
    const hook =
      manner === 'agent' ? agentHook(spec, place) : promptHook({ ...spec, continueOnBlock: manner !== 'prompt' }, place)
    return fire(registryFor(profile).register(hook), event)
  })

/** Hooks that ask a model. A no of those that continue means the same as for all others. */
const asking = (kind: 'prompt' | 'agent'): Driver => ({
  kind,
  obstacle: (gives, event) => {
    if (isProcess(gives)) return 'code'
    if (verdictFor(gives, event) === undefined) return 'verdict'
    return kind === 'agent' && event === 'PostModelResponse' ? 'agent' : undefined
  },
  answer: (gives, event, profile) =>
    answerBy(kind === 'agent' ? kind : 'prompt, continueOnBlock', verdictFor(gives, event)!, event, profile)
})

/** Every kind there is. Processes are started by this process in one form, and by the helper in the other. */
export const DRIVERS: readonly Driver[] = [
  callback,
  commands('command', { command: ANSWER }),
  commands('exec', { command: 'sh', args: [fixture('hooks/answer.sh')] }),
  prewarmed,
  worker,
  http,
  mcpTool,
  asking('prompt'),
  asking('agent')
]
