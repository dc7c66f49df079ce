import type { CallFacts, Policy, Rule } from './policy.ts'
import { delimiter, join, resolve } from 'node:path'
import { folderOfCd, isChain, shellWord } from '../shell/command-words.ts'
import type { Form } from '../shell/form.ts'
import { formOf } from '../shell/read-form.ts'
import { parseShell, type Leaf, type Redirection, type ShellWord } from '../shell/parse.ts'
import { isProgramOf } from '../shell/programs.ts'
import { isHarmlessVariable } from '../shell/variables.ts'
import { isWithin } from '../world/files/paths.ts'
import type { RepositoryFacts } from '../world/files/repository.ts'
import { FILE_READERS, FILE_WRITERS } from '../tool-table.ts'
import { globOf } from '../util/names.ts'
import { pathOf, patternOf } from './path-pattern.ts'
import { commandPattern } from './match-command.ts'
import { wayTo } from './named-paths.ts'
import { isPrivate } from './protected-paths.ts'

/** One simple command of a text, and what becomes of it. */
export interface LeafVerdict {
  readonly text: string
  readonly decision: 'allow' | 'ask'
  /** The rule that allows it; undefined where none does, or where it only reads in the project. */
  readonly rule?: Rule | undefined
  readonly why: string
  /** A rule names its program, of which nothing else is known: the answer to a question about it counts for the session. */
  readonly once?: boolean
  /** Mode acceptEdits allows the file that it writes. */
  readonly edits?: boolean
  /** No rule for this command alone should allow it: it redirects, may run its input, or is more than a list of commands. */
  readonly isWhole?: true
}

const DEEPEST = 8
const MOST_LEAVES = 100
const MOST_FOLDERS = 16
const MOST_STARTS = 1_000

/**
 * Whether rules that allow, and reading in the project, cover each command in a text. A rule without `*` covers exactly
 * what it says. One with `*` covers a command whose form is known to be harmless: the words that the rule does not
 * write out are listed in the row of the program.
 */
export function judgeLeaves(command: string, call: CallFacts, policy: Policy): readonly LeafVerdict[] {
  const rules = allowRulesOf(policy.rules)
  const exact = rules.exact.get(command.trim())
  if (exact !== undefined)
    return [{ text: command.trim(), decision: 'allow', rule: exact, why: 'a rule is exactly this' }]
  return new Judge(call, policy, rules).text(command, 0)
}

interface AllowRules {
  /** Without a `*`, by what they say. */
  readonly exact: ReadonlyMap<string, Rule>
  readonly open: readonly Rule[]
  /** Those of `open` that may fit a command which starts with this word. */
  readonly byStart: Map<string, readonly Rule[]>
}

const READY = new WeakMap<readonly Rule[], AllowRules>()

function allowRulesOf(rules: readonly Rule[]): AllowRules {
  let ready = READY.get(rules)
  if (ready === undefined) {
    const exact = new Map<string, Rule>()
    const open: Rule[] = []
    for (const rule of rules) {
      const { behavior, tool, specifier } = rule
      if (behavior !== 'allow' || tool !== 'Bash' || specifier === undefined) continue
      if (specifier.includes('*')) open.push(rule)
      else if (!exact.has(specifier)) exact.set(specifier, rule)
    }
    READY.set(rules, (ready = { exact, open, byStart: new Map() }))
  }
  return ready
}

function rulesFor(text: string, { open, byStart }: AllowRules): readonly Rule[] {
  const start = text.split(' ', 1)[0]!
  let found = byStart.get(start)
  if (found === undefined) {
    if (byStart.size >= MOST_STARTS) byStart.clear()
    found = open.filter(({ specifier = '' }) => commandPattern(specifier).mayConcern(new Set([start])))
    byStart.set(start, found)
  }
  return found
}

class Judge {
  readonly #call: CallFacts
  readonly #policy: Policy
  readonly #rules: AllowRules
  /** A command may run in any of these: `cd` may fail, be skipped, or run in a subshell such as that of a pipe. */
  #folders: readonly string[]
  /** Nothing but `&&` joins the commands: each runs only after a `cd` in front of it. */
  #isChain = false
  /** The command is not run by another one, such as `timeout`, in a process of its own. */
  #isDirect = true

  constructor(call: CallFacts, policy: Policy, rules: AllowRules) {
    this.#call = call
    this.#policy = policy
    this.#rules = rules
    this.#folders = [call.cwd ?? policy.roots[0] ?? '/']
  }

  text(text: string, depth: number): readonly LeafVerdict[] {
    const { leaves, flat } = parseShell(text)
    if (!flat || depth > DEEPEST || leaves.length === 0 || leaves.length > MOST_LEAVES)
      return [
        {
          ...asks(text.trim(), 'it contains more than simple commands: a loop, a function, a substitution or similar'),
          isWhole: true
        }
      ]
    if (depth === 0) this.#isChain = isChain(text)
    return leaves.flatMap(leaf => this.#leaf(leaf, depth))
  }

  #leaf({ assignments, words, redirections, fed }: Leaf, depth: number): readonly LeafVerdict[] {
    const text = [...assignments, ...words].map(word => shellWord(word.text)).join(' ')
    // A pattern in a value stays as it is.
    const odd = assignments.find(word => !isHarmlessVariable(word.text))
    const exact = this.#rules.exact.get(text)
    const files = redirections.filter(({ kind }) => kind === 'read').map(({ target }) => target)
    const isEdit = ({ kind, target }: Redirection): boolean =>
      kind === 'write' && target.known && this.#policy.mode === 'acceptEdits' && this.#isInside(target.text)
    const edits = redirections.filter(isEdit)
    const target = redirections.find(
      each => !isEdit(each) && (each.kind === 'write' || each.kind === 'both' || !each.target.known)
    )
    if (target !== undefined) return [{ ...asks(text, `it redirects to ${target.target.text}`), isWhole: true }]
    if (exact === undefined && odd !== undefined)
      return [asks(text, `the variable ${odd.text.split('=')[0]} may change what is run`)]
    const verdicts =
      words.length === 0
        ? [{ text, decision: 'allow' as const, why: 'it sets a harmless variable' }]
        : this.#command(words, exact, depth)
    const rule = verdicts[0]?.rule
    const problem = this.#readProblem(
      files.map(file => file.text),
      rule !== undefined
    )
    if (rule?.specifier !== text && problem !== undefined) return [asks(text, problem)]
    // It may run its input: a rule for it alone would cover any input.
    const isWhole = fed && formOf(words).isOpaque
    if (edits.length === 0 && !isWhole) return verdicts
    return verdicts.map(each => ({ ...each, ...(edits.length > 0 && { edits: true }), ...(isWhole && { isWhole }) }))
  }

  #command(words: readonly ShellWord[], exact: Rule | undefined, depth: number): readonly LeafVerdict[] {
    const text = words.map(word => shellWord(word.text)).join(' ')
    if (this.#folders.length > MOST_FOLDERS) return [asks(text, 'it is not certain in which folder it runs')]
    const found = exact ?? this.#rules.exact.get(text)
    if (found !== undefined) return this.#allowed(text, found, 'a rule is exactly this', words)
    const whys: { readonly why: string; readonly once: boolean }[] = []
    for (const rule of rulesFor(text, this.#rules)) {
      const literal = literalWords(rule, text, words)
      if (literal === undefined) continue
      const form = formOf(words)
      const why =
        form.doubt(literal) ?? this.#planted(words, form) ?? this.#problem(form, rule) ?? this.#patternProblem(form.patterns)
      if (why === undefined)
        return this.#inner(form, this.#allowed(text, rule, `a rule covers it: ${describe(form)}`, words), depth)
      whys.push({ why, once: form.row === undefined && literal > 0 })
    }
    const form = formOf(words)
    const why = form.doubt() ?? this.#planted(words, form) ?? this.#questionOf(form)
    if (why !== undefined) return [{ ...asks(text, form.isKnown && form.does === 'reads' ? why : NOTHING_ALLOWS), ...whys[0] }]
    const reason = form.does === 'wraps' ? 'it runs the command behind it' : 'it only reads in the project'
    return this.#inner(form, this.#allowed(text, undefined, reason, words), depth)
  }

  /**
   * A program of the project that `PATH` puts in the place of one of the system: nothing is known about it. Environments
   * of Python do so with interpreters and `pip`.
   */
  #planted([program]: readonly ShellWord[], { row, does }: Form): string | undefined {
    const { searchPath = '', has } = this.#call
    const name = program?.text ?? ''
    if (row === undefined || does === 'runs' || name.includes('/') || isProgramOf('builtIn', name)) return undefined
    if (isProgramOf('interpreter', name) || name.startsWith('pip')) return undefined
    const entries = searchPath.split(delimiter)
    const files = entries.flatMap(entry => this.#folders.map(folder => resolve(folder, entry, name)))
    const isOurs = (path: string): boolean => this.#policy.roots.some(root => isWithin(path, root))
    const own = files.find(path => isOurs(path) && has?.(path) === true)
    if (own === undefined || !files.some(path => !isOurs(path) && has?.(path) === true)) return undefined
    return `PATH leads to ${own}, which is not the usual ${name}`
  }

  /** Why it needs a rule, although its form is known. */
  #questionOf(form: Form): string | undefined {
    if (form.does === 'wraps') return undefined
    if (form.does !== 'reads') return NOTHING_ALLOWS
    // It prints the names of what is found, and no contents.
    if (form.row === 'ls' && form.patterns.length > 0) return this.#patternProblem(form.patterns)
    if (form.patterns[0] !== undefined) return `${form.patterns[0]} is a pattern`
    if (form.follows) return 'it follows links, which may lead out of the project'
    const program = form.repository === 'config' ? this.#repositories.find(each => each.program)?.program : undefined
    return program === undefined ? this.#readProblem(form.reads) : `git would run ${program}`
  }

  #allowed(text: string, rule: Rule | undefined, why: string, words: readonly ShellWord[]): LeafVerdict[] {
    if (words[0]?.text === 'cd') {
      const { target = this.#policy.home ?? '/', isPhysical } = folderOfCd(words)
      const isSure = this.#isChain && this.#isDirect
      const next = this.#folders.flatMap(folder => [
        ...(isSure ? [] : [folder]),
        isPhysical ? (this.#call.real?.(target, folder).path ?? '/') : resolve(folder, target)
      ])
      this.#folders = [...new Set(next)]
    }
    return [{ text, decision: 'allow', rule, why }]
  }

  /** Commands that it runs are judged as if they stood alone. */
  #inner({ commands, texts }: Form, own: LeafVerdict[], depth: number): readonly LeafVerdict[] {
    if (commands.length + texts.length === 0) return own
    const wasDirect = this.#isDirect
    this.#isDirect = false
    const inner = commands.flatMap(words =>
      depth > DEEPEST ? [asks('', 'it is nested too deeply')] : this.#command(words, undefined, depth + 1)
    )
    const all = [...own, ...inner, ...texts.flatMap(text => this.text(text, depth + 1))]
    this.#isDirect = wasDirect
    return all
  }

  /** What is not true of the place, and must be for this form to be harmless. */
  #problem({ does, reads, writes, inside, fills, repository, remotes }: Form, rule: Rule): string | undefined {
    const named = wordsOf(rule)
      .filter(word => /[^*]/.test(word))
      .map(globOf)
    const isNamed = (path: string): boolean => !/(?:^|\/)\.\.(?:\/|$)/.test(path) && named.some(fits => fits(path))
    // What is read from there is nothing.
    const files = [...inside, ...writes, ...reads.filter(path => path !== '/dev/null')]
    const outside = files.find(path => !this.#isInside(path) && !isNamed(path))
    if (outside !== undefined) return `${outside} is not in the project`
    if (does === 'runs' && !this.#isInside('.')) return 'it runs in a folder that is not in the project'
    const filled = fills.find(path => this.#real(path).some(each => this.#isSensitive(each)))
    if (filled !== undefined) return `what it writes in ${filled} may control the agent or run later`
    if (repository === undefined && remotes.length === 0) return undefined
    const fact = repository === 'hooks' ? 'hook' : 'driver'
    const hook = this.#repositories.find(each => each[fact])?.[fact]
    if (hook !== undefined) return `git would run ${hook}`
    const problems = this.#repositories.flatMap(each => remotes.map(remote => each.remoteProblem(remote)))
    return problems.find(problem => problem !== undefined)
  }

  /** Files with names that have an effect are looked for there. */
  #isSensitive(folder: string): boolean {
    const { roots } = this.#policy
    return roots.some(root => isWithin(root, folder)) || this.#call.has?.(join(folder, '.git')) === true
  }

  /** What a pattern finds must be in the project, and in no folder that a rule about files names. */
  #patternProblem(patterns: readonly string[]): string | undefined {
    const folderOf = (pattern: string): string => pattern.slice(0, pattern.search(/[*?[]/)).replace(/[^/]*$/, '') || '.'
    const found = patterns.find(pattern => {
      if (/[*?[].*\/\.\.(?:\/|$)/s.test(pattern) || !this.#isInside(folderOf(pattern))) return true
      const folders = this.#real(folderOf(pattern)).map(pathOf)
      return this.#policy.rules.some(({ behavior, tool, specifier }) => {
        if (behavior === 'allow' || specifier === undefined || !(FILE_READERS.has(tool) || FILE_WRITERS.has(tool)))
          return false
        const { fits, isBelow } = patternOf(specifier, this.#policy, true)
        return folders.some(folder => fits(folder) || isBelow(folder, this.#call.has))
      })
    })
    return found && `what ${found} finds may not be in the project, or in a folder that a rule names`
  }

  /** `isCovered`: a rule allows the program. */
  #readProblem(paths: readonly string[], isCovered = false): string | undefined {
    const outside = paths.find(path => !this.#isInside(path))
    if (outside !== undefined) return `${outside} is not in the project`
    if (isCovered) return undefined
    const hidden = paths.find(path => this.#real(path).some(each => isPrivate(each, this.#policy, this.#call)))
    return hidden === undefined ? undefined : `${hidden} may hold credentials or control the agent`
  }

  get #repositories(): readonly RepositoryFacts[] {
    const { repository } = this.#call
    return repository === undefined ? [] : this.#folders.map(folder => repository(folder))
  }

  #real(path: string): readonly string[] {
    return this.#folders.map(folder => wayTo(path, folder, this.#call).path)
  }

  #isInside(path: string): boolean {
    if (this.#folders.some(folder => !wayTo(path, folder, this.#call).sure)) return false
    return this.#real(path).every(real => this.#policy.roots.some(root => isWithin(real, root)))
  }
}

export const NOTHING_ALLOWS = 'nothing allows it'

const asks = (text: string, why: string): LeafVerdict => ({ text, decision: 'ask', why })

const describe = ({ does }: Form): string =>
  does === 'reads'
    ? 'it only reads'
    : does === 'runs'
      ? 'it runs code of this project'
      : 'this form is known to be harmless'

const wordsOf = ({ specifier = '' }: Pick<Rule, 'specifier'>): readonly string[] =>
  specifier.replace(/:\*$/, ' *').split(/\s+/)

/** How many words of the command the rule writes out; undefined if the rule does not fit. */
function literalWords({ specifier }: Rule, text: string, words: readonly ShellWord[]): number | undefined {
  if (specifier === undefined || !commandPattern(specifier).fits(text)) return undefined
  const written = wordsOf({ specifier })
  const end = words.findIndex((word, index) => written[index] !== word.text || !word.known || word.text.includes('*'))
  return end === -1 ? words.length : end
}
