import type { Behavior, CallFacts, Rule } from './policy.ts'
import { hostname as machineName, networkInterfaces } from 'node:os'
import { globOf, RENAMED } from '../util/names.ts'
import { matchesCommand, type Fit } from './match-command.ts'
import { FILE_READERS, FILE_SEARCHERS, FILE_WRITERS } from '../tool-table.ts'
import { pathsGiven, pathsNamedBy } from './named-paths.ts'
import { pathsUsedBy } from './used-paths.ts'
import { pathOf, patternOf, type PathPattern, type RulePlaces, type SplitPath } from './path-pattern.ts'

type Unreadable = Readonly<Record<'problem' | 'why' | 'fix', string>>

const LONGEST = 10_000
const RULE = /^([A-Za-z_][\w*-]*)(?:\((.*)\))?$/s
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0A-\x1F\x7F]/

/** Invisible characters and unusual blanks: a pattern with one matches nothing. */
const INVISIBLE = /[\u00A0\u00AD\u2000-\u200F\u2028-\u202F\u2060-\u2064\uFEFF]/

/** Parses a rule: `Tool`, `Tool(specifier)`, `mcp__server`, `mcp__server__*`, `mcp__server__tool`. */
export function parseRule(text: string, behavior: Behavior, source: string): Rule | Unreadable {
  const shown = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
  const wrong = (why: string, fix: string): Unreadable => ({ problem: `${shown} ${why}; ${fix}`, why, fix })
  if (text.length > LONGEST) return wrong(`is longer than ${LONGEST} characters`, 'write several rules')
  const [, tool, inner] = RULE.exec(text.trim()) ?? []
  if (tool === undefined || CONTROL.test(text))
    return wrong('is not a rule', 'write a tool, or a tool with a pattern: Bash(git *)')
  const specifier = inner?.trim()
  if (specifier === '') return wrong('has an empty pattern', `write ${tool} alone to mean all of its calls`)
  if (tool.includes('*') && !/^mcp__\w/.test(tool) && tool !== 'mcp__*')
    return wrong('has a * in the name of a tool', 'write a rule for each tool; only names of MCP tools may have one')
  const problem = specifier === undefined ? undefined : problemOf(tool, specifier, behavior)
  if (problem !== undefined) return wrong(...problem)
  const whole = specifier === undefined || specifier === '*'
  return { behavior, tool: nowNamed(tool), ...(!whole && { specifier }), source, text: text.trim() }
}

function problemOf(tool: string, specifier: string, behavior: Behavior): readonly [string, string] | undefined {
  if (FILE_READERS.has(tool) || FILE_WRITERS.has(tool)) {
    if (specifier.startsWith('!')) return ['excludes something', 'write what is meant, without the !']
    if (/^(?:["'`$]|\w+:)/.test(specifier))
      return ['names no path', 'write the path itself: Read(./x), Read(~/x), Read(//x) from the root']
    if (/^~[^/]/.test(specifier))
      return ["names another user's home directory", 'write it as an absolute path: //home/USER/**']
  }
  if (INVISIBLE.test(specifier)) return ['has an invisible character', 'type it again by hand']
  // Commands are compared without them. A rule that allows exactly one command contains them.
  const [, rest] = /^(?:[A-Za-z_]\w*\+?=\S*\s+)+(.+)$/s.exec(specifier) ?? []
  if (tool === 'Bash' && behavior !== 'allow' && rest !== undefined)
    return ['begins with a variable, and fits nothing', `write Bash(${rest})`]
  if (
    tool === 'WebFetch' &&
    (!specifier.startsWith('domain:') || domainOf(specifier) === undefined) &&
    specifier !== '*'
  )
    return ['names no domain', 'write WebFetch(domain:example.com)']
  return undefined
}

export const toolIn = (rule: string): string => rule.replace(/\(.*/s, '').trim()

export const nowNamed = (tool: string): string => RENAMED.get(tool) ?? tool

/** A rule that allows matches only what is certain; one that refuses or asks gives `maybe` if in doubt. */
export function fits(rule: Rule, call: CallFacts, places: RulePlaces): Fit {
  const { specifier, behavior } = rule
  const same = fitsName(rule.tool, nowNamed(call.tool), behavior === 'allow')
  if (specifier === undefined) return same ? 'yes' : 'no'
  if (FILE_READERS.has(rule.tool) || FILE_WRITERS.has(rule.tool)) return concernsFile(rule, specifier, call, places)
  if (!same) return 'no'
  if (rule.tool === 'Bash') return fitsCommand(behavior, specifier, call)
  if (specifier.startsWith('domain:')) return fitsDomain(behavior, specifier, call)
  return fitsField(behavior, specifier, call)
}

/** `mcp__a` is the server of that name; a name that could also belong to `a__b` is refused, never allowed. */
function fitsName(named: string, tool: string, sure: boolean): boolean {
  if (named === tool) return true
  if (!named.startsWith('mcp__') || !tool.startsWith('mcp__')) return false
  if (named === 'mcp__*') return true
  const [rule, name] = [named.split('__'), tool.split('__')]
  if (rule.length === 2) rule.push('*')
  if (sure) return rule.length === name.length && rule.every((part, index) => globOf(part)(name[index]!))
  return globOf(rule.join('__'))(tool)
}

function fitsCommand(behavior: Behavior, specifier: string, { subject, input }: CallFacts): Fit {
  const command = subject?.kind === 'command' ? subject.command : input['command']
  if (typeof command !== 'string') return behavior === 'allow' ? 'no' : 'maybe'
  return behavior === 'allow' ? 'no' : matchesCommand(specifier, command)
}

function fitsDomain(behavior: Behavior, specifier: string, { subject, input }: CallFacts): Fit {
  const url = subject?.kind === 'url' ? subject.url : input['url']
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  const domain = domainOf(specifier)
  if (parsed === undefined || domain === undefined) return behavior === 'allow' ? 'no' : 'maybe'
  if (behavior === 'allow' && !['http:', 'https:'].includes(parsed.protocol)) return 'no'
  const host = hostOf(parsed)
  if (host === domain || host.endsWith(`.${domain}`)) return 'yes'
  return behavior !== 'allow' && isThisMachine(host) && isThisMachine(domain) ? 'yes' : 'no'
}

function domainOf(specifier: string): string | undefined {
  const name = specifier.slice('domain:'.length).trim().replace(/^\*\./, '')
  if (!/^(?:\[[\da-f:.]+\]|[^\s/?#@:*\\]+)$/i.test(name) || !URL.canParse(`http://${name}`)) return undefined
  return hostOf(new URL(`http://${name}`))
}

const WITHIN = /^\[(?:::(?:ffff:(?:0:)?)?|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})\]$/

function hostOf({ hostname }: URL): string {
  const [, high, low] = WITHIN.exec(hostname) ?? []
  if (high === undefined || low === undefined) return hostname.replace(/\.$/, '')
  return [high, low].flatMap(half => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255]).join('.')
}

/** All of them lead to this machine, whichever a rule names. */
const isThisMachine = (host: string): boolean =>
  /^(?:(?:.*\.)?localhost(?:\.localdomain)?|ip6-(?:localhost|loopback)|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/.test(host) ||
  ownNames().has(host)

/** Its own host name and addresses, which may change while it runs. */
const ownNames = (): ReadonlySet<string> =>
  new Set([
    machineName().toLowerCase(),
    ...Object.values(networkInterfaces()).flatMap(all =>
      (all ?? []).map(({ address }) => (address.includes(':') ? `[${address}]` : address))
    )
  ])

const TELLING = ['command', 'file_path', 'notebook_path', 'path', 'url', 'pattern', 'query', 'subagent_type', 'skill']

function fitsField(behavior: Behavior, specifier: string, { input }: CallFacts): Fit {
  const values = TELLING.map(key => input[key]).filter(value => typeof value === 'string')
  const test = globOf(specifier)
  if (behavior === 'allow') return values[0] !== undefined && test(values[0]) ? 'yes' : 'no'
  return values.length === 0 ? 'maybe' : values.some(test) ? 'yes' : 'no'
}

export const tellingOf = (input: CallFacts['input']): string | undefined =>
  TELLING.map(key => input[key]).find(value => typeof value === 'string')

/**
 * Whether a file rule concerns a call. `Edit(…)` means every tool that changes files, `Read(…)` every tool that reads
 * them; a file that may not be read may not be changed either. Files are judged by their real path; rules that refuse
 * or ask also by the given name.
 */
function concernsFile(rule: Rule, specifier: string, call: CallFacts, places: RulePlaces): Fit {
  if (rule.behavior === 'allow') return allowsFile(rule, specifier, call, places) ? 'yes' : 'no'
  const pattern = patternOf(specifier, places, true)
  if (call.subject?.kind === 'command') return concernsCommand(rule, pattern, call, places)
  const { paths, unsure } = pathsOf(call, places)
  if (!isAbout(rule, call)) return 'no'
  if (paths.some(pattern.fits)) return 'yes'
  if (unsure || paths.some(pattern.fitsLoosely)) return 'maybe'
  // `/etc/**` starts at the project's root, but its author may have meant the file system's.
  if (/^\/[^/]/.test(specifier) && paths.some(patternOf(`/${specifier}`, places, true).fits)) return 'maybe'
  return FILE_SEARCHERS.has(call.tool) && findsIn(pattern, paths, places) ? 'maybe' : 'no'
}

/** A command that uses such a file is refused; one that names it may do with it what the rule is about. */
function concernsCommand(rule: Rule, pattern: PathPattern, call: CallFacts, places: RulePlaces): Fit {
  const { paths, unsure, used } = pathsOf(call, places)
  const isRead = FILE_READERS.has(rule.tool)
  const known = used === undefined ? [] : isRead ? used.all : used.writes
  if (known.some(pattern.fits)) return 'yes'
  for (const folder of (isRead ? used?.searched : used?.swept) ?? [])
    if (pattern.isBelow(folder, call.ruled)) return 'maybe'
  if (unsure) return 'maybe'
  if (!paths.some(pattern.fits)) return 'no'
  return used?.whole === true && !known.some(pattern.fitsLoosely) ? 'no' : 'maybe'
}

function findsIn(pattern: PathPattern, paths: readonly SplitPath[], { roots, leavesOut }: RulePlaces): boolean {
  if (leavesOut === true) return false
  return (paths.length === 0 ? roots.map(pathOf) : paths).some(pattern.reachesInto)
}

function allowsFile(rule: Rule, specifier: string, { tool, subject }: CallFacts, places: RulePlaces): boolean {
  if (subject?.kind !== 'file') return false
  const family =
    rule.tool === 'Edit' ? FILE_WRITERS.has(tool) : rule.tool === 'Read' ? FILE_READERS.has(tool) : rule.tool === tool
  const access = FILE_READERS.has(rule.tool) ? 'read' : 'write'
  return family && subject.access === access && patternOf(specifier, places, false).fits(pathOf(subject.path))
}

function isAbout(rule: Rule, { tool, subject }: CallFacts): boolean {
  if (FILE_READERS.has(rule.tool)) return subject?.kind === 'file' || FILE_READERS.has(tool) || FILE_WRITERS.has(tool)
  return (subject?.kind === 'file' && subject.access === 'write') || FILE_WRITERS.has(tool)
}

interface About {
  readonly call: CallFacts
  readonly root: string | undefined
  readonly paths: readonly SplitPath[]
  readonly unsure: boolean
  /** Of a command: what it is known to use. */
  readonly used?: Readonly<Record<'all' | 'writes' | 'searched' | 'swept', readonly SplitPath[]>> & {
    readonly whole: boolean
  }
}

/** Of the last call: all rules ask about the same one. */
let last: About | undefined

function pathsOf(call: CallFacts, places: RulePlaces): About {
  const [root] = places.roots
  if (last?.call === call && last.root === root) return last
  const { subject, input } = call
  const given = [input['file_path'], input['notebook_path'], input['path']].filter(path => typeof path === 'string')
  const named =
    subject?.kind === 'command'
      ? pathsNamedBy(subject.command, places, call)
      : pathsGiven([...(subject?.kind === 'file' ? [subject.path] : []), ...given], root ?? '/', call)
  const used = subject?.kind === 'command' ? pathsUsedBy(subject.command, places, call) : undefined
  return (last = {
    call,
    root,
    paths: Array.from(named.paths, pathOf),
    unsure: named.unsure !== undefined,
    ...(used !== undefined && {
      used: {
        whole: used.whole,
        all: [...used.reads, ...used.writes].map(pathOf),
        writes: Array.from(used.writes, pathOf),
        searched: Array.from(used.searched, pathOf),
        swept: Array.from(used.swept, pathOf)
      }
    })
  })
}
