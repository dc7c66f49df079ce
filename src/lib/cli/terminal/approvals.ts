import { setImmediate } from 'node:timers/promises'
import { personHere } from '../../agent/call/decisions.ts'
import type { PersonAnswer } from '../../agent/session/session-options.ts'
import type { PermissionUpdate } from '../../permissions/updates.ts'
import type { CanUseTool } from '../../query/options/options.ts'
import type { BuiltInToolInputs } from '../../tool-table.ts'
import type { PlainObject } from '../../util/plain.ts'
import { escapeLine, withStyle } from '../print.ts'
import { callDetails, isReadable, updateLabel } from './approval-view.ts'
import { LINE_END, type Keyboard } from './keyboard.ts'
import { LineEditor } from './line-editor.ts'
import type { Screen } from './screen.ts'
import type { MessageView } from './message-view.ts'
import { hangIndent } from './width.ts'

const UNSEEN = 'It contains characters that cannot be seen: type yes in full to run it.'

type Question = Parameters<CanUseTool>[2]

/** The answers, each a full line, so that text typed for something else is never a yes. */
const ANSWERS = { y: 'once', a: 'always', n: 'no', '': 'no', r: 'why' } as const

interface Terminal {
  readonly keyboard: Keyboard
  readonly screen: Screen
  readonly show: MessageView
  readonly ownHome: string
  pausePrompt(): void
  resumePrompt(): void
  interrupt(): void
}

export class Approvals {
  readonly #terminal: Terminal
  readonly #screen: Screen
  readonly #show: MessageView
  #last: Promise<unknown> = Promise.resolve()

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    this.#screen = terminal.screen
    this.#show = terminal.show
  }

  readonly ask: CanUseTool = (name, input, question) => {
    const answer = this.#last.then(() => this.#askNow(name, input, question))
    this.#last = answer.catch(() => undefined)
    return answer
  }

  async #askNow(name: string, input: PlainObject, question: Question): Promise<PersonAnswer> {
    // Messages that came before the question are printed above it.
    await setImmediate()
    if (question.signal.aborted) return { behavior: 'deny' }
    this.#terminal.pausePrompt()
    this.#screen.status()
    try {
      const asks = name === 'AskUserQuestion'
      const answer = await (asks ? this.#questions(input, question) : this.#permission(name, input, question))
      return { ...answer, approver: `${personHere()} at the terminal` }
    } finally {
      this.#screen.status()
      this.#show.showStatus()
      this.#terminal.resumePrompt()
    }
  }

  /** The agent itself asks something; the answers are returned with the permission. */
  async #questions(input: PlainObject, question: Question): Promise<PersonAnswer> {
    const { signal, toolUseID } = question
    // The table of tools has checked it.
    const { questions } = input as BuiltInToolInputs['AskUserQuestion']
    const answers = await askQuestions(questions, this.#screen, prompt => this.#line(prompt, signal))
    if (answers === undefined) return this.#no(toolUseID, 'not answered', 'The user gave no answer.')
    return { behavior: 'allow', updatedInput: { ...input, answers } }
  }

  #permission(name: string, input: PlainObject, question: Question): Promise<PersonAnswer> {
    const { suggestions = [], decisionReason = '' } = question
    const readable = isReadable(input)
    const offered = readable ? suggestions : []
    const { columns } = this.#screen
    this.#screen.print(
      [
        withStyle('yellow', '  May this run?'),
        callDetails(name, input, columns),
        hangIndent('  ', `asked because: ${escapeLine(decisionReason)}`, columns),
        ...(readable ? [] : [withStyle('red', hangIndent('  ', UNSEEN, columns))]),
        ...(offered.length === 0
          ? []
          : [hangIndent('  ', `a means: ${updateLabel(offered, this.#terminal.ownHome)}`, columns)])
      ].join('\n')
    )
    return this.#answer(name, question, readable, offered)
  }

  async #answer(
    name: string,
    { signal, toolUseID }: Question,
    readable: boolean,
    offered: readonly PermissionUpdate[]
  ): Promise<PersonAnswer> {
    const yes = readable ? (offered.length === 0 ? 'y once' : 'y once, a always') : 'yes once'
    for (;;) {
      const line = await this.#line(`  ${yes}, n no, r no and say why [n] `, signal)
      if (line === undefined) return this.#no(toolUseID, 'refused by you')
      const answer = answerFrom(line, readable)
      if (answer === 'once' || (answer === 'always' && offered.length > 0)) {
        this.#show.setDecision(toolUseID)
        return answer === 'once' ? { behavior: 'allow' } : this.#always(offered)
      }
      if (answer === 'no') return this.#no(toolUseID, 'refused by you')
      if (answer === 'why') return this.#noAndWhy(name, toolUseID, signal)
    }
  }

  #always(updatedPermissions: readonly PermissionUpdate[]): PersonAnswer {
    for (const update of updatedPermissions) if (update.type === 'setMode') this.#show.mode = update.mode
    this.#screen.print(
      withStyle(
        'dim',
        hangIndent(
          '  · ',
          `from now on: ${updateLabel(updatedPermissions, this.#terminal.ownHome)}`,
          this.#screen.columns
        )
      )
    )
    return { behavior: 'allow', updatedPermissions }
  }

  async #noAndWhy(name: string, id: string, signal: AbortSignal): Promise<PersonAnswer> {
    const why = (await this.#line('  why? ', signal))?.trim() ?? ''
    if (why === '') return this.#no(id, 'refused by you')
    return this.#no(id, `refused by you: ${why}`, `The user refused to run ${name}: ${why}`)
  }

  #no(id: string, shown: string, message?: string): PersonAnswer {
    this.#show.setDecision(id, shown)
    return { behavior: 'deny', message }
  }

  async #line(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const over = new AbortController()
    const onInterrupt = (): void => {
      this.#terminal.interrupt()
      over.abort()
    }
    const asking = { prompt, signal: AbortSignal.any([signal, over.signal]), onInterrupt }
    const line = await new LineEditor(this.#terminal.keyboard, this.#screen, asking).read()
    return line?.replaceAll(LINE_END, '\n')
  }
}

function answerFrom(line: string, readable: boolean): (typeof ANSWERS)[keyof typeof ANSWERS] | undefined {
  const word = line.trim().toLowerCase()
  if (word === 'yes') return 'once'
  if (word === 'no') return 'no'
  const answer = Object.hasOwn(ANSWERS, word) ? ANSWERS[word as keyof typeof ANSWERS] : undefined
  return readable || answer === 'no' || answer === 'why' ? answer : undefined
}

type AgentQuestion = BuiltInToolInputs['AskUserQuestion']['questions'][number]

/** Asks the questions of an agent at the terminal. Returns the answers by question; undefined if one is missing. */
async function askQuestions(
  questions: readonly AgentQuestion[],
  screen: Screen,
  line: (prompt: string) => Promise<string | undefined>
): Promise<PlainObject | undefined> {
  const answers: [string, string][] = []
  for (const question of questions) {
    screen.print(questionText(question, screen.columns))
    const hasOptions = question.options.length > 0
    const own = hasOptions ? 'your own answer: ' : 'your answer: '
    const choice = hasOptions ? (question.multiSelect === true ? 'numbers, or ' : 'a number, or ') : ''
    const typed = (await line(`  ${choice}${own}`))?.trim() ?? ''
    if (typed === '') return undefined
    answers.push([question.question, choiceFrom(typed, question)])
  }
  return Object.fromEntries(answers)
}

function questionText({ question, options }: AgentQuestion, columns: number): string {
  return [
    withStyle('yellow', hangIndent('  ', escapeLine(question), columns)),
    ...options.map(({ label, description }, place) => {
      // A model may write null for what it leaves out.
      const more = (description ?? '') === '' ? '' : `: ${description}`
      return hangIndent(`  ${place + 1}  `, escapeLine(`${label}${more}`), columns)
    })
  ].join('\n')
}

function choiceFrom(typed: string, { options, multiSelect }: AgentQuestion): string {
  const numbers = multiSelect === true ? typed.split(/[\s,]+/).filter(word => word !== '') : [typed]
  const chosen = numbers.map(word => (/^\d+$/.test(word) ? options[Number(word) - 1]?.label : undefined))
  return chosen.every(label => label !== undefined) ? chosen.join(', ') : typed
}
