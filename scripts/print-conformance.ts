/** Prints docs/conformance.md from the conformance cases. `--check` only says whether the file is what would be printed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { EVENT_NAMES, type EventName } from '../src/hooks.ts'
import { CASES, type Case } from '../test/conformance/cases.ts'
import { code, wordsOf } from '../test/conformance/expected.ts'
import { DRIVERS, type Behaviour } from '../test/external/kit.ts'

const PAGE = new URL('../docs/conformance.md', import.meta.url)

const INTRODUCTION = `# What a hook gives back, and what comes of it

<!-- Printed by \`node scripts/print-conformance.ts\` from test/conformance. Change the cases, not this page. -->

Every line of this page is a case of the conformance suite. It is put to a hook of every kind that can give that back,
in both profiles, and all must agree.

**strict** is the default: a gate whose hook fails is closed. **compat** does what the contract's first host does; where
it lets pass what a strict gate refuses, the outcome is marked *failed open*. Where both do the same, it is said once.

*Refused*: the action does not happen (on the events of stopping: the agent goes on). *Feedback*: it has happened, and
the model is told the reason. *Fails (kind)*: the hook has no answer that can be trusted; on a gate the strict profile
refuses for it, with a reason that begins with \`gate_failed:kind\`.
`

/** The page, as the cases make it. */
export function conformancePage(): string {
  const events = EVENT_NAMES.filter(event => CASES.some(each => each.event === event))
  return [INTRODUCTION, kindsWords(), ...events.map(sectionOf)].join('\n')
}

function kindsWords(): string {
  const lines = DRIVERS.map(({ kind, expresses }) => {
    const count = CASES.filter(({ gives, event }) => expresses(gives, event)).length
    return `| ${kind} | ${count} |`
  })
  return ['| kind of hook | cases |', '|---|---|', ...lines, ''].join('\n')
}

function sectionOf(event: EventName): string {
  const rows = CASES.filter(each => each.event === event).map(rowOf)
  const head = ['| the hook | gives | strict | compat | kinds |', '|---|---|---|---|---|']
  return [`## ${event}\n`, ...head, ...rows, ''].join('\n')
}

function rowOf({ name, event, gives, strict, compat }: Case): string {
  const [inStrict, inCompat] = [wordsOf(strict), wordsOf(compat)]
  const cells = [
    name,
    givesWords(gives),
    inStrict,
    inCompat === inStrict ? 'the same' : inCompat,
    kindsOf(gives, event)
  ]
  return `| ${cells.join(' | ')} |`
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
  const kinds = DRIVERS.filter(({ expresses }) => expresses(gives, event)).map(({ kind }) => kind)
  return kinds.length === DRIVERS.length ? 'all' : kinds.join(', ')
}

if (import.meta.main) {
  const page = conformancePage()
  if (!process.argv.includes('--check')) {
    writeFileSync(PAGE, page)
    console.log(`docs/conformance.md: ${CASES.length} cases`)
  } else if (readFileSync(PAGE, 'utf8') === page) {
    console.log('docs/conformance.md is fresh')
  } else {
    console.error('docs/conformance.md is not what the cases say: run `node scripts/print-conformance.ts`')
    process.exitCode = 1
  }
}
