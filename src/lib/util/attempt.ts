/** The result of this function; undefined if it throws. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

export const jsonIn = (text: string): unknown => attempt((): unknown => JSON.parse(text))
