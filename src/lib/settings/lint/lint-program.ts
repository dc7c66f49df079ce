import { existsSync, readSync, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { isProgram } from '../../world/files/paths.ts'
import { wordsWithTargets, scriptIn } from '../../shell/command-words.ts'
import { isKeyword, isProgramOf } from '../../shell/programs.ts'
import { isGate } from '../../hooks/events/event-table.ts'
import { isObject } from '../../util/plain.ts'
import type { AddFinding } from './lint-matcher.ts'
import type { Level, FindingWords } from '../files/finding.ts'
import type { LoadedHook } from '../files/loaded-hooks.ts'
import { withFile } from '../files/text.ts'

type Env = Readonly<Record<string, unknown>>
type Add = (level: Level, ...words: FindingWords) => void

export function programCheck({ spec, plugin, event }: LoadedHook, say: AddFinding, root: string, env: Env): void {
  const { command, args, shell } = spec
  if (typeof command !== 'string' || shell === 'powershell') return
  const own = isObject(spec['env']) ? { ...env, ...spec['env'] } : env
  const inShell = !Array.isArray(args)
  const add: Add = (level, ...words) => say(level, 'command', ...words)
  if (!inShell && /\s/.test(command.trim()) && !existsSync(resolve(root, command)))
    return add('warning', 'args-program', 'with args, command is the name of one program, blanks included')
  const words = inShell ? wordsWithTargets(command) : [command, ...args.map(String)]
  const program = programIn(words, command, inShell)
  if (program !== undefined && !isInPath(program, root, own))
    add('warning', 'program-missing', `there is no ${program} in PATH`, `install ${program}, or correct the name`)
  const known = { CLAUDE_PROJECT_DIR: root, CLAUDE_PLUGIN_ROOT: plugin?.root, HOME: inShell ? own['HOME'] : undefined }
  const script = scriptOf(words, root, known, inShell)
  if (script === undefined) return
  scriptChecks(script, add, root, own)
  if (isGate(event)) refusalCheck(script, add)
}

function programIn(words: readonly string[], command: string, inShell: boolean): string | undefined {
  // What is found out while it runs, or defined before, can be anything.
  if (inShell && /^\s*(?:\w+=[^\s;&|]*(?:\$\(|`)|[\w-]+\s*\(\)|[({<>!#])/.test(command)) return undefined
  const [first = ''] = command.trim().split(/[\s;&|<>()]/)
  if (inShell && isKeyword(first)) return undefined
  const program = inShell ? words.find(word => !/^\w+=/.test(word)) : words[0]
  if (program === undefined || !/^[A-Za-z0-9_][\w.+-]*$/.test(program)) return undefined
  return inShell && isProgramOf('builtIn', program) ? undefined : program
}

const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin'

function isInPath(program: string, root: string, { PATH: path }: Env): boolean {
  const folders = (typeof path === 'string' ? path : USUAL_PATH).split(delimiter)
  return folders.some(folder => isProgram(resolve(root, folder, program)))
}

interface Script {
  readonly word: string
  readonly path: string
  /** It is the program itself, not a file that an interpreter runs. */
  readonly runs: boolean
  readonly hint: string | undefined
}

function scriptOf(words: readonly string[], root: string, known: Env, inShell: boolean): Script | undefined {
  const word = scriptIn(words)
  if (!/[./]/.test(word) || /^\/(?:dev|proc)\//.test(word)) return undefined
  const home = known['HOME']
  const path = word
    .replace(/^~(?=\/)/, typeof home === 'string' && home !== '' ? home : '~')
    .replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, plain?: string) => {
      const value = known[braced ?? plain ?? '']
      return typeof value === 'string' && value !== '' ? value : whole
    })
  const isUnknown = /[$*?[\]{}`]|^~/.test(path)
  // Without a shell nothing is expanded.
  const isLiteral = !inShell && /^(?:~|\$HOME\b|\$\{HOME\})\//.test(path)
  if (isUnknown && !isLiteral) return undefined
  const hint = isLiteral ? 'write the whole path: with args no shell fills it in' : undefined
  return { word, path: resolve(root, path), runs: words.find(each => !/^\w+=/.test(each)) === word, hint }
}

function scriptChecks({ word, path, runs, hint }: Script, add: Add, root: string, env: Env): void {
  if (!existsSync(path))
    return add('error', 'script-missing', `there is no ${word}`, hint ?? `create ${path}, or correct the path`)
  if (!statSync(path).isFile()) return add('error', 'script-missing', `${word} is not a file`, 'name the script itself')
  if (!runs) return
  if (!isProgram(path)) return add('error', 'script-not-executable', `${word} may not be executed`, `chmod +x ${path}`)
  const [first = ''] = beginningOf(path).split('\n')
  const interpreter = /^#!\s*(\S+)/.exec(first)?.[1]
  if (interpreter === undefined) return
  if (first.endsWith('\r'))
    return add('error', 'script-interpreter', `the lines of ${word} end in CR LF`, 'save it with LF')
  const begins = `${word} begins with ${first.trim()}, and there is no`
  const asked = /^#!\s*\S*\/env\s+(?:-\S+\s+|\w+=\S*\s+)*([A-Za-z0-9_][\w.+-]*)/.exec(first)?.[1]
  if (!existsSync(interpreter)) add('error', 'script-interpreter', `${begins} ${interpreter}`, 'correct its first line')
  else if (asked !== undefined && !isInPath(asked, root, env))
    add('warning', 'script-interpreter', `${begins} ${asked} in PATH`, `install ${asked}, or correct its first line`)
}

const REFUSES = /\b(?:block|den[iy]|refus|forbid|forbidden|reject|not allowed|prohibit)/i
const EXIT_1 = /\b(?:exit 1\b|(?:sys|process|os)\._?exit\(1\))/

function refusalCheck({ word, path }: Script, add: Add): void {
  const lines = beginningOf(path, 65_536).split('\n')
  const at = lines.findIndex(
    (line, place) =>
      EXIT_1.test(line) && lines.slice(Math.max(0, place - 3), place + 1).some(each => REFUSES.test(each))
  )
  const message = `${word} refuses with exit code 1 in line ${at + 1}: that is a failure, and Claude Code continues`
  if (at >= 0) add('warning', 'exit-1', message)
}

/** Empty if it may not be read: a program may still be executable. */
function beginningOf(file: string, length = 200): string {
  const bytes = Buffer.alloc(length)
  try {
    return withFile(file, descriptor => bytes.toString('latin1', 0, readSync(descriptor, bytes)))
  } catch {
    return ''
  }
}
