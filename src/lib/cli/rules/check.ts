import { requireRule } from '../../agent/subagents/child-permissions.ts'
import { judgeLeaves } from '../../permissions/allow-command.ts'
import { mainInput } from '../../permissions/call-facts.ts'
import { decide } from '../../permissions/decide.ts'
import type { Policy, Rule } from '../../permissions/policy.ts'
import { narrowedBy, OTHERS } from '../../permissions/rule-advice.ts'
import { SavedPermissions } from '../../query/saved-permissions.ts'
import { rulesToAdd } from '../../permissions/suggestions.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { needsTrust } from '../../settings/trust/digest.ts'
import { EXIT, loadProjectState } from '../common.ts'
import type { FlagValues, RULES_FLAGS } from '../flags.ts'
import { escapeLine, printError, printLine, safeJson } from '../print.ts'
import { factsHere, modeIn, policyOf } from './policy.ts'

type RulesFlags = FlagValues<typeof RULES_FLAGS>

interface CheckedLeaf {
  readonly text: string
  readonly decision: string
  readonly by: string
  readonly why: string
}

interface Answer {
  readonly decision: string
  readonly by: string
  readonly reason?: string | undefined
  readonly leaves: readonly CheckedLeaf[]
  /** The rules that would allow the call, if only such rules are missing. */
  readonly add?: readonly string[]
}

/** `carabiner rules check TOOL INPUT`: what rules, mode and protected paths decide, and why. It starts nothing. */
export async function checkRules([tool, ...words]: readonly string[], flags: RulesFlags): Promise<number> {
  const policy = policyWith(flags)
  if (tool !== undefined) {
    const answer = answerTo(tool, parseInput(tool, words.join(' ')), policy)
    if (flags.json === true) printLine(safeJson(answer))
    else printAnswer(answer)
    return EXIT.done
  }
  let count = 0
  for await (const line of standardInput()) {
    if (line.trim() === '') continue
    count++
    printLine(safeJson(answerToLine(line, policy)))
  }
  if (count === 0) printNarrowed(policy.rules, flags.json === true)
  return EXIT.done
}

function policyWith(flags: RulesFlags): Policy {
  const state = loadProjectState(flags)
  const of = (texts: readonly string[] | undefined, behavior: Rule['behavior']): readonly Rule[] =>
    (texts ?? []).map(text => requireRule(text, behavior, `--${behavior}`))
  const trusted = state.trust.state === 'trusted' || state.trust.state === 'nothing'
  if (!trusted && state.loaded.rules.some(needsTrust))
    printError('carabiner: the project is not trusted, so its allow rules do not apply; run carabiner hooks trust')
  const saved = new SavedPermissions(state.where.ownHome, state.loaded.root).rules()
  const added = [...of(flags.allow, 'allow'), ...of(flags.ask, 'ask'), ...of(flags.deny, 'deny'), ...saved]
  return policyOf(state, trusted, modeIn(flags.mode, state, '--mode'), added)
}

async function* standardInput(): AsyncGenerator<string> {
  if (process.stdin.isTTY) return
  const { createInterface } = await import('node:readline')
  yield* createInterface({ input: process.stdin, crlfDelay: Infinity })
}

function answerToLine(line: string, policy: Policy): Answer | { readonly error: string } {
  try {
    const given: unknown = JSON.parse(line)
    if (isObject(given) && typeof given['tool'] === 'string' && isObject(given['input']))
      return answerTo(given['tool'], given['input'], policy)
  } catch {
    // Reported like any other line that is not a call.
  }
  return { error: 'not a call: write {"tool":"Bash","input":{"command":"…"}}' }
}

/** JSON, or only the main value. */
function parseInput(tool: string, text: string): PlainObject {
  const given: unknown = /^\s*\{\s*"/.test(text) ? JSON.parse(text) : undefined
  return isObject(given) ? given : mainInput(tool, text)
}

function answerTo(tool: string, input: PlainObject, policy: Policy): Answer {
  const facts = factsHere(tool, input, policy)
  const { decision, by, kind, reason } = decide(facts, policy)
  const add = decision === 'ask' && kind === 'default' ? rulesToAdd(facts, policy) : []
  const command = facts.subject?.kind === 'command' ? facts.subject.command : undefined
  const leaves =
    command === undefined ? [] : judgeLeaves(command, facts, policy).map(verdict => checkedLeaf(verdict, policy))
  return { decision, by, ...(reason !== undefined && { reason }), leaves, ...(add.length > 0 && { add }) }
}

function checkedLeaf(
  { text, decision, rule, why }: ReturnType<typeof judgeLeaves>[number],
  policy: Policy
): CheckedLeaf {
  const alone = decide(factsHere('Bash', { command: text }, policy), policy)
  if (alone.decision === 'deny' || alone.kind === 'safety' || (alone.kind === 'rule' && alone.decision === 'ask'))
    return { text, decision: alone.decision, by: alone.by, why: alone.reason ?? why }
  return { text, decision, by: rule === undefined ? 'default' : `${rule.text} (${rule.source})`, why }
}

function printAnswer({ decision, by, reason, leaves, add }: Answer): void {
  printLine(escapeLine(`${decision}, by ${by}${reason === undefined ? '' : `: ${reason}`}`))
  for (const leaf of leaves)
    printLine(escapeLine(`  ${leaf.decision.padEnd(5)} ${leaf.text}  (${leaf.by}: ${leaf.why})`))
  if (add !== undefined) printLine(escapeLine(`to allow it, add ${add.join(' and ')} to permissions.allow`))
}

/** The rules that allowed more in 0.1.0. */
function printNarrowed(rules: readonly Rule[], json: boolean): void {
  const narrowed = rules.flatMap(rule => {
    const why = narrowedBy(rule)
    return why === undefined ? [] : [{ rule: rule.text, source: rule.source, why }]
  })
  if (json) return printLine(safeJson({ rules: narrowed }))
  if (narrowed.length === 0) return printLine('No rule allowed more in 0.1.0.')
  printLine('Rules with * cover options and sub-commands that are in the table of programs, and paths in the project.')
  printLine('Everything else needs a prompt. These rules allowed more in 0.1.0:')
  for (const { rule, source, why } of narrowed)
    if (why !== OTHERS) printLine(escapeLine(`  ${rule} (${source}): ${why}`))
  const others = narrowed.filter(({ why }) => why === OTHERS).map(({ rule }) => rule)
  if (others.length > 0) printLine(escapeLine(`  and ${others.join(', ')}`))
}
