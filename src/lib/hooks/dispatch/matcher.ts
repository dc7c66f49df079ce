import { engineFault, errorMessage } from '../../errors.ts'
import { globOf, RENAMED } from '../../util/names.ts'
import type { Matcher } from '../events/tool-inputs.ts'

/** A pattern that can be asked. The engine for patterns from files is handed in; it runs in linear time. */
export interface Pattern {
  test(text: string): boolean
}
/** Makes a pattern of its text; throws when the text is none. */
export type CompilePattern = (source: string) => Pattern

export interface Matching {
  readonly words: string
  matches(target: string): boolean
}

const NAMES = /^[\w\-|, ]+$/
const GLOB = /^[\w\-*]+$/
/** With `?` for one character and `[…]` for one of several: in files of Claude Code these are regular expressions. */
const WIDE_GLOB = /^(?:[\w\-*?]|\[[!^]?[\w-]+\])+$/

export const EVERYTHING: Matching = { words: 'everything', matches: () => true }

export const takesAll = (matcher: Matcher | undefined): matcher is undefined | '' | '*' =>
  matcher === undefined || matcher === '' || matcher === '*'

/** Makes a matcher ready, or says why it cannot be one. `wide`: of a library hook, whose globs may have `?` and `[…]`. */
export function compileMatcher(matcher: Matcher | undefined, compile: CompilePattern, wide = false): Matching {
  if (takesAll(matcher)) return EVERYTHING
  if (typeof matcher === 'string') return compileString(matcher, wide ? wideGlobs(compile) : compile)
  if (matcher instanceof RegExp) return fromRegExp(matcher)
  if (!Array.isArray(matcher))
    throw engineFault('E_MATCHER_INVALID', String(matcher), 'it is neither text, RegExp nor list')
  return compileList(matcher, compile, wide)
}

const wideGlobs =
  (compile: CompilePattern): CompilePattern =>
  source =>
    WIDE_GLOB.test(source)
      ? new RegExp(`^${source.replaceAll('*', '.*').replaceAll('?', '.').replaceAll('[!', '[^')}$`)
      : compile(source)

function compileString(matcher: string, compile: CompilePattern): Matching {
  const words = JSON.stringify(matcher)
  if (NAMES.test(matcher)) return exact(matcher, words)
  if (GLOB.test(matcher)) return { words, matches: globOf(matcher) }
  try {
    const ready: unknown = compile(matcher)
    if (typeof (ready as Pattern | undefined)?.test !== 'function') throw new Error('compilePattern gave no pattern')
    return pattern(words, ready as Pattern)
  } catch (error) {
    throw engineFault('E_MATCHER_INVALID', words, errorMessage(error))
  }
}

function exact(matcher: string, words: string): Matching {
  const names = new Set<string>()
  for (const part of matcher.split(/[|,]/)) {
    const name = part.trim()
    if (name !== '') names.add(name).add(RENAMED.get(name) ?? name)
  }
  if (names.size === 0) throw engineFault('E_MATCHER_INVALID', words, 'it names nothing')
  return { words, matches: target => names.has(target) }
}

/** The flags g and y make `test` remember its last place and answer differently the second time. */
function fromRegExp(matcher: RegExp): Matching {
  const source = matcher.sticky ? `^(?:${matcher.source})` : matcher.source
  return pattern(String(matcher), new RegExp(source, matcher.flags.replace(/[gy]/g, '')))
}

/** If the pattern engine gives up on a target, the hook runs. */
function pattern(words: string, ready: Pattern): Matching {
  const matches = (target: string): boolean => {
    try {
      return ready.test(target)
    } catch {
      return true
    }
  }
  return { words, matches }
}

function compileList(list: readonly (string | RegExp)[], compile: CompilePattern, wide: boolean): Matching {
  if (list.length === 0) throw engineFault('E_MATCHER_INVALID', '[]', 'an empty list would match nothing')
  const parts = list.map(item => {
    if (typeof item === 'string' || item instanceof RegExp) return compileMatcher(item, compile, wide)
    throw engineFault('E_MATCHER_INVALID', JSON.stringify(list), 'a list holds texts and RegExps')
  })
  return {
    words: `[${parts.map(part => part.words).join(', ')}]`,
    matches: target => parts.some(part => part.matches(target))
  }
}
