import type { Gap } from '../../transcript/store.ts'

/** What is wrong, and where. */
export function wordsOfGap({ at, length, why, seqs, uuid }: Gap): string {
  if (uuid !== undefined) return `line ${uuid} is ${why} before byte ${at}`
  if (seqs === undefined) return `${why} at byte ${at}, ${length} ${length === 1 ? 'byte' : 'bytes'}`
  const [first, last] = seqs
  return `${first === last ? `entry ${first} is` : `entries ${first} to ${last} are`} ${why} before byte ${at}`
}
