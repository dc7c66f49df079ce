/**
 * Fills in what a skill is called with. `$ARGUMENTS` is all of it as it was typed, `$ARGUMENTS[0]` or `$0` its first
 * word, `${NAME}` one of the values. A word that was not given leaves its place as it is; where nothing is filled in,
 * the arguments stand at the end.
 */
export function withArguments(text: string, args: string, values: Readonly<Record<string, string>>): string {
  const words = argumentsIn(args)
  let used = false
  // In one go: what was typed is never filled in itself.
  const told = text.replaceAll(PLACE, (whole, name?: string, long?: string, short?: string) => {
    if (name !== undefined) return Object.hasOwn(values, name) ? values[name]! : whole
    const place = long ?? short
    const word = place === undefined ? args : words[Number(place)]
    used ||= word !== undefined
    return word ?? whole
  })
  return used || args === '' ? told : `${told}\n\nARGUMENTS: ${args}`
}

const PLACE = /\$(?:\{(\w+)\}|ARGUMENTS\[(\d{1,4})\]|ARGUMENTS\b|(\d{1,4})(?!\w))/g

/** Splits like a shell: quotes keep blanks together, and are removed. */
function argumentsIn(args: string): readonly string[] {
  return (args.match(WORD) ?? []).map(word =>
    word.replaceAll(
      PIECE,
      (_, double?: string, single?: string, escaped?: string) =>
        double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? ''
    )
  )
}

/** A quote that is never closed is a letter, as in don't. */
const PIECE = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\([\s\S])/g
const WORD = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\[\s\S]|\S)+/g
