import { isObject, type PlainObject } from '../../util/plain.ts'
import { escapeLine, withStyle } from '../print.ts'
import type { Screen } from './screen.ts'
import { hangIndent } from './width.ts'

type Question = ReturnType<typeof questionIn>

/** Asks the person at the terminal the questions of an agent. Gives the answers by question; nothing when one is missing. */
export async function askQuestions(
  given: readonly unknown[],
  screen: Screen,
  line: (prompt: string) => Promise<string | undefined>
): Promise<PlainObject | undefined> {
  const answers: [string, string][] = []
  for (const each of given) {
    const question = questionIn(each)
    screen.print(questionText(question, screen.columns))
    const own = question.labels.length === 0 ? 'your answer: ' : 'your own answer: '
    const choice = question.labels.length === 0 ? '' : question.isMany ? 'numbers, or ' : 'a number, or '
    const typed = (await line(`  ${choice}${own}`))?.trim() ?? ''
    if (typed === '') return undefined
    answers.push([question.question, choiceFrom(typed, question)])
  }
  return Object.fromEntries(answers)
}

function questionIn(given: unknown) {
  const { question, options, multiSelect } = isObject(given) ? given : {}
  const choices = (Array.isArray(options) ? options : []).filter(isObject)
  return {
    question: String(question),
    labels: choices.map(({ label }) => String(label)),
    descriptions: choices.map(({ description }) => (typeof description === 'string' ? description : '')),
    isMany: multiSelect === true
  }
}

function questionText({ question, labels, descriptions }: Question, columns: number): string {
  return [
    withStyle('yellow', hangIndent('  ', escapeLine(question), columns)),
    ...labels.map((label, place) => {
      const more = descriptions[place] === '' ? '' : `: ${descriptions[place]}`
      return hangIndent(`  ${place + 1}  `, escapeLine(`${label}${more}`), columns)
    })
  ].join('\n')
}

/** A number picks a choice; anything else is an answer of its own. */
function choiceFrom(typed: string, { labels, isMany }: Question): string {
  const numbers = isMany ? typed.split(/[\s,]+/).filter(word => word !== '') : [typed]
  const chosen = numbers.map(word => (/^\d+$/.test(word) ? labels[Number(word) - 1] : undefined))
  return chosen.every(label => label !== undefined) ? chosen.join(', ') : typed
}
