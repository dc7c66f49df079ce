/** The result of this function; undefined if it throws. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

export const jsonIn = (text: string): unknown => attempt((): unknown => JSON.parse(text))

/** Uses a value at once where it is there, and else when it comes: what is synchronous stays so, and costs no promise. */
export const after = <T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(use) : use(value)
