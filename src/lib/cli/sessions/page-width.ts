import { escapeText } from '../print.ts'
import { wrapText } from '../terminal/width.ts'

/** Where the output has no width. */
const USUAL_WIDTH = 100

/** How wide a line may be. */
export const outputColumns = (): number => Math.max(20, process.stdout.columns ?? USUAL_WIDTH)

const STEPS = [
  [60, 's'],
  [60, 'min'],
  [24, 'h'],
  [365, 'days']
] as const

export function timeAgo(when: number, now = Date.now()): string {
  let left = Math.max(0, Math.round((now - when) / 1000))
  for (const [most, unit] of STEPS) {
    if (left < most) return `${left} ${unit} ago`
    left = Math.floor(left / most)
  }
  return left === 1 ? '1 year ago' : `${left} years ago`
}

export function wrapBlock(text: string, left: string, width: number): readonly string[] {
  return wrapText(escapeText(text).trimEnd(), width - left.length).map(line => `${left}${line}`.trimEnd())
}

export function firstLines(lines: readonly string[], most: number, left: string): readonly string[] {
  if (lines.length <= most) return lines
  return [...lines.slice(0, most), `${left}… ${lines.length - most} more lines`]
}
