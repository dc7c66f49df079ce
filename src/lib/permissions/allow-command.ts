import type { CallFacts, Policy, Rule } from './policy.ts'
import { shellWord, trimmed } from '../shell/command-words.ts'
import type { Form } from '../shell/form.ts'
import type { Redirection, ShellWord } from '../shell/parse.ts'
import { NOTHING_ALLOWS, ruleNeeded } from '../shell/only-reads.ts'
import { isProgramOf, programName } from '../shell/programs.ts'
import { formOf } from '../shell/read-form.ts'
import { isHarmlessVariable } from '../shell/variables.ts'
import type { CommandStep, WalkedText } from '../shell/walk.ts'
import { globOf } from '../util/names.ts'
import { commandPattern } from './match-command.ts'
import { walkOf } from './named-paths.ts'
import { CommandPlace } from './command-place.ts'

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

const MOST_STARTS = 1_000

/**
 * Whether rules that allow, and reading in the project, cover each command in a text. A rule without `*` covers exactly
 * what it says. One with `*` covers a command whose form is known to be harmless: the words that the rule does not
 * write out are listed in the row of the program.
 */
export function judgeLeaves(command: string, call: CallFacts, policy: Policy): readonly LeafVerdict[] {
  const rules = allowRulesOf(policy.rules)
  const text = trimmed(command)
  const exact = rules.exact.get(text)
  if (exact !== undefined) return [{ text, decision: 'allow', rule: exact, why: 'a rule is exactly this' }]
  return new Judge(call, policy, rules).text(walkOf(command, policy, call))
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
  /** A command before may have created links, or has written files, or what git takes for a submodule. */
  #isPlanted = false
  #isWritten = false
  #mayNest = false
  #isUnpacked = false

  constructor(call: CallFacts, policy: Policy, rules: AllowRules) {
    this.#call = call
    this.#policy = policy
    this.#rules = rules
  }

  get #mayEdit(): boolean {
    return this.#policy.mode === 'acceptEdits' && !this.#isPlanted
  }

  text({ text, isFlat, steps }: WalkedText): readonly LeafVerdict[] {
    if (!isFlat) return [{ ...asks(text.trim(), NOT_SIMPLE), isWhole: true }]
    return steps.flatMap(step => {
      const verdicts = this.#step(step)
      const forms = formsIn(step)
      this.#isPlanted ||= forms.some(form => form.plants)
      this.#isWritten ||=
        this.#isPlanted ||
        forms.some(({ row, does, writes }) => row !== 'git' && does === 'changes' && writes.length > 0)
      this.#mayNest ||= this.#isPlanted || forms.some(form => form.findsRepositories)
      this.#isUnpacked ||= forms.some(({ row = '', plants }) => plants && UNKNOWN_CONTENT.test(row))
      return verdicts
    })
  }

  #step(step: CommandStep): readonly LeafVerdict[] {
    const { assignments, words, redirections, fed } = step.leaf
    const place = new CommandPlace(step.folders, this.#call, this.#policy)
    const text = textOf([...assignments, ...words])
    const exact = this.#exact([...assignments, ...words], step, fed)
    const isEdit = ({ kind, target }: Redirection): boolean =>
      kind === 'write' && target.known && this.#mayEdit && place.isInside(target.text)
    const target = redirections.find(
      each => !isEdit(each) && (each.kind === 'write' || each.kind === 'both' || !each.target.known)
    )
    if (target !== undefined) return [{ ...asks(text, `it redirects to ${target.target.text}`), isWhole: true }]
    // A pattern in a value stays as it is.
    const odd = assignments.find(word => !isHarmlessVariable(word.text))
    if (exact === undefined && odd !== undefined)
      return [asks(text, `the variable ${odd.text.split('=')[0]} may change what is run`)]
    if (exact === undefined && words.length === 0) return [asks(text, 'it sets a variable for what follows')]
    const verdicts = this.#command(step, exact, { fed, isInner: false })
    const rule = verdicts[0]?.rule
    const files = redirections.flatMap(each => (each.kind === 'read' ? [each.target.text] : []))
    const problem = this.#isPlanted && files.length > 0 ? PLANTED : place.readProblem(files, rule !== undefined)
    if (rule?.specifier !== text && problem !== undefined) return [asks(text, problem)]
    // It may run its input: a rule for it alone would cover any input.
    const isWhole = fed && ownForm(step).isOpaque
    const edits = redirections.some(isEdit)
    if (!edits && !isWhole) return verdicts
    return verdicts.map(each => ({ ...each, ...(edits && { edits }), ...(isWhole && { isWhole }) }))
  }

  /** What the shell expands is not the text that a rule quotes, and what a program runs of its input is not in the rule. */
  #exact(words: readonly ShellWord[], step: CommandStep, fed: boolean): Rule | undefined {
    if (!words.every(({ known }) => known) || (fed && mayRunInput(step))) return undefined
    return this.#rules.exact.get(textOf(words))
  }

  /** `isInner`: another program runs it. */
  #command(
    step: CommandStep,
    exact: Rule | undefined,
    { fed, isInner }: Readonly<Record<'fed' | 'isInner', boolean>>
  ): readonly LeafVerdict[] {
    const { words } = step.leaf
    const text = textOf(words)
    const found = exact ?? this.#exact(words, step, fed)
    if (found !== undefined) return [allows(text, 'a rule is exactly this', found)]
    if (step.folders === undefined) return [asks(text, 'it is not certain in which folder it runs')]
    const form = ownForm(step)
    if (this.#isPlanted && namesPaths(form)) return [asks(text, PLANTED)]
    const place = new CommandPlace(step.folders, this.#call, this.#policy)
    const risk = form.repository === undefined ? undefined : this.#riskOfGit(form, place)
    if (risk !== undefined) return [asks(text, risk)]
    const planted = place.planted(words[0]?.text ?? '', form, isInner)
    const whys: { readonly why: string; readonly once: boolean }[] = []
    for (const rule of rulesFor(text, this.#rules)) {
      const literal = literalWords(rule, text, words)
      if (literal === undefined) continue
      const why = form.doubt(literal) ?? planted ?? problemOf(form, rule, place)
      if (why === undefined)
        return this.#withInner(
          step,
          allows(text, `a rule covers it: ${WORDS[form.does] ?? 'this form is known to be harmless'}`, rule),
          fed
        )
      whys.push({ why, once: form.row === undefined && literal > 0 })
    }
    const hidden = form.deep ? place.secretIn(words.map(each => each.text)) : undefined
    const why = planted ?? ruleNeeded(step) ?? questionOf(form, place) ?? hidden
    if (why !== undefined)
      return [{ ...asks(text, form.isKnown && form.does === 'reads' ? why : NOTHING_ALLOWS), ...whys[0] }]
    const reason = form.does === 'wraps' ? 'it runs the command behind it' : 'it only reads in the project'
    return this.#withInner(step, allows(text, reason), fed)
  }

  /** What commands before it, or it itself, make git run here. */
  #riskOfGit({ repository, plants, findsRepositories }: Form, place: CommandPlace): string | undefined {
    if (this.#isUnpacked || (this.#isWritten && !place.isTop)) return WRITTEN
    if (!this.#mayNest && !plants && !findsRepositories) return undefined
    return place.changeProblem(repository === 'hooks' ? 'hook' : 'driver', plants)
  }

  /** Commands that it runs are judged as if they stood alone. */
  #withInner({ inner, texts }: CommandStep, own: LeafVerdict, fed: boolean): readonly LeafVerdict[] {
    const verdicts = inner.flatMap(each => this.#command(each, undefined, { fed, isInner: true }))
    return [own, ...verdicts, ...texts.flatMap(each => this.text(each))]
  }
}

/** Also of the commands that it runs. */
const formsIn = ({ form, inner, texts }: CommandStep): readonly Form[] => [
  form,
  ...[...inner, ...texts.flatMap(({ steps }) => steps)].flatMap(formsIn)
]

/** It is a shell or an interpreter, or starts one, and is not known to leave its input to known code. */
function mayRunInput(step: CommandStep): boolean {
  const { isKnown, does, inside } = ownForm(step)
  if (isKnown && (does === 'reads' || does === 'changes')) return false
  const isModule = isKnown && does === 'runs' && inside.length === 0
  const names = step.leaf.words.slice(isModule ? 1 : 0).map(({ text }) => programName(text))
  return names.some(name => (['shell', 'interpreter', 'runsInput'] as const).some(kind => isProgramOf(kind, name)))
}

/** Git itself does not go through links. */
const namesPaths = ({ row, reads, writes, inside, patterns }: Form): boolean =>
  row !== 'git' && reads.length + writes.length + inside.length + patterns.length > 0

/** Nothing is known of a program that is named with a path. */
const ownForm = ({ leaf, form, isByPath }: CommandStep): Form => (isByPath ? formOf(leaf.words) : form)

/** What is not true of the place, and must be for this form to be harmless under a rule. */
function problemOf(form: Form, rule: Rule, place: CommandPlace): string | undefined {
  const { does, reads, writes, inside, scripts, fills, merges, repository, remotes, patterns, urls, bins } = form
  const copied = place.copied(form)
  const named = wordsOf(rule)
    .filter(word => /[^*]/.test(word))
    .map(globOf)
  const isNamed = (path: string): boolean => !/(?:^|\/)\.\.(?:\/|$)/.test(path) && named.some(fits => fits(path))
  // What is read from there is nothing.
  const files = [...inside, ...writes, ...copied, ...reads.filter(path => path !== '/dev/null')]
  const addresses = wordsOf(rule).filter(word => word.includes('://'))
  const isOfRule = (url: string): boolean => isNamed(url) && addresses.some(each => hasHostOf(each, url))
  const further = addresses.length > 0 ? urls.find(url => !isOfRule(url)) : undefined
  if (further !== undefined) return `the rule does not contain ${further}`
  const outside = files.find(path => !place.isInside(path) && !isNamed(path))
  if (outside !== undefined) return `${outside} is not in the project`
  if (does !== 'wraps' && !place.isInside('.')) return ELSEWHERE
  const isOfGit = repository !== undefined || remotes.length > 0
  return (
    place.scriptProblem(scripts.filter(path => !wordsOf(rule).includes(path))) ??
    place.binProblem(bins.filter(name => !wordsOf(rule).includes(name))) ??
    place.fillProblem(fills, [...merges, ...copied]) ??
    (isOfGit ? place.repositoryProblem(repository === 'hooks' ? 'hook' : 'driver', remotes) : undefined) ??
    place.patternProblem(patterns)
  )
}

const hostIn = (url: string): string => /:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''

/** A `*` in the host of a rule is no further host, and one behind it does not make it longer. */
function hasHostOf(address: string, url: string): boolean {
  const [pattern, host] = [hostIn(address), hostIn(url)]
  return pattern === '*' || (/^[\w.-]+(?::\d+)?$/.test(host) && globOf(pattern.replace(/\*$/, ''))(host))
}

/** Why it needs a rule here, although its form does not. */
function questionOf({ follows, enters, repository, reads }: Form, place: CommandPlace): string | undefined {
  if (!place.isInside('.')) return ELSEWHERE
  if (follows || (enters && reads.some(path => place.isFolder(path))))
    return 'it follows links, which may lead out of the project'
  const problem = repository === 'config' ? place.repositoryProblem('program', []) : undefined
  return problem ?? place.readProblem(reads)
}

const NOT_SIMPLE = 'it contains more than simple commands: a loop, a function, a substitution or similar'

/** What they put there is neither in the project before, nor by git. */
const UNKNOWN_CONTENT = /^(?:ln|rsync|tar|unzip)$/

const PLANTED = 'a command before it may change where its paths lead'
const WRITTEN = 'a command before it may create a repository here'
const ELSEWHERE = 'it runs in a folder that is not in the project'

const asks = (text: string, why: string): LeafVerdict => ({ text, decision: 'ask', why })

const allows = (text: string, why: string, rule?: Rule): LeafVerdict => ({ text, decision: 'allow', rule, why })

const textOf = (words: readonly ShellWord[]): string => words.map(word => shellWord(word.text)).join(' ')

const WORDS: Partial<Record<Form['does'], string>> = { reads: 'it only reads', runs: 'it runs code of this project' }

const wordsOf = ({ specifier = '' }: Pick<Rule, 'specifier'>): readonly string[] =>
  specifier.replace(/:\*$/, ' *').split(/\s+/)

/** How many words of the command the rule writes out; undefined if the rule does not fit. */
function literalWords({ specifier }: Rule, text: string, words: readonly ShellWord[]): number | undefined {
  if (specifier === undefined || !commandPattern(specifier).fits(text)) return undefined
  const written = wordsOf({ specifier })
  const end = words.findIndex((word, index) => written[index] !== word.text || !word.known || word.text.includes('*'))
  return end === -1 ? words.length : end
}
