import { isGate, rowOf, type EventName } from '../../hooks/events/event-table.ts'
import { hookStatuses } from '../../settings/active/active-hooks.ts'
import { loadProjectState, projectIsTrusted } from '../common.ts'
import type { Dialect, Effect } from './dialect.ts'

/** What an answer can do here, and what becomes of it in an agent that cannot. */
const LOST: readonly (readonly [Effect, (as: EventName) => boolean, string])[] = [
  ['ask', as => rowOf(as).takes.decisions.includes('ask'), 'what they ask about is refused'],
  [
    'rewrite',
    as => rowOf(as).takes.fields.includes('updatedInput'),
    'what they rewrite is refused, with the new input'
  ],
  ['context', as => rowOf(as).takes.fields.includes('additionalContext'), 'the context that they add is lost'],
  ['output', as => rowOf(as).takes.fields.includes('updatedToolOutput'), 'the output that they replace stays'],
  ['deny', isGate, 'what they refuse is not stopped']
]

/** The hooks and rules in force here that are about events or effects that an agent does not have. */
export function unenforced({ title, events }: Dialect, cwd: string | undefined): readonly string[] {
  const { loaded, trust } = loadProjectState({ ...(cwd !== undefined && { cwd }) })
  const statuses = hookStatuses(loaded, { projectTrusted: projectIsTrusted(trust, {}) })
  const hooks = statuses.flatMap(({ hook, off }) => (off === undefined || hook.owner !== undefined ? [hook] : []))
  const rows = Object.values(events)
  const has = (name: EventName): boolean => rows.some(({ as }) => as === name)
  const asked = loaded.rules.filter(({ behaviour }) => behaviour === 'ask').length
  const isUsed = (name: EventName): boolean => loaded.modules.length > 0 || hooks.some(({ event }) => event === name)
  const isUntrusted = trust.state === 'untrusted' || trust.state === 'changed'
  return [
    ...(isUntrusted ? ['what the project brings is not trusted: carabiner hooks trust'] : []),
    ...hooks
      .filter(({ event }) => !has(event))
      .map(({ event, runs, place }) => `${event} ${runs} (${place.file}:${place.line}): ${title} has no such event`),
    ...loaded.modules.map(({ file }) => `${file}: its hooks run for ${rows.map(({ as }) => as).join(', ')} only`),
    ...rows
      .filter(({ as }) => isUsed(as))
      .flatMap(({ as, takes }) =>
        LOST.flatMap(([effect, applies, words]) =>
          !applies(as) || takes.some(each => each.endsWith(effect)) ? [] : [`${as} hooks: ${words}`]
        )
      ),
    ...(asked > 0 && !rows.some(({ as, takes }) => as === 'PreToolUse' && takes.includes('ask'))
      ? [`${asked} ask rules: what they ask about is refused`]
      : [])
  ]
}
