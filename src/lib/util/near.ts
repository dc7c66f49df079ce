import { editDistance } from '../errors.ts'

/** Letters of other scripts that look like Latin ones, and the Latin ones. */
const ALIKE = 'авеёкмнорстухіїѕјһԁԛԝցհսզαβεηικμνορτυχγзь'
const LATIN = 'abeekmhopctyxiisjhdqwghuzabenikmvoptuxyzb'

/** What a name looks like: without case, marks, signs between words, and letters that only look like others. */
const looksOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\P{ASCII}/gu, letter => LATIN[ALIKE.indexOf(letter)] ?? '')
    .replaceAll(/[^a-z0-9*]/g, '')

const lettersOf = (text: string): string => text.split('').toSorted().join('')

/** The names that others are compared with are few, and the same ones each time. */
const LOOKS = new Map<string, string>()

function looksOfKnown(name: string): string {
  let looks = LOOKS.get(name)
  if (looks === undefined) LOOKS.set(name, (looks = looksOf(name)))
  return looks
}

/**
 * The one of these names that is meant by another: it looks the same, has two letters in the other's place, or differs by
 * a letter; by two where it is long. `undefined` where it is one of them, or near none.
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
