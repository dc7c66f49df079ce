import { errorMessage } from '../../errors.ts'
import { isGate } from '../../hooks/events/event-table.ts'
import { allowedUrl } from '../../hooks/kinds/urls.ts'
import { findingOf, gateError, type Finding } from '../files/finding.ts'
import { OUR_TYPES } from '../files/handlers.ts'
import { allowCheck, commandCheck } from './lint-command.ts'
import type { Check, AddFinding } from './lint-matcher.ts'
import { programCheck } from './lint-program.ts'
import type { Loaded, LoadedModule } from '../files/loaded-hooks.ts'
import { readText } from '../files/text.ts'
import { restrictions } from '../permissions/restrictions.ts'

/** Hooks that never match, never run, or do not do what they seem to. `env` has the PATH of their programs. */
export function lint(
  loaded: Loaded,
  env: Readonly<Record<string, string | undefined>> = process.env
): readonly Finding[] {
  const findings: Finding[] = [...restrictions(loaded), ...loaded.modules.flatMap(moduleFindings)]
  for (const hook of loaded.hooks) {
    const gate = isGate(hook.event)
    const say: AddFinding = (level, key, ...words) =>
      findings.push({
        ...findingOf(level, hook.placeOf(key), gate && level === 'error', words),
        ofProject: hook.ofProject
      })
    for (const check of CHECKS) check(hook, say, loaded)
    programCheck(hook, say, loaded.root, { ...env, ...loaded.env })
  }
  return findings
}

const DEFAULT_EXPORT = /\bexport\s+default\b|\bas\s+default\b|\bmodule\.exports\b|\bexports\.default\b|\bexport\s*\*/

/** Only its text is read. What its code registers is known when it runs. */
function moduleFindings({ file, place, ofProject }: LoadedModule): readonly Finding[] {
  const read = readText(file)
  if ('missing' in read) return [{ ...gateError(place, 'module-missing', `${file} does not exist`), ofProject }]
  if (!('text' in read) || DEFAULT_EXPORT.test(read.text)) return []
  const message = `${file} has no default export, so it registers no hooks`
  return [{ ...findingOf('warning', place, true, ['module', message]), ofProject }]
}

const urlCheck: Check = ({ spec: { url } }, say, { allowedUrls }) => {
  if (typeof url !== 'string') return
  try {
    allowedUrl(url, allowedUrls)
  } catch (error) {
    say('error', 'url', 'url-refused', errorMessage(error))
  }
}

const timeoutCheck: Check = ({ spec }, say) => {
  const { timeout } = spec
  if (typeof timeout !== 'number' || timeout < 1000) return
  const message = `a timeout of ${timeout} is ${Math.round(timeout / 60)} minutes: the unit is seconds`
  say('warning', 'timeout', 'timeout-unit', message, `write ${timeout / 1000} if milliseconds were meant`)
}

/** Claude Code accepts these names, and never fires them. */
const OUR_EVENTS = new Set<string>(['AgentStart', 'AgentStop', 'Iteration', 'PreModelRequest', 'PostModelResponse'])

const behaviourCheck: Check = ({ spec, event, scope, type, path }, say) => {
  const gate = isGate(event)
  if (spec['once'] === true && scope !== 'skill')
    say('info', 'once', 'once-scope', 'Claude Code applies once only in the frontmatter of skills')
  if (spec['onFailure'] === 'continue' && gate)
    say('info', 'onFailure', 'fails-open', 'when this hook fails, the action continues')
  if (event === 'PostModelResponse' && type === 'agent')
    say('error', 'type', 'agent-judges-answer', 'an agent cannot judge an answer: hooks on its own events would see it')
  else if (OUR_EVENTS.has(event))
    say('info', 'type', 'event-only-here', `${event} is an event of Carabiner: no other agent fires it`)
  if (OUR_TYPES.includes(type) && path[0] !== 'carabiner' && ['user', 'project', 'local'].includes(scope))
    say(
      'warning',
      'type',
      'voids-file',
      `Claude Code does not know hooks of type ${type}, and would ignore the whole file`
    )
}

const CHECKS: readonly Check[] = [commandCheck, allowCheck, urlCheck, timeoutCheck, behaviourCheck]
