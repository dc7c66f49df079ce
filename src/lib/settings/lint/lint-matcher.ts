import { errorMessage } from '../../errors.ts'
import { rowOf } from '../../hooks/events/event-table.ts'
import { compileMatcher } from '../../hooks/dispatch/matcher.ts'
import type { Level, FindingWords } from '../files/finding.ts'
import type { Loaded, LoadedHook } from '../files/loaded-hooks.ts'
import { compileSafely } from './patterns.ts'
import { ALL_TOOL_NAMES, namingOf } from '../../permissions/tool-names.ts'
import { TOOL_NAMES } from '../../tool-table.ts'
import { nowNamed, toolIn } from '../../permissions/rule.ts'
import { attempt } from '../../util/attempt.ts'
import { RENAMED } from '../../util/names.ts'

export type AddFinding = (level: Level, key: string, ...words: FindingWords) => void

export type Check = (hook: LoadedHook, say: AddFinding, loaded: Loaded) => void

/** `worst`: the level of a matcher that is invalid or can never match. `more`: further tools. */
export function matcherCheck(
  { event, matcher }: Pick<LoadedHook, 'event' | 'matcher'>,
  say: AddFinding,
  worst: 'error' | 'warning',
  more: readonly string[] = []
): void {
  if (matcher === undefined || matcher === '' || matcher === '*') return
  const { target, fields } = rowOf(event)
  if (target === undefined)
    return say('info', 'matcher', 'matcher-ignored', `${event} has nothing to match, so the matcher is ignored`)
  const slow = `${matcher} repeats a repetition: Claude Code may take forever over a name that almost matches`
  if (NESTED.test(matcher)) say('warning', 'matcher', 'matcher-slow', slow)
  const habit = matcherHabit(matcher, target === 'tool_name')
  if (habit !== undefined) return say(worst, 'matcher', ...habit)
  try {
    const { matches } = compileMatcher(matcher, compileSafely)
    const missed: readonly FindingWords[] =
      target.endsWith('model') && NAMES.test(matcher)
        ? namesIn(matcher).flatMap(shortNameProblem)
        : target !== 'tool_name'
          ? choicesMissed(
              fields[target]?.split(' | ') ?? [],
              matches,
              `${JSON.stringify(matcher)} can never match ${event}, where ${target}`
            )
          : NAMES.test(matcher)
            ? namesIn(matcher).flatMap(name => nameProblems(name, more))
            : neverMatches(matcher, [...ALL_TOOL_NAMES, ...more].some(matches))
    for (const words of missed) say(worst, 'matcher', ...words)
    if (missed.length === 0 && worst === 'error' && target === 'tool_name' && !mayMatch(matcher, matches, more))
      say('warning', 'matcher', 'tool-absent', `${JSON.stringify(matcher)} matches no available tool`)
  } catch (error) {
    say('error', 'matcher', 'matcher-invalid', errorMessage(error))
  }
}

const NAMES = /^[\w\-|, ]+$/

const namesIn = (matcher: string): readonly string[] =>
  matcher
    .split(/[|,]/)
    .map(part => part.trim())
    .filter(part => part !== '')

/** Tools of servers come later. */
const mayMatch = (matcher: string, matches: (name: string) => boolean, more: readonly string[]): boolean =>
  /mcp__|\.[*+]|\\w/.test(matcher) || [...TOOL_NAMES, ...more].some(matches)

const NESTED = /\((?:[^()\\]|\\.)*[+*}](?:[^()\\]|\\.)*\)(?:[+*]|\{\d+,)/

function matcherHabit(matcher: string, isTool: boolean): FindingWords | undefined {
  const tool = matcher.slice(0, matcher.indexOf('('))
  const isKnown = !tool.startsWith('mcp__') && ['here', 'elsewhere'].includes(namingOf(tool).is)
  if (isTool && isKnown && matcher.endsWith(')'))
    return [
      'matcher-rule',
      `${matcher} is written like a permission rule; as a matcher it is a regular expression that matches no tool`,
      `write "matcher": "${tool}" and "if": "${matcher}"`
    ]
  if (/^\/.*\/[a-z]*$/.test(matcher)) return ['matcher-slashes', 'slashes around a pattern are taken as part of it']
  if (matcher.startsWith('!'))
    return ['matcher-negation', 'an exclamation mark does not negate a matcher', `write "^(?!${matcher.slice(1)}$).*"`]
  const [odd] = /[^\x20-\x7E]/u.exec(matcher) ?? []
  if (isTool && odd !== undefined)
    return [
      'matcher-letters',
      `it holds the character U+${odd.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}, and the names of tools are plain letters`
    ]
  return undefined
}

/** A pattern that matches none of the known tools may be for others, unless it contains what no name can hold. */
function neverMatches(matcher: string, matchesAny: boolean): readonly FindingWords[] {
  if (matchesAny) return []
  const plain = matcher.replaceAll(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '')
  const named = /^\^?mcp__/.test(matcher)
    ? undefined
    : ALL_TOOL_NAMES.find(tool => new RegExp(`\\b${tool}\\b`, 'i').test(matcher))
  if (named === undefined && !/[^\w\-.*+?^$|()[\]{}\\,]/.test(plain)) return []
  return [
    [
      'matcher-never',
      `${JSON.stringify(matcher)} matches no tool: a matcher sees nothing but the exact name of the tool`,
      `match the name, and put what concerns its input into "if": "${named ?? 'Bash'}(…)"`
    ]
  ]
}

function nameProblems(name: string, more: readonly string[]): readonly FindingWords[] {
  if (name.includes(' '))
    return [['matcher-never', `no tool has blanks in its name, as ${name} has`, 'join names by |']]
  if (/^mcp__[^_]+(?:_[^_]+)*$/.test(name))
    return [['matcher-server', `${name} is the name of a server, and matches no tool of it`, `write "${name}__.*"`]]
  const naming = namingOf(name, more)
  if (naming.is !== 'near') return []
  const words = `no tool is called ${name}; names are compared exactly`
  return [['matcher-near', words, `did you mean ${naming.meant}?`]]
}

const shortNameProblem = (name: string): readonly FindingWords[] =>
  /^(?:opus|sonnet|haiku)$/.test(name)
    ? [['matcher-never', `${name} is a short name, and full names of models are compared`, `write "claude-${name}-*"`]]
    : []

function choicesMissed(
  choices: readonly string[],
  matches: (value: string) => boolean,
  problem: string
): readonly FindingWords[] {
  if (choices.length <= 1 || choices.some(matches)) return []
  return [['matcher-never', `${problem} is one of ${choices.join(', ')}`, 'use one of these']]
}

export function conditionCheck({ spec, event, matcher }: LoadedHook, say: AddFinding, more: readonly string[]): void {
  const rule = spec['if']
  if (typeof rule !== 'string' || rule === '') return
  const never = (why: string, fix: string): void => say('error', 'if', 'if-never', why, fix)
  if (!('tool_name' in rowOf(event).fields))
    return say('error', 'if', 'if-never', `${event} is not about a tool, so a hook with "if" never runs`)
  const shown = JSON.stringify(rule)
  if (!/^[A-Za-z_][\w-]*(?<!__)(\(.*\S.*\))?$/s.test(rule.trim()) || /\)\s*(?:\|\||&&|[,;]|or|and)\s*\w+\(/i.test(rule))
    return say('error', 'if', 'if-invalid', `${shown} is not one permission rule`)
  const tool = toolIn(rule)
  const naming = namingOf(tool, more)
  if (naming.is === 'near')
    return never(
      `no tool is called ${tool}, so a hook with "if": ${shown} never runs`,
      `write ${naming.meant}${rule.trim().slice(tool.length)}`
    )
  if (naming.is === 'here' && !tool.startsWith('mcp__') && !matchesTool(matcher, nowNamed(tool)))
    never(
      `${JSON.stringify(matcher)} does not match ${tool}, so a hook with "if": ${shown} never runs`,
      'correct one of them'
    )
}

/** By its name, or by one that it had. An invalid matcher is reported elsewhere. */
function matchesTool(matcher: string | undefined, tool: string): boolean {
  const matches = matcher === undefined ? undefined : attempt(() => compileMatcher(matcher, compileSafely).matches)
  return (
    matches === undefined ||
    [tool, ...RENAMED.keys()].some(name => (RENAMED.get(name) ?? name) === tool && matches(name))
  )
}
