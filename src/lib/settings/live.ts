import { wordsOf } from '../errors.ts'
import type { FireInput } from '../hooks/events.ts'
import type { HookRegistry } from '../hooks/registry.ts'
import type { Outside } from '../hooks/kinds/outside.ts'
import { arm, type Armed } from './arm.ts'
import type { Finding } from './finding.ts'
import { standing, type Circumstances, type Standing } from './force.ts'
import type { Loaded } from './load.ts'
import type { Scope } from './sources.ts'

/** What a reload came to. */
export interface Reloaded {
  /** The new set is in force. If not, the old one still is. */
  readonly counts: boolean
  readonly why: string
  readonly findings: readonly Finding[]
}

const SOURCES: Partial<Record<Scope, FireInput<'ConfigChange'>['source']>> = {
  managed: 'policy_settings',
  user: 'user_settings',
  project: 'project_settings',
  local: 'local_settings',
  skill: 'skills'
}

/** The hooks of files in a registry, and their replacement while events are fired. At no moment is there no gate. */
export class LiveHooks {
  readonly #hooks: HookRegistry
  readonly #place: Outside
  #loaded: Loaded
  #circumstances: Circumstances
  #standings: readonly Standing[]
  #armed: Armed

  constructor(loaded: Loaded, circumstances: Circumstances, hooks: HookRegistry, place: Outside) {
    this.#hooks = hooks
    this.#place = place
    this.#loaded = loaded
    this.#circumstances = circumstances
    this.#standings = standing(loaded, circumstances)
    this.#armed = arm(this.#standings, hooks, place, loaded.root)
  }

  get standings(): readonly Standing[] {
    return this.#standings
  }
  get findings(): readonly Finding[] {
    return this.#armed.findings
  }

  /** Puts a new set in place of the old one: whole, and only if nothing about it is wrong. */
  async replace(loaded: Loaded, circumstances: Circumstances, file: string): Promise<Reloaded> {
    const broken = loaded.findings.filter(({ level, gate }) => level === 'error' && gate)
    if (broken.length > 0)
      return { counts: false, why: `${file} is not in order; what was in force stays`, findings: broken }
    if (this.#circumstances.projectTrusted && !circumstances.projectTrusted)
      return {
        counts: false,
        why: 'the project is not what was trusted; what was in force stays until it is trusted again',
        findings: []
      }
    const refusal = await this.#refusal(loaded, file)
    if (refusal !== undefined) return { counts: false, why: refusal, findings: [] }
    return this.#swap(loaded, circumstances)
  }

  /** Hooks of ConfigChange are asked, those that are in force now. Managed policy cannot be refused. */
  async #refusal(loaded: Loaded, file: string): Promise<string | undefined> {
    const scope = [...loaded.files, ...this.#loaded.files].find(source => source.file === file)?.scope ?? 'skill'
    const outcome = await this.#hooks.fire('ConfigChange', {
      source: SOURCES[scope] ?? 'user_settings',
      file_path: file
    })
    return outcome.blocked && scope !== 'managed' ? `a hook refused the change: ${outcome.reason}` : undefined
  }

  /** Between taking out and putting in, nothing else can run. */
  #swap(loaded: Loaded, circumstances: Circumstances): Reloaded {
    const before = { loaded: this.#loaded, circumstances: this.#circumstances }
    const findings = this.#rearm(loaded, circumstances)
    if (findings.every(({ gate }) => !gate)) return { counts: true, why: 'the new settings are in force', findings }
    this.#rearm(before.loaded, before.circumstances)
    return { counts: false, why: 'not all of the new hooks can be armed; what was in force stays', findings }
  }

  #rearm(loaded: Loaded, circumstances: Circumstances): readonly Finding[] {
    this.#armed.disarm()
    this.#loaded = loaded
    this.#circumstances = circumstances
    this.#standings = standing(loaded, circumstances)
    this.#armed = arm(this.#standings, this.#hooks, this.#place, loaded.root)
    return this.#armed.findings
  }

  disarm(): void {
    this.#armed.disarm()
  }
}

/** Calls back when one of the files changes, appears or goes. */
export async function watchSettings(
  files: readonly string[],
  onChange: (file: string) => void
): Promise<() => Promise<void>> {
  const { watch } = await import('chokidar')
  const watcher = watch([...files], {
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 10 }
  })
  watcher.on('all', (_, file) => onChange(file))
  watcher.on('error', error => onChange(wordsOf(error)))
  await new Promise<void>(resolve => void watcher.once('ready', () => resolve()))
  return () => watcher.close()
}
