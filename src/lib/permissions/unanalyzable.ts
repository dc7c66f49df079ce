import { turnsIn } from './dangerous-options.ts'

type Words = readonly (string | undefined)[]

const set = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

/** Shells: without arguments they run what they read. */
const SHELLS = set('ash bash csh dash fish ksh mksh rbash sh tcsh zsh')
/** Programs that take a program as an argument, in a language of its own, after one of these options. */
const INTERPRETER =
  /^(?:bun|deno|lua[\d.]*|nodejs|node|perl[\d.]*|php[\d.]*|pypy3?|python[\d.]*|ruby[\d.]*|tclsh[\d.]*)$/
const CODE_OPTION = /^(?:-\w*[cer]|--eval|--print|-p|-E|eval)/
const AWK = /^(?:g|m|n)?awk$/

/** A language of its own, in which most programs can be seen to run nothing. */
export const isAwk = (program: string): boolean => AWK.test(program)

/** Programs that run, sooner or later, what they read, or start a shell that does. */
const RUNS_INPUT = set(`
  at batch chroot crontab dc ed ex fakeroot gdb nsenter parallel proot runuser script setarch ssh su unshare`)
/** A file that is nothing but what the program reads. */
const INPUT = /^(?:-|\/dev\/(?:stdin|fd\/.*)|\/proc\/.*\/fd\/.*)$/s

/**
 * Whether a program that is given these words may run what nobody can tell by looking at them. `fed`: it is given
 * something to read.
 */
export function isOpaque(program: string, rest: Words, fed: boolean): boolean {
  if (SHELLS.has(program)) return rest.every(word => word?.startsWith('-') === true) || (fed && shellReads(rest))
  if (isAwk(program)) return rest.some(word => word === undefined || awkRuns(word)) || (fed && awkReads(rest))
  if (INTERPRETER.test(program)) {
    return rest.some(word => word === undefined || CODE_OPTION.test(word)) || (fed && interpreterReads(rest))
  }
  if (program === 'env') return rest.some(word => /^(?:-[A-Za-z0]*S|--s)/.test(word ?? ''))
  if (program === 'sudo' || program === 'doas')
    return fed && ownOptions(rest).some(word => /^(?:-[A-Za-z]*[is]|--(?:l|sh))/.test(word ?? ''))
  return (fed && RUNS_INPUT.has(program)) || turnsIn(program, rest).length > 0
}

/** Options, and what may be their values, up to the first word that is neither. */
function ownOptions(rest: Words): Words {
  const isOption = (word: string | undefined): boolean => word?.startsWith('-') === true
  const end = rest.findIndex((word, index) => !isOption(word) && !isOption(rest[index - 1]))
  return end === -1 ? rest : rest.slice(0, end)
}

/** Programs whose names are plain words elsewhere: nobody means the program by `go test -v`. */
const ORDINARY = set('[ printf test')

/**
 * The same for a program that another one runs, or may (`runs`: it does). A shell that is given nothing to read runs
 * nothing.
 */
export function isOpaqueWithin(program: string, rest: Words, fed: boolean, runs: boolean): boolean {
  if (SHELLS.has(program)) return fed && shellReads(rest)
  if (runs) return !ORDINARY.has(program) && isOpaque(program, rest, fed)
  return (INTERPRETER.test(program) || isAwk(program)) && isOpaque(program, rest, fed)
}

/** Which of its options take a value cannot be told: only a script right behind it is surely what it runs. */
function shellReads([first, second]: Words): boolean {
  if (first === undefined || INPUT.test(first)) return true
  return first.startsWith('-') && !(/^-[a-z]*c$/.test(first) && !first.includes('s') && second !== undefined)
}

function interpreterReads([first, second]: Words): boolean {
  if (first === undefined || INPUT.test(first)) return true
  return first.startsWith('-') && !(first === '-m' && second === 'json.tool')
}

const awkReads = (rest: Words): boolean =>
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
