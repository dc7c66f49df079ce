import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentMessage } from '../../agent/output/agent-messages.ts'
import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import type { Block, ToolUseBlock } from '../../message.ts'
import type { ScriptedTurn } from '../../model/scripted.ts'
import { callLabel } from '../terminal/call-label.ts'
import { heading, line } from './demo-lines.ts'

export interface CallDecision {
  readonly outcome: Outcome
  asked?: string
}

export class TourView {
  readonly #folder: string
  readonly #judged: ReadonlyMap<string, CallDecision>
  readonly #calls = new Map<string, ToolUseBlock>()
  readonly #scenes = TOUR.flatMap(scene => scene.turns.map(() => scene))
  #scene: TourStep | undefined
  #answers = 0

  constructor(folder: string, judged: ReadonlyMap<string, CallDecision>) {
    this.#folder = folder
    this.#judged = judged
  }

  message(message: AgentMessage): void {
    if (message.type === 'assistant') this.#answer(message.message.content)
    else if (message.type === 'user') this.#user(message.message.content)
    else if (message.type === 'system' && message.subtype === 'hook_response' && message.hook_event === 'Stop')
      line(
        message.exit_code === 0 ? 'may stop' : 'sent back',
        stopLabel(message),
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
      line('agent calls', labelWithChange(block), 'cyan')
    }
  }

  #user(content: string | readonly Block[]): void {
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

const stopLabel = ({
  hook_label,
  stderr = '',
  exit_code
}: Extract<AgentMessage, { subtype: 'hook_response' }>): string =>
  `by ${scriptName(hook_label)}: ${exit_code === 0 ? 'the tests pass' : stderr.trim()}`

function decision(call: ToolUseBlock, { outcome, asked }: CallDecision): void {
  const { blocked, by, reason, failures, updatedInput, decision: word } = outcome
  for (const failure of failures) line('crashed', `${scriptName(failure.by)}: ${errorIn(failure.message)}`, 'yellow')
  if (blocked) return line('refused', `by ${by}${failures.length === 0 ? `: ${reason}` : ''}`, 'red')
  if (updatedInput !== undefined) line('becomes', labelWithChange({ ...call, input: updatedInput }), 'cyan')
  if (word === 'allow') line('allowed', `by ${by}`, 'green')
  else if (asked !== undefined) line('allowed', `by ${asked}`, 'green')
}

/** `.claude/hooks/scan.mjs (.claude/settings.json:5)` without its place. */
const scriptName = (hook: string): string => hook.replace(/ \(.*\)$/, '')

const errorIn = (message: string): string => /^\w*Error: .+$/m.exec(message)?.[0] ?? message

/** `Bash ls -l`, `Edit total.mjs: “…” becomes “…”`. */
function labelWithChange({ name, input }: ToolUseBlock): string {
  const { old_string, new_string } = input as Readonly<Record<string, string | undefined>>
  const change = old_string === undefined ? '' : `: “${old_string}” becomes “${new_string}”`
  return `${callLabel(name, input, '')}${change}`
}

export interface TourStep {
  readonly title: string
  readonly turns: readonly ScriptedTurn[]
  readonly look?: Readonly<Record<string, boolean>>
}

const call = (name: string, input: object): ScriptedTurn => ({ calls: [{ name, input }] })

const edit = (old_string: string, new_string: string): ScriptedTurn =>
  call('Edit', { file_path: 'total.mjs', old_string, new_string })

/** The tour. The model always gives these answers; all the rest is real. */
export const TOUR: readonly TourStep[] = [
  {
    title: '1. Every call passes the gate, and you see who allowed it',
    turns: [call('Read', { file_path: 'total.mjs' }), edit('so - price', 'so + price')]
  },
  {
    title: '2. A hook refuses a call, and the refusal names the hook',
    turns: [call('Bash', { command: 'rm -rf build' })],
    look: { 'build/report.txt': true }
  },
  {
    title: '3. A hook rewrites a call, and the new call is checked again',
    turns: [call('Bash', { command: 'rm draft.txt' })],
    look: { 'draft.txt': false, '.trash/draft.txt': true }
  },
  {
    title: '4. A hook crashes, so the call does not run: silence is never a yes',
    turns: [call('Write', { file_path: 'NOTES.md', content: 'All is well.\n' })],
    look: { 'NOTES.md': false }
  },
  {
    title: '5. A Stop hook sends the agent back until the tests pass',
    turns: [
      { text: 'The prices are added up. I am done.' },
      edit('1 + discount', '1 - discount'),
      { text: 'The discount is subtracted, too. Now I am done.' }
    ]
  }
]
