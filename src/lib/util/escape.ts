/** Invisible or misleading characters: controls, direction marks, zero widths, tags, lone surrogates. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/** Selects the emoji form of the character before it; there it hides nothing. */
const COLOUR = '\uFE0F'

/**
 * Text that is safe to show: control and invisible characters are escaped as in JSON, so that JSON stays the same JSON.
 * `but`: characters to keep.
 */
export const escaped = (text: string, but = ''): string =>
  text.replaceAll(HIDDEN, (char, at: number) => {
    if (but.includes(char)) return char
    if (char === COLOUR && /\p{Extended_Pictographic}$/u.test(text.slice(Math.max(0, at - 2), at))) return char
    return Array.from({ length: char.length }, (_, index) => codeOf(char.charCodeAt(index))).join('')
  })

const codeOf = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

export const escapedLines = (text: string): string => escaped(text, '\n\t')

/** The same on one line, so that it cannot pass for lines of ours. */
export const escapeLine = (text: string): string => escapedLines(text.replaceAll('\n', String.raw`\n`))

/** The same with further lines indented, so that they cannot pass for lines of ours either. */
export const indentLines = (text: string): string => escapedLines(text).replaceAll('\n', '\n      ')

export const hides = (text: string): boolean => text.search(HIDDEN) !== -1
