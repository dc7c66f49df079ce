import { escaped } from '../../util/escape.ts'

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

/**
 * What a hook may send to the terminal: titles, notifications and a few bells. If there is anything else in it, nothing is
 * sent.
 */
export function harmlessSequence(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '' || text.length > LONGEST) return undefined
  let bells = 0
  const rest = text.replaceAll(SEQUENCE, (whole, code: string | undefined, words: string) => {
    const isFine = code === undefined ? ++bells <= MOST_BELLS : HARMLESS[code]?.(words) === true
    return isFine && (code === undefined || escaped(words) === words) ? '' : whole
  })
  return rest === '' ? text : undefined
}
