import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearest, wordsOf } from '../errors.ts'
import { rowOf } from '../hooks/events.ts'
import { wordsIn } from '../hooks/kinds/paths.ts'
import { compileMatcher } from '../hooks/matcher.ts'
import type { Finding, Level } from './finding.ts'
import { OUR_TYPES } from './handlers.ts'
import type { Loaded, LoadedHook } from './load.ts'
import { compileSafely } from './patterns.ts'

/** One thing that is looked for in every hook. It adds what it finds. */
type Check = (
  hook: LoadedHook,
  say: (level: Level, code: string, key: string, message: string, fix: string) => void,
  loaded: Loaded
) => void

/** What is wrong with hooks that were loaded: what can never match, never run, or does not do what it seems to do. */
export function lint(loaded: Loaded): readonly Finding[] {
  const findings: Finding[] = []
  for (const hook of loaded.hooks) {
    const gate = rowOf(hook.event).failure === 'closed'
    for (const check of CHECKS) {
      check(
        hook,
        (level, code, key, message, fix) =>
          findings.push({
            level,
            code,
            place: { ...hook.place, key: `${hook.place.key}${key === '' ? '' : `.${key}`}` },
            message,
            fix,
            gate: gate && level === 'error'
          }),
        loaded
      )
    }
  }
  return [...findings, ...loaded.rules.flatMap(ruleFindings)]
}

/** The tools that agents have; matchers that come near one and miss it are mistakes. */
const TOOLS = [
  'Agent',
  'AskUserQuestion',
  'Bash',
  'BashOutput',
  'Edit',
  'ExitPlanMode',
  'Glob',
  'Grep',
  'MultiEdit',
  'NotebookEdit',
  'Read',
  'Skill',
  'Task',
  'TaskCreate',
  'TaskList',
  'TaskStop',
  'TaskUpdate',
  'TodoWrite',
  'WebFetch',
  'WebSearch',
  'Write'
]

const matcherCheck: Check = ({ event, matcher }, say) => {
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
  if (/^\w+\(.*\)$/.test(matcher))
    return say(
      'warning',
      'matcher-rule',
      'matcher',
      `${matcher} is written like a permission rule; as a matcher it is a regular expression that matches no tool`,
      `write "matcher": "${matcher.slice(0, matcher.indexOf('('))}" and "if": "${matcher}"`
    )
  if (/^\/.*\/[a-z]*$/.test(matcher))
    return say(
      'warning',
      'matcher-slashes',
      'matcher',
      'slashes around a pattern are taken as part of it',
      'write the pattern alone'
    )
  if (matcher.startsWith('!'))
    return say(
      'warning',
      'matcher-negation',
      'matcher',
      'an exclamation mark does not negate a matcher',
      `write "^(?!${matcher.slice(1)}$).*"`
    )
  try {
    const matching = compileMatcher(matcher, compileSafely)
    if (target === 'tool_name') nearMisses(matcher, name => matching.matches(name), say)
    else choicesOf(fields, target, value => matching.matches(value), event, matcher, say)
  } catch (error) {
    say('error', 'matcher-invalid', 'matcher', wordsOf(error), 'correct the pattern; until then the hook cannot run')
  }
}

function nearMisses(matcher: string, matches: (name: string) => boolean, say: Parameters<Check>[1]): void {
  if (!/^[\w\-|, ]+$/.test(matcher)) return
  for (const name of matcher.split(/[|,]/).map(part => part.trim())) {
    if (name === '' || TOOLS.includes(name)) continue
    const server = /^mcp__[^_]+(?:_[^_]+)*$/.test(name)
    if (server)
      say(
        'warning',
        'matcher-server',
        'matcher',
        `${name} is the name of a server, and matches no tool of it`,
        `write "${name}__.*"`
      )
    const meant =
      TOOLS.find(tool => tool.toLowerCase() === name.toLowerCase()) ??
      (name.startsWith('mcp__') ? undefined : nearest(name, TOOLS))
    if (meant !== undefined && !matches(meant))
      say(
        'warning',
        'matcher-near',
        'matcher',
        `no tool is called ${name}; names are compared exactly`,
        `did you mean ${meant}?`
      )
  }
}

/** A target of few values, such as how a session began, can be tried out. */
function choicesOf(
  fields: Readonly<Record<string, string>>,
  target: string,
  matches: (value: string) => boolean,
  event: string,
  matcher: string,
  say: Parameters<Check>[1]
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

/** Variables that examples in the wild use and that no host sets. */
const PHANTOMS =
  /\$\{?((?:CLAUDE_)?TOOL_(?:NAME|INPUT|OUTPUT|RESULT|ARGS)\w*|CLAUDE_(?:FILE_PATHS?|EVENT_TYPE|TOOL_USE_ID|NOTIFICATION|COMMAND|PROMPT)\w*|HOOK_INPUT\w*)\}?/

const commandCheck: Check = ({ spec, event, plugin }, say, { root }) => {
  const { command, args } = spec
  if (typeof command !== 'string') return
  const phantom = PHANTOMS.exec(command)?.[1]
  if (phantom !== undefined)
    say(
      'warning',
      'variable-unknown',
      'command',
      `no host sets ${phantom}`,
      'read the JSON on standard input: it has tool_name, tool_input and the rest'
    )
  if (/\{\\?"(?:block|feedback|approve|message)\\?"\s*:/.test(command))
    say(
      'warning',
      'answer-invented',
      'command',
      'block, feedback, approve and message are not keys of an answer',
      'answer {"decision":"block","reason":"…"}, or exit with 2'
    )
  if (/\bexit 1\b/.test(command) && rowOf(event).failure === 'closed')
    say(
      'info',
      'exit-1',
      'command',
      'exit code 1 is a failure and not a refusal; in Claude Code it lets pass',
      'exit with 2 to refuse'
    )
  if (Array.isArray(args) && /\s/.test(command.trim()) && !existsSync(resolve(root, command)))
    say(
      'warning',
      'args-program',
      'command',
      'with args, command is the name of one program, blanks included',
      'put the words after the program into args'
    )
  const script = scriptIn(command, root, plugin?.root)
  if (script !== undefined) scriptChecks(script, say)
}

interface Script {
  readonly word: string
  readonly path: string
  /** It is the program itself, and not what an interpreter is given. */
  readonly runs: boolean
}

/** The file of the project that a command names first. */
function scriptIn(command: string, root: string, plugin: string | undefined): Script | undefined {
  const words = wordsIn(command)
  const at = words.findIndex(word => /[\w.-]\/[\w.-]/.test(word) && !word.includes('://') && !word.startsWith('-'))
  const word = words[at]
  if (word === undefined || at > 2 || word.startsWith('~') || /^\/(?:usr|bin|sbin|dev|etc|opt|tmp|proc)\//.test(word))
    return undefined
  const path = word.replaceAll(/\$\{?(\w+)\}?/g, (whole, name: string) =>
    name === 'CLAUDE_PROJECT_DIR' ? root : name === 'CLAUDE_PLUGIN_ROOT' ? (plugin ?? whole) : whole
  )
  return path.includes('$') ? undefined : { word, path: resolve(root, path), runs: at === 0 }
}

function scriptChecks({ word, path, runs }: Script, say: Parameters<Check>[1]): void {
  if (!existsSync(path))
    return say('error', 'script-missing', 'command', `there is no ${word}`, `create ${path}, or correct the path`)
  if (!runs) return
  try {
    accessSync(path, constants.X_OK)
  } catch {
    return say('error', 'script-not-executable', 'command', `${word} may not be executed`, `chmod +x ${path}`)
  }
  const [first = ''] = readFileSync(path, 'latin1').slice(0, 200).split('\n')
  const interpreter = /^#!\s*(\S+)/.exec(first)?.[1]
  if (interpreter !== undefined && !existsSync(interpreter))
    say(
      'error',
      'script-interpreter',
      'command',
      `${word} begins with #!${interpreter}, and there is no such program`,
      first.endsWith('\r') ? 'its lines end in CR LF: save it with LF' : 'correct its first line'
    )
}

const timeoutCheck: Check = ({ spec }, say) => {
  const { timeout } = spec
  if (typeof timeout === 'number' && timeout >= 1000)
    say(
      'warning',
      'timeout-unit',
      'timeout',
      `a timeout of ${timeout} is ${Math.round(timeout / 60)} minutes: the unit is seconds`,
      `write ${timeout / 1000} if milliseconds were meant`
    )
}

const behaviourCheck: Check = ({ spec, event, scope, type }, say) => {
  const gate = rowOf(event).failure === 'closed'
  if (spec['async'] === true && gate)
    say(
      'warning',
      'async-gate',
      'async',
      `a hook that goes on in the background cannot refuse: ${event} does not wait for it`,
      'delete async, if it shall decide'
    )
  if (spec['once'] === true && scope !== 'skill')
    say(
      'info',
      'once-scope',
      'once',
      'Claude Code heeds once only in the frontmatter of skills',
      'nothing to do: here it is heeded everywhere'
    )
  if (spec['onFailure'] === 'continue' && gate)
    say(
      'info',
      'fails-open',
      'onFailure',
      'when this hook fails, the action goes on',
      'delete onFailure to have the gate close'
    )
  if (spec['asyncRewake'] === true)
    say('info', 'needs-agent', 'asyncRewake', 'waking the model needs a running agent', 'nothing to do')
  if (OUR_TYPES.includes(type) && ['user', 'project', 'local'].includes(scope))
    say(
      'warning',
      'voids-file',
      'type',
      `Claude Code does not know hooks of type ${type}, and would ignore the whole file`,
      'move it under carabiner.hooks'
    )
}

const conditionCheck: Check = ({ spec, event }, say) => {
  const rule = spec['if']
  if (typeof rule !== 'string' || rule === '') return
  if (!('tool_name' in rowOf(event).fields))
    say('error', 'if-never', 'if', `${event} is not about a tool, so a hook with "if" never runs`, 'delete "if"')
  else if (!/^[A-Za-z_][\w-]*(\(.*\))?$/s.test(rule.trim()))
    say(
      'error',
      'if-invalid',
      'if',
      `${JSON.stringify(rule)} is not one permission rule`,
      'write a tool, or a tool with a pattern: Bash(git *)'
    )
}

const CHECKS: readonly Check[] = [matcherCheck, commandCheck, timeoutCheck, behaviourCheck, conditionCheck]

/** Permission rules that look right and fit nothing. */
function ruleFindings({ rule, place, behaviour }: Loaded['rules'][number]): readonly Finding[] {
  const say = (message: string, fix: string): readonly Finding[] => [
    { level: 'error', code: 'rule-invalid', place, message, fix, gate: behaviour !== 'allow' }
  ]
  if (/^\w+:\*?$/.test(rule))
    return say(`${JSON.stringify(rule)} fits nothing`, `write "${rule.slice(0, rule.indexOf(':'))}"`)
  if (/\(\s*\)$/.test(rule))
    return say(`${JSON.stringify(rule)} has an empty pattern`, 'write the tool alone to mean all of its calls')
  if (!/^[A-Za-z_][\w*-]*(\(.+\))?$/s.test(rule))
    return say(`${JSON.stringify(rule)} is not a rule`, 'write a tool, or a tool with a pattern: Bash(git *)')
  return []
}
