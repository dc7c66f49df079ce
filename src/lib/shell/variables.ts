import { isProgramOf } from './programs.ts'
import { programRow } from './row.ts'
import { HARMLESS, OF_READERS, OF_SHELL, STEERS } from './rows/variables.ts'

/** `NAME=value`, `NAME+=value`, `NAME[1]=value`. */
export const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*(?:\[.*\])?\+?=/s.test(word)

export const isHarmlessVariable = (assignment: string): boolean =>
  HARMLESS.test(assignment) && !/=(?:.*\.\.|[/.-])/.test(assignment)

/** A variable may make another program run: by its name, or because its value is text, a path or an option. */
export const mayRunText = (assignment: string): boolean => {
  const [, name = '', value = ''] = /^(\w+)(?:\[.*\])?\+?=(.*)$/s.exec(assignment) ?? [undefined, assignment]
  return STEERS.test(name) || (!isHarmlessVariable(assignment) && !/^[\w.,:@+%][\w.,:@+%-]*$|^$/.test(value))
}

export const steers = (text: string): boolean => STEERS.test(/^\w+/.exec(text)?.[0] ?? '')

/**
 * Whether a command gets a variable of the environment: not if it would mean something else than it says, by a setting
 * of the shell or a function in the place of a known program; for one that only reads, nor if programs would do more.
 */
export function isInherited([name, value]: readonly [string, string], onlyReads: boolean): boolean {
  const [, held] = /^BASH_FUNC_(.+)(?:%%|\(\))$/s.exec(name) ?? []
  if (held !== undefined) return !onlyReads && !isProgramOf('builtIn', held) && programRow(held) === undefined
  return !OF_SHELL.test(`${name}=${value}`) && !(onlyReads && OF_READERS.test(name))
}
