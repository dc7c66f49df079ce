import { fault } from '../../faults.ts'
import type { HookEnvironment } from '../../hooks/kinds/hook-environment.ts'
import type { HookRegistry } from '../../hooks/registry.ts'
import { activateHooks, type ActiveHooks } from './activate-hooks.ts'
import { findingLine, type Finding } from '../files/finding.ts'
import { hookStatuses, type Situation, type HookStatus } from './active-hooks.ts'

export interface SubagentHooks {
  readonly hooks: HookRegistry
  leave(): void
}

export class SkillHooks {
  readonly findings: readonly Finding[]
  readonly #look: () => Situation
  readonly #hooks: HookRegistry
  readonly #place: HookEnvironment
  readonly #active = new Map<string, ActiveHooks>()

  constructor(look: () => Situation, hooks: HookRegistry, place: HookEnvironment) {
    this.#look = look
    this.#hooks = hooks
    this.#place = place
    this.findings = this.#tryAll()
  }

  /** Activates them all where no event is fired: a broken gate must be known before it is needed. */
  #tryAll(): readonly Finding[] {
    const situation = this.#look()
    const { loaded, owners = [] } = situation
    const idle = loaded.hooks.flatMap(({ owner }) => (owner === undefined || owners.includes(owner) ? [] : [owner]))
    if (idle.length === 0) return []
    const apart = this.#hooks.scope('tried')
    const statuses = [...new Set(idle)].flatMap(owner => statusesOf(owner, situation))
    const armed = activateHooks(statuses, apart, this.#place, loaded.root)
    armed.disarm()
    apart.release()
    return armed.findings
  }

  /** Activates the hooks of a skill. Where one of them fails, none is activated, and that is an error. */
  activate(owner: string): void {
    if (!this.#active.has(owner)) this.#active.set(owner, this.#arm(owner, 'skill', this.#hooks))
  }

  enter(owner: string, onto: HookRegistry): SubagentHooks {
    const hooks = onto.scope(owner)
    const armed = this.#arm(owner, 'agent', hooks)
    return {
      hooks,
      leave() {
        armed.disarm()
        hooks.release()
      }
    }
  }

  disarm(): void {
    for (const each of this.#active.values()) each.disarm()
  }

  #arm(owner: string, scope: 'skill' | 'agent', hooks: HookRegistry): ActiveHooks {
    const situation = this.#look()
    const statuses = statusesOf(owner, situation).filter(({ hook }) => hook.scope === scope)
    const armed = activateHooks(statuses, hooks, this.#place, situation.loaded.root)
    const missing = armed.findings.filter(finding => !this.#isDropped(finding))
    if (missing.length === 0) return armed
    armed.disarm()
    throw fault('E_SETTINGS', missing.map(findingLine).join('; '))
  }

  /** The compat profile continues without what was known to be wrong from the start. */
  #isDropped({ place }: Finding): boolean {
    const isSame = (known: Finding['place']): boolean =>
      known.file === place.file && known.line === place.line && known.key === place.key
    return this.#hooks.options.profile === 'compat' && this.findings.some(known => isSame(known.place))
  }
}

/** The hooks of one owner, as if it were active. `Stop` of a subagent means the end of the subagent. */
function statusesOf(owner: string, situation: Situation): readonly HookStatus[] {
  return hookStatuses(situation.loaded, { ...situation, owners: [owner] })
    .filter(({ hook }) => hook.owner === owner)
    .map(({ hook, off }) => ({
      hook: hook.scope === 'agent' && hook.event === 'Stop' ? { ...hook, event: 'SubagentStop' } : hook,
      off
    }))
}
