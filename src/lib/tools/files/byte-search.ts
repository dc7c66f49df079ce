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
  const rare = bytes.length < LARGE ? -1 : rarestIn(bytes, wanted)
  if (rare === -1) return plainly
  const byte = wanted[rare]!
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

/** Which byte of `wanted` is the rarest, if it is rare enough. */
function rarestIn(bytes: Buffer, wanted: Buffer): number {
  const counts = new Uint32Array(256)
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = Math.floor((sample * (bytes.length - SAMPLE)) / (SAMPLES - 1))
    for (let at = start; at < start + SAMPLE; at++) counts[bytes[at]!]!++
  }
  let best = 0
  for (let index = 1; index < wanted.length; index++) if (counts[wanted[index]!]! < counts[wanted[best]!]!) best = index
  return counts[wanted[best]!]! * RARE <= SAMPLES * SAMPLE ? best : -1
}
