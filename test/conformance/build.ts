/** How cases are written down. */
import type { EventName } from '../../src/hooks.ts'
import type { Behaviour } from '../support/external-kit.ts'
import type { Case } from './cases.ts'
import type { Expected } from './expected.ts'

/** A case; where the compat profile says nothing of its own, it is as strict. */
export const the = (event: EventName, name: string, gives: Behaviour, strict: Expected, compat = strict): Case => ({
  event,
  name,
  gives,
  strict,
  compat
})

/** Prints this as JSON and ends well, or with another code. */
export const json = (reply: object, code = 0, stderr = ''): Behaviour => ({
  stdout: JSON.stringify(reply),
  ...(code !== 0 && { code }),
  ...(stderr !== '' && { stderr })
})

/** Prints this and ends well. */
export const text = (stdout: string): Behaviour => ({ stdout })

/** Says this on standard error and ends with a code. */
export const exit = (code: number, stderr = ''): Behaviour => ({ code, ...(stderr !== '' && { stderr }) })

/** A reply whose specific part is this. */
export const specific = (hookEventName: EventName, fields: object): object => ({
  hookSpecificOutput: { hookEventName, ...fields }
})
