/** What a reader does not see, or takes for something else: controls, turns of direction, zero width, tags. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/** Makes a sign before it colourful; there it hides nothing. */
const COLOUR = '\uFE0F'

/** Text from somebody whom nobody vouches for, with everything in it written out that would not be seen. */
export const visible = (text: string): string =>
  text.replaceAll(HIDDEN, (char, at: number) => {
    if (char === '\n' || char === '\t') return char
    if (char === COLOUR && /\p{Extended_Pictographic}$/u.test(text.slice(Math.max(0, at - 2), at))) return char
    return `\\u{${char.codePointAt(0)!.toString(16)}}`
  })
