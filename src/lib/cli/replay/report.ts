import type { FieldTable } from '../../schema/table.ts'
import { shellWord } from '../../shell/command-words.ts'
import { TOOL_TABLE } from '../../tool-table.ts'
import { isObject, same, type PlainObject } from '../../util/plain.ts'
import { counted, escapeLine, printLine, withStyle } from '../print.ts'
import { callLabel } from '../terminal/call-label.ts'
import { outputColumns, truncateText, wrapBlock } from '../terminal/width.ts'
import type { RecordedCall, Past } from './recorded.ts'
import type { Now, SkippedHook } from './today.ts'

/** How decisions of now differ from those of then, with their colours. The first are listed first. */
const CHANGES = {
  refused: 'red',
  asked: 'yellow',
  deferred: 'yellow',
  allowed: 'green',
  rewritten: 'cyan',
  unknown: 'magenta',
  'not compared': 'dim',
  same: 'dim'
} as const
type Change = keyof typeof CHANGES
const ORDER = Object.keys(CHANGES) as readonly Change[]

const BY_DECISION = { allow: 'allowed', none: 'allowed', ask: 'asked', defer: 'deferred', deny: 'refused' } as const

/** Where the transcript does not say more, these come to the same. */
const ALIKE = new Set(['ran allow', 'ran none', 'ask none', 'allow none'])

function changeOf(tool: string, past: Past, now: Now): Change {
  if (past.decision === 'unknown') return 'not compared'
  if (now.decision === 'unknown') return 'unknown'
  if (now.decision !== past.decision && !ALIKE.has(`${past.decision} ${now.decision}`)) return BY_DECISION[now.decision]
  if (past.decision === 'deny' || now.input === undefined) return 'same'
  // A person may have changed what was asked about.
  const isKnown = isObject(past.input) && (past.decision !== 'ask' || now.isRewritten)
  return (isKnown ? differs(tool, now.input, past.input) : now.isRewritten) ? 'rewritten' : 'same'
}

/** Defaults are added before a call runs. Those of tools that are not ours are not known. */
function differs(tool: string, now: PlainObject, past: PlainObject): boolean {
  const row = (TOOL_TABLE as Readonly<Record<string, { readonly input: FieldTable }>>)[tool]?.input
  const isDefault = (key: string): boolean => {
    const field = row?.[`${key}?`]
    return row === undefined || (isObject(field) && 'default' in field && same(field.default, past[key]))
  }
  return Object.keys({ ...now, ...past }).some(
    key => !same(now[key], past[key]) && !(now[key] === undefined && isDefault(key))
  )
}

/** A call, with what was and what would be decided. */
type Compared = ReturnType<typeof compare>

export function compare({ id, tool, input, cwd = '' }: RecordedCall, { input: _, ...past }: Past, now: Now) {
  const { input: used, isRewritten, skipped, doubts, ...decided } = now
  return {
    id,
    tool,
    call: truncateText(callLabel(tool || 'prompt', input, cwd), LONGEST),
    like: likeness(tool, input, cwd),
    change: changeOf(tool, { input: _, ...past }, now),
    past,
    now: { ...decided, input: isRewritten ? used : undefined },
    skipped,
    doubts
  }
}

const LONGEST = 200

/** `Bash git push …`, `Edit src/…` */
function likeness(tool: string, input: PlainObject, cwd: string): string {
  const { command, file_path: path } = input
  if (typeof path === 'string') return callLabel(tool, input, cwd).replace(/[^/ ]*$/, '…')
  const words = typeof command === 'string' ? /^\s*(\S+(?: [a-z][\w:-]*(?=\s|$))?)/.exec(command)?.[1] : undefined
  return escapeLine([tool || 'prompt', words, '…'].filter(Boolean).join(' '))
}

type Located = Compared & { readonly session: string; readonly agent: string | undefined }
type Group = Located & { count: number }

const MOST_GROUPS = 500

/** What is kept of all calls: numbers, and one call of each kind. */
export class DecisionTally {
  readonly totals = { calls: 0, prompts: 0, changed: 0, same: 0, unknown: 0, notCompared: 0 }
  readonly #groups = new Map<string, Group>()
  readonly #notes = new Map<string, number>()

  add(call: Located): void {
    const { tool, change, past, now, skipped, doubts } = call
    this.totals[tool === '' ? 'prompts' : 'calls']++
    const isChange = change !== 'same' && change !== 'unknown'
    this.totals[change === 'not compared' ? 'notCompared' : isChange ? 'changed' : change]++
    const notes = change === 'asked' && now.by === 'default' ? [...doubts, UNRECORDED] : doubts
    for (const note of notes) this.#notes.set(note, (this.#notes.get(note) ?? 0) + 1)
    const like = this.#groups.size < MOST_GROUPS ? call.like : tool
    const key = [change, past.decision, past.by, now.by, skipped, like].join('\0')
    const group = this.#groups.get(key)
    if (group === undefined) this.#groups.set(key, { ...call, like, now: { ...now, input: undefined }, count: 1 })
    else group.count++
  }

  get notes(): readonly string[] {
    return [...this.#notes].map(([note, count]) => `${counted(count, 'call')} ${note}`)
  }

  groups(all = false): readonly Group[] {
    const last = ORDER.indexOf(all ? 'same' : 'unknown')
    const place = ({ change }: Group): number => ORDER.indexOf(change)
    const listed = [...this.#groups.values()].filter(group => place(group) <= last)
    return listed.toSorted((a, b) => place(a) - place(b) || b.count - a.count)
  }

  get summary(): string {
    const { calls, prompts, changed, same: alike, unknown, notCompared } = this.totals
    const all = `${counted(calls, 'call')}${prompts === 0 ? '' : ` and ${counted(prompts, 'prompt')}`}`
    const rest = notCompared === 0 ? '' : `, ${notCompared} not compared`
    return `${all}: ${changed} would be decided otherwise, ${alike} the same, ${unknown} unknown${rest}`
  }
}

const UNRECORDED =
  'would be asked about because nothing allows it; rules from flags, or given with an answer, are not recorded: add them with --settings'

const THEN = {
  allow: 'ran',
  ran: 'ran',
  ask: 'asked',
  defer: 'deferred',
  deny: 'refused',
  unknown: 'not known'
} as const

export function printGroups(groups: readonly Group[]): void {
  const width = outputColumns()
  const prose = (text: string): void => {
    for (const line of wrapBlock(escapeLine(text), ' '.repeat(18), width)) printLine(withStyle('dim', line))
  }
  if (groups.length > 0) printLine(withStyle('bold', 'calls  then       now'))
  for (const { change, past, now, skipped, session, id, call, like, count } of groups) {
    const start = `${String(count).padStart(5)}  ${THEN[past.decision].padEnd(9)}  `
    const what = truncateText(count === 1 ? call : like, width - 32)
    printLine(`${start}${withStyle(CHANGES[change], change.padEnd(12))} ${what}`)
    if (reasonText(past) !== '') prose(`then: ${reasonText(past)}`)
    if (change === 'unknown') prose(`not asked: ${skipped?.join(', ')}`)
    else if (!['', 'default'].includes(reasonText(now))) prose(`now: ${reasonText(now)}`)
    prose(`${count === 1 ? '' : 'first '}${id} in ${session}`)
  }
}

/** Who, and why. Reasons of rules name the rule. */
function reasonText({ by = '', reason = '' }: Pick<Now, 'by' | 'reason'>): string {
  const isNamed = by === '' || reason.includes(by.replace(/ \(.*$/, ''))
  return truncateText((isNamed ? reason : `${by}: ${reason}`).replace(/: $/, '').replaceAll(/\s+/g, ' '), LONGEST)
}

export function skippedLine({ name, source, calls, why }: SkippedHook): string {
  const [label] = name.split(' (')
  const how = why ?? `run it with --safe-hook ${shellWord(label ?? name)}`
  return escapeLine(`not asked about ${counted(calls, 'call')}: ${label} (${source}); ${how}`)
}
