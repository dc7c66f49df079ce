const EXIT_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

let session: ((name: string) => void) | undefined
let received: number | undefined

/** From the first line of the program to its exit: a process killed by a signal cannot end its session. */
export function handleSignals(): void {
  for (const name of Object.keys(EXIT_CODES)) process.on(name, handle)
}

/** Waits without handlers: none of our code runs meanwhile, so the system ends the process. */
export function interruptible<T>(wait: () => T): T {
  for (const name of Object.keys(EXIT_CODES)) process.off(name, handle)
  try {
    return wait()
  } finally {
    handleSignals()
  }
}

/** The first signal ends this session in good order, the second ends everything at once. */
export function onSignal(end: (name: string) => void): void {
  session = end
}

export const signalCode = (): number | undefined => received

function handle(name: NodeJS.Signals): void {
  const code = EXIT_CODES[name]
  if (received !== undefined || session === undefined) process.exit(code)
  received = code
  session(name)
}
