import type { Behavior, CallFacts, Policy, Rule } from '../../src/lib/permissions/policy.ts'
import { decide } from '../../src/lib/permissions/decide.ts'
import { parseRule } from '../../src/lib/permissions/rule.ts'

export const WORKSPACE = '/home/ann/ws'
export const HOME = '/home/ann'

/** A rule, which must be one. */
export function ruleOf(behavior: Behavior, text: string, more: Partial<Rule> = {}): Rule {
  const parsed = parseRule(text, behavior, 'settings.json:1')
  if ('problem' in parsed) throw new Error(parsed.problem)
  return { ...parsed, ...more }
}

export const allowRule = (text: string, more?: Partial<Rule>): Rule => ruleOf('allow', text, more)
export const askRule = (text: string, more?: Partial<Rule>): Rule => ruleOf('ask', text, more)
export const denyRule = (text: string, more?: Partial<Rule>): Rule => ruleOf('deny', text, more)

export const bashFacts = (command: string): CallFacts => ({
  tool: 'Bash',
  input: { command },
  subject: { kind: 'command', command },
  readOnly: false
})

export const read = (path: string, tool = 'Read'): CallFacts => ({
  tool,
  input: tool === 'Read' ? { file_path: path } : { path, pattern: 'x' },
  subject: { kind: 'file', path, access: 'read' },
  readOnly: true
})

/** A write to `path`, as the file is really called; `given` is how the model called it. */
export const write = (path: string, tool = 'Write', given = path): CallFacts => ({
  tool,
  input: { file_path: given, content: '' },
  subject: { kind: 'file', path, access: 'write' },
  readOnly: false
})

export const fetching = (url: string): CallFacts => ({
  tool: 'WebFetch',
  input: { url, prompt: '' },
  subject: { kind: 'url', url },
  readOnly: true
})

export const other = (tool: string, input: CallFacts['input'] = {}, readOnly = false): CallFacts => ({
  tool,
  input,
  subject: undefined,
  readOnly
})

export const policy = (rules: readonly Rule[] = [], more: Partial<Policy> = {}): Policy => ({
  rules,
  mode: 'default',
  roots: [WORKSPACE],
  home: HOME,
  ...more
})

/** What is decided, in one word. */
export const decided = (call: CallFacts, rules: readonly Rule[] = [], more: Partial<Policy> = {}): Behavior =>
  decide(call, policy(rules, more)).decision
