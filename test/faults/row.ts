/** What a row of the table of faults is made of. */
import type { CommandSpec } from '../../src/external.ts'
import type { FailureKind } from '../../src/hooks.ts'

/** What becomes of an event. The words are explained in docs/failures.md. */
export type Effect =
  | `closed: ${FailureKind}`
  | `open, marked: ${FailureKind}`
  | `noted: ${FailureKind}`
  | 'refused'
  | 'objected'
  | 'allowed'
  | 'allowed, marked'
  | 'no opinion'
  | 'no opinion, marked'
  | 'error'
  | 'the later in order wins'
  | 'judged again'
  | 'not judged again'
  | '–'

type Kind = 'callback' | 'command' | 'prewarmed' | 'worker' | 'http'

interface Effects {
  /** On a gate. */
  readonly strict: Effect
  readonly compat: Effect
  /** On an event that is not a gate; the same in compat, unless stated. */
  readonly elsewhere: Effect
  readonly elsewhereInCompat?: Effect
}

/** What shows the fault: a command, or a worker, as text for a shell or, with `args`, as a program. */
export type Cause = Pick<CommandSpec, 'command' | 'args' | 'env' | 'shell' | 'timeout'>

/** What a server sends that shows the fault, before it closes the connection or, with `stays`, does nothing more. */
export interface Sends {
  readonly sends: string
  readonly stays?: true
}

export interface Fault extends Effects {
  readonly id: string
  readonly fault: string
  readonly kinds: readonly Kind[]
  /** The files in test/ that show it. */
  readonly shown: readonly string[]
  readonly by?: Cause
  readonly server?: Sends
  readonly remark?: string
}

/** A gate closes in strict and stays open in compat; on other events the failure is noted. */
export const failing = (kind: FailureKind): Effects => ({
  strict: `closed: ${kind}`,
  compat: `open, marked: ${kind}`,
  elsewhere: `noted: ${kind}`
})
export const always = (effect: Effect): Effects => ({ strict: effect, compat: effect, elsewhere: effect })
export const REFUSED: Effects = { ...always('refused'), elsewhere: 'objected' }
export const ALLOWED: Effects = { ...always('allowed'), elsewhere: 'no opinion' }

export const PROCESSES = ['command', 'prewarmed'] as const
export const ALL = ['callback', ...PROCESSES, 'worker', 'http'] as const

type Extra = Partial<Pick<Fault, 'by' | 'server' | 'remark'>>

/** Makes the rows of one fault, for these kinds of hooks, shown by these files. */
export const row =
  (id: string, kinds: readonly Kind[], ...shown: readonly string[]) =>
  (fault: string, effects: Effects, extra: Extra = {}): Fault => ({ id, fault, kinds, shown, ...effects, ...extra })

/** By this command. */
export const by = (command: string): Extra => ({ by: { command } })
/** By this line of a worker, which is the answer to the first event. */
export const frame = (rest: string): Extra => by(`read -r event; printf '{"id":1,${rest}\\n'; sleep 60`)
/** By this response of a server. */
export const response = (status: string, body: string, headers = ''): Extra => ({
  server: { sends: `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}` }
})
/** By this program. */
export const program = (command: string, ...args: readonly string[]): Extra => ({ by: { command, args } })
