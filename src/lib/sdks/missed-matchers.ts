import { engineFault } from '../errors.ts'
import type { HookDescription } from '../hooks/hook.ts'
import type { Fires } from '../hooks/guard.ts'
import { jsonIn } from '../util/attempt.ts'

/**
 * Throws for a gate that is about a name which narrowly misses a tool, since it would protect nothing. `meantBy` returns
 * the tool that is probably meant.
 */
export function checkMatchers(hooks: Fires, meantBy: (name: string) => string | undefined): void {
  const { list } = hooks as Partial<{ list(): readonly HookDescription[] }>
  for (const { name, events, matcher, observe } of list?.call(hooks) ?? []) {
    const names = observe || !events.includes('PreToolUse') ? [] : namesIn(matcher)
    for (const each of names) {
      const meant = meantBy(each)
      if (meant !== undefined && !names.includes(meant))
        throw engineFault(
          'E_OPTION_INVALID',
          `the matcher of ${name}`,
          `${JSON.stringify(each)}, because no tool has this name`,
          meant
        )
    }
  }
}

const namesIn = (matcher: string): readonly string[] =>
  [jsonIn(matcher)]
    .flat()
    .flatMap(text => (typeof text === 'string' ? text.split(/[|,]/) : []))
    .map(text => text.trim())
    .filter(text => /^[\w-]+$/.test(text))
