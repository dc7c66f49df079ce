import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { parseRule, type Rule } from '../permissions/rule.ts'
import type { PermissionUpdate } from '../permissions/updates.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { makeFolders } from '../world/make-folders.ts'

/** Answers that were given for more than one session: a file of ours, since the files of others are never written. */
export class Remembered {
  readonly #file: string
  readonly #root: string

  constructor(ownHome: string, root: string) {
    this.#file = join(ownHome, 'remembered.json')
    this.#root = root
  }

  /** The rules for every project, and for this one. */
  rules(): readonly Rule[] {
    const { user, projects } = this.#read()
    const own = isObject(projects) && Object.hasOwn(projects, this.#root) ? projects[this.#root] : undefined
    return [...listOf(user), ...listOf(own)].flatMap(item => this.#rule(item))
  }

  #rule(item: unknown): readonly Rule[] {
    if (!isObject(item)) return []
    const { behavior, rule } = item
    if ((behavior !== 'allow' && behavior !== 'deny' && behavior !== 'ask') || typeof rule !== 'string') return []
    const parsed = parseRule(rule, behavior, this.#file)
    return 'problem' in parsed ? [] : [parsed]
  }

  /** Adds the rules of an answer. */
  keep(update: PermissionUpdate): void {
    if (update.type !== 'addRules') return
    const kept = this.#read()
    const added = update.rules.map(({ toolName, ruleContent }) => ({
      behavior: update.behavior,
      rule: ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`
    }))
    if (update.destination === 'userSettings') kept['user'] = [...listOf(kept['user']), ...added]
    else {
      const projects = isObject(kept['projects']) ? kept['projects'] : {}
      kept['projects'] = { ...projects, [this.#root]: [...listOf(projects[this.#root]), ...added] }
    }
    this.#write(kept)
  }

  #read(): PlainObject {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#file, 'utf8'))
      return isObject(value) ? value : {}
    } catch {
      return {}
    }
  }

  #write(value: PlainObject): void {
    makeFolders(dirname(this.#file))
    const next = `${this.#file}.${randomUUID()}`
    writeFileSync(next, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 })
    renameSync(next, this.#file)
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
