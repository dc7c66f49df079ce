import { basename, relative, resolve } from 'node:path'
import { globOf } from '../hooks/matcher.ts'
import { isObject, type PlainObject } from '../util/plain.ts'

/** The field of a tool's input that a rule speaks of. */
const SUBJECTS = ['command', 'file_path', 'notebook_path', 'path', 'url', 'pattern', 'query', 'subagent_type', 'skill']
const RULE = /^([A-Za-z_][\w-]*)(?:\((.*)\))?$/s

/**
 * Whether a rule such as `Bash(git *)` fits a call. A hook that might be meant runs: whatever cannot be told by
 * looking at the text (substitutions, variables) fits.
 */
export function ruleFits(rule: string, input: Readonly<PlainObject>): boolean {
  const [, tool, pattern] = RULE.exec(rule.trim()) ?? []
  if (tool === undefined) return true
  if (input['tool_name'] !== tool) return false
  if (pattern === undefined || pattern === '*') return true
  const subject = subjectOf(input['tool_input'])
  if (subject === undefined) return true
  const fits = ruleGlob(pattern.replace(/:\*$/, ' *'))
  if (tool !== 'Bash') return spellingsOf(subject, input['cwd']).some(fits)
  return /[$`]|<\(/.test(subject) || commandsIn(subject).some(fits)
}

function subjectOf(input: unknown): string | undefined {
  if (!isObject(input)) return undefined
  return SUBJECTS.map(key => input[key]).find(value => typeof value === 'string')
}

/**
 * The ways in which a rule may name a file or an address: `*.ts` by its last part, `src/**`, `./src/**` and `/src/**`
 * from where the agent is, `//etc/**` from the root of all, `domain:example.com` by its host.
 */
function spellingsOf(subject: string, folder: unknown): readonly string[] {
  const cwd = typeof folder === 'string' ? folder : ''
  if (URL.canParse(subject)) return [subject, `domain:${new URL(subject).hostname}`]
  const path = resolve(cwd, subject)
  const own = relative(cwd, path)
  const local = own.startsWith('..') ? [] : [own, `./${own}`, `/${own}`]
  return [subject, basename(subject), path, `/${path}`, ...local]
}

/** The single commands of a line, without variables that are set in front of them. */
const commandsIn = (line: string): readonly string[] =>
  line.split(/[;&|()\n]+/).map(part => part.trim().replace(/^(?:\w+=\S*\s+)+/, ''))

/** `git *` fits `git`, too. */
function ruleGlob(pattern: string): (text: string) => boolean {
  const whole = pattern.endsWith(' *') ? pattern.slice(0, -2) : undefined
  const fits = globOf(pattern)
  return text => text === whole || fits(text)
}
