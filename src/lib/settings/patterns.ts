import { createRequire } from 'node:module'
import { createContext, runInContext, type Context } from 'node:vm'
import type * as Re2 from 're2js'
import type { CompilePattern, Pattern } from '../hooks/matcher.ts'

const require = createRequire(import.meta.url)

/** How long a pattern that no linear engine takes may think about one name, in milliseconds. */
const PATIENCE = 20
const LONGEST = 10_000

const NEGATION = /^\^\(\?!(.*)\)(?:\.\*\$?)?$/s

/**
 * Patterns from files: they run in linear time, so that no pattern can stop us. A leading negation is taken apart;
 * other ways of looking around run under a time limit, and beyond it they match: a hook runs rather than not.
 */
export const compileSafely: CompilePattern = source => {
  if (source.length > LONGEST) throw new Error(`it is longer than ${LONGEST} characters`)
  // What a browser would refuse is refused, too: (?i) and the like mean something else elsewhere.
  const native = new RegExp(source)
  const linear = compileLinear(source)
  if (linear !== undefined) return linear
  const negated = NEGATION.exec(source)?.[1]
  const inner = negated === undefined ? undefined : compileLinear(`^(?:${negated})`)
  if (inner !== undefined) return { test: text => !inner.test(text) }
  return timeLimited(native)
}

function compileLinear(source: string): Pattern | undefined {
  const { RE2JS } = require('re2js') as typeof Re2
  try {
    const compiled = RE2JS.compile(source)
    return { test: text => compiled.matcher(text).find() }
  } catch {
    return undefined
  }
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
