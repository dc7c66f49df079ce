/** What a reader does not see, or takes for something else: controls, turns of direction, zero widths, tags, halves. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/** Makes a sign before it colourful; there it hides nothing. */
const COLOUR = '\uFE0F'

/**
 * Text that can be shown: what a terminal would obey, or a reader not see, is written out, the way JSON does it, so that
 * JSON stays the same JSON. `but`: characters that are meant.
 */
export const escaped = (text: string, but = ''): string =>
  text.replaceAll(HIDDEN, (char, at: number) => {
    if (but.includes(char)) return char
    if (char === COLOUR && /\p{Extended_Pictographic}$/u.test(text.slice(Math.max(0, at - 2), at))) return char
    return Array.from({ length: char.length }, (_, index) => codeOf(char.charCodeAt(index))).join('')
  })

const codeOf = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

export const escapedLines = (text: string): string => escaped(text, '\n\t')

export const hides = (text: string): boolean => text.search(HIDDEN) !== -1
