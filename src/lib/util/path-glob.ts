type Test<T> = typeof ANY | ((item: T) => boolean)
const ANY = Symbol('any number of items')

/** Whether the items match the tests, in order. Only the last `ANY` is ever tried again: O(n·m). */
function follows<T>(tests: readonly Test<T>[], items: readonly T[]): boolean {
  let [at, item, any, mark] = [0, 0, -1, 0]
  while (item < items.length) {
    const test = tests[at]
    if (test === ANY) {
      any = at++
      mark = item
    } else if (test !== undefined && test(items[item] as T)) {
      at++
      item++
    } else if (any !== -1) {
      at = any + 1
      item = ++mark
    } else return false
  }
  while (tests[at] === ANY) at++
  return at === tests.length
}

/**
 * A glob over absolute paths, given as their names: `**` any number of folders, none included; `*`, `?` and `[a-z]` within a name; `{a,b}`
 * either. Dots at the beginning of names are nothing special. `\` takes the next character as it is. The time it takes
 * is bounded by the product of both lengths, whatever the pattern.
 */
export function pathGlob(pattern: string): (names: readonly string[]) => boolean {
  const alternatives = expandBraces(pattern).map(each =>
    namesOf(each).map((name): Test<string> => (name === '**' ? ANY : testOfName(name)))
  )
  return names => alternatives.some(tests => follows(tests, names))
}

/** The names of a path, without `.`, and with `..` applied as far as possible. */
export function namesOf(path: string): readonly string[] {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '..' && names.at(-1) !== '**') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names
}

const SPECIAL = /[\\*?[\]{}]/
export const literally = (text: string): string => text.replaceAll(/[\\*?[\]{}]/g, '\\$&')
export const isLiteral = (name: string): boolean => !SPECIAL.test(name)

/** The folder in front of a pattern, and what is left of the pattern. */
export function folderOfGlob(pattern: string): readonly [folder: string | undefined, rest: string] {
  const parts = pattern.split('/')
  const magic = parts.findIndex(part => !isLiteral(part))
  const fixed = parts.slice(0, magic === -1 ? -1 : magic)
  return [fixed.length === 0 ? undefined : fixed.join('/') || '/', parts.slice(fixed.length).join('/')]
}

const PART = /\\(.)|\*+|\?|\[([!^]?)((?:\\.|[^\]\\])+)\]|[^]/gsu

function testOfName(name: string): Test<string> {
  if (isLiteral(name)) return other => other === name
  const tests = Array.from(name.matchAll(PART), ([part, escaped, not, set]): Test<string> => {
    if (part.startsWith('*')) return ANY
    if (part === '?') return () => true
    if (set !== undefined) return testOfSet(set, not !== '')
    return char => char === (escaped ?? part)
  })
  return other => follows(tests, Array.from(other))
}

function testOfSet(set: string, negated: boolean): (char: string) => boolean {
  const ranges = Array.from(set.matchAll(/(?:\\(.)|([^]))(?:-(?:\\(.)|([^])))?/gsu), ([, a, b, c, d]) => {
    const from = a ?? b ?? ''
    return [from, c ?? d ?? from] as const
  })
  return char => ranges.some(([from, to]) => from <= char && char <= to) !== negated
}

const MOST_ALTERNATIVES = 256
const BRACES = /^((?:\\.|[^\\{}])*)\{((?:\\.|[^\\{}])*,(?:\\.|[^\\{}])*)\}/s

/** `a{b,c}` → `ab`, `ac`. Nested braces, and more than the limit, are literal. */
function expandBraces(pattern: string): readonly string[] {
  let [done, rest]: [readonly string[], string] = [[''], pattern]
  for (let found = BRACES.exec(rest); found !== null; found = BRACES.exec(rest)) {
    const [whole, before = '', inner = ''] = found
    const choices = inner.split(/(?<!\\),/)
    if (done.length * choices.length > MOST_ALTERNATIVES) break
    done = done.flatMap(each => choices.map(choice => each + before + choice))
    rest = rest.slice(whole.length)
  }
  return done.map(each => each + rest)
}
