import { resolve } from 'node:path'
import { folderOfCd, isChain } from './command-words.ts'
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
const TOO_DEEP: WalkedText = { text: '', isFlat: false, steps: [] }

/** Goes through a text in the order in which it runs. `real`: where a path leads from a folder, for `cd -P`. */
export class Walker {
  folders: Folders
  readonly #real: (path: string, folder: string) => string
  readonly #all = new Set<string>()

  constructor(folder = '/', real = (path: string, from: string): string => resolve(from, path)) {
    this.#real = real
    this.folders = [folder]
  }

  /** Every folder into which a command goes. */
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
    const texts = [...form.texts, ...(evaluated.length === 0 ? [] : [evaluated.map(({ text }) => text).join(' ')])]
    const inner = depth > DEEPEST ? [] : form.commands.map(each => this.command(each, depth + 1))
    const walked = texts.map(text => this.text(text, depth + 1))
    if (inner.length < form.commands.length) walked.push(TOO_DEEP)
    if (name === 'cd' || name === 'pushd') this.#enter(words, isSure && name === 'cd')
    return { leaf, form, isByPath, folders, inner, texts: walked }
  }

  /** `isSure`: what follows runs only there, since `cd` did not fail, and not in a process of its own. */
  #enter(words: readonly ShellWord[], isSure: boolean): void {
    const { target, isPhysical } = folderOfCd(words)
    const before = this.folders
    if (target === undefined || before === undefined || before.length > MOST_FOLDERS) this.folders = undefined
    else {
      const next = before.map(folder => (isPhysical ? this.#real(target, folder) : resolve(folder, target)))
      for (const folder of next) this.#all.add(folder)
      this.folders = [...new Set(isSure ? next : [...before, ...next])]
    }
  }
}
