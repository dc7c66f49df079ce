const last = new Map<string, Promise<unknown>>()

/** Runs this when all that came before it under the same key is done. */
export async function inTurn<T>(key: string, run: () => Promise<T>): Promise<T> {
  const turn = (last.get(key) ?? Promise.resolve()).then(run, run)
  last.set(key, turn)
  try {
    return await turn
  } finally {
    if (last.get(key) === turn) last.delete(key)
  }
}
