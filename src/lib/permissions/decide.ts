import type { Behavior, CallFacts, HookWord, Policy, Rule, Ruling } from './policy.ts'
import { FILE_WRITERS } from '../tool-table.ts'
import type { Mode } from './modes.ts'
import { ruledFiles } from './ruled-files.ts'
import { environmentNamed } from './named-paths.ts'
import { isWithin } from '../world/files/paths.ts'
import { protectionOf } from './protected.ts'
import { NOTHING_ALLOWS, onlyReads } from '../shell/only-reads.ts'
import { fits } from './rule.ts'
import { judgeLeaves } from './allow-command.ts'

/**
 * Whether a call may run. Refusals come first: a hook, a rule, a protected path, plan mode. Then whatever asks: a
 * doubt, a rule, a protected path, a hook. Only then whatever allows: a mode that never asks, a hook, a rule, the mode,
 * and reading within the project. All other calls are asked about, or refused in mode dontAsk. A pure function.
 */
export function decide(call: CallFacts, policy: Policy): Ruling {
  const ruling = restriction(call, policy) ?? permission(call, policy) ?? UNSAID
  if (ruling.decision !== 'ask' || policy.mode !== 'dontAsk') return ruling
  const why = ruling.kind === 'default' ? ruling.reason : `${ruling.by} requires a question`
  return byMode('deny', 'dontAsk', `${why}, and mode dontAsk never asks`)
}

const UNSAID: Ruling = { decision: 'ask', by: 'default', kind: 'default', reason: NOTHING_ALLOWS }
const ORDINARY: Ruling = { ...UNSAID, decision: 'allow', reason: undefined }

const SANDBOXED: Ruling = { ...ORDINARY, by: 'sandbox.autoAllow', kind: 'mode' }

const byMode = (decision: Behavior, mode: Mode, reason?: string): Ruling => ({
  decision,
  by: `mode ${mode}`,
  kind: 'mode',
  reason
})

const byHook = ({ decision, by, reason }: HookWord): Ruling => ({
  decision,
  by: `hook ${by}`,
  kind: 'hook',
  reason: decision === 'ask' ? `hook ${by} asks${reason === undefined ? '' : `: ${reason}`}` : reason
})

const byRule = (decision: Behavior, { text, source, ofProject }: Rule, reason?: string): Ruling => ({
  decision,
  by: `${text} (${source})`,
  kind: 'rule',
  reason,
  ...(ofProject === true && { ofProject })
})

const bySafety = (decision: 'ask' | 'deny', part: string): Ruling => ({
  decision,
  by: `protected path ${part}`,
  kind: 'safety',
  reason: part.startsWith('/proc/')
    ? `it names ${part}, and only another process knows where that leads`
    : decision === 'deny'
      ? `${part} controls the agent or runs automatically later; only a user’s rule that names it allows this`
      : `it names ${part}, which controls the agent or runs automatically later`
})

function restriction(call: CallFacts, policy: Policy): Ruling | undefined {
  const { tool, doubt, subject } = call
  const readOnly = subject?.kind === 'command' ? onlyReads(subject.command) : call.readOnly
  const { mode, hook } = policy
  if (hook?.decision === 'deny') return byHook(hook)
  const rule = ruleAgainst(call, policy)
  if (rule?.decision === 'deny') return rule
  const protection = protectionOf(call, policy)
  if (protection?.decision === 'deny') return bySafety('deny', protection.part)
  if (mode === 'plan' && !readOnly && tool !== 'ExitPlanMode')
    return byMode(
      'deny',
      mode,
      'plan mode allows only calls that are known to change nothing; finish the plan and call ExitPlanMode to leave it'
    )

  // First, so that a person who is asked for another reason reads it as well.
  if (doubt !== undefined) return { decision: 'ask', by: 'changed tool', kind: 'safety', reason: doubt }
  const environment = environmentNamed(subject, policy, call)
  if (environment !== undefined)
    return { decision: 'ask', by: 'environment of a process', kind: 'safety', reason: environment }
  if (rule !== undefined) return rule
  if (protection !== undefined) return bySafety('ask', protection.part)
  if (hook?.decision === 'ask') return byHook(hook)
  const leavesPlan = mode === 'plan' && tool === 'ExitPlanMode' && hook?.decision !== 'allow'
  return leavesPlan ? byMode('ask', mode, 'the plan is ready') : undefined
}

/** The first rule that refuses it; else the first rule that asks, or that may refuse it. */
function ruleAgainst(call: CallFacts, policy: Policy): Ruling | undefined {
  let asks: Ruling | undefined
  for (const rule of policy.rules) {
    const fit = rule.behavior === 'allow' ? 'no' : fits(rule, call, policy)
    if (fit === 'no') continue
    const words = `the rule ${rule.text} in ${rule.source}`
    if (fit === 'yes' && rule.behavior === 'deny') return byRule('deny', rule, `${words} refuses it`)
    asks ??= byRule('ask', rule, fit === 'yes' ? `${words} asks` : `it is not certain whether ${words} covers it`)
  }
  return asks
}

function permission(call: CallFacts, policy: Policy): Ruling | undefined {
  const { rules, mode, hook, roots } = policy
  if (mode === 'bypassPermissions') return byMode('allow', mode)
  if (hook?.decision === 'allow') return byHook(hook)
  const rule = rules.find(each => each.behavior === 'allow' && fits(each, call, policy) === 'yes')
  if (rule !== undefined) return byRule('allow', rule)
  const { tool, subject, readOnly } = call
  if (subject?.kind === 'command' && policy.autoAllow === true) return SANDBOXED
  if (subject?.kind === 'command') return commandPermission(subject.command, call, policy)
  const isInside = subject?.kind === 'file' && roots.some(root => isWithin(subject.path, root))
  if (mode === 'acceptEdits' && FILE_WRITERS.has(tool) && isInside) return byMode('allow', mode)
  // Reading in the project is allowed, and so is a tool that reads no file.
  return readOnly && (subject === undefined || isInside) ? ORDINARY : undefined
}

/** Each command in the text has to be covered, by a rule or because it only reads in the project. */
function commandPermission(command: string, call: CallFacts, policy: Policy): Ruling {
  const verdicts = judgeLeaves(command, call, policy)
  const open = verdicts.find(({ decision }) => decision === 'ask')
  const rule = verdicts.find(verdict => verdict.rule !== undefined)?.rule
  if (open === undefined && verdicts.some(({ edits }) => edits)) return byMode('allow', policy.mode)
  if (open === undefined) return rule === undefined ? ORDINARY : byRule('allow', rule)
  const { text, why } = open
  const once = verdicts.every(verdict => verdict.decision === 'allow' || verdict.once === true)
  const what = verdicts.length === 1 ? NOTHING_ALLOWS : `nothing allows ${text}`
  return { ...UNSAID, reason: why === NOTHING_ALLOWS ? what : `${what}: ${why}`, ...(once && { once }) }
}

/** Whether rules let a search show a file, judged by its real path and, if it has several names, its identity. */
export function readableBy(policy: Policy): (path: string, link?: string) => boolean {
  const ofFile = { tool: 'Read', readOnly: true, ruled: ruledFiles(policy) } as const
  // A search follows no links.
  const real = (path: string): { path: string; sure: boolean } => ({ path, sure: true })
  return (path, link) => {
    const subject = { kind: 'file', path, link, access: 'read' } as const
    const call = { ...ofFile, input: { file_path: path }, subject, real }
    const { decision, kind } = decide(call, { ...policy, mode: 'default' })
    return decision === 'allow' || (decision === 'ask' && kind !== 'rule')
  }
}
