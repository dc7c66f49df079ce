import { asText } from '../util/plain.ts'
import { answerOf, isRoot, isSaid, parentOf, resultsIn } from './claude.ts'
import type { Rec } from './entry.ts'

/** What can be told of a line when only the lines before it are known. */
export interface Step {
  /** The subagent to which it belongs. */
  readonly agent: string | undefined
  /** The line that it follows, where that is none of those before. */
  readonly missing?: string | undefined
  /** The line to which a person went back before this one; empty for the beginning. */
  readonly backTo?: string | undefined
}

/**
 * Walks along the lines of Claude Code in file order. Which branch is the live one is known only at the end of the file;
 * that a person went back is seen as soon as something else is said behind a line that was answered already.
 */
export class ClaudeWalk {
  /** The subagent whose lines are walked along; those of others are passed by. */
  readonly #only: string | undefined
  readonly #isAgentFile: boolean
  /** Lines, and what was said last at them or above them. */
  readonly #said = new Map<string, string>()
  /** What was said behind what. */
  readonly #next = new Map<string, string>()
  /** Lines of subagents, in files of versions that gave those no ids. */
  readonly #agents = new Map<string, string>()
  #last = ''
  #hasParents = false

  constructor(isAgentFile: boolean, only?: string) {
    this.#isAgentFile = isAgentFile
    this.#only = only
  }

  take(line: Rec): Step {
    const agent = this.#isAgentFile ? undefined : this.#agentOf(line)
    const { uuid } = line
    if (typeof uuid !== 'string') return { agent }
    if (agent === this.#only) return { agent, ...this.#place(line, uuid) }
    this.#said.set(uuid, this.#last)
    return { agent }
  }

  #agentOf({ isSidechain, agentId, parentUuid, uuid }: Rec): string | undefined {
    if (isSidechain !== true || typeof agentId === 'string') return isSidechain === true ? asText(agentId) : undefined
    const agent = this.#agents.get(asText(parentUuid)) ?? asText(uuid)
    this.#agents.set(asText(uuid), agent)
    return agent
  }

  #place(line: Rec, uuid: string): Omit<Step, 'agent'> {
    const parent = parentOf(line)
    const missing = parent === undefined || this.#said.has(parent) ? undefined : parent
    // Of several that follow it, the first one tells.
    if (missing !== undefined) this.#said.set(missing, this.#last)
    const above = parent === undefined ? (this.#hasParents && isRoot(line) ? '' : this.#last) : this.#said.get(parent)!
    this.#hasParents ||= parent !== undefined
    this.#said.set(uuid, isSaid(line) ? uuid : above)
    if (!isSaid(line)) return { missing }
    this.#last = uuid
    // Results of several calls stand behind one answer, side by side.
    if (resultsIn(line).length > 0) return { missing }
    const key = answerOf(line) ?? uuid
    const before = this.#next.get(above)
    this.#next.set(above, key)
    return { missing, backTo: before === undefined || before === key ? undefined : above }
  }
}
