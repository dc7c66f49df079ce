import { globOf } from '../util/names.ts'
import { commandsHeldBy, type HeldCommand } from '../shell/nested-commands.ts'
import { programName } from '../shell/programs.ts'

/** Whether a rule matches. `maybe`: it cannot be determined. */
export type Fit = 'yes' | 'maybe' | 'no'

class CommandPattern {
  readonly #fits: (text: string) => boolean
  readonly #whole: string | undefined
  /** The name of its program; undefined where a `*` is part of it. */
  readonly #name: string | undefined
  readonly #program: (name: string) => boolean
  readonly #options: ReadonlySet<string>
  readonly #words: readonly string[]
  readonly #leads: (rest: HeldCommand['words']) => boolean

  constructor(specifier: string) {
    const pattern = specifier.trim().replace(/:\*$/, ' *')
    const [program = '', ...rest] = pattern.split(/\s+/)
    const star = program.indexOf('*')
    this.#fits = globOf(pattern)
    this.#whole = pattern.endsWith(' *') ? pattern.slice(0, -2) : undefined
    this.#name = star === -1 ? program : undefined
    this.#program = globOf(star === -1 ? program : program.slice(0, star + 1))
    this.#options = optionsIn(rest)
    this.#words = rest.filter(word => !word.startsWith('-') && !word.includes('*'))
    this.#leads = leadTo(
      rest.filter(word => !word.startsWith('-')),
      star !== -1
    )
  }

  /** `git *` and `git:*` also match `git` alone; `git*` matches `gitk`. Other patterns must match the whole text. */
  fits(text: string): boolean {
    return text === this.#whole || this.#fits(text)
  }

  mayConcern(programs: ReadonlySet<string>): boolean {
    return this.#name === undefined || programs.has(this.#name)
  }

  concerns({ words, start, sure }: HeldCommand): Fit {
    const word = words[start]!
    const own = programName(word)
    let fit: Fit = 'no'
    for (const name of own === word ? [word] : [own, word]) {
      if (!this.#program(name)) continue
      const rest = words.slice(start + 1)
      if (this.fits([name, ...rest.map(each => each ?? '$')].join(' '))) return sure ? 'yes' : 'maybe'
      if (this.#isNear(rest)) fit = 'maybe'
    }
    return fit
  }

  /** The same words with options among them, options in another order or spelling, or words that are not known yet. */
  #isNear(rest: HeldCommand['words']): boolean {
    if (this.#options.size === 0 || rest.includes(undefined)) return this.#leads(rest)
    if (!this.#words.every(word => rest.includes(word))) return false
    const options = Array.from(optionsIn(rest))
    return Array.from(this.#options).every(option => options.some(each => isAlike(option, each)))
  }
}

/** `-rf` is `r` and `f`; `--force` is `force`. */
const optionsIn = (words: HeldCommand['words']): ReadonlySet<string> =>
  new Set(
    words.flatMap((word = '') =>
      word.startsWith('--') ? [word.slice(2).split('=')[0]!] : /^-[^*]/.test(word) ? Array.from(word.slice(1)) : []
    )
  )

/** `-f`, `--force` and `--for` may be the same option. */
const isAlike = (a: string, b: string): boolean =>
  a.length === 1 || b.length === 1 ? a[0]!.toLowerCase() === b[0]?.toLowerCase() : a.startsWith(b) || b.startsWith(a)

const READY = new Map<string, CommandPattern>()

export function commandPattern(specifier: string): CommandPattern {
  let pattern = READY.get(specifier)
  if (pattern === undefined) {
    if (READY.size >= 2_000) READY.clear()
    READY.set(specifier, (pattern = new CommandPattern(specifier)))
  }
  return pattern
}

/** For rules that refuse or ask: any command in the text that may be the one. Limits only make it stricter. */
export function matchesCommand(specifier: string, text: string): Fit {
  const { commands, programs, unsure, over } = commandsHeldBy(text)
  if (over) return 'yes'
  const pattern = commandPattern(specifier)
  let found: Fit = unsure ? 'maybe' : 'no'
  for (const command of pattern.mayConcern(programs) ? commands : []) {
    const fit = pattern.concerns(command)
    if (fit === 'yes') return fit
    if (fit === 'maybe') found = fit
  }
  return found
}

/**
 * For the words after a rule's program: whether a command has them in this order, with options among them. Each option
 * may take the next word as its value, so that `kubectl -n prod delete` is near `kubectl delete`, and `git log push` is
 * not near `git push`. A word that is not known yet may be anything. `open`: anything may come before.
 */
export function leadTo(rule: readonly string[], open: boolean): (words: HeldCommand['words']) => boolean {
  const steps = rule.filter(word => word !== '*').map(word => globOf(word))
  const isOpen = opensOf(rule, open)
  return words => {
    // How many steps may have matched; and those between which an option was seen.
    let [taken, around] = [new Set([0]), new Set<number>()]
    let afterOption = false
    for (const word of words) {
      if (word === undefined) return taken.size + around.size > 0
      if (word.startsWith('-')) {
        for (const step of taken) if (step < steps.length) around.add(step)
        taken = new Set(taken.has(steps.length) ? [steps.length] : [])
      } else {
        const next = (from: ReadonlySet<number>): Set<number> =>
          new Set(
            Array.from(from).flatMap(step => [
              ...(steps[step]?.(word) === true ? [step + 1] : []),
              ...(afterOption || isOpen[step] === true ? [step] : [])
            ])
          )
        ;[taken, around] = [next(taken), next(around)]
      }
      afterOption = word.startsWith('-')
    }
    return around.has(steps.length)
  }
}

/** Whether anything may come before each of the steps, and after the last. */
function opensOf(rule: readonly string[], open: boolean): readonly boolean[] {
  const opens: boolean[] = []
  let isOpen = open
  for (const word of rule) {
    if (word !== '*') opens.push(isOpen)
    isOpen = word.includes('*')
  }
  return [...opens, isOpen]
}
