/** One stretch of a difference: lines that begin with a blank (kept), `-` (gone) or `+` (new). */
export interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

/** Larger texts, in characters, are not compared. */
export const LARGEST_PATCHED = 1024 * 1024

const CONTEXT = 3
/** More differences than this are shown as one. */
const MOST_STEPS = 400

const UNFINISHED = '\\ No newline at end of file'

/** One line of the difference, and how many lines of both texts come before it. */
interface Step {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** The difference between two texts, line by line. */
export function structuredPatch(before: string, after: string): readonly Hunk[] {
  if (before === after) return []
  const [a, b] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const from = Math.max(0, start - CONTEXT)
  const to = Math.max(0, end - CONTEXT)
  const kept = (lines: readonly string[]): readonly Step[] => lines.map(text => ({ sign: ' ', text }))
  const steps = [
    ...kept(a.slice(from, start)),
    ...stepsBetween(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...kept(a.slice(a.length - end, a.length - to))
  ]
  return hunksOf(steps, from)
}

/** With their line ends, so that a missing last one counts. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** The shortest way from one list of lines to the other (Myers), or, when it is long, all out and all in. */
function stepsBetween(a: readonly string[], b: readonly string[]): readonly Step[] {
  const trace: Map<number, number>[] = []
  const reach = new Map([[1, 0]])
  for (let d = 0; d <= Math.min(a.length + b.length, MOST_STEPS); d++) {
    trace.push(new Map(reach))
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && reach.get(k - 1)! < reach.get(k + 1)!)
      let x = isDown ? reach.get(k + 1)! : reach.get(k - 1)! + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      reach.set(k, x)
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a, b)
    }
  }
  return [...a.map(text => ({ sign: '-', text }) as const), ...b.map(text => ({ sign: '+', text }) as const)]
}

function walkBack(trace: readonly ReadonlyMap<number, number>[], a: readonly string[], b: readonly string[]): Step[] {
  const steps: Step[] = []
  let [x, y] = [a.length, b.length]
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d]!
    const k = x - y
    const isDown = k === -d || (k !== d && reach.get(k - 1)! < reach.get(k + 1)!)
    const beforeX = reach.get(isDown ? k + 1 : k - 1)!
    const beforeY = beforeX - (isDown ? k + 1 : k - 1)
    while (x > Math.max(0, beforeX) && y > Math.max(0, beforeY) && a[x - 1] === b[y - 1]) {
      steps.push({ sign: ' ', text: a[--x]! })
      y--
    }
    if (d === 0) break
    if (isDown) steps.push({ sign: '+', text: b[--y]! })
    else steps.push({ sign: '-', text: a[--x]! })
  }
  return steps.toReversed()
}

/** Cuts a difference where more lines are kept than context needs. */
function hunksOf(steps: readonly Step[], skipped: number): readonly Hunk[] {
  const changes = steps.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]))
  const groups: [first: number, last: number][] = []
  for (const index of changes) {
    const group = groups.at(-1)
    if (group !== undefined && index - group[1] <= 2 * CONTEXT + 1) group[1] = index
    else groups.push([index, index])
  }
  return groups.map(([first, last]) => {
    const from = Math.max(0, first - CONTEXT)
    const part = steps.slice(from, last + CONTEXT + 1)
    const [oldLines, newLines] = [count(part, '+'), count(part, '-')]
    const before = steps.slice(0, from)
    const [oldBefore, newBefore] = [skipped + count(before, '+'), skipped + count(before, '-')]
    return {
      // A stretch without lines is named by the line before it.
      oldStart: oldLines === 0 ? oldBefore : oldBefore + 1,
      oldLines,
      newStart: newLines === 0 ? newBefore : newBefore + 1,
      newLines,
      lines: part.flatMap(({ sign, text }) =>
        text.endsWith('\n') ? [sign + text.slice(0, -1)] : [sign + text, UNFINISHED]
      )
    }
  })
}

/** How many lines there are, less those of the other text. */
const count = (steps: readonly Step[], without: '-' | '+'): number =>
  steps.reduce((sum, { sign }) => sum + (sign === without ? 0 : 1), 0)
