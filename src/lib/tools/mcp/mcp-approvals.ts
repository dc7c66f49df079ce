import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage } from '../../errors.ts'
import { isObject } from '../../util/plain.ts'
import { addOwnFile, putOwnFile } from '../../world/files/own-file.ts'
import { definitionChange, definitionOf, type Definition } from './mcp-definition.ts'
import { jsonIn } from '../../util/attempt.ts'

export interface KnownTool {
  /** As it was approved of: what the model is told until somebody approves of what it is now. */
  readonly definition: Definition
  readonly change: string | undefined
  approve(): void
}

/**
 * What was approved of the tools of one server, from one session to the next. A file a tool: what one process learns
 * never undoes what another does.
 */
export class KnownTools {
  readonly #folder: string
  readonly #notice: (text: string) => void
  #hasFailed = false

  constructor(folder: string, server: readonly string[], notice: (text: string) => void) {
    this.#folder = join(folder, shortHash(...server))
    this.#notice = notice
  }

  /** What is seen for the first time is approved of. */
  look(now: Definition): KnownTool {
    const file = join(this.#folder, `${shortHash(now.name)}.json`)
    const before = this.#recall(file, now)
    const known = {
      // Of a tool of which nothing is approved, only its name may be told.
      definition: before ?? definitionOf({ name: now.name, inputSchema: { type: 'object' } }),
      change:
        before === undefined ? `what was approved of it cannot be read in ${file}` : definitionChange(before, now),
      approve: () => {
        Object.assign(known, { definition: now, change: undefined })
        this.#try(() => putOwnFile(file, textOf(now)))
      }
    }
    return known
  }

  #recall(file: string, now: Definition): Definition | undefined {
    const isKept = (): boolean => addOwnFile(file, textOf(now))
    try {
      return definitionIn(readFileSync(file, 'utf8'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined
      return this.#try(isKept) === false ? this.#recall(file, now) : now
    }
  }

  /** A disk that takes nothing keeps nobody from working; but whoever relies on it has to know. */
  #try<T>(keep: () => T): T | undefined {
    try {
      return keep()
    } catch (error) {
      const words = 'what its tools are could not be kept, so that later sessions will not notice a change'
      if (!this.#hasFailed) this.#notice(`${words}: ${errorMessage(error)}`)
      this.#hasFailed = true
      return undefined
    }
  }
}

const shortHash = (...texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32)

const textOf = (definition: Definition): string => `${JSON.stringify(definition, undefined, 2)}\n`

function definitionIn(text: string): Definition | undefined {
  const value = jsonIn(text)
  if (!isObject(value) || typeof value['name'] !== 'string' || !isObject(value['inputSchema'])) return undefined
  return definitionOf(value as unknown as Definition)
}
