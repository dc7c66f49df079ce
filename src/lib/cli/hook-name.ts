import type { Standing } from '../settings/force.ts'

/** Where a hook of a file stands, as reports name it. */
export const sourceOf = ({ hook: { place } }: Standing): string => `${place.file}:${place.line}:${place.column}`

/**
 * The name of a hook for people. One without a name is called after the end of its path; where that is in the user's
 * home, it says so, since projects have files of the same name.
 */
export function nameFor(name: string, source: string, standings: readonly Standing[], home: string): string {
  const own = standings.find(each => sourceOf(each) === source)
  if (own === undefined || own.hook.ofProject || !source.startsWith(`${home}/`)) return name
  const place = source.replace(/:\d+$/, '')
  const short = `(${place.split('/').slice(-2).join('/')})`
  return name.endsWith(short) ? `${name.slice(0, -short.length)}(~${place.slice(home.length)})` : name
}
