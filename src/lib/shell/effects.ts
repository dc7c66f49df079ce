import { FINDS_REPOSITORIES, OPENS_EDITOR, PLANTS, UNPACKS } from './rows/words.ts'
import { isHidden, isPattern, type RowReader } from './operand.ts'
import type { ShellWord } from './parse.ts'
import { programName } from './programs.ts'

export interface Operand {
  readonly word: ShellWord
  readonly index: number
}

/** What the words of a command do together. `seen`: its options, and where each was given last. */
export function addEffects(reader: RowReader, operands: readonly Operand[], seen: ReadonlyMap<string, number>): void {
  const { form, name, row } = reader
  if (row.properties.has('copies')) addCopies(reader, operands, seen)
  if (row.properties.has('sweeps')) form.fills.push(...form.writes)
  const options = ` ${[...seen.keys()].join(' ')} `
  if (UNPACKS[name]?.test(options) === true) {
    // Into the folder that an option names, but for what tar finds named before that option.
    const at = Math.max(...['-C', '--directory'].map(each => seen.get(each) ?? -1))
    const isBefore = name === 'tar' && operands.some(({ index }) => index < at)
    form.fills.push(...form.inside, ...(form.inside.length === 0 || isBefore ? ['.'] : []))
  }
  form.plants ||= form.does === 'changes' && PLANTS[name]?.test(options) === true
  form.findsRepositories ||= FINDS_REPOSITORIES.test(name)
  if (OPENS_EDITOR[name]?.test(options) === true) reader.doubt('an editor would be opened')
}

/** Into a folder: each source keeps its name there, or all that is in it is put there. */
function addCopies({ form, doubt }: RowReader, operands: readonly Operand[], seen: ReadonlyMap<string, number>): void {
  const [target = '', ...sources] = operands.map(({ word }) => word.text).toReversed()
  const isWhole = seen.has('-T') || seen.has('--no-target-directory')
  const hasParents = seen.has('--parents')
  for (const source of sources) {
    const isFound = isPattern(source)
    const isMerged = /(?:^|\/)\.{0,2}$/.test(source) || isHidden(source.replace(/[^*?[]+$/, ''))
    const place = isWhole ? target : `${target}/${hasParents ? source : programName(source)}`
    if (isFound && hasParents) doubt('where files are put is not known')
    if (isFound) form.copies.push({ pattern: source, target })
    if (isMerged || isWhole || hasParents) form.fills.push(target)
    if (!isMerged) form.writes.push(place)
    form.merges.push(place)
  }
}
