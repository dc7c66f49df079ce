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

/**
 * The one of these names that is meant by another: it looks the same, has two letters in the other's place, or differs by
 * a letter; by two where it is long. `undefined` where it is one of them, or near none.
 */
export function nearMiss(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined
  const looks = looksOf(name)
  const most = looks.length < 6 ? 1 : 2
  const alike = (each: string): boolean => [looks, looks.replace(/tools?$/, '')].includes(looksOf(each))
  const swapped = (each: string): boolean => lettersOf(looksOf(each)) === lettersOf(looks)
  return (
    known.find(alike) ??
    known.find(each => looks.length > 2 && (swapped(each) || editDistance(looks, looksOf(each)) <= most))
  )
}
