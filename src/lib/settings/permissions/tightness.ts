/** `plan` and `dontAsk` each refuse what the other allows: neither is tighter. */
const TIGHTNESS: ReadonlyMap<string, number> = new Map([
  ['bypassPermissions', 0],
  ['acceptEdits', 1],
  ['default', 2],
  ['plan', 3],
  ['dontAsk', 3]
])

/** An unknown mode is never tighter. */
export const isTighter = (mode: string, than: string): boolean =>
  (TIGHTNESS.get(mode) ?? 0) > (TIGHTNESS.get(than) ?? Infinity)

export const isWithinPolicy = (mode: string, managed: string | undefined): boolean =>
  managed === undefined || mode === managed || isTighter(mode, managed)
