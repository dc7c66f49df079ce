/** Prints docs/conformance.md from the conformance cases. `--check` only says whether the file is what would be printed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { EVENT_NAMES, type EventName } from '../src/hooks.ts'
import { CASES, type Case } from '../test/conformance/cases.ts'
import { code, expectedText, type Expected } from '../test/conformance/expected.ts'
import { VERDICT_CASES, type VerdictCase } from '../test/conformance/verdict-cases.ts'
import { DRIVERS, OBSTACLES, type Behaviour, type Obstacle } from '../test/support/external-kit.ts'

const PAGE = new URL('../docs/conformance.md', import.meta.url)

const INTRODUCTION = `# What a hook gives back, and what comes of it

<!-- Printed by \`node scripts/print-conformance.ts\` from test/conformance. Change the cases, not this page. -->

Every line of this page is a case of the conformance suite. It is put to a hook of every kind that can give that back,
in both profiles, and all must agree. A kind that is left out of a case has a number behind it that says why.

**strict** is the default: a gate whose hook fails is closed. **compat** does what the contract's reference host does; where
it allows what a strict gate refuses, the outcome is marked *failed open*. If both do the same, it is listed once.

*Refused*: the action does not happen (on Stop events: the agent continues). *Feedback*: it has happened, and
the model receives the reason. *Fails (kind)*: the hook gave no valid reply; on a gate the strict profile
refuses for it, with a reason that begins with \`gate_failed:kind\`.
`

const VERDICT_WORDS = `## Verdicts

Hooks of the types \`prompt\` and \`agent\` ask a model, which says \`{"ok": true}\`, or \`{"ok": false, "reason": "…"}\`.
In the cases above a yes is how they say nothing, and a no how they refuse; a prompt has \`continueOnBlock\` there. These
cases are about models only. The model of all of them is a script.
`

const REASONS = Object.entries(OBSTACLES) as readonly (readonly [Obstacle, string])[]
const numberOf = (obstacle: Obstacle): number => REASONS.findIndex(([name]) => name === obstacle) + 1

/** The page, as the cases make it. */
export function conformancePage(): string {
  const events = EVENT_NAMES.filter(event => CASES.some(each => each.event === event))
  return [INTRODUCTION, kindsWords(), ...events.map(sectionOf), verdictsWords()].join('\n')
}

function kindsWords(): string {
  const lines = DRIVERS.map(({ kind, obstacle }) => {
    const given = CASES.map(({ gives, event }) => obstacle(gives, event))
    const counts = [undefined, ...REASONS.map(([name]) => name)].map(each => given.filter(one => one === each).length)
    return `| ${[kind, ...counts.map(count => (count === 0 ? '' : count))].join(' | ')} |`
  })
  const numbers = REASONS.map(([name]) => `not: ${numberOf(name)}`)
  const head = [`| kind of hook | cases | ${numbers.join(' | ')} |`, `|---|---|${'---|'.repeat(numbers.length)}`]
  return [...head, ...lines, '', ...REASONS.map(([name, why]) => `${numberOf(name)}. ${why}`), ''].join('\n')
}

function verdictsWords(): string {
  const head = ['| event | the model | says | strict | compat | asked by |', '|---|---|---|---|---|---|']
  return [VERDICT_WORDS, ...head, ...VERDICT_CASES.map(verdictRow), ''].join('\n')
}

function verdictRow({ event, name, says, strict, compat, manners }: VerdictCase): string {
  const words = typeof says === 'string' ? says : (says.text ?? '')
  const shown = words.trim() === '' ? '' : code(printable(words))
  return `| ${[event, name, shown, ...outcomesIn(strict, compat), manners.join('; ')].join(' | ')} |`
}

function outcomesIn(strict: Expected, compat: Expected): readonly string[] {
  const [inStrict, inCompat] = [expectedText(strict), expectedText(compat)]
  return [inStrict, inCompat === inStrict ? 'the same' : inCompat]
}

function sectionOf(event: EventName): string {
  const rows = CASES.filter(each => each.event === event).map(rowOf)
  const head = ['| the hook | gives | strict | compat | kinds |', '|---|---|---|---|---|']
  return [`## ${event}\n`, ...head, ...rows, ''].join('\n')
}

function rowOf({ name, event, gives, strict, compat }: Case): string {
  return `| ${[name, givesWords(gives), ...outcomesIn(strict, compat), kindsOf(gives, event)].join(' | ')} |`
}

function givesWords({ code: exit = 0, stdout = '', stderr = '' }: Behaviour): string {
  const words = [
    exit === 0 ? '' : `exit ${exit}`,
    stdout.trim() === '' ? (stdout === '' ? '' : 'blanks') : code(printable(stdout)),
    stderr === '' ? '' : `stderr ${code(printable(stderr))}`
  ].filter(word => word !== '')
  return words.length === 0 ? 'nothing' : words.join(', ')
}

/** Marks and escapes as one would write them. */
const printable = (text: string): string =>
  text.trimEnd().replaceAll('\uFEFF', '\\uFEFF').replaceAll('\u001B', '\\e').replaceAll('\t', '\\t')

function kindsOf(gives: Behaviour, event: EventName): string {
  const left = DRIVERS.flatMap(({ kind, obstacle }) => {
    const why = obstacle(gives, event)
    return why === undefined ? [] : [`${kind}<sup>${numberOf(why)}</sup>`]
  })
  return left.length === 0 ? 'all' : `all but ${left.join(', ')}`
}

if (import.meta.main) {
  const page = conformancePage()
  if (!process.argv.includes('--check')) {
    writeFileSync(PAGE, page)
    console.log(`docs/conformance.md: ${CASES.length + VERDICT_CASES.length} cases`)
  } else if (readFileSync(PAGE, 'utf8') === page) {
    console.log('docs/conformance.md is fresh')
  } else {
    console.error('docs/conformance.md is not what the cases say: run `node scripts/print-conformance.ts`')
    process.exitCode = 1
  }
}
