import { withTexts } from './plain.ts'

/** The same value, with U+FFFD for every lone surrogate: no provider accepts such a text. */
export const wellFormed = <T>(value: T): T =>
  withTexts(value, text => (text.isWellFormed() ? text : text.toWellFormed()))

/** The same for JSON, in which only such halves are written as `\uD…`. */
export const wellFormedJson = (json: string): string =>
  json.includes('\\ud') ? json.replaceAll(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1�') : json
