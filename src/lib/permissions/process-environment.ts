import type { Subject } from '../message.ts'
import { pathsNamedBy, type PathLookup } from './named-paths.ts'
import type { RulePlaces } from './path-pattern.ts'

/** The files in which Linux shows the environment and the memory of a process, also by a pattern that fits them. */
const FILES = /\/proc\b[^]*\b(?:environ|mem)\b|\/proc\/\S*\/(?:e[nviro]*|m[em]*)?[*?[]/
/** `ps` with the letter that makes it print the environment. */
const PS = /(?:^|[\s;&|(`/])ps\s(?:[^;&|\n]*\s)?(?:[acflujwx]*e[acflujwx]*|-\w*E\w*)(?=$|[\s;&|)`])/

/** The same, once links were followed. */
const REAL_FILES = /^\/proc\/.*\/(?:environ|mem)$/

/**
 * Why somebody has to be asked, whatever allows it: it names the environment of a process, and that of this one holds
 * credentials. A filter, not a wall: what a command makes up as it runs is not seen.
 */
export function environmentNamed(
  subject: Subject | undefined,
  places: RulePlaces = { roots: [] },
  ground: PathLookup = {}
): string | undefined {
  const text = subject?.kind === 'command' ? subject.command : subject?.kind === 'file' ? subject.path : ''
  const plain = text.replaceAll(/["'\\]/g, '')
  const isNamed =
    FILES.test(plain) || PS.test(plain) || (subject?.kind === 'command' && leadsThere(text, places, ground))
  return isNamed ? 'it names the environment or the memory of a process, where credentials are' : undefined
}

function leadsThere(command: string, places: RulePlaces, ground: PathLookup): boolean {
  if (ground.real === undefined) return false
  const { paths, unsure = '' } = pathsNamedBy(command, places, ground)
  return REAL_FILES.test(unsure) || [...paths].some(path => REAL_FILES.test(path))
}
