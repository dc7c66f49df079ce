import { errorMessage } from '../../errors.ts'

/** A hook that gave no valid answer, and what followed from that. */
export interface Failure {
  readonly by: string
  readonly kind: FailureKind
  readonly message: string
  /** The call was allowed although a gate should close. */
  readonly failedOpen: boolean
  /** In a report: where the hook threw, as `file:line:column`. */
  readonly at?: string | undefined
}

export class HookFailure {
  readonly #kind: FailureKind
  readonly message: string
  readonly thrown: unknown

  constructor(kind: FailureKind, message: string, thrown?: unknown) {
    this.#kind = kind
    this.message = message
    this.thrown = thrown
  }

  get kind(): FailureKind {
    return this.#kind
  }

  /** Anything that was thrown, as a failure. A private name, since a foreign object cannot pretend to have one. */
  static from(error: unknown): HookFailure {
    return HookFailure.#own(error) ?? new HookFailure('threw', errorMessage(error), error)
  }

  static by(kind: FailureKind, error: unknown): HookFailure {
    return HookFailure.#own(error) ?? new HookFailure(kind, errorMessage(error))
  }

  static #own(error: unknown): HookFailure | undefined {
    return typeof error === 'object' && error !== null && #kind in error ? error : undefined
  }
}

export const timeoutMessage = (ms: number): string => `gave no answer within ${ms / 1000} s`

/** How a hook failed. */
export type FailureKind =
  | 'threw'
  | 'timeout'
  | 'budget'
  | 'aborted'
  | 'reply'
  | 'decision'
  | 'rewrite'
  | 'messages'
  // Of hooks outside this process: it could not be started, ended with a code or by a signal, printed what cannot be
  // read, its server or its worker broke down.
  | 'untrusted'
  | 'spawn'
  | 'exit'
  | 'signal'
  | 'output'
  | 'http'
  | 'worker'
