import { nearest, wordsOf } from '../errors.ts'
import { rowOf } from '../hooks/events.ts'
import { compileMatcher } from '../hooks/matcher.ts'
import type { Level } from './finding.ts'
import type { Loaded, LoadedHook } from './loaded.ts'
import { compileSafely } from './patterns.ts'

/** Adds a finding about one key of a hook. */
export type Say = (level: Level, code: string, key: string, message: string, fix: string) => void

/** One thing that is looked for in every hook. It adds what it finds. */
export type Check = (hook: LoadedHook, say: Say, loaded: Loaded) => void

/** The tools that agents have; matchers that come near one and miss it are mistakes. */
export const TOOLS: readonly string[] = [
  ...'Agent AskUserQuestion Bash BashOutput Edit EnterPlanMode ExitPlanMode Glob Grep KillBash KillShell LS'.split(' '),
  ...'ListMcpResourcesTool MultiEdit NotebookEdit NotebookRead PowerShell Read ReadMcpResourceTool'.split(' '),
  ...'SendMessage Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate'.split(' '),
  ...'TodoRead TodoWrite ToolSearch WebFetch WebSearch Write'.split(' ')
]

/** Matchers that are none, or that can never match. */
export const matcherCheck: Check = ({ event, matcher }, say) => {
  if (matcher === undefined || matcher === '' || matcher === '*') return
  const { target, fields } = rowOf(event)
  if (target === undefined)
    return say(
      'info',
      'matcher-ignored',
      'matcher',
      `${event} has nothing to match, so the matcher is ignored`,
      'delete it'
    )
  const habit = habitIn(matcher, target === 'tool_name')
  if (habit !== undefined) return say('warning', ...habit)
  try {
    const { matches } = compileMatcher(matcher, compileSafely)
    if (target !== 'tool_name') choicesOf(fields, target, matches, event, matcher, say)
    else if (/^[\w\-|, ]+$/.test(matcher)) nearMisses(matcher, matches, say)
    else if (!TOOLS.some(matches)) neverMatches(matcher, say)
  } catch (error) {
    say('error', 'matcher-invalid', 'matcher', wordsOf(error), 'correct the pattern; until then the hook cannot run')
  }
}

type Words = readonly [code: string, key: string, message: string, fix: string]

/** What means something elsewhere, and nothing here. */
function habitIn(matcher: string, isTool: boolean): Words | undefined {
  const tool = matcher.slice(0, matcher.indexOf('('))
  if (isTool && TOOLS.includes(tool) && matcher.endsWith(')'))
    return [
      'matcher-rule',
      'matcher',
      `${matcher} is written like a permission rule; as a matcher it is a regular expression that matches no tool`,
      `write "matcher": "${tool}" and "if": "${matcher}"`
    ]
  if (/^\/.*\/[a-z]*$/.test(matcher))
    return ['matcher-slashes', 'matcher', 'slashes around a pattern are taken as part of it', 'write the pattern alone']
  if (matcher.startsWith('!'))
    return [
      'matcher-negation',
      'matcher',
      'an exclamation mark does not negate a matcher',
      `write "^(?!${matcher.slice(1)}$).*"`
    ]
  const [odd] = /[^\x20-\x7E]/u.exec(matcher) ?? []
  if (isTool && odd !== undefined)
    return [
      'matcher-letters',
      'matcher',
      `it holds the character U+${odd.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}, and the names of tools are plain letters`,
      'type it anew'
    ]
  return undefined
}

/** A pattern that matches none of the tools we know may be for others, unless it speaks of what no name can hold. */
function neverMatches(matcher: string, say: Say): void {
  const plain = matcher.replaceAll(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '')
  const named = /^\^?mcp__/.test(matcher) ? undefined : TOOLS.find(tool => new RegExp(`\\b${tool}\\b`).test(matcher))
  if (named === undefined && !/[^\w\-.*+?^$|()[\]{}\\,]/.test(plain)) return
  say(
    'warning',
    'matcher-never',
    'matcher',
    `${JSON.stringify(matcher)} matches no tool: a matcher sees nothing but the name of the tool`,
    `match the name, and put what concerns its input into "if": "${named ?? 'Bash'}(…)"`
  )
}

function nearMisses(matcher: string, matches: (name: string) => boolean, say: Say): void {
  for (const name of matcher.split(/[|,]/).map(part => part.trim())) {
    if (name === '' || TOOLS.includes(name)) continue
    const near = nearMiss(name, matches)
    if (near !== undefined) say('warning', ...near)
  }
}

function nearMiss(name: string, matches: (name: string) => boolean): Words | undefined {
  if (name.includes(' '))
    return ['matcher-never', 'matcher', `no tool has blanks in its name, as ${name} has`, 'join names by |']
  if (/^mcp__[^_]+(?:_[^_]+)*$/.test(name))
    return [
      'matcher-server',
      'matcher',
      `${name} is the name of a server, and matches no tool of it`,
      `write "${name}__.*"`
    ]
  const meant =
    TOOLS.find(tool => tool.toLowerCase() === name.toLowerCase()) ??
    (name.startsWith('mcp__') ? undefined : nearest(name, TOOLS))
  if (meant === undefined || matches(meant)) return undefined
  return ['matcher-near', 'matcher', `no tool is called ${name}; names are compared exactly`, `did you mean ${meant}?`]
}

/** A target of few values, such as how a session began, can be tried out. */
function choicesOf(
  fields: Readonly<Record<string, string>>,
  target: string,
  matches: (value: string) => boolean,
  event: string,
  matcher: string,
  say: Say
): void {
  const choices = fields[target]?.split(' | ') ?? []
  if (choices.length > 1 && !choices.some(matches))
    say(
      'warning',
      'matcher-never',
      'matcher',
      `${JSON.stringify(matcher)} can never match ${event}, where ${target} is one of ${choices.join(', ')}`,
      `use one of these`
    )
}
