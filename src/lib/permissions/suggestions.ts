import type { CallFacts, Policy } from './policy.ts'
import { dirname } from 'node:path'
import { judgeLeaves } from './allow-command.ts'
import { decide } from './decide.ts'
import { simpleCommand, trimmed } from '../shell/command-words.ts'
import { FILE_WRITERS } from '../tool-table.ts'
import { literally } from '../util/path-glob.ts'
import { isWithin } from '../world/files/paths.ts'
import { fits, nowNamed, parseRule, tellingOf } from './rule.ts'
import { ruleText, type PermissionRuleValue, type PermissionUpdate } from './updates.ts'

/** Never more than what was asked about; none if a rule, a hook or a protected path asks. */
export function suggestionsFor(call: CallFacts, policy: Omit<Policy, 'hook'>): readonly PermissionUpdate[] {
  const ruling = decide(call, policy)
  if (ruling.decision !== 'ask' || ruling.kind !== 'default') return []
  const { subject, tool } = call
  if (subject?.kind === 'file') return forFile(call, subject.path, policy)
  if (subject?.kind === 'command') {
    const text = trimmed(subject.command)
    // A star would mean anything.
    if (simpleCommand(text) === undefined || text.includes('*')) return []
    return [allow({ toolName: tool, ruleContent: text }, 'localSettings')]
  }
  if (subject?.kind !== 'url') return forOther(call)
  if (!URL.canParse(subject.url)) return []
  return certain(call, { toolName: tool, ruleContent: `domain:${new URL(subject.url).hostname}` })
}

/** The rules that would allow the call, as people write them: of a list of commands, one per command that none allows. */
export function rulesToAdd(call: CallFacts, policy: Policy): readonly string[] {
  if (call.subject?.kind !== 'command')
    return suggestionsFor(call, policy).flatMap(update =>
      update.type === 'addRules' ? update.rules.map(ruleText) : []
    )
  const { command } = call.subject
  const open = judgeLeaves(command, call, policy).filter(({ decision }) => decision === 'ask')
  const texts = open.every(({ isWhole }) => isWhole !== true) ? open.map(({ text }) => text) : [trimmed(command)]
  const isAllowed = (rules: readonly string[]): boolean => {
    const added = rules.map(rule => parseRule(rule, 'allow', 'session')).filter(rule => 'tool' in rule)
    const verdicts = judgeLeaves(command, call, { ...policy, rules: [...policy.rules, ...added] })
    return verdicts.every(({ decision }) => decision === 'allow')
  }
  return (
    [...[3, 2, 1].map(most => rulesOfTexts(texts, most)), rulesOfTexts([trimmed(command)], 1)].find(isAllowed) ?? []
  )
}

/** A star or a newline would mean something else in a rule: there, the program and its sub-commands with harmless words. */
const rulesOfTexts = (texts: readonly string[], most: number): readonly string[] =>
  Array.from(new Set(texts), text => {
    if (!/[*\n]/.test(text)) return `Bash(${text})`
    const [start = text] = /^[\w./-]+(?: [a-z][\w:-]*)*(?= )/.exec(text) ?? []
    return `Bash(${start.split(' ').slice(0, most).join(' ')} *)`
  })

/** A rule for this call and no other, as people write it. Whether it is enough depends on other rules. */
export function ruleForCall({ tool, subject, readOnly }: CallFacts): string | undefined {
  if (subject?.kind === 'command') return /[*\n]/.test(subject.command) ? undefined : `Bash(${subject.command.trim()})`
  if (subject?.kind === 'file') return `${readOnly ? 'Read' : 'Edit'}(/${literally(subject.path)})`
  return subject === undefined ? nowNamed(tool) : undefined
}

/** For this command and no other, until the session ends. */
export function exactRule({ command }: CallFacts['input']): readonly PermissionUpdate[] {
  if (typeof command !== 'string' || command.includes('*')) return []
  return [allow({ toolName: 'Bash', ruleContent: trimmed(command) }, 'session')]
}

const allow = (rule: PermissionRuleValue, destination: 'session' | 'localSettings'): PermissionUpdate => ({
  type: 'addRules',
  rules: [rule],
  behavior: 'allow',
  destination
})

function forFile(call: CallFacts, path: string, { roots, home }: Omit<Policy, 'hook'>): readonly PermissionUpdate[] {
  const folder = dirname(path)
  const inside = roots.some(root => isWithin(path, root))
  const isLarge = folder === '/' || folder === home || roots.some(root => isWithin(root, folder))
  const accept: readonly PermissionUpdate[] = FILE_WRITERS.has(call.tool)
    ? [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]
    : []
  if (inside) return accept
  if (!isLarge) return [{ type: 'addDirectories', directories: [folder], destination: 'session' }, ...accept]
  const toolName = call.readOnly ? 'Read' : 'Edit'
  return [allow({ toolName, ruleContent: `/${literally(path)}` }, 'session')]
}

/** An unknown tool is allowed as a whole, or not at all. */
function forOther(call: CallFacts): readonly PermissionUpdate[] {
  const toolName = nowNamed(call.tool)
  if (toolName === 'ExitPlanMode') return []
  const telling = toolName.startsWith('mcp__') ? undefined : tellingOf(call.input)
  if (telling === undefined) return certain(call, { toolName })
  return telling.includes('*') ? [] : certain(call, { toolName, ruleContent: telling })
}

function certain(call: CallFacts, value: PermissionRuleValue): readonly PermissionUpdate[] {
  const rule = parseRule(ruleText(value), 'allow', 'session')
  return !('problem' in rule) && fits(rule, call, { roots: [] }) === 'yes' ? [allow(value, 'localSettings')] : []
}
