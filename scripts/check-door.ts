/**
 * Every call of a tool goes through one door, src/lib/agent/call/call-tool.ts, and an agent gets every outcome of an event
 * in one place, src/lib/agent/session/session-hooks.ts, which applies it as well. Reads the texts of src/ and says where one
 * does not.
 *
 * What it shows. (1) In all modules that can get hold of a tool, the name of its method `run` is mentioned once: where
 * the door calls it. Not only calls count: also to take it off the tool, by a dot, by brackets or by destructuring.
 * (2) What makes tools is imported by one file, which lists them. Modules that are not looked at (hooks, permissions,
 * model, transcript, world, util) stand below or beside `tools`, and scripts/check-imports.ts keeps them from
 * importing it. (3) In src/lib/agent and src/lib/query, the name of a registry's method `fire` is mentioned once.
 *
 * How it could be fooled. It reads texts, not types: a name that is put together at run time (`tool['r' + 'un']`), a
 * loop over all properties, or a tool that is handed down as if it were something else and run there, it does not see.
 */
import { sourceFiles } from './check-imports.ts'

const DOOR = 'src/lib/agent/call/call-tool.ts'
const LIST = 'src/lib/query/setup/tools.ts'
const EVENTS = 'src/lib/agent/session/session-hooks.ts'

/** Modules that cannot get hold of a tool. */
const APART = /^src\/lib\/(?:hooks|permissions|model|transcript|world|util|message\.ts|errors\.ts|version\.ts)/

/** What else has a `run`, and is no tool: the file, and what stands before the dot. */
const OTHERS: readonly (readonly [file: string, owner: string])[] = [
  [EVENTS, 'this'],
  ['src/lib/cli/main.ts', 'row'],
  ['src/lib/cli/program.ts', 'row'],
  ['src/lib/cli/hooks/check.ts', 'flags'],
  ['src/lib/cli/commands.ts', ')'],
  ['src/lib/cli/terminal/session.ts', 'abort)'],
  ['src/lib/cli/terminal/slash.ts', 'SLASHES[name]!'],
  ['src/lib/testing/clock.ts', 'alarm']
]

/** `tool.run`, `tool?.run`, `tool['run']`, `{ run } = tool`, `{ run: start } = tool`. */
const mentionOf = (name: string): RegExp =>
  new RegExp(
    String.raw`([\w$)[\]!]+)?\s*(?:\?\.|\.)\s*${name}\b(?!\w)|\[\s*['"\x60]${name}['"\x60]\s*\]|` +
      String.raw`\{[^{}]*\b${name}\b(?:\s*:\s*[\w$]+)?[^{}]*\}\s*(?::\s*\w+\s*)?=(?![=>])`,
    'g'
  )
const RUN = mentionOf('run')
const FIRE = mentionOf('fire')

/** The port of a session, which runs hooks and no tool. */
const HOOKS = /(?:\bsession\??|\bparent|\bchild)\s*\.hooks\s*\.\s*run\b/g

/** It makes a tool of what its caller does, and holds none. */
const TABLE = 'src/lib/tools/built-in.ts'

/** A declaration whose type says that it is a tool, or makes one. */
const MAKER = /^export (?:const|function|async function) (\w+)[^\n]*?(?::\s*Tool\b|\):\s*(?:Promise<)?Tool\b)/gm

/** What is wrong with these files (path → text), one sentence each. */
export function problemsIn(files: ReadonlyMap<string, string>): readonly string[] {
  const near = [...files]
    .filter(([path]) => !APART.test(path))
    .map(([path, text]) => [path, withoutRemarks(text)] as const)
  const makers = near.flatMap(([path, text]) =>
    path.startsWith('src/lib/tools/') && path !== TABLE ? Array.from(text.matchAll(MAKER), ([, name]) => name!) : []
  )
  return [
    ...near.flatMap(([path, text]) => mentionsIn(path, text)),
    ...doorProblems(files.get(DOOR)),
    ...near.flatMap(([path, text]) => firesIn(path, text)),
    ...(makers.length === 0 ? ['nothing in src/lib/tools makes a tool: this check looks in the wrong place'] : []),
    ...near.flatMap(([path, text]) => importsIn(path, text, makers))
  ]
}

const withoutRemarks = (text: string): string => text.replaceAll(/^\s*(?:\/\*\*[^]*?\*\/|\/\/.*)/gm, '')

const runsIn = (text: string): readonly RegExpExecArray[] => Array.from(text.replaceAll(HOOKS, '').matchAll(RUN))

/** Who fires an event by itself may forget what hooks answered. */
function firesIn(path: string, text: string): readonly string[] {
  if (!/^src\/lib\/(?:agent|query)\//.test(path)) return []
  const fires = Array.from(text.matchAll(FIRE), ([whole]) => whole.trim())
  if (path === EVENTS)
    return fires.length === 1 ? [] : [`${EVENTS} should fire events in one place, and does so in ${fires.length}`]
  return fires.map(whole => `${path} mentions fire: "${whole}"; only ${EVENTS} may, use session.hooks.run`)
}

function mentionsIn(path: string, text: string): readonly string[] {
  if (path === DOOR) return []
  return runsIn(text)
    .filter(([, owner = '']) => !OTHERS.some(([file, name]) => file === path && owner.endsWith(name)))
    .map(([whole]) => `${path} mentions run: "${whole.trim()}"; only ${DOOR} may run a tool`)
}

function doorProblems(text: string | undefined): readonly string[] {
  const times = text === undefined ? 0 : runsIn(withoutRemarks(text)).length
  return times === 1 ? [] : [`${DOOR} should run a tool in one place, and does so in ${times}`]
}

function importsIn(path: string, text: string, makers: readonly string[]): readonly string[] {
  if (path === LIST || path.startsWith('src/lib/tools/')) return []
  const imported = Array.from(
    text.matchAll(
      /^(?:import|export)\b[^'"]*['"][^'"]*\/tools\/[^'"]*['"]|\bimport\(\s*['"][^'"]*\/tools\/[^'"]*['"]/gm
    )
  )
  return imported.flatMap(([statement]) => {
    const named = makers.filter(name => new RegExp(`\\b${name}\\b`).test(statement))
    const whole = /\*|\bimport\(/.test(statement) && !/^(?:import|export) type\b/.test(statement)
    if (named.length === 0 && !whole) return []
    return [`${path} imports ${named.join(', ') || 'a whole module'} of tools; only ${LIST} may, to list them`]
  })
}

if (import.meta.main) {
  const files = await sourceFiles('.')
  const problems = problemsIn(files)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  else console.log('every call of a tool goes through one door, and every outcome comes from one place')
}
