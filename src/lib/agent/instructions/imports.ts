const FENCE = /^ {0,3}(`{3,}|~{3,})/
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s/

/** The paths that a Markdown text imports by `@path`, in order and as written. Code and comments do not count. */
export function importsIn(markdown: string): readonly string[] {
  const text = withoutSpans(withoutBlocks(markdown)).replaceAll(/<!--[^]*?(?:-->|$)/g, ' ')
  return Array.from(text.matchAll(/(?<=^|[\s(])@((?:\\ |[^\s\\`])+)/g), ([, path = '']) => path.replaceAll('\\ ', ' '))
}

function withoutBlocks(text: string): string {
  let fence: string | undefined
  let [blank, inList] = [true, false]
  const lines = text.split('\n').map(line => {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined
      return ''
    }
    if (mark !== undefined) {
      fence = mark
      return ''
    }
    if (line.trim() === '') {
      blank = true
      return line
    }
    const isCode = blank && !inList && /^(?: {4}| {0,3}\t)/.test(line)
    if (!isCode) blank = false
    if (ITEM.test(line) && !isCode) inList = true
    else if (/^\S/.test(line)) inList = false
    return isCode ? '' : line
  })
  return lines.join('\n')
}

/** Inline code starts and ends with the same number of backticks. */
function withoutSpans(text: string): string {
  return text
    .split(/\n[ \t]*\n/)
    .map(paragraph => (paragraph.includes('`') ? withoutTicks(paragraph) : paragraph))
    .join('\n\n')
}

function withoutTicks(paragraph: string): string {
  const runs = Array.from(paragraph.matchAll(/`+/g), ({ 0: { length }, index }) => ({ length, index, end: 0 }))
  const ends = new Map<number, number>()
  for (const run of runs.toReversed()) {
    run.end = ends.get(run.length) ?? 0
    ends.set(run.length, run.index + run.length)
  }
  let [kept, from] = ['', 0]
  for (const { index, end } of runs) {
    if (index < from || end === 0) continue
    kept += `${paragraph.slice(from, index)} `
    from = end
  }
  return kept + paragraph.slice(from)
}
