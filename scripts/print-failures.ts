/** Prints docs/failures.md from the tables of the fault tests. `--check` only says whether the file is up to date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { ENDINGS } from '../test/faults/endings.ts'
import { CODES, EXITS, FATES, OUTPUT_NAMES, SIGNALS, type Fate } from '../test/faults/exits.ts'
import type { Effect, Fault } from '../test/faults/row.ts'
import { FAULTS } from '../test/faults/table.ts'

const PAGE = new URL('../docs/failures.md', import.meta.url)

const INTRODUCTION = `# When a hook fails

<!-- Printed by \`node scripts/print-failures.ts\` from test/faults. Change the tables there, not this page. -->

A hook that fails has not answered, and silence is never a yes. This page says what becomes of the event, fault by
fault. It is printed from the tables that the tests in \`test/faults\` hold the engine against.

- [How to read it](#how-to-read-it)
- [Faults](#faults)
- [Exit codes](#exit-codes)
- [Signals](#signals)
- [When your own process ends](#when-your-own-process-ends)
- [What is not caught](#what-is-not-caught)

## How to read it

A *gate* is an event on which a hook can stop something before it happens, such as PreToolUse. In the *strict* profile,
which is the default, a failure closes the gate; in *compat* the event continues and is marked. Everywhere else a failure is
only noted. \`onFailure\` of a hook changes that for this hook, in either profile.

| word | what becomes of the event |
|---|---|
| closed: *kind* | refused. The reason begins with \`gate_failed:kind\` and names the hook, its source and what happened |
| open, marked: *kind* | continues. The outcome has \`failedOpen: true\` and lists the failure |
| noted: *kind* | continues. The outcome lists the failure |
| refused | the hook itself refused, with its own reason |
| objected | the same where nothing can be stopped any more: its reason goes to the model |
| allowed | the hook itself allowed it |
| allowed, marked | the same, but strict would have refused: the outcome has \`failedOpen: true\` |
| no opinion | the hook answered, and decided nothing |
| no opinion, marked | the same, but strict would have refused: the outcome has \`failedOpen: true\` |
| error | registering the hook throws; the hooks that are there stay as they are |

The *kind* says how it failed: \`spawn\` (it could not be started), \`exit\`, \`signal\`, \`timeout\`, \`output\` (it printed
what cannot be read, or too much), \`reply\` (its answer is not a valid reply), \`http\`, \`worker\`, \`threw\`.
`

const EXIT_WORDS = `## Exit codes

What a command printed, down, and its exit code, across; on a gate. The tests run all 256 codes with each output.
`

const SIGNAL_WORDS = `## Signals

What a signal does to a command that has made no provision for it; on a gate. A shell that waits for another program, which
a signal ends, continues and ends with an exit code.
`

const ENDING_WORDS = `## When your own process ends

However it ends, the processes that hooks have started end with it: those that run, those that wait for the next event,
those that left their group or their parent. Only what a hook left behind when it ended by itself, with any code, stays.
`

const LIMITS = `## What is not caught

- A process that has left its parent and its group and has emptied its environment is not found when its hook is ended.
  \`pidNamespace: true\` ends that one, too; it costs some milliseconds and works on Linux, where namespaces are allowed.
- A script that is empty, or was emptied while an editor saves it, is a program that says nothing: no opinion. Replace
  scripts as a whole, by renaming.
- A file without a first line such as \`#!/bin/sh\` is read as a script by the system's shell, whatever it is. What that
  shell makes of it is taken as the answer; most often it ends with exit code 2 and so refuses.
- The text of a shell command that is not valid makes shells end with exit code 2: it refuses.
`

/** The whole page. */
export function failuresPage(): string {
  return [
    INTRODUCTION,
    '## Faults\n',
    table(['', 'fault', 'of', 'gate, strict', 'gate, compat', 'elsewhere', 'shown by'], FAULTS.map(rowOf)),
    EXIT_WORDS,
    exitTable('strict'),
    exitTable('compat'),
    SIGNAL_WORDS,
    table(['signals', 'what it does', 'strict', 'compat'], (Object.keys(FATES) as Fate[]).map(signalRow)),
    ENDING_WORDS,
    table(
      ['how it ends', 'what is left'],
      ENDINGS.map(({ words }) => [words, 'nothing'])
    ),
    LIMITS
  ].join('\n')
}

function rowOf(fault: Fault, index: number): readonly string[] {
  const { id, fault: words, kinds, strict, compat, shown, remark } = fault
  const isFirst = FAULTS.findIndex(other => other.id === id) === index
  return [
    isFirst ? id : '',
    remark === undefined ? words : `${words}<br>*${remark}*`,
    kinds.join(', '),
    strict,
    compat,
    elsewhereOf(fault),
    shown.join(', ')
  ]
}

const elsewhereOf = ({ elsewhere, elsewhereInCompat }: Fault): string =>
  elsewhereInCompat === undefined ? elsewhere : `${elsewhere}<br>compat: ${elsewhereInCompat}`

function exitTable(profile: 'strict' | 'compat'): string {
  const lines: readonly (readonly Effect[])[] = OUTPUT_NAMES.map(output =>
    CODES.map(codes => EXITS[profile][codes][output])
  )
  return table(
    [profile, ...CODES],
    OUTPUT_NAMES.map((output, index) => [output, ...lines[index]!])
  )
}

function signalRow(fate: Fate): readonly string[] {
  const names = Array.from(SIGNALS).flatMap(([name, each]) => (each === fate ? [name] : []))
  return [names.join(', '), fate, FATES[fate].strict, FATES[fate].compat]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replaceAll(/ +\|/g, ' |')
  return `${[line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')}\n`
}

if (import.meta.main) {
  const page = failuresPage()
  if (!process.argv.includes('--check')) {
    writeFileSync(PAGE, page)
    console.log(`docs/failures.md: ${FAULTS.length} faults`)
  } else if (readFileSync(PAGE, 'utf8') === page) {
    console.log('docs/failures.md is fresh')
  } else {
    console.error('docs/failures.md is not what the tables say: run `node scripts/print-failures.ts`')
    process.exitCode = 1
  }
}
