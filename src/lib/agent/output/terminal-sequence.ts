import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import { escaped, escapeLine } from '../../util/escape.ts'

const LONGEST = 2000
const MOST_BELLS = 5

/** A bell, or an operating system command: its number and its text. */
// oxlint-disable-next-line no-control-regex
const SEQUENCE = /\u0007|\u001B\](\d{1,3});([^\u0000-\u001F\u007F-\u009F]*)(?:\u0007|\u001B\\)/g

type IsHarmless = (text: string) => boolean

const isTitle: IsHarmless = () => true
/** After a number, some terminals run programs or change folders; only `4` is the progress of a task. */
const isNotice: IsHarmless = text => !/^\s*\d+\s*(?:;|$)/.test(text) || /^4;[0-4](?:;\d{1,3})?$/.test(text)
/** Other keys make the terminal answer, which would be typed into the prompt. */
const isPlainNotice: IsHarmless = text => /^(?:(?:[diouw]=[\w.+-]*|p=(?:title|body))?(?::|(?=;)))*;/.test(text)

const HARMLESS: Readonly<Record<string, IsHarmless>> = {
  0: isTitle,
  1: isTitle,
  2: isTitle,
  9: isNotice,
  99: isPlainNotice,
  777: text => text.startsWith('notify;')
}

export const HARMLESS_WORDS = 'titles (OSC 0, 1, 2), notifications (9, 99, 777) and at most five bells'

/** What is not a title, a notification or one of a few bells. If there is any such thing in a text, nothing is sent. */
export function refusedIn(text: string): string {
  let bells = 0
  const rest = text.replaceAll(SEQUENCE, (whole, code: string | undefined, words: string) => {
    const isFine = code === undefined ? ++bells <= MOST_BELLS : HARMLESS[code]?.(words) === true
    return isFine && (code === undefined || escaped(words) === words) ? '' : whole
  })
  return text.length > LONGEST ? text : rest
}

/** Of the sequences that hooks gave for the terminal, those that are not sent, and why. */
export const unsentSequences = ({ event, terminalSequences }: Outcome) =>
  terminalSequences.flatMap(({ by, text }) => {
    const refused = refusedIn(text)
    // It may quote the answer.
    const isSecret = event === 'PostModelResponse'
    if (refused === '' && !isSecret) return []
    const part = refused.length > 80 ? `${refused.slice(0, 80)}…` : refused
    const long = `more than ${LONGEST} characters are not allowed`
    const why = text.length > LONGEST ? long : `${escapeLine(part)} is not allowed`
    return [{ by, why: `its terminalSequence was not sent: ${isSecret ? 'this event has none' : why}` }]
  })
