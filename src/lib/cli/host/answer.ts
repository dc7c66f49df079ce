/** One event of another agent, as its hook receives it. */
export interface HookRequest {
  readonly host: string
  /** The host's name of the event. */
  readonly event: string
  /** What the host wrote to standard input. */
  readonly payload: string
  /** Milliseconds until the answer must be there. */
  readonly deadline: number
}

/** What the hook prints, and how it ends. */
export interface HookAnswer {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Never rejects: what cannot be judged is refused where the event is a gate, in the words of the host. */
export async function answerHook(request: HookRequest): Promise<HookAnswer> {
  throw new Error(request.host)
}
