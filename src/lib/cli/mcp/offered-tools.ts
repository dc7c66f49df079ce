import { print } from '../../errors.ts'
import type { KnownTool, KnownTools } from '../../tools/mcp/mcp-approvals.ts'
import { definitionOf, isTooDeep, sharedNameProblem } from '../../tools/mcp/mcp-definition.ts'
import { nameInServer } from '../../util/names.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'

/** How often the tools are listed before one call, and of how many pages a list may be. */
const MOST_TRIES = 5
const MOST_PAGES = 1000

interface ToolsPorts {
  readonly server: string
  readonly known: KnownTools
  notice(text: string): void
  /** Gets the names that hooks see, each time that all tools were listed. */
  onListed(names: readonly string[]): void
}

/** The tools of a server, compared with their approved definitions. */
export class OfferedTools {
  /** The server announced a change: its tools are listed again before the next call. */
  isStale = true
  readonly #ports: ToolsPorts
  /** By the name that hooks see, and then by their own. */
  readonly #tools = new Map<string, Map<string, KnownTool>>()
  #listing: Promise<void> | undefined

  constructor(ports: ToolsPorts) {
    this.#ports = ports
  }

  /** Throws if the server does not list exactly this name: it might read it as that of another tool. */
  async find(tool: unknown, list: (page: PlainObject) => Promise<PlainObject>): Promise<KnownTool> {
    const isFresh = this.isStale
    let found = await this.#lookUp(String(tool), list)
    // It may be new.
    if (found === undefined && !isFresh) {
      this.isStale = true
      found = await this.#lookUp(String(tool), list)
    }
    if (found === undefined || typeof tool !== 'string')
      throw new Error('the server lists no tool of exactly this name, so hooks and rules could not judge it')
    return found
  }

  /** `list` gets one page. */
  async #lookUp(tool: string, list: (page: PlainObject) => Promise<PlainObject>): Promise<KnownTool | undefined> {
    for (let tries = 0; this.isStale || this.#listing !== undefined; tries++) {
      if (tries === MOST_TRIES) throw new Error('the server announces again and again that its tools have changed')
      await (this.#listing ??= this.#listAll(list).finally(() => (this.#listing = undefined)))
    }
    const name = nameInServer(this.#ports.server, tool)
    const tools = this.#tools.get(name)
    const problem = sharedNameProblem(name, [...new Set([tool, ...(tools?.keys() ?? [])])])
    if (problem !== undefined) throw new Error(problem)
    return tools?.get(tool)
  }

  /** A page of tools for the client. A tool that has changed is described as it was approved. */
  read(page: PlainObject): PlainObject {
    const { tools } = page
    if (isTooDeep(tools)) throw new Error('the definitions of its tools are nested too deeply')
    if (!Array.isArray(tools)) return page
    const read = { ...page, tools: tools.flatMap(tool => this.#readTool(tool) ?? []) }
    if (cursorIn(page) === undefined) this.#ports.onListed([...this.#tools.keys()])
    return read
  }

  /** Nothing of a tool that cannot be compared with its approved definition: it cannot be called either. */
  #readTool(tool: unknown): PlainObject | undefined {
    if (!isObject(tool) || typeof tool['name'] !== 'string' || !isObject(tool['inputSchema'])) {
      this.#ports.notice(
        `a tool without a name or inputSchema was left out: ${print(isObject(tool) ? tool['name'] : tool)}`
      )
      return undefined
    }
    const now = definitionOf(tool as unknown as Parameters<typeof definitionOf>[0])
    const known = this.#ports.known.look(now)
    const name = nameInServer(this.#ports.server, now.name)
    this.#tools.set(name, (this.#tools.get(name) ?? new Map<string, KnownTool>()).set(now.name, known))
    if (known.change === undefined) return tool
    this.#ports.notice(`the tool ${now.name} has changed, and a person is asked before it runs: ${known.change}`)
    const { title: _, outputSchema: __, ...rest } = tool
    return { ...rest, ...known.definition }
  }

  async #listAll(list: (page: PlainObject) => Promise<PlainObject>): Promise<void> {
    this.isStale = false
    this.#tools.clear()
    try {
      let cursor: unknown
      let pages = 0
      do {
        if (++pages > MOST_PAGES) throw new Error(`its list has more than ${MOST_PAGES} pages`)
        const page = await list(cursor === undefined ? {} : { cursor })
        this.read(page)
        cursor = cursorIn(page)
      } while (cursor !== undefined)
    } catch (error) {
      this.isStale = true
      throw new Error('the server does not list its tools, so a change of them would not be detected', { cause: error })
    }
  }
}

/** Some servers say null at the end. */
const cursorIn = ({ nextCursor }: PlainObject): unknown => nextCursor ?? undefined
