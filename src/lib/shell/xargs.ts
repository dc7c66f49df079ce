import { isProgramOf, programName, runsArguments } from './programs.ts'

const VALUE_OF_XARGS =
  /^(?:-[A-Za-z0]*[ILnPsdEa]|--(?:arg-file|delimiter|max-args|max-chars|max-procs|process-slot-var))$/

/** Its input names the program (`xargs -I{} {} x`), or its program may run its input (`xargs env`). */
export function xargsRunsUnseen(rest: readonly (string | undefined)[]): boolean {
  let at = 0
  while (rest[at]?.startsWith('-') === true) at += VALUE_OF_XARGS.test(rest[at]!) ? 2 : 1
  const program = rest[at]
  if (program === undefined) return false
  const name = programName(program)
  if (runsArguments(name) || isProgramOf('unseen', name)) return true
  const replaced = rest.slice(0, at).map((word = '') => word.replace(/^-[A-Za-z0]*[Ii]|^--replace=?/, ''))
  return ['{}', ...replaced].some(each => each !== '' && program.includes(each))
}
