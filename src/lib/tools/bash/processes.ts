import { startProcess, type OutputListener, type Running } from '../../world/process/process.ts'
import type { ProgramWords } from '../../world/process/shell.ts'
import type { ToolSession } from '../tool.ts'

/** The processes of a session. All of them end with the session. */
export class Processes {
  readonly #running = new Set<Running>()
  readonly #sandbox: ToolSession['sandbox']
  #closed = false

  constructor(sandbox: ToolSession['sandbox']) {
    this.#sandbox = sandbox
  }

  /** Starts a program without input. Throws when the session is over. */
  start(words: ProgramWords, cwd: string, env: Readonly<Record<string, string>>, listener: OutputListener): Running {
    const running = this.startTalk(words, cwd, env, listener)
    running.close()
    return running
  }

  startTalk(
    words: ProgramWords,
    cwd: string,
    env: Readonly<Record<string, string>>,
    listener: OutputListener
  ): Running {
    if (this.#closed) throw new Error('nothing can be started: the session is over')
    // Never through the helper, which ends a program that prints more than a hook may.
    const { isConfined = this.#sandbox?.isForAll === true, ...rest } = words
    const program = { ...rest, cwd, env }
    if (isConfined && this.#sandbox === undefined)
      throw new Error('a rule requires the sandbox, which this session does not have; start another session')
    const running = startProcess(isConfined ? this.#sandbox!.confine(program) : program, listener)
    this.#running.add(running)
    void running.ended.then(() => this.#running.delete(running))
    return running
  }

  async close(): Promise<void> {
    this.#closed = true
    const running = [...this.#running]
    for (const each of running) each.end()
    await Promise.all(running.map(each => each.ended))
  }
}

const known = new WeakMap<ToolSession, Processes>()

export function processesOf(session: ToolSession): Processes {
  let processes = known.get(session)
  if (processes === undefined) {
    const made = (processes = new Processes(session.sandbox))
    known.set(session, made)
    session.onClose(() => made.close())
  }
  return processes
}

export function startProblem({ code, message }: { readonly code: string; readonly message: string }): string {
  return START_FAULTS[code] ?? message
}

const START_FAULTS: Readonly<Record<string, string>> = {
  EMFILE: 'too many files are open in this process (EMFILE); wait until some are closed, or raise `ulimit -n`',
  ENFILE: 'too many files are open on this machine (ENFILE); wait until some are closed',
  EAGAIN: 'there are too many processes (EAGAIN); end some, or raise `ulimit -u`',
  ENOMEM: 'there is not enough memory (ENOMEM); end something and try again',
  E2BIG: 'it is too long for the system (E2BIG); put the text into a file and work with that',
  ENOENT: 'the program or its working folder does not exist (ENOENT)'
}
