import type { PlainObject } from '../../util/plain.ts'

export interface ElicitationRequest {
  readonly message: string
  readonly mode: 'form' | 'url'
  readonly url: string | undefined
  readonly id: string | undefined
  readonly schema: PlainObject | undefined
}

export interface ElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<PlainObject> | undefined
}

/** Asks a person on behalf of a server. No answer means decline. */
export type AskForServer = (server: string, wanted: ElicitationRequest, signal: AbortSignal) => Promise<unknown>
