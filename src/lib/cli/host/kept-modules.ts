import { hash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { attempt } from '../../util/attempt.ts'

/** Modules of Node with which no module can read anything at its start that changes later. */
const HARMLESS = new Set(
  ['assert', 'buffer', 'crypto', 'events', 'path', 'string_decoder', 'timers', 'url', 'util'].map(
    name => `node:${name}`
  )
)

/**
 * The modules of policies in this process: Node keeps each, with its state, as long as the process runs. They may
 * answer again only as those of a new process would.
 */
export class KeptModules {
  readonly #files = new Map<string, string>()
  readonly #urls = new Set<string>()
  #isSpent = false

  /** `own` is the folder of our code, with a slash at its end: what that loads by name is ours as well. */
  constructor(own: string) {
    nodeModule.registerHooks({
      resolve: (specifier, context, next) => {
        const parent = context.parentURL ?? own
        const isFile = specifier.startsWith('file:')
        if (!this.#urls.has(parent) && (!isFile || specifier.startsWith(own))) return next(specifier, context)
        try {
          const result = next(specifier, context)
          if (!result.url.startsWith(own))
            this.#note(result.url, new URL(specifier, parent).href, /^\.|^file:/.test(specifier))
          if (context.conditions.includes('require')) this.#isSpent = true
          return result
        } catch (error) {
          // It may be there the next time.
          this.#isSpent = true
          throw error
        }
      }
    })
  }

  get any(): boolean {
    return this.#urls.size > 0
  }

  /** Whether they may depend on what cannot be checked: files and programs that they read, packages by name. */
  get areSpent(): boolean {
    return this.#isSpent
  }

  /** By content: times tell nothing about two edits within one tick of the clock. */
  areUnchanged(): boolean {
    return Array.from(this.#files).every(([path, file]) => keptFile(path) === file)
  }

  #note(url: string, asNamed: string, isExact: boolean): void {
    if (HARMLESS.has(url)) return
    this.#urls.add(url)
    // The path may lead through links, which can change.
    const path = attempt(() => fileURLToPath(asNamed))
    const file = path === undefined || !isExact ? undefined : keptFile(path)
    if (path === undefined || file === undefined || /getBuiltinModule/.test(readFileSync(path, 'utf8')))
      this.#isSpent = true
    else if (!this.#files.has(path)) this.#files.set(path, file)
  }
}

/** Where it is, and its content. */
const keptFile = (path: string): string | undefined =>
  attempt(() => `${realpathSync(path)} ${hash('sha256', readFileSync(path))}`)
