import { indexOfLongest, trimmedLines } from './edit-lines.ts'

/** In larger files, in bytes, only lines that are equal are looked for. */
const SEARCHED = 2 * 1024 * 1024
const SHOWN_LINES = 12
const SHOWN_CHARACTERS = 160

export function missed(bytes: Buffer, old: string): string {
  const hint = /^\s*\d+\t/.test(old) ? ' Leave out the line numbers that Read shows, and the tab after them.' : ''
  const head = `String not found in the file.${hint}`
  if (bytes.length > SEARCHED) return `${head} Read the place again, and copy it exactly.`
  const lines = bytes.toString('utf8').split('\n')
  const wanted = old.replace(/\r?\n$/, '').split('\n')
  const place = nearestPlace(lines.map(trim), trimmedLines(old))
  if (place === undefined) return `${head} Nothing in it is similar.`
  const found = lines.slice(place, place + wanted.length)
  const rows = found
    .slice(0, SHOWN_LINES)
    .flatMap((line, index) => compared(line, wanted[index] ?? '', place + index + 1))
  const rest = found.length > SHOWN_LINES ? [`… and ${found.length - SHOWN_LINES} more lines`] : []
  return [`${head} The nearest place (· is a blank, → a tab, ␍ a carriage return):`, ...rows, ...rest].join('\n')
}

const trim = (line: string): string => line.trim()

function compared(line: string, wanted: string, number: number): readonly string[] {
  const isSame = line === wanted
  return isSame ? [`  ${number} ${visible(line)}`] : [`  ${number} ${visible(line)}`, `  not: ${visible(wanted)}`]
}

function visible(line: string): string {
  const shown = line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : line
  return shown.replaceAll(' ', '·').replaceAll('\t', '→').replaceAll('\r', '␍')
}

function nearestPlace(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const key = indexOfLongest(wanted)
  const likeness = alike(wanted[key] ?? '')
  let best: number | undefined
  let most = 0.5
  for (const [index, line] of lines.entries()) {
    const score = likeness(line)
    if (score > most) [best, most] = [index, score]
  }
  return best === undefined ? undefined : Math.max(0, best - key)
}

/** How alike lines are to one line, from 0 to 1: by the pairs of characters that they share. */
function alike(wanted: string): (line: string) => number {
  const known = new Uint8Array(PAIRS)
  for (let at = 1; at < wanted.length && at < SHOWN_CHARACTERS; at++) known[pairAt(wanted, at)] = 1
  return line => {
    if (line === wanted) return line === '' ? 0 : 1
    const length = Math.min(line.length, SHOWN_CHARACTERS)
    let shared = 0
    for (let at = 1; at < length; at++) shared += known[pairAt(line, at)] ?? 0
    return (0.99 * shared) / Math.max(length, Math.min(wanted.length, SHOWN_CHARACTERS))
  }
}

/** Of pairs that share a place only a few are met in one text. */
const PAIRS = 65_536

const pairAt = (text: string, at: number): number => (text.charCodeAt(at - 1) * 257 + text.charCodeAt(at)) % PAIRS
