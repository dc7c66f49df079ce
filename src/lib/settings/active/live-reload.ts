import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage } from '../../errors.ts'
import type { FireInput } from '../../hooks/events/event-table.ts'
import type { HookRegistry } from '../../hooks/registry.ts'
import type { HookEnvironment } from '../../hooks/kinds/hook-environment.ts'
import { activateHooks, type ActiveHooks } from './activate-hooks.ts'
import { stopsRun, type Finding } from '../files/finding.ts'
import { hookStatuses, type Situation, type HookStatus } from './active-hooks.ts'
import type { Loaded, LoadedHook, LoadedRule } from '../files/loaded-hooks.ts'
import { restrictions } from '../permissions/restrictions.ts'
import { OF_PROJECT, type Scope } from '../files/sources.ts'
import { isWithin } from '../../world/files/paths.ts'
import { watchFiles } from '../../world/files/watch.ts'

/** The result of a reload. */
export interface ReloadResult {
  /** The new settings are active. If not, the old ones still are. */
  readonly counts: boolean
  readonly why: string
  readonly findings: readonly Finding[]
  readonly inForce?: ActiveSettings | undefined
}

/** Settings that have replaced others. */
export interface ActiveSettings {
  readonly loaded: Loaded
  readonly projectTrusted: boolean
  /** Keys that have changed and take effect at the next start. */
  readonly later: readonly string[]
}

const SOURCES: Partial<Record<Scope, FireInput<'ConfigChange'>['source']>> = {
  managed: 'policy_settings',
  user: 'user_settings',
  project: 'project_settings',
  local: 'local_settings',
  skill: 'skills'
}

/** The hooks of files in a registry, and their replacement while events are fired. There is never a moment without a gate. */
export class LiveHooks {
  readonly #hooks: HookRegistry
  readonly #place: HookEnvironment
  readonly #first: Loaded
  situation: Situation
  statuses: readonly HookStatus[]
  #armed: ActiveHooks

  constructor(situation: Situation, hooks: HookRegistry, place: HookEnvironment) {
    this.#hooks = hooks
    this.#place = place
    this.#first = situation.loaded
    this.situation = situation
    this.statuses = hookStatuses(situation.loaded, situation)
    this.#armed = activateHooks(this.statuses, hooks, place, situation.loaded.root)
  }

  get findings(): readonly Finding[] {
    return this.#armed.findings
  }

  /** Hooks of files that are invalid, or no longer trusted, stay: no mistake deactivates anything. */
  async replace(situation: Situation, file: string): Promise<ReloadResult> {
    const { loaded } = situation
    const before = this.situation
    const broken = [...loaded.findings, ...restrictions(loaded)].filter(stopsRun)
    const stale = new Set(broken.map(({ place }) => place.file))
    const why = broken.map(({ place, message }) => `${place.file}:${place.line}: ${message}`).join('; ')
    // The locks of managed policy are in no hook that could be kept.
    if (stale.has(file) || before.loaded.files.some(each => each.scope === 'managed' && stale.has(each.file)))
      return unchanged(`not valid: ${why}; the previous settings stay active`, broken)
    const scope = this.#scopeOf(file, loaded)
    const lost = before.projectTrusted && !situation.projectTrusted
    if (lost && !['managed', 'user', 'flag'].includes(scope))
      return unchanged(
        'the project is not what was trusted; the previous settings stay active until it is trusted again'
      )
    const refusal = await this.#refusal(scope, file)
    if (refusal !== undefined) return unchanged(refusal)
    const swapped = this.#swap(situation, lost, stale, file)
    return { ...swapped, findings: [...broken, ...swapped.findings] }
  }

  #scopeOf(file: string, loaded: Loaded): Scope {
    return [...loaded.files, ...this.situation.loaded.files].find(source => source.file === file)?.scope ?? 'skill'
  }

  /** Hooks of ConfigChange that are active now are asked. Managed policy cannot be refused. */
  async #refusal(scope: Scope, file: string): Promise<string | undefined> {
    const source = SOURCES[scope] ?? 'user_settings'
    const outcome = await this.#hooks.fire('ConfigChange', { source, file_path: file })
    return outcome.blocked && scope !== 'managed' ? `a hook refused the change: ${outcome.reason}` : undefined
  }

  /** Between removing and adding, nothing else can run. */
  #swap(given: Situation, lost: boolean, stale: Set<string>, file: string): ReloadResult {
    const [before, already] = [this.situation, this.#armed.findings]
    const now = given.loaded
    const projectTrusted = lost || given.projectTrusted
    const attempt = (): readonly Finding[] => {
      const isStale = ({ place, ofProject }: LoadedHook): boolean => stale.has(place.file) || (lost && ofProject)
      const hooks = [...before.loaded.hooks.filter(isStale), ...now.hooks.filter(hook => !isStale(hook))]
      const isOld = ({ place, scope }: LoadedRule): boolean =>
        stale.has(place.file) || (lost && OF_PROJECT.includes(scope))
      const rules = [...before.loaded.rules.filter(isOld), ...now.rules.filter(rule => !isOld(rule))]
      const files = new Map([...before.loaded.files, ...now.files].map(source => [source.file, source]))
      return this.#rearm({ ...given, loaded: { ...now, hooks, rules, files: [...files.values()] }, projectTrusted })
    }
    const findings = attempt()
    const fresh = findings.filter(({ gate, place }) => gate && !already.some(each => each.place.file === place.file))
    if (fresh.some(({ place }) => place.file === file)) {
      this.#rearm(before)
      return unchanged('not all of the new hooks can be activated; the previous settings stay active', fresh)
    }
    for (const { place } of fresh) stale.add(place.file)
    if (fresh.length > 0) attempt()
    const inForce = { loaded: this.situation.loaded, projectTrusted, later: changedKeys(this.#first, now) }
    return { counts: true, why: 'the new settings are active', findings, inForce }
  }

  #rearm(situation: Situation): readonly Finding[] {
    this.#armed.disarm()
    this.situation = situation
    this.statuses = hookStatuses(situation.loaded, situation)
    this.#armed = activateHooks(this.statuses, this.#hooks, this.#place, situation.loaded.root)
    return this.#armed.findings
  }

  disarm(): void {
    this.#armed.disarm()
  }
}

export const unchanged = (why: string, findings: readonly Finding[] = []): ReloadResult => ({
  counts: false,
  why,
  findings
})

const AT_START: Readonly<Record<string, (loaded: Loaded) => unknown>> = {
  'carabiner.profile': ({ locks, profile }) => locks.profile ?? profile,
  'carabiner.redact': ({ showsSecrets }) => showsSecrets,
  'carabiner.modules': ({ modules }) => modules.map(({ file }) => file),
  allowedHttpHookUrls: ({ allowedUrls }) => allowedUrls,
  httpHookAllowedEnvVars: ({ allowedEnvVars }) => allowedEnvVars,
  'permissions.defaultMode': ({ mode }) => mode,
  'permissions.additionalDirectories': ({ directories }) => directories,
  env: ({ env }) => env,
  'the settings of skills, slash commands and subagents': ({ owners }) =>
    owners.map(({ kind, file, document }) => [kind, file, { ...document?.value, hooks: undefined }])
}

const changedKeys = (before: Loaded, now: Loaded): readonly string[] =>
  Object.entries(AT_START).flatMap(([key, of]) => (JSON.stringify(of(before)) === JSON.stringify(of(now)) ? [] : [key]))

/** Most files do not exist, nor do their folders: the nearest folder that exists is watched. */
export async function watchSettings(
  files: readonly string[],
  onChange: (file: string) => void
): Promise<() => Promise<void>> {
  const { close } = await watchFiles(
    [...new Set(files.map(nearestFolder))],
    file => void ((files.includes(file) || /\.(?:json|md)$/.test(file)) && onChange(file)),
    {
      ignored: path => !files.some(file => isWithin(file, path) || isWithin(path, file)),
      onError: error => onChange(errorMessage(error))
    }
  )
  return close
}

function nearestFolder(file: string): string {
  const folder = dirname(file)
  return existsSync(folder) || folder === file ? folder : nearestFolder(folder)
}
