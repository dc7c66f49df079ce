import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseRule, type Rule } from '../permissions/rule.ts'
import type { PermissionUpdate } from '../permissions/updates.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { changeOwnFile } from '../world/own-file.ts'

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
    const { behavior, rules, destination } = update
    const added = rules.map(({ toolName, ruleContent }) => ({
      behavior,
      rule: ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`
    }))
    changeOwnFile(this.#file, text => {
      const kept = this.#with(added, destination === 'userSettings', objectIn(text))
      return `${JSON.stringify(kept, undefined, 2)}\n`
    })
  }

  #with(added: readonly object[], forAll: boolean, kept: PlainObject): PlainObject {
    if (forAll) return { ...kept, user: [...listOf(kept['user']), ...added] }
    const projects = isObject(kept['projects']) ? kept['projects'] : {}
    return { ...kept, projects: { ...projects, [this.#root]: [...listOf(projects[this.#root]), ...added] } }
  }

  #read(): PlainObject {
    try {
      return objectIn(readFileSync(this.#file, 'utf8'))
    } catch {
      return {}
    }
  }
}

/** What is broken says nothing. */
function objectIn(text: string | undefined): PlainObject {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
