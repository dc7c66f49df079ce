import { gapMeaning } from '../../transcript/verify.ts'
import { escapeLine, safeJson, withStyle } from '../print.ts'
import { callLabel } from '../terminal/call-label.ts'
import { truncateText, wrapBlock, firstLines } from '../terminal/width.ts'
import { gapText } from '../../transcript/load.ts'
import type { StoryItem } from './story.ts'

const FEW = 4
const LONGEST_NAME = 50

export class SessionRenderer {
  readonly #width: number
  readonly #cwd: string
  readonly isFull: boolean
  readonly #calls = new Map<string, string>()
  #last: string | undefined

  constructor(width: number, cwd: string, isFull: boolean) {
    this.#width = width
    this.#cwd = cwd
    this.isFull = isFull
  }

  render(item: StoryItem): readonly string[] {
    return (WAYS[item.kind] as (pen: SessionRenderer, item: StoryItem) => readonly string[])(this, item)
  }

  callName({ id, tool }: { readonly id: string; readonly tool: string | undefined }): string {
    return truncateText(this.#calls.get(id) ?? escapeLine(tool ?? id), LONGEST_NAME)
  }

  call({ id, tool, input }: StoryItem & { kind: 'call' }): readonly string[] {
    const words = callLabel(tool, input, this.#cwd)
    this.#calls.set(id, words)
    this.#last = id
    if (!this.isFull) return [`  ${truncateText(words, this.#width - 2)}`]
    return [`  ${escapeLine(tool)}`, ...wrapBlock(safeJson(input ?? null, 2), '    ', this.#width)]
  }

  result(item: StoryItem & { kind: 'result' }): readonly string[] {
    const { id, text, isError, isRefused, isUnknown } = item
    // The party that refused, and its reason, are printed already.
    if (isRefused && !this.isFull) return []
    const lines = text === '' ? ['    (nothing)'] : wrapBlock(text, '    ', this.#width)
    const shown = this.isFull ? lines : firstLines(lines, FEW, '    ')
    // Several calls of one answer come before their results.
    const isApart = this.#last !== id
    return [
      ...(isApart ? [withStyle('dim', `  ${this.callName(item)}:`)] : []),
      ...(isUnknown ? this.mark('yellow', '!', 'interrupted while running; its effect is not known') : []),
      ...shown.map(line => withStyle(isError ? 'red' : 'dim', line))
    ]
  }

  text(text: string, left = ''): readonly string[] {
    const further = ' '.repeat(left.length)
    return wrapBlock(text, further, this.#width).map((line, place) =>
      place === 0 ? left + line.slice(left.length) : line
    )
  }

  quiet(text: string): readonly string[] {
    if (text === '') return []
    const lines = wrapBlock(text, '  ', this.#width)
    return (this.isFull ? lines : firstLines(lines, FEW, '  ')).map(line => withStyle('dim', line))
  }

  mark(style: 'red' | 'yellow' | 'cyan', sign: string, text: string): readonly string[] {
    const [first = '', ...rest] = wrapBlock(escapeLine(text), '    ', this.#width)
    return [`  ${sign} ${first.slice(4)}`, ...rest].map(line => withStyle(style, line))
  }

  rule(text: string): readonly string[] {
    return ['', ...wrapBlock(escapeLine(`── ${text} ──`), '', this.#width).map(line => withStyle('dim', line)), '']
  }
}

const WAYS: {
  readonly [K in StoryItem['kind']]: (pen: SessionRenderer, item: StoryItem & { readonly kind: K }) => readonly string[]
} = {
  prompt: (pen, { text }) => ['', ...pen.text(text, '> ').map(line => withStyle('bold', line))],
  answer: (pen, { text }) => ['', ...pen.text(text)],
  thought: (pen, { text }) => (pen.isFull ? pen.quiet(`thought: ${text}`) : []),
  told: (pen, { text }) => pen.quiet(text),
  summary: (pen, { text }) => pen.quiet(`summary of what came before: ${text}`),
  call: (pen, item) => pen.call(item),
  result: (pen, item) => pen.result(item),
  context: (pen, { event, by, text }) => pen.quiet(`${event === '' ? 'added' : event}${from(by)}: ${text}`),
  denied: (pen, item) => pen.mark('red', '✗', `${pen.callName(item)} was refused by ${item.by}: ${item.reason}`),
  waiting: (pen, item) =>
    pen.mark('yellow', '?', `${pen.callName(item)} waits for a decision (${item.why})${from(item.by)}`),
  subagent(pen, { id, type, description }) {
    const about = [type, description].filter(each => each !== undefined && each !== '').join(': ')
    return pen.mark('cyan', '→', `subagent ${id}${about === '' ? '' : ` ${about}`}; see --agent ${id}`)
  },
  compacted: (pen, { trigger, tokens, text }) => [
    ...pen.rule(`compacted (${trigger})${tokens === 0 ? '' : ` at ${tokens} tokens`}`),
    ...pen.quiet(text)
  ],
  cleared: pen => pen.rule('cleared: a new conversation'),
  rewound: (pen, { to }) => pen.rule(`went back to ${to}; what came after it no longer counts`),
  forked: (pen, { from: origin }) => pen.rule(`up to here a copy of session ${origin}`),
  changed: (pen, { event, removed, added }) =>
    pen.quiet(`${event} changed the conversation: ${removed} messages out, ${added} in`),
  repaired: (pen, { leftOut, original }) =>
    pen.rule(`repaired: ${leftOut.length} places were left out; the original is ${original}`),
  ungated: (pen, { tool }) => pen.mark('yellow', '!', `${tool} was run by the model’s provider; no hook was asked`),
  gap(pen, { gap }) {
    const { matters, words } = gapMeaning(gap)
    return pen.mark(matters ? 'red' : 'yellow', '!', `${gapText(gap)}: ${words}`)
  },
  unknown: (pen, { type }) => pen.mark('yellow', '!', `an entry of the type ${type}, which a newer version wrote`)
}

const from = (who: string | undefined): string => (who === undefined || who === '' ? '' : ` by ${who}`)
