import { HARMLESS, STEERS } from './rows/variables.ts'

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
