import type { KnownTool, KnownTools } from '../../tools/mcp/mcp-approvals.ts'
import { definitionOf, isTooDeep } from '../../tools/mcp/mcp-definition.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'

/** How often the tools are listed before one call. */
const MOST_TRIES = 5

/** The tools of a server, compared with their approved definitions. */
export class OfferedTools {
  /** The server announced a change: its tools are listed again before the next call. */
  isStale = true
  readonly #known: KnownTools
  readonly #notice: (text: string) => void
  readonly #onListed: (names: readonly string[]) => void
  readonly #tools = new Map<string, KnownTool>()
  #listing: Promise<void> | undefined

  /** `onListed` gets the names of the tools each time that all of them were listed. */
  constructor(known: KnownTools, notice: (text: string) => void, onListed: (names: readonly string[]) => void) {
    this.#known = known
    this.#notice = notice
    this.#onListed = onListed
  }

  /** Undefined if the server does not list it. `list` gets one page. */
  async find(tool: string, list: (page: PlainObject) => Promise<PlainObject>): Promise<KnownTool | undefined> {
    for (let tries = 0; this.isStale || this.#listing !== undefined; tries++) {
      if (tries === MOST_TRIES) throw new Error('the server announces again and again that its tools have changed')
      await (this.#listing ??= this.#listAll(list).finally(() => (this.#listing = undefined)))
    }
    return this.#tools.get(tool)
  }

  /** A page of tools for the client. A tool that has changed is described as it was approved. */
  read(page: PlainObject): PlainObject {
    const { tools } = page
    if (isTooDeep(tools)) throw new Error('the definitions of its tools are nested too deeply')
    if (!Array.isArray(tools)) return page
    const read = { ...page, tools: tools.map(tool => this.#readTool(tool)) }
    if (page['nextCursor'] === undefined) this.#onListed([...this.#tools.keys()])
    return read
  }

  #readTool(tool: unknown): unknown {
    if (!isObject(tool) || typeof tool['name'] !== 'string' || !isObject(tool['inputSchema'])) return tool
    const now = definitionOf(tool as unknown as Parameters<typeof definitionOf>[0])
    const known = this.#known.look(now)
    const isNews = this.#tools.get(now.name)?.change !== known.change
    this.#tools.set(now.name, known)
    if (known.change === undefined) return tool
    if (isNews) this.#notice(`the tool ${now.name} has changed, and a person is asked before it runs: ${known.change}`)
    const { title: _, outputSchema: __, ...rest } = tool
    return { ...rest, ...known.definition }
  }

  async #listAll(list: (page: PlainObject) => Promise<PlainObject>): Promise<void> {
    this.isStale = false
    try {
      for (let cursor: unknown, more = true; more; more = cursor !== undefined) {
        const page = await list(cursor === undefined ? {} : { cursor })
        this.read(page)
        cursor = page['nextCursor']
      }
    } catch (error) {
      this.isStale = true
      throw new Error('the server does not list its tools, so a change of them would not be detected', { cause: error })
    }
  }
}
