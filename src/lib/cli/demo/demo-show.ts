import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { styleText } from 'node:util'
import type { AgentMessage } from '../../agent/output/output.ts'
import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import type { Block, ToolUseBlock } from '../../message.ts'
import { SCENES, type Scene } from './demo-script.ts'
import { harmless, say } from '../print.ts'

type Style = Parameters<typeof styleText>[0]

/** What is known of a call besides what the messages tell: who decided. */
export interface Judged {
  readonly outcome: Outcome
  /** Whoever was asked, and said yes. */
  asked?: string
}

/** Shows the tour: what the agent tells, in lines for people. */
export class Show {
  readonly #folder: string
  readonly #judged: ReadonlyMap<string, Judged>
  readonly #calls = new Map<string, ToolUseBlock>()
  readonly #scenes = SCENES.flatMap(scene => scene.turns.map(() => scene))
  #scene: Scene | undefined
  #answers = 0

  constructor(folder: string, judged: ReadonlyMap<string, Judged>) {
    this.#folder = folder
    this.#judged = judged
  }

  message(message: AgentMessage): void {
    if (message.type === 'assistant') this.#answer(message.message.content)
    else if (message.type === 'user') this.#told(message.message.content)
    else if (message.type === 'system' && message.subtype === 'hook_response' && message.hook_event === 'Stop')
      line(
        message.exit_code === 0 ? 'may stop' : 'sent back',
        words(message),
        message.exit_code === 0 ? 'green' : 'red'
      )
  }

  #answer(content: readonly Block[]): void {
    const scene = this.#scenes[this.#answers++]
    if (scene !== undefined && scene !== this.#scene) heading(scene.title)
    this.#scene = scene
    for (const block of content) {
      if (block.type === 'text') line('agent says', `“${block.text}”`, 'cyan')
      if (block.type !== 'tool_use') continue
      this.#calls.set(block.id, block)
      line('agent calls', callIn(block), 'cyan')
    }
  }

  #told(content: string | readonly Block[]): void {
    for (const block of typeof content === 'string' ? [] : content) {
      const call = block.type === 'tool_result' ? this.#calls.get(block.tool_use_id) : undefined
      if (call === undefined) continue
      const judged = this.#judged.get(call.id)
      if (judged !== undefined) decision(call, judged)
      const facts = Object.keys(this.#scene?.look ?? {}).map(file => this.#fact(file))
      if (facts.length > 0) line('on disk', facts.join(', '), 'dim')
    }
  }

  #fact(file: string): string {
    return `${file} is ${existsSync(join(this.#folder, file)) ? 'there' : 'not there'}`
  }
}

/** A command hook on Stop: its name, and what it said. */
const words = ({ hook_label, stderr = '', exit_code }: Extract<AgentMessage, { subtype: 'hook_response' }>): string =>
  `by ${hook_label}: ${exit_code === 0 ? 'the tests pass' : stderr.trim()}`

function decision(call: ToolUseBlock, { outcome, asked }: Judged): void {
  const { blocked, by, reason, failures, updatedInput, decision: word } = outcome
  for (const failure of failures) line('crashed', `${failure.by}: ${errorIn(failure.message)}`, 'yellow')
  if (blocked) return line('refused', `by ${by}: ${failures.length === 0 ? reason : NO_ANSWER}`, 'red')
  if (updatedInput !== undefined) line('becomes', callIn({ ...call, input: updatedInput }), 'cyan')
  if (word === 'allow') line('allowed', `by ${by}`, 'green')
  else if (asked !== undefined) line('allowed', `by ${asked}`, 'green')
}

const NO_ANSWER = 'it gave no answer'

/** The line of a stack trace that says what went wrong. */
const errorIn = (message: string): string => /^\w*Error: .+$/m.exec(message)?.[0] ?? message

/** A call in a few words. */
function callIn({ name, input }: ToolUseBlock): string {
  const { command, file_path, old_string, new_string } = input as Readonly<Record<string, string | undefined>>
  const change = old_string === undefined ? '' : `: “${old_string}” becomes “${new_string}”`
  return `${name} ${command ?? file_path}${change}`
}

/** The title of a scene. */
export function heading(text: string): void {
  say()
  for (const each of fold(text, width(), '   ')) say(styleText('bold', each))
}

/** Text that is as wide as the terminal at most. */
export const paragraph = (text: string): void => fold(text, width()).forEach(each => say(each))

const LEFT = 13

/** One thing that happened: a word for it, and the rest. */
export function line(left: string, right: string, style: Style): void {
  const [first = '', ...rest] = fold(harmless(right), width() - LEFT - 2)
  say(`  ${left.padEnd(LEFT)}${styleText(style, first)}`)
  for (const each of rest) say(`${' '.repeat(LEFT + 2)}${styleText(style, each)}`)
}

const width = (): number => Math.max(40, Math.min(process.stdout.columns ?? 100, 120))

/** Breaks a text into lines. A word that is longer than a line stays whole. */
function fold(text: string, most: number, indent = ''): readonly string[] {
  const lines: string[] = []
  let current = ''
  for (const word of text.split(/\s+/)) {
    if (current !== '' && current.length + 1 + word.length > most) {
      lines.push(current)
      current = indent + word
    } else current = current === '' ? word : `${current} ${word}`
  }
  return [...lines, current]
}
