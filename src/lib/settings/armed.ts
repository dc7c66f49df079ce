import { wordsOf } from '../errors.ts'
import { HookRegistry } from '../hooks/registry.ts'
import type { RegistryOptions } from '../hooks/settings.ts'
import { Outside, type OutsideOptions } from '../hooks/kinds/outside.ts'
import type { Finding } from './finding.ts'
import { arm, type Armed } from './arm.ts'
import { reasonBarred, standing, type Circumstances, type Standing } from './force.ts'
import { loadKinds, ruleFitsNow } from './kinds.ts'
import { LiveHooks, watchSettings, type Reloaded } from './live.ts'
import type { Loaded } from './loaded.ts'
import { armModules } from './modules.ts'
import { compileSafely } from './patterns.ts'

/** What files say, and what decides over it. */
export interface Situation extends Circumstances {
  readonly loaded: Loaded
}

/** What else a registry for files may be told. */
export interface ArmOptions {
  /** Hooks that are there already: those from files join them, in a scope of their own. */
  readonly onto?: HookRegistry | undefined
  readonly registry?: RegistryOptions | undefined
  readonly outside?: OutsideOptions | undefined
}

/** Hooks from files, ready to be fired. */
export interface ArmedHooks {
  readonly hooks: HookRegistry
  /** Every hook that was found, and why it is not in force, if it is not. */
  readonly standings: () => readonly Standing[]
  /** What could not be armed, though the files were in order. */
  readonly findings: readonly Finding[]
  /** Looks at the files again, since this one has changed. */
  reload(file: string): Promise<Reloaded>
  /** Does so by itself from now on. Call what comes back to end that. */
  watch(onReload: (reloaded: Reloaded, file: string) => unknown): Promise<() => Promise<void>>
  /** Puts the hooks of a skill in force too, from now on. */
  activate(owner: string): void
  /**
   * A registry that fires these hooks, or those of a scope of it, together with the ones of a subagent, until `leave`.
   */
  enter(owner: string, onto: HookRegistry): { readonly hooks: HookRegistry; leave(): void }
  /** Takes them out of the registry and ends what they keep running. */
  close(): Promise<void>
}

/**
 * A registry with all hooks that are in force. Ask wins over allow, and patterns run in linear time. `look` is called
 * now, and again for each reload. Modules are loaded once: a changed one counts from the next start on.
 */
export async function armHooks(look: () => Situation, options: ArmOptions = {}): Promise<ArmedHooks> {
  const situation = look()
  const { loaded } = situation
  const hooks = (options.onto ?? new HookRegistry()).scope('files', {
    precedence: options.onto?.options.precedence ?? 'ask-over-allow',
    compilePattern: compileSafely,
    cwd: loaded.root,
    ...options.registry,
    profile: loaded.locks.profile ?? options.registry?.profile ?? options.onto?.options.profile ?? loaded.profile
  })
  await loadKinds(loaded)
  const { allowedUrls, allowedEnvVars } = loaded
  const place = new Outside({
    projectDir: loaded.root,
    allowedUrls,
    allowedEnvVars,
    matchesRule: ruleFitsNow,
    ...options.outside
  })
  const live = new LiveHooks(loaded, situation, hooks, place)
  const modules = loaded.modules.filter(module => reasonBarred(module, loaded, situation) === undefined)
  const findings = [...live.findings, ...(await armModules(modules, hooks, loaded.root))]
  const active = new Map<string, Armed>()
  // One after the other: what is looked at last shall be in force in the end.
  let last: Promise<unknown> = Promise.resolve()
  const reload = (file: string): Promise<Reloaded> => {
    const next = last.then(async () => {
      const now = look()
      await loadKinds(now.loaded)
      return live.replace(now.loaded, now, file)
    })
    const safe = next.catch((error: unknown): Reloaded => ({
      counts: false,
      why: `${wordsOf(error)}; what was in force stays`,
      findings: []
    }))
    last = safe
    return safe
  }
  return {
    hooks,
    standings: () => live.standings,
    findings,
    reload,
    watch: onReload =>
      watchSettings(loaded.watched, file => void reload(file).then(reloaded => onReload(reloaded, file))),
    activate(owner) {
      if (active.has(owner)) return
      active.set(owner, arm(standingsOf(owner, 'skill', situation), hooks, place, loaded.root))
    },
    enter(owner, onto) {
      const scope = onto.scope(owner)
      const armed = arm(standingsOf(owner, 'agent', situation), scope, place, loaded.root)
      return {
        hooks: scope,
        leave() {
          armed.disarm()
          scope.release()
        }
      }
    },
    async close() {
      for (const each of active.values()) each.disarm()
      live.disarm()
      await place.close()
    }
  }
}

/** The hooks of one owner, as if it were active. What a subagent says of its own end is about a subagent's end. */
function standingsOf(owner: string, scope: 'skill' | 'agent', situation: Situation): readonly Standing[] {
  return standing(situation.loaded, { ...situation, owners: [owner] })
    .filter(({ hook }) => hook.owner === owner && hook.scope === scope)
    .map(({ hook, off }) => ({
      hook: scope === 'agent' && hook.event === 'Stop' ? { ...hook, event: 'SubagentStop' } : hook,
      off
    }))
}
