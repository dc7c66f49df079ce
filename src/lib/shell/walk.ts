import { resolve } from 'node:path'
import { isChain } from './command-words.ts'
import type { Form } from './form.ts'
import { parseShell, type Leaf, type ShellWord } from './parse.ts'
import { programName } from './programs.ts'
import { formOf } from './read-form.ts'

/** A text for the shell, and its commands in order. */
export interface WalkedText {
  readonly text: string
  /** It is nothing but these commands. */
  readonly isFlat: boolean
  readonly steps: readonly CommandStep[]
}

/** One command, where it may run, and what it runs. */
export interface CommandStep {
  readonly leaf: Leaf
  /** Of the program without its path. */
  readonly form: Form
  readonly isByPath: boolean
  readonly folders: Folders
  readonly inner: readonly CommandStep[]
  readonly texts: readonly WalkedText[]
}

/** All in which a command may run: `cd` may fail, be skipped, or run in a process of its own. Undefined: in any folder. */
export type Folders = readonly string[] | undefined

const DEEPEST = 16
const MOST_LEAVES = 500
const MOST_FOLDERS = 32
/** Words of `cd`, of which only one can be the folder. */
const MOST_WAYS = 8
const TOO_DEEP: WalkedText = { text: '', isFlat: false, steps: [] }

/** Goes through a text in the order in which it runs. `real`: where a path leads from a folder. */
export class Walker {
  folders: Folders
  readonly #real: (path: string, folder: string) => string
  readonly #all = new Set<string>()

  constructor(folder = '/', real = (path: string, from: string): string => resolve(from, path)) {
    this.#real = real
    this.folders = [folder]
    this.#all.add(folder)
  }

  /** Every folder into which a command may go, with and without links on the way. */
  get entered(): ReadonlySet<string> {
    return this.#all
  }

  text(text: string, depth = 0): WalkedText {
    if (depth > DEEPEST) return TOO_DEEP
    const { leaves, flat, readable } = parseShell(text)
    const isFlat = flat && leaves.length > 0 && leaves.length <= MOST_LEAVES
    const isSure = depth === 0 && isChain(text)
    const steps = (readable ? leaves.slice(0, MOST_LEAVES) : []).map(leaf => this.#step(leaf, depth, isSure))
    return { text, isFlat, steps }
  }

  /** A command that is run by another one. */
  command(words: readonly ShellWord[], depth: number): CommandStep {
    return this.#step({ assignments: [], words, redirections: [], fed: false, feeds: false }, depth, false)
  }

  #step(leaf: Leaf, depth: number, isSure: boolean): CommandStep {
    const [program] = leaf.words
    const isByPath = program?.text.includes('/') === true
    const words = isByPath ? [{ ...program, text: programName(program.text) }, ...leaf.words.slice(1)] : leaf.words
    const { folders } = this
    const form = formOf(words)
    const name = words[0]?.text
    const evaluated = name === 'eval' ? words.slice(1) : name === 'trap' ? words.slice(1, 2) : []
    const inner = depth > DEEPEST ? [] : form.commands.map(each => this.command(each, depth + 1))
    const evaluatedText = evaluated.map(({ text }) => text).join(' ')
    const texts = evaluated.length === 0 ? [] : [this.text(evaluatedText, depth + 1)]
    if (inner.length < form.commands.length) texts.push(TOO_DEEP)
    if (/^(?:cd|pushd|popd)$/.test(name ?? '')) this.#enter(words, isSure)
    return { leaf, form, isByPath, folders, inner, texts }
  }

  /**
   * Known is where `cd` leads with one path, without links and without `..` behind a name: there the shell and the
   * kernel read it alike. `isSure`: what follows runs only there, since `cd` did not fail, and not in a process of its own.
   */
  #enter([program, ...words]: readonly ShellWord[], isSure: boolean): void {
    const before = this.folders
    this.folders = undefined
    const from = before ?? [...this.#all]
    const ways = words.slice(0, MOST_WAYS).flatMap(({ text }) =>
      from.slice(0, MOST_FOLDERS).map(folder => {
        const [plain, real, here] = [resolve(folder, text), this.#real(text, folder), this.#real('.', folder)]
        return { plain, real, isSame: real === resolve(here, text) && (here === folder || !text.includes('..')) }
      })
    )
    for (const { plain, real } of ways) this.#all.add(plain).add(real)
    if (before === undefined || before.length > MOST_FOLDERS) return
    const [target, ...others] = words
    if (program?.text !== 'cd' || target?.known !== true || others.length > 0) return
    const down = target.text.replace(/^(?:\.{0,2}(?:\/|$))+/, '')
    if (target.text.startsWith('-') || /(?:^|\/)\.\.(?:\/|$)/.test(down)) return
    if (ways.some(({ isSame }) => !isSame)) return
    this.folders = [...new Set([...(isSure ? [] : before), ...ways.map(({ plain }) => plain)])]
  }
}
