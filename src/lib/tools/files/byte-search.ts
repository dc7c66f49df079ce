/** How many pieces of the bytes are looked at to learn which are rare, and how large these are. */
const SAMPLES = 16
const SAMPLE = 4096

/** One in so many bytes is rare. */
const RARE = 512

/** Shorter ones, in bytes, are searched in no time anyway. */
const LARGE = 16 * SAMPLES * SAMPLE

/**
 * A function that finds the next place of `wanted` from some place on, or -1. Node stops at each first byte of it; in
 * much text it is several times as fast to look for one that is rare, wherever it stands in `wanted`.
 */
export function searchFor(bytes: Buffer, wanted: Buffer): (from: number) => number {
  const plainly = (from: number): number => bytes.indexOf(wanted, from)
  const rarest = bytes.length < LARGE ? undefined : rarestIn(bytes, wanted)
  if (rarest === undefined) return plainly
  const { byte, index: rare } = rarest
  let stops = 0
  return from => {
    for (let at = bytes.indexOf(byte, from + rare); at !== -1; at = bytes.indexOf(byte, at + 1)) {
      const start = at - rare
      if (start + wanted.length > bytes.length) return -1
      if (bytes.compare(wanted, 0, wanted.length, start, start + wanted.length) === 0) return start
      // It was rare only where we looked.
      if (++stops > RARE && at < stops * RARE) return plainly(start + 1)
    }
    return -1
  }
}

/** Which byte of `wanted` is the rarest, and where, if it is rare enough. */
function rarestIn(bytes: Buffer, wanted: Buffer): { readonly byte: number; readonly index: number } | undefined {
  const counts = new Uint32Array(256)
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = Math.floor((sample * (bytes.length - SAMPLE)) / (SAMPLES - 1))
    for (const byte of bytes.subarray(start, start + SAMPLE)) counts[byte] = (counts[byte] ?? 0) + 1
  }
  const countOf = (byte: number): number => counts[byte] ?? 0
  const byte = wanted.reduce((best, each) => (countOf(each) < countOf(best) ? each : best), wanted[0] ?? 0)
  return countOf(byte) * RARE <= SAMPLES * SAMPLE ? { byte, index: wanted.indexOf(byte) } : undefined
}
