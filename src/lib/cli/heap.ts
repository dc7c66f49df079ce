/** How V8 collects garbage in this process. */
function setFlags(...flags: readonly string[]): void {
  // Most commands set none, and need not load this.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  for (const flag of flags) setFlagsFromString(`--${flag}`)
}

/**
 * A short run stays small. Much of what is allocated while modules are loaded survives, and by default V8 doubles the
 * young generation each time it sees that. With so little to collect, several threads take longer than one.
 */
export const keepHeapSmall = (): void => setFlags('semi-space-growth-factor=1', 'no-parallel-scavenge')

/**
 * Loads what a provider of models needs of Node. Its code is compiled in advance for V8's default flags; once they are
 * set, it would be compiled again, which takes longer than loading it.
 */
export function loadClient(): void {
  for (const id of ['node:https', 'node:timers/promises']) process.getBuiltinModule(id)
  // Getters that load Node's `fetch` and its streams.
  for (const name of ['Headers', 'TransformStream'] as const) void globalThis[name]
}

/** In a long session, fewer collections matter more. */
export const letHeapGrow = (): void => setFlags('semi-space-growth-factor=2', 'parallel-scavenge')

/**
 * Little of a long file is kept. By default V8 lets garbage accumulate: it grows the young generation, and collects
 * none of it while other threads mark the old one, which takes long if they get no processor. With this little room,
 * code compiled in another thread may wait for a collection, and exit waits for that thread: it must not start.
 */
export const collectOften = (): void =>
  setFlags('no-concurrent-sparkplug', 'optimize-for-size', 'semi-space-growth-factor=1', 'no-separate-gc-phases')
