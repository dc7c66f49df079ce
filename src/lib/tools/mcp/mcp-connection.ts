import type { Client, ElicitResult, Progress } from '@modelcontextprotocol/client'
import { setTimeout as wait } from 'node:timers/promises'
import { errorMessage } from '../../errors.ts'
import type { PlainObject } from '../../util/plain.ts'
import { VERSION } from '../../version.ts'
import type { ElicitationAnswer, ElicitationRequest } from './elicitation.ts'
import { definitionChange, definitionOf, isTooDeep, type Definition } from './mcp-definition.ts'
import type { ServerLink } from './mcp-stdio.ts'
import { escapedLines } from '../../util/escape.ts'
import { MOST_TEXTS, sayOnce } from '../../util/bounded.ts'

export interface Surroundings {
  readonly name: string
  link(): Promise<ServerLink>
  elicit(wanted: ElicitationRequest, signal: AbortSignal): Promise<ElicitationAnswer>
  notice(text: string): void
  /** In milliseconds. */
  readonly startTimeout: number
  readonly callTimeout: number
}

interface Sent {
  readonly tool: string
  readonly input: PlainObject
  readonly signal: AbortSignal
  progress(text: string): void
}

interface Connected {
  readonly client: Client
  readonly link: ServerLink
  offered: ReadonlyMap<string, Definition>
  isStale: boolean
  listing?: Promise<void> | undefined
}

/**
 * A server and the approved definitions of its tools. A lost connection is reopened for the next call, once per call; a
 * call is never sent twice. A tool that differs from its approved definition is not called.
 */
export class McpConnection {
  readonly #around: Surroundings
  readonly #ending = new AbortController()
  #connected: Connected | undefined
  #making: Promise<Connected> | undefined
  #approved: ReadonlyMap<string, Definition> | undefined
  readonly #say: (text: string) => void
  #failures = 0
  #lastTry = 0

  constructor(around: Surroundings) {
    this.#around = around
    this.#say = sayOnce(text => void (this.#ending.signal.aborted || around.notice(text)))
  }

  async open(): Promise<readonly Definition[]> {
    const connected = await this.#ready()
    await connected.listing
    this.#approved = connected.offered
    return [...connected.offered.values()]
  }

  /** Calls a tool. Rejects with a message for the model. */
  async call({ tool, input, signal, progress }: Sent): Promise<unknown> {
    const connected = await this.#ready()
    while (connected.listing !== undefined) await connected.listing
    const approved = this.#approved?.get(tool)
    if (approved === undefined) throw new Error(`the server ${this.#around.name} has no tool ${escapedLines(tool)}`)
    const change = definitionChange(approved, connected.offered.get(tool))
    if (change !== undefined) throw new Error(this.#suspended(tool, change))
    signal.throwIfAborted()
    const { callTimeout: timeout } = this.#around
    try {
      return await connected.client.callTool(
        { name: tool, arguments: input },
        { signal, timeout, onprogress: news => progress(progressText(news)) }
      )
    } catch (error) {
      signal.throwIfAborted()
      throw new Error(await this.#callFailure(error, connected), { cause: error })
    }
  }

  async close(): Promise<void> {
    this.#ending.abort(new Error('the session is over'))
    await this.#making?.catch(() => undefined)
    await this.#connected?.link.end()
    this.#connected = undefined
  }

  async #ready(): Promise<Connected> {
    this.#ending.signal.throwIfAborted()
    if (this.#connected !== undefined) return this.#connected
    this.#making ??= this.#make().finally(() => (this.#making = undefined))
    return this.#making
  }

  async #make(): Promise<Connected> {
    const { name, startTimeout } = this.#around
    const { signal } = this.#ending
    const left = this.#lastTry + pause(this.#failures) - performance.now()
    if (left > 0) await wait(left, undefined, { signal }).catch(() => signal.throwIfAborted())
    this.#lastTry = performance.now()
    const deadline = AbortSignal.timeout(startTimeout)
    let link: ServerLink | undefined
    try {
      link = await this.#around.link()
      const connected = await this.#connect(link, AbortSignal.any([signal, deadline]))
      this.#failures = 0
      return connected
    } catch (error) {
      this.#failures++
      const late = deadline.aborted ? `it was not ready in ${startTimeout / 1000} s` : undefined
      const why = link?.failure() ?? late ?? messageWithCause(error)
      await link?.end()
      throw new Error(`there is no connection to the server ${name}: ${why}`, { cause: error })
    }
  }

  async #connect(link: ServerLink, signal: AbortSignal): Promise<Connected> {
    const { Client: Made } = await import('@modelcontextprotocol/client')
    const client = new Made(
      { name: 'carabiner', version: VERSION },
      { capabilities: { elicitation: { form: {}, url: {} } } }
    )
    const connected: Connected = { client, link, offered: new Map(), isStale: false }
    const early: string[] = []
    Object.assign(client, {
      onerror: (error: Error) =>
        this.#connected === connected ? this.#remark(errorMessage(error)) : early.push(errorMessage(error)),
      onclose: () => this.#forget(connected)
    })
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      const told = await this.#around.elicit(wantedIn(params), mcpReq.signal)
      return told as ElicitResult
    })
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#changed(connected))
    const timeout = this.#around.startTimeout
    await client.connect(link.transport, { signal, timeout })
    connected.offered = await list(client, { signal, timeout })
    if (client.transport === undefined) throw new Error('it ended at once')
    this.#connected = connected
    for (const text of early.slice(0, MOST_TEXTS)) this.#remark(text)
    this.#compare(connected.offered)
    if (connected.isStale) this.#changed(connected)
    return connected
  }

  #forget(connected: Connected): void {
    if (this.#connected === connected) this.#connected = undefined
  }

  /** Lists its tools again; once more if they change meanwhile. */
  #changed(connected: Connected): void {
    connected.isStale = true
    if (this.#connected !== connected) return
    connected.listing ??= this.#listAgain(connected).finally(() => (connected.listing = undefined))
  }

  async #listAgain(connected: Connected): Promise<void> {
    while (connected.isStale) {
      connected.isStale = false
      try {
        connected.offered = await list(connected.client, { timeout: this.#around.startTimeout })
      } catch (error) {
        this.#remark(`its tools have changed, and could not be listed: ${errorMessage(error)}`)
        connected.offered = new Map()
        this.#forget(connected)
        return connected.link.end()
      }
      this.#compare(connected.offered)
    }
  }

  #compare(offered: ReadonlyMap<string, Definition>): void {
    if (this.#approved === undefined) return
    for (const [tool, definition] of this.#approved) {
      const change = definitionChange(definition, offered.get(tool))
      if (change !== undefined) this.#say(this.#suspended(tool, change))
    }
    for (const tool of offered.keys())
      if (!this.#approved.has(tool))
        this.#say(
          `the server ${this.#around.name} has a new tool, ${escapedLines(tool)}; it is available in the next session`
        )
  }

  #suspended(tool: string, change: string): string {
    return (
      `the tool ${escapedLines(tool)} of the server ${this.#around.name} has changed since this session began, and is ` +
      `suspended: ${change}. Start a new session to approve it in its current form`
    )
  }

  #remark(text: string): void {
    this.#say(`the server ${this.#around.name}: ${brief(text)}`)
  }

  /** Why a call failed. After a connection error, the next call opens a new connection. */
  async #callFailure(error: unknown, connected: Connected): Promise<string> {
    const { SdkError, SdkErrorCode, ProtocolError } = await import('@modelcontextprotocol/client')
    const { name, callTimeout } = this.#around
    if (error instanceof ProtocolError) return brief(error.message)
    const code = error instanceof SdkError ? error.code : undefined
    if (code === SdkErrorCode.RequestTimeout)
      return `the server ${name} gave no answer in ${callTimeout / 1000} s; ${UNKNOWN}`
    if (code === SdkErrorCode.InvalidResult)
      return `the server ${name} returned an invalid result: ${brief(errorMessage(error))}`
    this.#forget(connected)
    await connected.link.end()
    const why = connected.link.failure() ?? messageWithCause(error)
    return `the connection to the server ${name} was lost during the call: ${why}; ${UNKNOWN}`
  }
}

const LONGEST_QUESTION = 10_000

const UNKNOWN = 'whether the call had an effect is unknown, and it was not repeated'

/** How long to wait before the next try, in milliseconds, after this many failures in a row. */
const pause = (failures: number): number => (failures === 0 ? 0 : Math.min(250 * 2 ** (failures - 1), 10_000))

async function list(
  client: Client,
  options: { readonly signal?: AbortSignal; readonly timeout: number }
): Promise<ReadonlyMap<string, Definition>> {
  if (client.getServerCapabilities()?.tools === undefined) return new Map()
  const { tools } = await client.listTools(undefined, { ...options, cacheMode: 'refresh' })
  if (isTooDeep(tools)) throw new Error('its tool definitions are nested too deeply')
  return new Map(tools.map(tool => [tool.name, definitionOf(tool)]))
}

function wantedIn(params: PlainObject): ElicitationRequest {
  if (isTooDeep(params)) throw new Error('its request is nested too deeply')
  const { message, mode, url, elicitationId, requestedSchema } = params
  return {
    message: escapedLines(String(message).slice(0, LONGEST_QUESTION)),
    mode: mode === 'url' ? 'url' : 'form',
    url: typeof url === 'string' ? url : undefined,
    id: typeof elicitationId === 'string' ? elicitationId : undefined,
    schema: requestedSchema as PlainObject | undefined
  }
}

const progressText = ({ message, progress, total }: Progress): string =>
  escapedLines(message ?? (total === undefined ? String(progress) : `${progress} of ${total}`))

const brief = (text: string): string => escapedLines(text.slice(0, 2000))

function messageWithCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return brief(`${errorMessage(error)}${cause}`)
}
