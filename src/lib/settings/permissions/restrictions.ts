import { isGate } from '../../hooks/events/event-table.ts'
import { parseMode, type NoMode } from '../../permissions/modes.ts'
import { parseRule, toolIn } from '../../permissions/rule.ts'
import { riskOf } from '../../permissions/rule-advice.ts'
import { failedExamples } from '../../permissions/rule-examples.ts'
import { USUAL_AGENTS } from '../../agent/subagents/definitions.ts'
import { nearMiss } from '../../util/near.ts'
import { namesUnder } from '../active/agent-files.ts'
import { findingOf, gateError, type Finding, type Place, type FindingWords } from '../files/finding.ts'
import { conditionCheck, matcherCheck, type AddFinding } from '../lint/lint-matcher.ts'
import type { Loaded, LoadedHook, LoadedOwner, LoadedRule } from '../files/loaded-hooks.ts'
import { OF_PROJECT } from '../files/sources.ts'
import { namingOf } from '../../permissions/tool-names.ts'

type NamedTools = Pick<LoadedRule, 'behaviour' | 'rule' | 'place'>

/** What is meant to restrict and cannot, beside `loaded.findings`. `tools`: those that the caller has added. */
export function restrictions(loaded: Loaded, tools: readonly string[] = []): readonly Finding[] {
  return [
    ...loaded.hooks.flatMap((hook, place) => hookFindings(hook, isFirstOfRule(loaded.hooks, place), tools)),
    ...ruleFindings(loaded.rules, tools),
    ...loaded.rules.flatMap(rule => [...agentTypeFindings(rule, loaded), ...exampleFindings(rule, loaded.root)]),
    ...loaded.owners.flatMap(owner => (owner.kind === 'agent' ? agentFindings(owner, tools) : []))
  ]
}

/** Hooks of one rule are adjacent, and share its matcher. */
const isFirstOfRule = (hooks: readonly LoadedHook[], place: number): boolean => {
  const [hook, before] = [hooks[place]!, hooks[place - 1]]
  return before?.rule !== hook.rule || before.place.file !== hook.place.file
}

export const observesOnly = ({ spec, event }: Pick<LoadedHook, 'spec' | 'event'>): boolean =>
  isGate(event) && (spec['async'] === true || spec['asyncRewake'] === true || spec['observe'] === true)

function hookFindings(hook: LoadedHook, withMatcher: boolean, tools: readonly string[]): readonly Finding[] {
  const findings: Finding[] = []
  const { event, spec, ofProject } = hook
  const gate = isGate(event)
  const say: AddFinding = (level, key, ...words) => {
    const restricts = gate && level !== 'info' && words[0] !== 'matcher-slow'
    findings.push({ ...findingOf(level, hook.placeOf(key), restricts, words), ofProject })
  }
  if (withMatcher) matcherCheck(hook, say, gate ? 'error' : 'warning', tools)
  conditionCheck(hook, say, tools)
  const behind = ['async', 'asyncRewake'].find(key => spec[key] === true)
  if (!gate || behind === undefined) return findings
  const message = `it observes only: ${event} does not wait for a hook in the background, so it cannot refuse`
  const level = spec['onFailure'] === 'block' ? 'error' : 'warning'
  say(level, behind, 'async-gate', message, `delete ${behind}, if it should decide`)
  return findings
}

/** Rules for tools of other agents are one finding per file. */
export function ruleFindings(rules: readonly NamedTools[], tools: readonly string[]): readonly Finding[] {
  const absent = new Map<string, { readonly place: Place; readonly names: Set<string> }>()
  const findings = rules.flatMap(({ behaviour, rule, place }): readonly Finding[] => {
    const restricts = behaviour !== 'allow'
    const bad = (...words: FindingWords): readonly Finding[] => [
      findingOf(restricts ? 'error' : 'warning', place, true, words)
    ]
    const shown = JSON.stringify(rule)
    if (/^\w+:\*?$/.test(rule))
      return bad('rule-invalid', `${shown} fits nothing`, `write "${rule.slice(0, rule.indexOf(':'))}"`)
    const tool = toolIn(rule)
    const naming = namingOf(tool, tools)
    if (naming.is === 'near')
      return bad(
        'rule-near',
        `${shown} ${restricts ? 'protects' : 'allows'} nothing: no tool is called ${tool}`,
        `write ${naming.meant}${rule.trim().slice(tool.length)}`
      )
    const parsed = parseRule(rule, behaviour, '')
    if ('problem' in parsed) return bad('rule-invalid', `${shown} ${parsed.why}`, parsed.fix)
    if (restricts && naming.is !== 'here') {
      const key = `${place.file} ${behaviour}`
      absent.set(key, { place, names: (absent.get(key)?.names ?? new Set()).add(tool) })
    }
    return []
  })
  const absences = [...absent.values()].map(({ place, names }): Finding => {
    const message = `no tool here is called ${[...names].join(', ')}, so there is nothing to refuse`
    return findingOf('warning', place, true, ['tool-absent', message])
  })
  return [...findings, ...absences]
}

/** Examples that a rule contradicts, and what it does besides what it seems to. */
function exampleFindings(loaded: LoadedRule, root: string): readonly Finding[] {
  const { behaviour, rule, place, examples = {} } = loaded
  const parsed = parseRule(rule, behaviour, '')
  if ('problem' in parsed) return []
  const risk = riskOf(parsed)
  const shown = JSON.stringify(rule)
  return [
    ...sandboxFindings(loaded),
    ...failedExamples(parsed, examples, root).map(what =>
      gateError(place, 'rule-example', `${shown} ${what}`, 'correct the rule or the example')
    ),
    ...(risk === undefined ? [] : [findingOf('warning', place, false, ['rule-risky', `${shown} ${risk[0]}`, risk[1]])])
  ]
}

/** Where `sandbox` of a rule has no effect. */
function sandboxFindings({ behaviour, rule, sandbox, scope, place }: LoadedRule): readonly Finding[] {
  const words = [
    'key-idle',
    `${JSON.stringify(rule)}: only rules for Bash that allow or ask may have "sandbox"`
  ] as const
  if (sandbox !== undefined && (behaviour === 'deny' || toolIn(rule) !== 'Bash'))
    return [gateError(place, ...words, 'remove "sandbox"')]
  if (sandbox !== false || !OF_PROJECT.includes(scope)) return []
  return [findingOf('warning', place, true, ['key-idle', 'a project cannot take a command out of the sandbox'])]
}

/** `Agent(explore)` names no subagent: `Explore` is meant. Others may come from the caller, so only near misses count. */
function agentTypeFindings({ behaviour, rule, place }: LoadedRule, { owners }: Loaded): readonly Finding[] {
  const parsed = parseRule(rule, behaviour, '')
  if ('problem' in parsed || parsed.tool !== 'Agent' || parsed.specifier === undefined) return []
  const agents = owners.filter(({ kind }) => kind === 'agent').map(({ name }) => name)
  const meant = nearMiss(parsed.specifier, [...Object.keys(USUAL_AGENTS), ...agents])
  if (meant === undefined) return []
  const restricts = behaviour !== 'allow'
  const message = `${JSON.stringify(rule)} ${restricts ? 'protects' : 'allows'} nothing: no subagent is called ${parsed.specifier}`
  return [findingOf(restricts ? 'error' : 'warning', place, true, ['rule-near', message, `write Agent(${meant})`])]
}

function agentFindings({ document, ofProject }: LoadedOwner, tools: readonly string[]): readonly Finding[] {
  if (document === undefined) return []
  const place = (key: string): Place => document.findings.place([key])
  const named = (key: string): readonly NamedTools[] =>
    (namesUnder(document, key) ?? []).map(rule => ({ behaviour: 'deny', rule, place: place(key) }))
  // A tool that it does not have needs no finding: only tools that it seems to have matter.
  const wanted = ruleFindings(named('tools'), tools).filter(({ code }) => code === 'rule-near')
  const { permissionMode } = document.value
  const mode = typeof permissionMode === 'string' ? parseMode(permissionMode, true) : undefined
  const wrong = typeof mode === 'object' ? [modeFinding(mode, place('permissionMode'))] : []
  return [...wanted, ...ruleFindings(named('disallowedTools'), tools), ...wrong].map(each => ({ ...each, ofProject }))
}

/** A mode of another agent does not stop the run: the default mode asks more often. */
export const modeFinding = ({ problem, isElsewhere }: NoMode, place: Place): Finding =>
  isElsewhere === true
    ? findingOf('warning', place, true, ['mode-unknown', problem, 'until then the mode is default'])
    : gateError(place, 'mode-unknown', problem)
