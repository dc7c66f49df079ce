import { createRequire } from 'node:module'
import { createContext, runInContext, type Context } from 'node:vm'
import type * as Re2 from 're2js'
import type { CompilePattern, Pattern } from '../../hooks/dispatch/matcher.ts'
import { attempt } from '../../util/attempt.ts'

const require = createRequire(import.meta.url)

/** In milliseconds, per name. Not less: on a busy machine a harmless pattern may have to wait that long. */
const PATIENCE = 500
const LONGEST = 10_000

const NEGATION = /^\^\(\?!(.*)\)(?:\.\*\$?)?$/s

/** Syntax that means something else to the linear engine. */
const FOREIGN = /\\[AzCQEapP]|\[:\^?\w+:\]|\[\^?\]/

/** Names are plain; in other text the two engines differ about blanks and line ends. */
const ODD = /[^\x20-\x7E]/

/**
 * Patterns from files run in linear time, so that none can block the process. A leading negation is rewritten; other
 * lookarounds run under a time limit, and beyond it they match: a hook runs rather than not.
 */
export const compileSafely: CompilePattern = source => {
  if (source.length > LONGEST) throw new Error(`it is longer than ${LONGEST} characters`)
  // What a browser would refuse is refused, too: (?i) and the like mean something else elsewhere.
  const native = new RegExp(source)
  const limited = timeLimited(native)
  const linear = compileLinear(source) ?? compileNegation(source)
  return linear === undefined ? limited : { test: text => (ODD.test(text) ? limited : linear).test(text) }
}

function compileNegation(source: string): Pattern | undefined {
  const negated = NEGATION.exec(source)?.[1]
  const inner = negated !== undefined && isWhole(negated) ? compileLinear(`^(?:${negated})`) : undefined
  return inner === undefined ? undefined : { test: text => !inner.test(text) }
}

function isWhole(part: string): boolean {
  let depth = 0
  for (const [token] of part.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|[()]/gs)) {
    if (token === '(') depth++
    else if (token === ')' && --depth < 0) return false
  }
  return depth === 0
}

function compileLinear(source: string): Pattern | undefined {
  if (FOREIGN.test(source)) return undefined
  const { RE2JS } = require('re2js') as typeof Re2
  const compiled = attempt(() => RE2JS.compile(source))
  return compiled && { test: text => compiled.matcher(text).find() }
}

function timeLimited(pattern: RegExp): Pattern {
  let context: Context | undefined
  return {
    test(text) {
      context ??= createContext({ __proto__: null, pattern })
      context['text'] = text
      try {
        return runInContext('pattern.test(text)', context, { timeout: PATIENCE }) as boolean
      } catch {
        return true
      }
    }
  }
}
