/**
 * How long a decision about a command takes: CPU time, with 500 rules, and for inputs of 64 KB. Run it with
 * `node bench/rules/bench.ts`. Goals: p99 at most 1 ms, no input over 50 ms.
 */
import { decide } from '../../src/lib/permissions/decide.ts'
import { twinsFor } from '../../src/lib/permissions/named-paths.ts'
import type { CallFacts, Policy, Rule } from '../../src/lib/permissions/policy.ts'
import { parseRule } from '../../src/lib/permissions/rule.ts'
import { isThere, resolvePath } from '../../src/lib/world/files/paths.ts'
import { repositoryFacts } from '../../src/lib/world/files/repository.ts'

const root = process.cwd()
const ruleAt = (index: number): Rule => {
  const kind = index % 5
  const text =
    kind === 4 ? `Read(./private${index}/**)` : kind === 3 ? `Bash(tool${index} --x *)` : `Bash(tool${index} *)`
  const rule = parseRule(text, kind < 3 ? 'allow' : 'deny', 'bench')
  if ('problem' in rule) throw new Error(rule.problem)
  return rule
}
const policy: Policy = {
  rules: Array.from({ length: 500 }, (_, index) => ruleAt(index)),
  mode: 'default',
  roots: [root]
}
const facts = (command: string): CallFacts => ({
  tool: 'Bash',
  input: { command },
  subject: { kind: 'command', command },
  readOnly: false,
  cwd: root,
  real: resolvePath,
  has: isThere,
  repository: repositoryFacts,
  twins: twinsFor(policy)
})
const timeOf = (command: string): number => {
  const call = facts(command)
  const start = process.cpuUsage()
  decide(call, policy)
  return process.cpuUsage(start).user / 1000
}

const COMMANDS = [
  'git status',
  'ls -la',
  'cat f | grep x',
  'git log | head -5',
  'npm test',
  'grep -rn x src',
  'rm -rf x',
  'tool7 a b'
]
const times: number[] = []
for (let turn = 0; turn < 4_000; turn++) {
  const time = timeOf(`${COMMANDS[turn % COMMANDS.length]} f${turn % 50}`)
  if (turn >= 1_000) times.push(time)
}
times.sort((a, b) => a - b)
const at = (part: number): string => `${times[Math.floor(times.length * part)]?.toFixed(3)} ms`
console.log(`500 rules: p50 ${at(0.5)}, p99 ${at(0.99)}`)

const LARGE = [
  'a ',
  'true;',
  '-x ',
  "'",
  '$(',
  '{',
  'cat <<E\n',
  'a=1 ',
  'x|',
  'sudo ',
  'eval ',
  's/a/b/;',
  'a/b:c ',
  'bash -c '
]
for (const piece of LARGE) {
  const command = `echo ${piece.repeat(65_000 / piece.length)}`
  console.log(`64 KB of ${JSON.stringify(piece)}: ${timeOf(command).toFixed(1)} ms`)
}
