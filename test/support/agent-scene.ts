/** A run of `query()` in a project with a separate home. Independent of the test runner. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type AgentMessage,
  CarabinerError,
  EVENT_NAMES,
  type EventName,
  HookRegistry,
  type Message,
  type Model,
  query,
  type Query,
  type QueryOptions,
  type ResultMessage,
  tool,
  type ToolDefinition
} from '../../src/index.ts'
import { scriptedModel, type ScriptedModel, type TurnOrMaker } from '../../src/testing.ts'

/** A working folder, and the environment of a user whose home is elsewhere. */
export interface Project {
  readonly cwd: string
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  path(name: string): string
  write(name: string, text: string): string
  text(name: string): string
  has(name: string): boolean
}

/** A project in this folder. */
export function projectIn(base: string): Project {
  const [cwd, home] = [join(base, 'work'), join(base, 'home')]
  mkdirSync(cwd, { recursive: true })
  mkdirSync(home, { recursive: true })
  const path = (name: string): string => join(cwd, name)
  return {
    cwd,
    home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
    path,
    write(name, text) {
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), text)
      return path(name)
    },
    text: name => readFileSync(path(name), 'utf8'),
    has: name => existsSync(path(name))
  }
}

/** An event that was fired, and what its hooks were given. */
interface Fired {
  readonly event: EventName
  readonly input: Readonly<Record<string, unknown>>
}

export interface Asking extends QueryOptions {
  readonly prompt?: Parameters<typeof query>[0]['prompt']
  readonly in?: Project
  /** `false`: no hook at all looks on. */
  readonly watch?: boolean
  /** Called with the query before it is read. */
  readonly steer?: (running: Query, heard: Heard) => unknown
  /** Called with each message as it is read. */
  readonly each?: (message: AgentMessage, running: Query) => unknown
}

export interface Heard {
  readonly events: Fired[]
}

/** Everything that can be seen of a run. */
export interface Asked extends Heard {
  readonly messages: readonly AgentMessage[]
  readonly result: ResultMessage
  /** The names of the events in the order in which they were fired. */
  readonly names: readonly EventName[]
  /** What the model was sent, request by request. */
  readonly sent: readonly (readonly Message[])[]
  readonly systems: readonly string[]
  readonly project: Project
}

/** A registry like that of `query()`, with these hooks. */
export function registry(fill: (hooks: HookRegistry) => unknown = () => undefined): HookRegistry {
  const hooks = new HookRegistry({ precedence: 'ask-over-allow' })
  fill(hooks)
  return hooks
}

/** Runs an agent whose model says these turns, to its end. */
export async function askIn(
  place: Project,
  turns: readonly TurnOrMaker[] | Model,
  asking: Omit<Asking, 'in'> = {}
): Promise<Asked> {
  const { prompt = 'go', watch = true, steer, each, ...options } = asking
  const model = 'ask' in turns ? turns : scriptedModel(turns)
  const events: Fired[] = []
  const hooks = watch ? watched(options.hooks, events) : options.hooks
  const messages: AgentMessage[] = []
  const result = await (async () => {
    try {
      const running = query({
        prompt,
        options: { cwd: place.cwd, env: place.env, persistSession: false, model, ...options, ...(hooks && { hooks }) }
      })
      steer?.(running, { events })
      for await (const message of running) {
        messages.push(message)
        each?.(message, running)
      }
      return await running.result()
    } catch (error) {
      if (!(error instanceof CarabinerError) || messages.some(({ type }) => type === 'result')) throw error
      return notBegun(error)
    }
  })()
  const requests = 'requests' in model ? (model as ScriptedModel).requests : []
  return {
    messages,
    events,
    names: events.map(({ event }) => event),
    result,
    sent: requests.map(request => request.messages),
    systems: requests.map(({ request }) => request.system),
    project: place
  }
}

/** That a query could not begin, in the shape of a result, so that tests can look at both alike. */
const notBegun = (error: CarabinerError): ResultMessage =>
  ({
    type: 'result',
    is_error: true,
    error_code: error.code,
    result: error.message,
    terminal_reason: 'turn_setup_failed'
  }) as unknown as ResultMessage

/** The hooks with one beside them that writes down every event. */
function watched(given: QueryOptions['hooks'], events: Fired[]): HookRegistry {
  const hooks = given instanceof HookRegistry ? given : registry()
  if (given !== undefined && !(given instanceof HookRegistry)) hooks.callbacks(given)
  hooks.register({
    name: 'kit',
    events: EVENT_NAMES,
    observe: true,
    run: ctx => void events.push({ event: ctx.event, input: { ...ctx.input } })
  })
  return hooks
}

/** The events of this name, as their hooks saw them. */
export const inputsOf = (heard: Heard, event: EventName): readonly Readonly<Record<string, unknown>>[] =>
  heard.events.filter(fired => fired.event === event).map(({ input }) => input)

/** All results of calls in these messages, in order: what the model sees. */
export function resultsIn(messages: readonly Message[]): readonly { id: string; text: string; isError: boolean }[] {
  return messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap(block =>
          block.type === 'tool_result'
            ? [{ id: block.tool_use_id, text: textIn(block.content), isError: block.is_error === true }]
            : []
        )
  )
}

const textIn = (content: Message['content']): string =>
  typeof content === 'string' ? content : content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')

/** The text of a message. */
export const words = ({ content }: Message): string => textIn(content)

/** The messages of one type that the reader got. */
export const ofType = <T extends AgentMessage['type']>(
  { messages }: Pick<Asked, 'messages'>,
  type: T
): readonly Extract<AgentMessage, { type: T }>[] =>
  messages.filter((message): message is Extract<AgentMessage, { type: T }> => message.type === type)

/** The messages for people. */
export const informed = ({ messages }: Pick<Asked, 'messages'>): readonly string[] =>
  messages.flatMap(message =>
    message.type === 'system' && message.subtype === 'informational' ? [message.content] : []
  )

/** What is wrong with a conversation that a model is sent: calls without a result, results without a call. */
export function unpaired(messages: readonly Message[]): readonly string[] {
  const problems: string[] = []
  const seen = new Set<string>()
  for (const [at, message] of messages.entries()) {
    const calls = idsOf(message, 'tool_use')
    const next = messages[at + 1]
    const results = next === undefined ? [] : idsOf(next, 'tool_result')
    for (const id of calls) {
      if (seen.has(id)) problems.push(`call ${id} occurs twice`)
      seen.add(id)
    }
    if (calls.length > 0 && calls.join() !== results.join())
      problems.push(`calls ${calls.join()} are followed by results ${results.join()}`)
    const own = idsOf(message, 'tool_result')
    const before = at === 0 ? [] : idsOf(messages[at - 1]!, 'tool_use')
    if (own.length > 0 && own.join() !== before.join()) problems.push(`results ${own.join()} follow ${before.join()}`)
  }
  return problems
}

function idsOf({ content }: Message, type: 'tool_use' | 'tool_result'): readonly string[] {
  if (typeof content === 'string') return []
  return content.flatMap(block => {
    if (block.type === 'tool_use') return type === 'tool_use' ? [block.id] : []
    return block.type === 'tool_result' && type === 'tool_result' ? [block.tool_use_id] : []
  })
}

/** A tool of the test's own, without input. */
export function ownTool(
  name: string,
  run: (extra: { signal: AbortSignal; toolUseId: string }) => unknown,
  readOnly = false
): ToolDefinition {
  return tool(
    name,
    `the tool ${name}`,
    {},
    async (_, extra) => {
      const said = await run(extra as { signal: AbortSignal; toolUseId: string })
      return typeof said === 'object' && said !== null
        ? (said as { content: [] })
        : { content: [{ type: 'text', text: String(said) }] }
    },
    { annotations: { readOnlyHint: readOnly } }
  )
}

/** A promise, and the function that fulfils it. */
export function gate<T = void>(): { readonly opened: Promise<T>; readonly open: (value: T) => void } {
  const { promise, resolve } = Promise.withResolvers<T>()
  return { opened: promise, open: resolve }
}

/** Prompts of a stream, as the Claude Agent SDK gives them. */
export const prompted = (content: string) => ({ type: 'user', message: { role: 'user', content } }) as const

/** A call of a tool, in a turn of a scripted model. */
export const toolCall = (name: string, input: object = {}, id?: string) => ({
  name,
  input,
  ...(id !== undefined && { id })
})
export const bashCall = (command: string) => toolCall('Bash', { command })

/** A turn with one call. */
export const callTurn = (...call: Parameters<typeof toolCall>) => ({ calls: [toolCall(...call)] })
export const bashTurn = (command: string) => callTurn('Bash', { command })

/** Options with these hooks. */
export const withHooks = (fill: (hooks: HookRegistry) => unknown): Asking => ({ hooks: registry(fill) })
