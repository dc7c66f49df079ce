import { isGate, rowOf, type EventName } from '../../hooks/events/event-table.ts'
import { hookStatuses } from '../../settings/active/active-hooks.ts'
import { loadProjectState, projectIsTrusted } from '../common.ts'
import type { HostDialect, Effect } from './dialect.ts'

/** What becomes of what hooks do in an agent that cannot do it. */
const LOST: readonly (readonly [Effect, (as: EventName) => boolean, string])[] = [
  ['ask', as => rowOf(as).takes.decisions.includes('ask'), 'what they and rules ask about is refused'],
  ['rewrite', as => takesField(as, 'updatedInput'), 'what they rewrite is refused, with the new input'],
  ['context', as => takesField(as, 'additionalContext'), 'the context that they add is lost'],
  ['output', as => takesField(as, 'updatedToolOutput'), 'the output that they replace stays'],
  ['deny', isGate, 'what they refuse is not stopped']
]

const takesField = (as: EventName, field: string): boolean => rowOf(as).takes.fields.some(each => each === field)

/** What in the hooks and rules here is about events or effects that an agent does not have. */
export function unenforced({ title, events }: HostDialect, cwd: string | undefined): readonly string[] {
  const { loaded, trust } = loadProjectState({ ...(cwd !== undefined && { cwd }) })
  const statuses = hookStatuses(loaded, { projectTrusted: projectIsTrusted(trust, {}) })
  const hooks = statuses.flatMap(({ hook, off }) => (off === undefined ? [hook] : []))
  const rows = Object.values(events)
  const asks = loaded.rules.some(({ behaviour }) => behaviour === 'ask')
  const isUsed = (name: EventName): boolean =>
    loaded.modules.length > 0 || hooks.some(({ event }) => event === name) || (asks && name === 'PreToolUse')
  return [
    ...(/^(untrusted|changed)$/.test(trust.state) ? ['the project is not trusted: carabiner hooks trust'] : []),
    ...hooks
      .filter(({ event }) => !rows.some(({ as }) => as === event))
      .map(({ event, runs, place }) => `${event} ${runs} (${place.file}:${place.line}): ${title} has no such event`),
    ...loaded.modules.map(({ file }) => `${file}: its hooks run for ${rows.map(({ as }) => as).join(', ')} only`),
    ...rows.flatMap(({ as, takes }) =>
      LOST.filter(([effect, can]) => isUsed(as) && can(as) && !takes.some(each => each.endsWith(effect))).map(
        ([, , words]) => `${as} hooks: ${words}`
      )
    )
  ]
}
