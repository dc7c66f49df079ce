/**
 * How long a decision about a command takes: with no rules, with 500, and for texts of 64 KB that are hard to read.
 * Processor time of the process; the goals are a p99 of 1 ms with 500 rules, and no text over 50 ms.
 *
 *     node bench/rules/bench.ts [--rounds 20] [--json]
 */
import { decide } from '../../src/lib/permissions/decide.ts'
import type { CallFacts, Policy, Rule } from '../../src/lib/permissions/policy.ts'
import { parseRule } from '../../src/lib/permissions/rule.ts'
import { ruledFiles } from '../../src/lib/permissions/ruled-files.ts'
import { isThere, namesInFolder, resolvePath } from '../../src/lib/world/files/paths.ts'
import { repositoryFacts } from '../../src/lib/world/files/repository.ts'
import { benchOptions, digits, median, printReport, quantile, ratioOf, type Table } from '../report.ts'

const { rounds, json } = benchOptions(20)
const root = process.cwd()

function ruleAt(index: number): Rule {
  const kind = index % 5
  const text =
    kind === 4 ? `Read(./private${index}/**)` : kind === 3 ? `Bash(tool${index} --x *)` : `Bash(tool${index} *)`
  const rule = parseRule(text, kind < 3 ? 'allow' : 'deny', 'bench')
  if ('problem' in rule) throw new Error(rule.problem)
  return rule
}

const policyOf = (count: number): Policy => ({
  rules: Array.from({ length: count }, (_, index) => ruleAt(index)),
  mode: 'default',
  roots: [root]
})
const NONE = policyOf(0)
const MANY = policyOf(500)

/** In milliseconds of processor time. */
function timeOf(command: string, policy: Policy): number {
  const call: CallFacts = {
    tool: 'Bash',
    input: { command },
    subject: { kind: 'command', command },
    readOnly: false,
    cwd: root,
    real: resolvePath,
    has: isThere,
    list: namesInFolder,
    repository: repositoryFacts,
    ruled: ruledFiles(policy)
  }
  const start = process.cpuUsage()
  decide(call, policy)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

const COMMANDS = [
  'git status',
  'ls -la',
  'cat f | grep x',
  'git log | head -5',
  'npm test',
  'grep -rn x src',
  'rm -rf x',
  'tool7 a b',
  `bash -c 'git diff && npm run build'`,
  'find . -name x -exec grep -l y {} +'
]
/** The pieces of texts that are hard to read. */
const PIECES = [
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
  'bash -c ',
  'env cat x;'
]
const SIZE = 65_000

/** One round: decisions about other texts each time, so that nothing is found again. */
const decisionsIn = (round: number, policy: Policy): readonly number[] =>
  Array.from({ length: 200 }, (_, turn) => timeOf(`${COMMANDS[turn % COMMANDS.length]} f${round * 200 + turn}`, policy))

for (let round = 0; round < 50; round++) for (const policy of [NONE, MANY]) decisionsIn(1000 + round, policy)

const none: (readonly number[])[] = []
const many: (readonly number[])[] = []
const large = new Map(PIECES.map(piece => [piece, [] as number[]]))
for (let round = 0; round < rounds; round++) {
  none.push(decisionsIn(round, NONE))
  many.push(decisionsIn(round, MANY))
}
// Afterwards: what they leave behind for the garbage collector is not part of an ordinary decision.
for (let round = 0; round < 5; round++)
  for (const [piece, times] of large) times.push(timeOf(`echo f${round} ${piece.repeat(SIZE / piece.length)}`, MANY))

const row = (what: string, all: readonly (readonly number[])[], goal: string): readonly string[] => {
  const least = all[0]!.map((_, turn) => Math.min(...all.map(times => times[turn]!)))
  return [what, digits(median(all.flat())), digits(quantile(all.flat(), 0.99)), digits(quantile(least, 0.99)), goal]
}
const decisions: Table = {
  head: ['a decision about an ordinary command', 'median, ms', 'p99, ms', 'p99 undisturbed, ms', 'goal'],
  rows: [row('no rules', none, ''), row('500 rules', many, 'p99 ≤ 1 ms')]
}
const texts: Table = {
  head: ['a text of 64 KB, 500 rules', 'median, ms', 'most, ms', 'goal'],
  rows: Array.from(large, ([piece, times]) => [
    `\`${JSON.stringify(piece).slice(1, -1).replaceAll('|', '\\|')}\`, many times`,
    digits(median(times)),
    digits(Math.max(...times)),
    '≤ 50 ms'
  ])
}

const sums = (all: readonly (readonly number[])[]): readonly number[] =>
  all.map(times => times.reduce((sum, time) => sum + time, 0))
printReport(
  {
    about: `${rounds} rounds of ${COMMANDS.length * 20} decisions; processor time of the process, garbage collection and compilation included; the last p99 is that of each command in its least disturbed round`,
    tables: [decisions, texts],
    scenes: [{ scene: '500 rules', dist: 'carabiner', of: 'no rules', ...ratioOf(sums(many), sums(none)) }]
  },
  json
)
