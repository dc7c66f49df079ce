import type { Rule } from '../permissions/policy.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage } from '../errors.ts'
import { fault } from '../faults.ts'
import { parseRule } from '../permissions/rule.ts'
import { ruleText, type PermissionUpdate } from '../permissions/updates.ts'
import { foreignHand, mayBeThere } from '../settings/files/sources.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { changeOwnFile } from '../world/lock/lock.ts'

/**
 * Answers that were given for more than one session, in a file of ours, since files of others are never written. If it
 * is invalid, rules that refuse may be missing: no session starts, and the file is not overwritten.
 */
export class SavedPermissions {
  readonly #file: string
  readonly #root: string

  constructor(ownHome: string, root: string) {
    this.#file = join(ownHome, 'remembered.json')
    this.#root = root
  }

  rules(): readonly Rule[] {
    const { forAll, forThis } = this.#listsIn(this.#objectIn(this.#text()))
    return [...forAll, ...forThis].map(item => this.#rule(item))
  }

  #rule(item: unknown): Rule {
    const { behavior, rule } = isObject(item) ? item : {}
    if ((behavior !== 'allow' && behavior !== 'deny' && behavior !== 'ask') || typeof rule !== 'string')
      throw this.#broken(`${JSON.stringify(item)} is not a rule; write { "behavior": "deny", "rule": "Bash(rm *)" }`)
    const parsed = parseRule(rule, behavior, this.#file)
    if ('problem' in parsed) throw this.#broken(parsed.problem)
    return parsed
  }

  keep(update: PermissionUpdate): void {
    if (update.type !== 'addRules') return
    const { behavior, rules, destination } = update
    const added = rules.map(rule => ({ behavior, rule: ruleText(rule) }))
    changeOwnFile(this.#file, text => {
      this.#checkHand()
      const kept = this.#objectIn(text)
      const { forAll, projects, forThis } = this.#listsIn(kept)
      const changed =
        destination === 'userSettings'
          ? { user: [...forAll, ...added] }
          : { projects: { ...projects, [this.#root]: [...forThis, ...added] } }
      return `${JSON.stringify({ ...kept, ...changed }, undefined, 2)}\n`
    })
  }

  #text(): string | undefined {
    if (!mayBeThere(this.#file)) return undefined
    this.#checkHand()
    try {
      return readFileSync(this.#file, 'utf8')
    } catch (error) {
      throw this.#broken(`it cannot be read: ${errorMessage(error)}`)
    }
  }

  #checkHand(): void {
    const objection = foreignHand(this.#file)
    if (objection !== undefined)
      throw this.#broken(objection, 'look at what it says, then chown it to yourself and chmod go-w it')
  }

  #objectIn(text: string | undefined): PlainObject {
    if (text === undefined) return {}
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      throw this.#broken(`it is not valid JSON: ${errorMessage(error)}`)
    }
    if (!isObject(value)) throw this.#broken('it is not a JSON object')
    return value
  }

  #listsIn({
    user = [],
    projects = {}
  }: PlainObject): Record<'forAll' | 'forThis', readonly unknown[]> & { projects: PlainObject } {
    if (!isObject(projects)) throw this.#broken('projects should be an object')
    const own = Object.hasOwn(projects, this.#root) ? projects[this.#root] : []
    if (!Array.isArray(user)) throw this.#broken('user should be a list of rules')
    if (!Array.isArray(own)) throw this.#broken(`projects[${JSON.stringify(this.#root)}] should be a list of rules`)
    return { forAll: user, projects, forThis: own }
  }

  #broken(why: string, next = 'correct it, or delete the file to forget them all'): Error {
    return fault(
      'E_RULE',
      `the saved rules are invalid, and one that refuses may be missing: ${why}; ${next}`,
      this.#file
    )
  }
}
