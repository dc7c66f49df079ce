/** What a script for sed reads and writes. Undefined: it may run something, or it is not understood. */
export interface SedFiles {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

const LONGEST = 10_000
const ADDRESS = /(?:\d+(?:~\d+)?|\$|\/(?:\\[^]|[^\\/\n])*\/[IM]*)/y
const RANGE = /[ \t]*,[ \t]*(?:[+~]\d+|\d+|\$|\/(?:\\[^]|[^\\/\n])*\/[IM]*)/y
const BLANK = /[ \t]*/y
const SPACE = /[\s;]*/y
const LINE = /[^\n]*/y

export function sedFiles(script: string): SedFiles | undefined {
  if (script.length > LONGEST) return undefined
  const reads: string[] = []
  const writes: string[] = []
  let at = 0
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [found = ''] = pattern.exec(script) ?? []
    at += found.length
    return found
  }
  while (at < script.length) {
    take(SPACE)
    if (at >= script.length) break
    if (take(ADDRESS) !== '') take(RANGE)
    take(/[ \t!]*/y)
    const command = script[at++] ?? ''
    if (command === 's' || command === 'y') {
      const end = endOfPair(script, at)
      if (end === undefined) return undefined
      at = end
      if (take(/[\w]*/y).search(command === 'y' ? /./ : /[^gpiIM\d]/) !== -1) return undefined
    } else if (/[rRwW]/.test(command)) {
      take(BLANK)
      ;(/[rR]/.test(command) ? reads : writes).push(take(LINE))
    } else if (/[aic]/.test(command)) {
      // The text continues in the next line behind a backslash that is not itself behind one.
      do take(LINE)
      while (/(?<!\\)(?:\\\\)*\\$/.test(script.slice(0, at)) && script[at++] === '\n')
    } else if (/[:bTt]/.test(command)) take(/[ \t]*[\w]*/y)
    else if (/[qQlL]/.test(command)) take(/[ \t]*\d*/y)
    else if (!/[=dDgGhHnNpPxz{}]/.test(command)) return undefined
    if (command !== '{' && !/^[ \t]*(?:[;\n}]|$)/.test(script.slice(at, at + 200))) return undefined
  }
  return { reads, writes }
}

/** Behind the third of three equal signs. */
function endOfPair(script: string, start: number): number | undefined {
  const sign = script[start]
  if (sign === undefined || /[\w\s\\[\]]/.test(sign)) return undefined
  let [at, left] = [start + 1, 2]
  for (; at < script.length && left > 0; at++) {
    if (script[at] === '\\') at++
    else if (script[at] === sign) left--
    // In brackets the sign may stand for itself, or not.
    else if (script[at] === '[' && left === 2 && hasSign(script, at, sign)) return undefined
  }
  return left === 0 ? at : undefined
}

function hasSign(script: string, at: number, sign: string): boolean {
  const [set = ''] = /\[\^?\]?[^\]\n]*\]?/y.exec(script.slice(at)) ?? []
  return set.includes(sign) || !set.endsWith(']')
}
