/** A text that is to replace lines, in the indentation that those lines have in the file. */
export function reindented(wanted: { readonly old: string; readonly now: string }, found: string): string | undefined {
  const [old, file, now] = [linesOf(wanted.old), linesOf(found), linesOf(wanted.now)]
  const pairs = pairsOf(old, file)
  if (pairs === undefined) return undefined
  const first = commonLines(old, now)
  const last = commonLines(old.slice(first).toReversed(), now.slice(first).toReversed())
  const middle = now.slice(first, now.length - last).map(line => {
    const { indent, rest } = parts(line)
    return rest === '' ? line : indentLike(indent, pairs) + rest
  })
  // Lines that stay keep the bytes that they have.
  return [...file.slice(0, first), ...middle, ...file.slice(file.length - last)].join('\n')
}

const linesOf = (text: string): readonly string[] => text.split(/\r?\n/)

interface Parts {
  readonly indent: string
  readonly rest: string
}

function parts(line: string): Parts {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? ''
  return { indent, rest: line.slice(indent.length).trimEnd() === '' ? '' : line.slice(indent.length) }
}

type Pair = readonly [given: string, actual: string]

/** How each indentation that was given stands in the file; nothing when the same one stands for two. */
function pairsOf(old: readonly string[], file: readonly string[]): readonly Pair[] | undefined {
  const pairs = new Map<string, string>()
  for (const [index, line] of old.entries()) {
    const { indent, rest } = parts(line)
    if (rest === '') continue
    const actual = parts(file[index] ?? '').indent
    if ((pairs.get(indent) ?? actual) !== actual) return undefined
    pairs.set(indent, actual)
  }
  return [...pairs].toSorted(([a], [b]) => b.length - a.length)
}

function commonLines(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}

function indentLike(indent: string, pairs: readonly Pair[]): string {
  const [given, actual] = pairs.find(([start]) => indent.startsWith(start)) ?? pairs.at(-1) ?? ['', '']
  if (indent === given) return actual
  if (indent.startsWith(given)) return actual + convert(indent.slice(given.length), pairs)
  const less = convert(given.slice(indent.length), pairs)
  return actual.slice(0, Math.max(0, actual.length - less.length))
}

function convert(more: string, pairs: readonly Pair[]): string {
  const [given, actual] = pairs.find(([a, b]) => a !== '' && b !== '' && a[0] !== b[0]) ?? ['', '']
  if (given === '' || more[0] !== given[0]) return more
  const steps = (more.length * actual.length) / given.length
  return actual.charAt(0).repeat(Math.max(1, Math.round(steps)))
}
