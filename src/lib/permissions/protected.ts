import type { CallFacts, Policy } from './policy.ts'
import { basename } from 'node:path'
import { onlyReads } from '../shell/only-reads.ts'
import { FILE_WRITERS } from '../tool-table.ts'
import { judgeLeaves } from './allow-command.ts'
import { pathsGiven, pathsNamedBy } from './named-paths.ts'
import { pathsUsedBy } from './used-paths.ts'
import { isWithin } from '../world/files/paths.ts'
import { literalNames, patternOf } from './path-pattern.ts'
import { PROTECTED_FOLDERS } from '../shell/rows/paths.ts'
import { protectedPart } from './protected-paths.ts'
import { fits } from './rule.ts'

/** What protects a path from this call. A command that names such a path asks: what it would do there cannot be told. */
export function protectionOf(call: CallFacts, policy: Policy): { decision: 'deny' | 'ask'; part: string } | undefined {
  const { subject } = call
  if (subject?.kind === 'command') {
    if (onlyReads(subject.command)) return undefined
    const part = partIn(subject.command, call, policy)
    return part === undefined || isNamed(part, call, policy) ? undefined : { decision: 'ask', part }
  }
  if (subject?.kind === 'file' ? subject.access !== 'write' : !FILE_WRITERS.has(call.tool)) return undefined
  const real = subject?.kind === 'file' ? [subject.path] : []
  const given = [call.input['file_path'], call.input['notebook_path']].filter(path => typeof path === 'string')
  for (const path of pathsGiven([...real, ...given], policy.roots[0] ?? '/', call).paths) {
    const part = protectedPart(path, policy, call.has)
    if (part !== undefined && !isNamed(part, call, policy)) return { decision: 'deny', part }
  }
  return undefined
}

/** A command may also change into the folder first, or move it. */
function partIn(command: string, call: CallFacts, policy: Policy): string | undefined {
  const used = pathsUsedBy(command, policy, call)
  const named = used.whole ? undefined : pathsNamedBy(command, policy, call)
  for (const path of new Set([...used.writes, ...(named?.paths ?? [])])) {
    const isFolder = PROTECTED_FOLDERS.has(basename(path)) && path.includes('/.')
    const part = protectedPart(path, policy, call.has) ?? (isFolder ? path : undefined)
    if (part !== undefined) return part
  }
  // It may be any of them.
  return named?.unsure?.startsWith('/proc/') === true ? named.unsure : undefined
}

/** The user has a rule that allows it and names the place; one that covers it among all others does not count. */
function isNamed(part: string, call: CallFacts, policy: Policy): boolean {
  return policy.rules.some(rule => {
    const { specifier, behavior, ofProject } = rule
    if (specifier === undefined || behavior !== 'allow' || ofProject === true) return false
    if (rule.tool === 'Bash')
      return (
        call.subject?.kind === 'command' &&
        specifier.includes(basename(part)) &&
        judgeLeaves(call.subject.command, call, { ...policy, rules: [rule] }).every(
          ({ decision }) => decision === 'allow'
        )
      )
    if (fits(rule, call, policy) !== 'yes') return false
    return patternOf(specifier, policy, false).globs.some(glob => {
      const { literal, rest } = literalNames(glob)
      return isWithin(`/${literal.join('/')}`, part) || rest.includes(basename(part))
    })
  })
}
