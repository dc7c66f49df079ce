import { turnsIn } from './dangerous-options.ts'
import type { KnownWords } from './nested-commands.ts'
import { isCodeOption, isProgramOf } from './programs.ts'

/** A file that is nothing but what the program reads. */
const INPUT = /^(?:-|\/dev\/(?:stdin|fd\/.*)|\/proc\/.*\/fd\/.*)$/s

/**
 * Whether a program that is given these words may run what nobody can tell by looking at them. `fed`: it is given
 * something to read.
 */
export function isOpaque(program: string, rest: KnownWords, fed: boolean): boolean {
  if (isProgramOf('shell', program))
    return rest.every(word => word?.startsWith('-') === true) || (fed && shellReads(rest))
  if (isProgramOf('awk', program))
    return rest.some(word => word === undefined || awkRuns(word)) || (fed && awkReads(rest))
  if (isProgramOf('interpreter', program)) {
    return rest.some(word => word === undefined || isCodeOption(word)) || (fed && interpreterReads(rest))
  }
  if (program === 'env') return rest.some(word => /^(?:-[A-Za-z0]*S|--s)/.test(word ?? ''))
  if (program === 'sudo' || program === 'doas')
    return fed && ownOptions(rest).some(word => /^(?:-[A-Za-z]*[is]|--(?:l|sh))/.test(word ?? ''))
  return (fed && isProgramOf('runsInput', program)) || turnsIn(program, rest).length > 0
}

/** Options, and what may be their values, up to the first word that is neither. */
function ownOptions(rest: KnownWords): KnownWords {
  const isOption = (word: string | undefined): boolean => word?.startsWith('-') === true
  const end = rest.findIndex((word, index) => !isOption(word) && !isOption(rest[index - 1]))
  return end === -1 ? rest : rest.slice(0, end)
}

/**
 * The same for a program that another one runs, or may (`runs`: it does). A shell that is given nothing to read runs
 * nothing.
 */
export function isOpaqueWithin(program: string, rest: KnownWords, fed: boolean, runs: boolean): boolean {
  if (isProgramOf('shell', program)) return fed && shellReads(rest)
  if (runs) return !isProgramOf('ordinary', program) && isOpaque(program, rest, fed)
  return (isProgramOf('interpreter', program) || isProgramOf('awk', program)) && isOpaque(program, rest, fed)
}

/** Which of its options take a value cannot be told: only a script right behind it is surely what it runs. */
function shellReads([first, second]: KnownWords): boolean {
  if (first === undefined || INPUT.test(first)) return true
  return first.startsWith('-') && !(/^-[a-z]*c$/.test(first) && !first.includes('s') && second !== undefined)
}

function interpreterReads([first, second]: KnownWords): boolean {
  if (first === undefined || INPUT.test(first)) return true
  return first.startsWith('-') && !(first === '-m' && second === 'json.tool')
}

const awkReads = (rest: KnownWords): boolean =>
  rest.some(word => word?.startsWith('-f') === true) &&
  rest.some(word => INPUT.test(word?.replace(/^-f(?=.)/, '') ?? ''))

/** Whether a program of awk may run another one. Where a quote may be part of a pattern, texts cannot be told apart. */
function awkRuns(word: string): boolean {
  if (/^(?:-[eEl]|--(?:exe|l|so))|system|getline|@\s*[A-Za-z_]/.test(word)) return true
  if (!word.includes('|') || !word.includes('print')) return false
  if (word.includes('/') && word.includes('"')) return true
  const bare = word.replaceAll(/"(?:\\.|[^"\\])*"/gs, '')
  const at = bare.indexOf('print')
  return at !== -1 && bare.slice(at).replaceAll('||', '').includes('|')
}
