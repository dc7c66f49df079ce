const FENCE = /^ {0,3}(`{3,}|~{3,})/
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s/

/**
 * The paths that a text in Markdown imports by `@path`, in order and as they are written there. What stands in code or in
 * a remark is none.
 */
export function importsIn(markdown: string): readonly string[] {
  const text = withoutSpans(withoutBlocks(markdown)).replaceAll(/<!--[^]*?(?:-->|$)/g, ' ')
  return Array.from(text.matchAll(/(?<=^|[\s(])@((?:\\ |[^\s\\`])+)/g), ([, path]) => path!.replaceAll('\\ ', ' '))
}

/** Fenced blocks, and lines that are code because they are indented. */
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

/** Code within a line begins and ends with the same number of backticks. */
function withoutSpans(text: string): string {
  return text
    .split(/\n[ \t]*\n/)
    .map(paragraph => (paragraph.includes('`') ? withoutTicks(paragraph) : paragraph))
    .join('\n\n')
}

function withoutTicks(paragraph: string): string {
  const runs = Array.from(paragraph.matchAll(/`+/g), ({ 0: { length }, index }) => ({ length, index, next: -1 }))
  const nearest = new Map<number, number>()
  for (let at = runs.length - 1; at >= 0; at--) {
    runs[at]!.next = nearest.get(runs[at]!.length) ?? -1
    nearest.set(runs[at]!.length, at)
  }
  let [kept, from] = ['', 0]
  for (let at = 0; at < runs.length; at++) {
    const { index, next } = runs[at]!
    if (next === -1) continue
    kept += `${paragraph.slice(from, index)} `
    from = runs[next]!.index + runs[next]!.length
    at = next
  }
  return kept + paragraph.slice(from)
}
