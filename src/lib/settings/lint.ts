import { wordsOf } from '../errors.ts'
import { rowOf } from '../hooks/events.ts'
import { allowedUrl } from '../hooks/kinds/urls.ts'
import type { Finding } from './finding.ts'
import { OUR_TYPES } from './handlers.ts'
import { allowCheck } from './lint-allow.ts'
import { commandCheck } from './lint-command.ts'
import type { Check, Say } from './lint-matcher.ts'
import { programCheck } from './lint-program.ts'
import type { Loaded } from './loaded.ts'
import { restrictions } from './restrictions.ts'

/**
 * What is wrong with hooks that were loaded: what can never match, never run, or does not do what it seems to do.
 * Programs are looked for where `env` has them; default: the environment of this process.
 */
export function lint(
  loaded: Loaded,
  env: Readonly<Record<string, string | undefined>> = process.env
): readonly Finding[] {
  const findings: Finding[] = [...restrictions(loaded)]
  for (const hook of loaded.hooks) {
    const gate = rowOf(hook.event).failure === 'closed'
    const say: Say = (level, code, key, message, fix) =>
      findings.push({ level, code, place: hook.placeOf(key), message, fix, gate: gate && level === 'error' })
    for (const check of CHECKS) check(hook, say, loaded)
    programCheck(hook, say, loaded.root, { ...env, ...loaded.env })
  }
  return findings
}

const urlCheck: Check = ({ spec: { url } }, say, { allowedUrls }) => {
  if (typeof url !== 'string') return
  try {
    allowedUrl(url, allowedUrls)
  } catch (error) {
    say('error', 'url-refused', 'url', wordsOf(error), 'give the whole address of a server that hooks may ask')
  }
}

const timeoutCheck: Check = ({ spec }, say) => {
  const { timeout } = spec
  if (typeof timeout === 'number' && timeout >= 1000)
    say(
      'warning',
      'timeout-unit',
      'timeout',
      `a timeout of ${timeout} is ${Math.round(timeout / 60)} minutes: the unit is seconds`,
      `write ${timeout / 1000} if milliseconds were meant`
    )
}

const behaviourCheck: Check = ({ spec, event, scope, type, path }, say) => {
  const gate = rowOf(event).failure === 'closed'
  if (spec['once'] === true && scope !== 'skill')
    say(
      'info',
      'once-scope',
      'once',
      'Claude Code heeds once only in the frontmatter of skills',
      'nothing to do: here it is heeded everywhere'
    )
  if (spec['onFailure'] === 'continue' && gate)
    say(
      'info',
      'fails-open',
      'onFailure',
      'when this hook fails, the action goes on',
      'delete onFailure to have the gate close'
    )
  if (OUR_TYPES.includes(type) && path[0] !== 'carabiner' && ['user', 'project', 'local'].includes(scope))
    say(
      'warning',
      'voids-file',
      'type',
      `Claude Code does not know hooks of type ${type}, and would ignore the whole file`,
      'move it under carabiner.hooks'
    )
}

const conditionCheck: Check = ({ spec, event }, say) => {
  const rule = spec['if']
  if (typeof rule !== 'string' || rule === '') return
  if (!('tool_name' in rowOf(event).fields))
    say('error', 'if-never', 'if', `${event} is not about a tool, so a hook with "if" never runs`, 'delete "if"')
  else if (!/^[A-Za-z_][\w-]*(\(.*\S.*\))?$/s.test(rule.trim()) || /\)\s*(?:\|\||&&|[,;]|or|and)\s*\w+\(/i.test(rule))
    say(
      'error',
      'if-invalid',
      'if',
      `${JSON.stringify(rule)} is not one permission rule`,
      'write a tool, or a tool with a pattern: Bash(git *)'
    )
}

const CHECKS: readonly Check[] = [commandCheck, allowCheck, urlCheck, timeoutCheck, behaviourCheck, conditionCheck]
