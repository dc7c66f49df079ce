/** How many different texts are said. */
export const MOST_TEXTS = 100

/** Says each text once, and at most `MOST_TEXTS` of them: a server may make up any number. */
export function sayOnce(say: (text: string) => void): (text: string) => void {
  const said = new Set<string>()
  return text => {
    if (said.has(text) || said.size > MOST_TEXTS) return
    said.add(text)
    say(text)
  }
}

/** Sets a value in a map of at most `most`: of more, the oldest is forgotten. */
export function keepRecent<K, V>(values: Map<K, V>, key: K, value: V, most: number): void {
  values.set(key, value)
  if (values.size > most) for (const oldest of values.keys()) return void values.delete(oldest)
}
