import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage } from '../../errors.ts'
import { isObject } from '../../util/plain.ts'
import { addOwnFile, putOwnFile } from '../../world/files/own-file.ts'
import { definitionChange, definitionOf, type Definition } from './mcp-definition.ts'
import { jsonIn } from '../../util/attempt.ts'

export interface KnownTool {
  /** As it was approved: what the model sees until the current definition is approved. */
  readonly definition: Definition
  readonly change: string | undefined
  approve(): void
}

/**
 * The approved definitions of the tools of one server, across sessions. One file per tool: concurrent processes do not
 * overwrite each other's approvals.
 */
export class KnownTools {
  readonly #folder: string
  readonly #notice: (text: string) => void
  #hasFailed = false

  constructor(folder: string, server: readonly string[], notice: (text: string) => void) {
    this.#folder = join(folder, shortHash(...server))
    this.#notice = notice
  }

  /** A tool that is seen for the first time is approved. */
  look(now: Definition): KnownTool {
    const file = join(this.#folder, `${shortHash(now.name)}.json`)
    const before = this.#recall(file, now)
    const known = {
      // For a tool whose approval cannot be read, the model gets only the name.
      definition: before ?? definitionOf({ name: now.name, inputSchema: { type: 'object' } }),
      change: before === undefined ? `${file} cannot be read` : definitionChange(before, now),
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

  /** A disk that cannot be written does not stop the session, but it is reported. */
  #try<T>(keep: () => T): T | undefined {
    try {
      return keep()
    } catch (error) {
      const words = 'its tool definitions could not be saved, so later sessions will not notice a change'
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
