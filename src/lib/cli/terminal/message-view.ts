import type {
  AgentMessage,
  AssistantMessage,
  DeniedMessage,
  PartialMessage,
  ResultMessage,
  StreamedHook,
  UserMessage
} from '../../agent/output/agent-messages.ts'
import type { Block, ToolResultBlock } from '../../message.ts'
import { counted, escapeText, escapeLine, withStyle } from '../print.ts'
import { refusedIn } from '../../agent/output/terminal-sequence.ts'
import { formatDuration, type Screen } from './screen.ts'
import { callLabel } from './call-label.ts'
import { truncateText, hangIndent } from './width.ts'
import { jsonIn } from '../../util/attempt.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { HookResponse } from '../../hooks/hook-messages.ts'

interface Call {
  readonly words: string
  readonly name: string
  begun: number
  /** The duration is known only for a call that was alone in its answer. */
  readonly isAlone: boolean
  readonly isNested: boolean
  refused?: string
}

/** Prints the messages of an agent as lines for people. None of them reaches the terminal unescaped. */
export class MessageView {
  readonly #screen: Screen
  readonly #calls = new Map<string, Call>()
  #cwd = ''
  #isStreamed = false
  mode = 'default'
  usage: ResultMessage['modelUsage'] = {}

  constructor(screen: Screen) {
    this.#screen = screen
  }

  message(message: AgentMessage): void {
    if (message.type === 'stream_event') {
      if (message.parent_tool_use_id === null) this.#delta(message.event)
    } else if (message.type === 'assistant') this.#answer(message)
    else if (message.type === 'user') this.#user(message)
    else if (message.type === 'tool_progress') this.#progress(message.tool_use_id, message.output)
    else if (message.type === 'result') this.#result(message)
    else this.#system(message)
  }

  setDecision(id: string, refused?: string): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    if (refused === undefined) call.begun = performance.now()
    else call.refused = refused
  }

  #delta(event: PartialMessage['event']): void {
    if (event.type === 'message_start') {
      this.#isStreamed = false
      this.showStatus()
    } else if (event.type === 'content_block_start') {
      const { type } = event.content_block
      if (type === 'thinking' || type === 'redacted_thinking') this.#screen.status('thinking…')
      if (type === 'tool_use') this.#screen.status(`writing a call of ${escapeLine(event.content_block.name)}`)
    } else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
      this.#isStreamed = true
      this.#screen.status()
      this.#screen.stream(plain(event.delta.text))
    } else if (event.type === 'content_block_stop') this.#screen.fresh()
  }

  #answer({ message: { content }, parent_tool_use_id, error }: AssistantMessage): void {
    // It is in the result.
    if (error !== undefined) return
    const isNested = parent_tool_use_id !== null
    this.#screen.fresh()
    const isAlone = content.filter(({ type }) => type === 'tool_use').length === 1
    for (const block of content) {
      if (block.type === 'text' && !this.#isStreamed && !isNested) this.#screen.print(plain(block.text))
      if (block.type !== 'tool_use') continue
      const words = callLabel(block.name, block.input, this.#cwd)
      this.#calls.set(block.id, { words, name: block.name, begun: performance.now(), isAlone, isNested })
    }
    if (!isNested) this.#isStreamed = false
    this.showStatus()
  }

  #user({ message: { content }, isSynthetic }: UserMessage): void {
    if (typeof content === 'string') {
      if (isSynthetic === true) this.#quiet(escapeText(content))
      return
    }
    for (const block of content) if (block.type === 'tool_result') this.#toolResult(block)
    this.showStatus()
  }

  #toolResult({ tool_use_id, content, is_error }: ToolResultBlock): void {
    const call = this.#calls.get(tool_use_id)
    if (call === undefined) return
    this.#calls.delete(tool_use_id)
    const ms = performance.now() - call.begun
    const why = call.refused ?? (is_error === true ? errorSummary(content) : undefined)
    const left = call.isNested ? '    ' : '  '
    if (why !== undefined) {
      const { columns } = this.#screen
      this.#screen.print(`${left}${withStyle('red', '✗')} ${hangIndent(`${left}  `, call.words, columns).trimStart()}`)
      this.#screen.print(withStyle('red', hangIndent(`${left}  `, escapeLine(why), columns)))
      return
    }
    if (call.name === 'ExitPlanMode') this.mode = 'default'
    const time = ms < 1000 || !call.isAlone ? '' : `  ${formatDuration(ms)}`
    const words = truncateText(call.words, this.#screen.columns - left.length - 3 - time.length)
    this.#screen.print(`${left}${withStyle('green', '✓')} ${withStyle('dim', `${words}${time}`)}`)
  }

  #progress(id: string, output: string | undefined): void {
    const call = this.#calls.get(id)
    const last = output?.trimEnd().split('\n').at(-1)
    if (call === undefined || last === undefined || last === '') return
    this.#screen.note(escapeLine(last))
  }

  showStatus(): void {
    const [first, ...rest] = this.#calls.values()
    if (first === undefined) this.#screen.status('waiting for the model')
    else this.#screen.status(rest.length === 0 ? first.words : `${first.words} and ${rest.length} more`)
  }

  #system(message: Extract<AgentMessage, { type: 'system' }>): void {
    if (message.subtype === 'init') {
      this.#cwd = message.cwd
      this.mode = message.permissionMode
    } else if (message.subtype === 'permission_denied') this.#denied(message)
    // Weakened restrictions were printed before, as on standard error.
    else if (message.subtype === 'informational' && message.tag !== 'restriction') {
      const { content, level, tag } = message
      // The result of a command that failed says so.
      if (level === 'warning' && tag === 'command') return
      if (level === 'warning') this.warn(content)
      else this.#quiet(`${escapeText(content)}${tag === undefined ? '' : ` [${escapeLine(tag)}]`}`)
    } else if (message.subtype === 'notification') this.warn(message.text)
    else if (message.subtype === 'compact_boundary')
      this.#quiet(`the conversation was compacted from ${message.compact_metadata.pre_tokens} tokens`)
    else if (message.subtype === 'api_retry') {
      const seconds = Math.ceil(message.retry_delay_ms / 1000)
      this.warn(`the model did not answer (${message.error}); trying again in ${seconds} s`)
    } else if (message.subtype === 'hook_started')
      this.#screen.note(escapeLine(message.status_message ?? `hook ${message.hook_label}`))
    else if (message.subtype === 'hook_response') {
      this.#screen.note()
      const sequence = replyIn(message)?.['terminalSequence']
      if (typeof sequence === 'string' && refusedIn(sequence) === '' && this.#screen.redraws)
        this.#screen.write(sequence)
      for (const words of hookLines(message)) this.#quiet(words)
    }
  }

  /** It is printed with the call, once that has its result. */
  #denied({ tool_use_id, tool_name, message }: DeniedMessage): void {
    const call = this.#calls.get(tool_use_id)
    if (call === undefined) this.#screen.print(withStyle('red', escapeLine(message)))
    else call.refused ??= message.replace(`${tool_name} was `, '')
  }

  warn(words: string): void {
    this.#screen.print(withStyle('yellow', hangIndent('  ! ', escapeText(words), this.#screen.columns)))
  }

  #quiet(words: string): void {
    this.#screen.print(withStyle('dim', hangIndent('  · ', words, this.#screen.columns)))
  }

  #result({ terminal_reason, is_error, result, modelUsage }: ResultMessage): void {
    this.usage = modelUsage
    this.#calls.clear()
    this.#screen.status()
    this.#screen.fresh()
    if (terminal_reason.startsWith('aborted')) this.#screen.print(withStyle('yellow', 'Interrupted.'))
    else if (is_error)
      this.#screen.print(withStyle('red', hangIndent('  ! ', escapeText(result), this.#screen.columns)))
    else if (terminal_reason === 'prompt_blocked' || (terminal_reason === 'hook_stopped' && result !== ''))
      this.warn(result)
  }
}

const plain = (text: string): string => escapeText(text.replaceAll('\r\n', '\n'))

function errorSummary(content: string | readonly Block[]): string {
  const text =
    typeof content === 'string' ? content : content.map(block => ('text' in block ? block.text : '')).join(' ')
  const words = text.trim().split('\n').slice(0, 3).join(' · ')
  return words.length > 300 ? `${words.slice(0, 300)}…` : words
}

/** Events whose refusals are shown in other ways: with the call, or with the result. */
const SHOWN_ELSEWHERE = new Set<string>([
  'PreToolUse',
  'PermissionRequest',
  'UserPromptSubmit',
  'SessionStart',
  'AgentStart',
  'Stop'
])

function replyIn({ outcome, output, exit_code }: HookResponse): PlainObject | undefined {
  const refusal = exit_code === 2 ? { decision: 'deny', reason: output.trim() } : undefined
  const reply = outcome === 'success' ? jsonIn(output) : refusal
  return isObject(reply) ? reply : undefined
}

function hookLines(response: HookResponse & StreamedHook): readonly string[] {
  const { hook_label, hook_event } = response
  const reply = replyIn(response)
  if (reply === undefined) return []
  const who = escapeLine(`${hook_event} hook ${hook_label}`)
  const context = contextIn(reply)
  const { decision, reason } = reply
  const refuses = decision === 'deny' || decision === 'block'
  return [
    ...(refuses && !SHOWN_ELSEWHERE.has(hook_event)
      ? [`${who} refused: ${typeof reason === 'string' ? escapeLine(reason) : 'no reason given'}`]
      : []),
    ...(context === undefined ? [] : [`${who} added ${counted(context.length, 'character')} for the model`])
  ]
}

function contextIn(reply: PlainObject): string | undefined {
  const own = reply['hookSpecificOutput']
  const found = [isObject(own) ? own['additionalContext'] : undefined, reply['additionalContext'], reply['context']]
  return found.find((text): text is string => typeof text === 'string' && text !== '')
}
