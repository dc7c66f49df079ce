import type { Rule } from '../../permissions/policy.ts'
import { parseMode } from '../../permissions/modes.ts'
import { parseRule } from '../../permissions/rule.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { Document } from '../files/document.ts'
import type { Loaded, LoadedRule } from '../files/loaded-hooks.ts'
import { modeFinding } from './restrictions.ts'
import type { SettingsFile } from '../files/settings-table.ts'
import { OF_PROJECT, type Scope } from '../files/sources.ts'
import { isTighter, isWithinPolicy } from './tightness.ts'

/** Later files win; but managed policy, and any mode before that of a project, yields only to a tighter mode. */
export class PermissionSettings {
  readonly #rules: LoadedRule[] = []
  readonly #directories: string[] = []
  readonly #env = new Map<string, string>()
  #mode: string | undefined
  #managedMode: string | undefined

  read({ permissions = {}, env = {} }: SettingsFile, document: Document, scope: Scope): void {
    for (const behaviour of ['allow', 'deny', 'ask'] as const) {
      permissions[behaviour]?.forEach((rule, index) => {
        const place = document.findings.place(['permissions', behaviour, index])
        if (typeof rule === 'string') this.#rules.push({ behaviour, rule, scope, place })
        else this.#rules.push({ behaviour, ...rule, examples: rule, scope, place })
      })
    }
    this.#readMode(permissions.defaultMode, scope, document)
    // A project's folders and variables are not applied: they could point anywhere.
    if (!OF_PROJECT.includes(scope)) {
      this.#directories.push(...(permissions.additionalDirectories ?? []))
      this.#readEnv(env, document)
    } else remarkOnDropped(document)
  }

  #readMode(mode: string | undefined, scope: Scope, document: Document): void {
    if (mode === undefined) return
    const parsed = parseMode(mode, true)
    const ofProject = OF_PROJECT.includes(scope)
    if (typeof parsed === 'object' && !(ofProject && mode.startsWith('bypass'))) {
      const { findings } = document
      findings.all.push(modeFinding(parsed, findings.place(['permissions', 'defaultMode'])))
      return
    }
    const before = this.#mode ?? 'default'
    if (scope === 'managed') this.#managedMode = mode
    const counts = ofProject ? isTighter(mode, before) : isWithinPolicy(mode, this.#managedMode)
    if (counts) this.#mode = mode
    else if (mode !== before) remarkOnMode(mode, ofProject ? undefined : this.#managedMode, document)
  }

  #readEnv(env: PlainObject, document: Document): void {
    for (const [name, value] of Object.entries(env)) {
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        this.#env.set(name, String(value))
      else document.findings.add('warning', ['env', name], 'key-type', `${name} is not a string`, 'use a string')
    }
  }

  result(): Pick<Loaded, 'rules' | 'mode' | 'managedMode' | 'directories' | 'env'> {
    return {
      rules: this.#rules,
      mode: this.#mode,
      managedMode: this.#managedMode,
      directories: this.#directories,
      env: Object.fromEntries(this.#env)
    }
  }
}

function remarkOnMode(mode: string, managed: string | undefined, { findings }: Document): void {
  const path = ['permissions', 'defaultMode']
  if (managed !== undefined)
    findings.add(
      'warning',
      path,
      'managed-mode',
      `managed policy has chosen the mode ${managed}, and ${mode} is not tighter; this is ignored`
    )
  else if (mode.startsWith('bypass'))
    findings.add('warning', path, 'project-bypass', 'a project cannot switch permissions off; this is ignored')
  else findings.add('info', path, 'project-mode', `a project cannot loosen the mode to ${mode}; this is ignored`)
}

function remarkOnDropped({ value, findings }: Document): void {
  const { env, permissions } = value
  if (env !== undefined) findings.add('info', ['env'], 'project-env', 'a project sets no variables; this is ignored')
  if (isObject(permissions) && permissions['additionalDirectories'] !== undefined) {
    const path = ['permissions', 'additionalDirectories']
    findings.add('info', path, 'project-directories', 'a project adds no folders; this is ignored')
  }
}

/** What a project allows applies only when it is trusted. Invalid rules are left out: `restrictions` reports them. */
export function rulesOf({ rules }: Pick<Loaded, 'rules'>, trusted: boolean): readonly Rule[] {
  return rules.flatMap(({ behaviour, rule, scope, place, sandbox }) => {
    const ofProject = OF_PROJECT.includes(scope)
    if (behaviour === 'allow' && ofProject && !trusted) return []
    const parsed = parseRule(rule, behaviour, `${place.file}:${place.line}`)
    // A project takes nothing out of the sandbox.
    const where = sandbox === undefined || (ofProject && !sandbox) ? {} : { sandbox }
    return 'problem' in parsed ? [] : [{ ...parsed, ofProject, ...where }]
  })
}
