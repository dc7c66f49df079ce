import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { wordsOf } from '../errors.ts'
import { rowOf } from '../hooks/events.ts'
import { scriptIn, wordsIn } from '../hooks/kinds/paths.ts'
import { allowedUrl } from '../hooks/kinds/urls.ts'
import type { Finding } from './finding.ts'
import { OUR_TYPES } from './handlers.ts'
import { matcherCheck, type Check, type Say } from './lint-matcher.ts'
import type { Loaded } from './loaded.ts'

/** What is wrong with hooks that were loaded: what can never match, never run, or does not do what it seems to do. */
export function lint(loaded: Loaded): readonly Finding[] {
  const findings: Finding[] = []
  const rules = new Set<string>()
  for (const hook of loaded.hooks) {
    const gate = rowOf(hook.event).failure === 'closed'
    const say: Say = (level, code, key, message, fix) =>
      findings.push({ level, code, place: hook.placeOf(key), message, fix, gate: gate && level === 'error' })
    const rule = `${hook.place.file} ${hook.rule}`
    if (!rules.has(rule)) matcherCheck(hook, say, loaded)
    rules.add(rule)
    for (const check of CHECKS) check(hook, say, loaded)
  }
  return [...findings, ...loaded.rules.flatMap(ruleFindings)]
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
    return say(
      'warning',
      'args-program',
      'command',
      'with args, command is the name of one program, blanks included',
      'put the words after the program into args'
    )
  const words = Array.isArray(args) ? [command, ...args.map(String)] : wordsIn(command)
  const script = scriptOf(words, root, plugin?.root)
  if (script !== undefined) scriptChecks(script, say)
}

interface Script {
  readonly word: string
  readonly path: string
  /** It is the program itself, and not what an interpreter is given. */
  readonly runs: boolean
}

/** The file that a command runs, itself or by an interpreter. */
function scriptOf(words: readonly string[], root: string, plugin: string | undefined): Script | undefined {
  const word = scriptIn(words)
  if (!/[./]/.test(word) || /^(?:~|\/(?:usr|bin|sbin|dev|etc|opt|tmp|proc)\/)/.test(word)) return undefined
  const path = word.replaceAll(/\$\{?(\w+)\}?/g, (whole, name: string) =>
    name === 'CLAUDE_PROJECT_DIR' ? root : name === 'CLAUDE_PLUGIN_ROOT' ? (plugin ?? whole) : whole
  )
  if (path.includes('$')) return undefined
  return { word, path: resolve(root, path), runs: words.find(each => !/^\w+=/.test(each)) === word }
}

function scriptChecks({ word, path, runs }: Script, say: Say): void {
  if (!existsSync(path))
    return say('error', 'script-missing', 'command', `there is no ${word}`, `create ${path}, or correct the path`)
  if (!statSync(path).isFile())
    return say('error', 'script-missing', 'command', `${word} is no file`, 'name the script itself')
  if (!runs) return
  try {
    accessSync(path, constants.X_OK)
  } catch {
    return say('error', 'script-not-executable', 'command', `${word} may not be executed`, `chmod +x ${path}`)
  }
  const [first = ''] = beginningOf(path).split('\n')
  const interpreter = /^#!\s*(\S+)/.exec(first)?.[1]
  if (interpreter === undefined) return
  if (first.endsWith('\r'))
    say('error', 'script-interpreter', 'command', `the lines of ${word} end in CR LF`, 'save it with LF')
  else if (!existsSync(interpreter))
    say(
      'error',
      'script-interpreter',
      'command',
      `${word} begins with #!${interpreter}, and there is no such program`,
      'correct its first line'
    )
}

function beginningOf(file: string): string {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(200)
    return bytes.toString('latin1', 0, readSync(descriptor, bytes))
  } finally {
    closeSync(descriptor)
  }
}

const urlCheck: Check = ({ spec: { url } }, say, { allowedUrls }) => {
  if (typeof url !== 'string') return
  try {
    allowedUrl(url, allowedUrls)
  } catch (error) {
    say('error', 'url-refused', 'url', wordsOf(error), 'give the whole address of a server that hooks may ask')
  }
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

const behaviourCheck: Check = ({ spec, event, scope, type, path }, say) => {
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
  if (OUR_TYPES.includes(type) && path[0] !== 'carabiner' && ['user', 'project', 'local'].includes(scope))
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
  else if (!/^[A-Za-z_][\w-]*(\(.*\S.*\))?$/s.test(rule.trim()) || /\)\s*(?:\|\||&&|[,;]|or|and)\s*\w+\(/i.test(rule))
    say(
      'error',
      'if-invalid',
      'if',
      `${JSON.stringify(rule)} is not one permission rule`,
      'write a tool, or a tool with a pattern: Bash(git *)'
    )
}

const CHECKS: readonly Check[] = [commandCheck, urlCheck, timeoutCheck, behaviourCheck, conditionCheck]

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
