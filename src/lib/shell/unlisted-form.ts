import { RUNS_OTHERS } from './rows/properties.ts'
import { INSTALLS, STARTS_OTHERS } from './rows/words.ts'
import { Form } from './form.ts'
import { pathsLeadingOut } from './operand.ts'
import type { ShellWord } from './parse.ts'
import { isProgramOf, programName } from './programs.ts'
import { isOfSystem, programRow } from './row.ts'

/** A shell, which runs its input, or a program that changes what is behind it. */
function mayBeStarted(text: string, isLast: boolean): boolean {
  const name = programName(text)
  return isProgramOf('shell', name) || (!isLast && isOfSystem(name) && programRow(name)?.does !== 'reads')
}

/** A program of which nothing is known. Where a rule names it, plain words are harmless. */
export function unlistedForm(name: string, words: readonly ShellWord[], from: number): Form {
  const form = new Form()
  form.does = 'runs'
  if (RUNS_OTHERS.some(kind => isProgramOf(kind, programName(name))))
    form.add(`${name} runs other programs, and only a rule for exactly this command covers it`)
  const texts = words.map(({ text }) => text)
  const [program, second] = texts
  if (words.length > 2 && INSTALLS.test(` ${second}`))
    form.add(`${name} may install packages, and only a rule that contains ${program} ${second} covers it`, 2)
  const startsOthers = (text: string, index: number): boolean =>
    index > 0 && STARTS_OTHERS.test(index === 1 ? `${program} ${text}` : text)
  const at = texts.slice(0, -1).findLastIndex(startsOthers)
  if (at !== -1) form.add(`${name} may run what it names, and only a rule that contains the name covers it`, at + 2)
  form.add(`${name} is not in the table of programs, and only a rule that contains it covers it`, from)
  const started = words.slice(from).find(({ text }, index, { length }) => mayBeStarted(text, index === length - 1))
  if (started !== undefined) form.add(`${name} may run ${started.text}`)
  for (const [index, { text, known }] of words.entries()) {
    if (index < from) continue
    if (!known || !/^[\w.,:/%^][^\s;&|$`<>(){}'"\\!*?=]*$/.test(text))
      form.add(`${name} is not in the table of programs, and ${text} is not a plain word`, index + 1)
    form.inside.push(...pathsLeadingOut(text))
  }
  return form
}
