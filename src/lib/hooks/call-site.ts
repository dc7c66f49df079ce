/** Where in the source `below` was called: `path/file.ts:12:3`, or `unknown` where the engine does not tell. */
export function callSite(below: (...args: never[]) => unknown): string {
  const trace: { stack?: string } = {}
  if (typeof Error.captureStackTrace === 'function') Error.captureStackTrace(trace, below)
  else trace.stack = new Error().stack?.split('\n').slice(3).join('\n') ?? ''
  const place = /(?:\(|@|at )(?:async )?((?:file:\/\/|\w+:\/\/)?[^\s()@]*:\d+:\d+)/.exec(trace.stack ?? '')
  return place?.[1]?.replace(/^file:\/\//, '') ?? 'unknown'
}

/** The end of a place, short enough for a name: `guards/bash.ts:12`. */
export function shortPlace(place: string): string {
  return place.split('/').slice(-2).join('/').replace(/:\d+$/, '')
}
