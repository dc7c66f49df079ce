import { editDistance } from '../errors.ts'

/** Letters of other scripts that look like Latin ones, and the Latin ones. */
const ALIKE = 'авеёкмнорстухіїѕјһԁԛԝցհսզαβεηικμνορτυχγзь'
const LATIN = 'abeekmhopctyxiisjhdqwghuzabenikmvoptuxyzb'

/** What a name looks like: without case, accents, separators, and letters that only look like others. */
const looksOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\P{ASCII}/gu, letter => LATIN[ALIKE.indexOf(letter)] ?? '')
    .replaceAll(/[^a-z0-9*]/g, '')

const lettersOf = (text: string): string => text.split('').toSorted().join('')

/** Names are compared with the same few candidates each time. */
const LOOKS = new Map<string, string>()

function looksOfKnown(name: string): string {
  let looks = LOOKS.get(name)
  if (looks === undefined) LOOKS.set(name, (looks = looksOf(name)))
  return looks
}

/**
 * The name that is probably meant: it looks the same, has two letters swapped, or differs by one letter; by two if it
 * is long. `undefined` if it is one of the names, or near none.
 */
export function nearMiss(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined
  const looks = looksOf(name)
  const bare = looks.replace(/tools?$/, '')
  const most = looks.length < 6 ? 1 : 2
  const isNear = (each: string): boolean => {
    const other = looksOfKnown(each)
    if (Math.abs(other.length - looks.length) > most) return false
    return (
      editDistance(looks, other) <= most || (other.length === looks.length && lettersOf(other) === lettersOf(looks))
    )
  }
  return (
    known.find(each => [looks, bare].includes(looksOfKnown(each))) ??
    (looks.length > 2 ? known.find(isNear) : undefined)
  )
}
