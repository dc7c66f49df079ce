import type { Subject } from '../message.ts'

/** The files in which Linux shows the environment and the memory of a process, also by a pattern that fits them. */
const FILES = /\/proc\b[^]*\b(?:environ|mem)\b|\/proc\/\S*\/(?:e[nviro]*|m[em]*)?[*?[]/
/** `ps` with the letter that makes it print the environment. */
const PS = /(?:^|[\s;&|(`/])ps\s(?:[^;&|\n]*\s)?(?:[acflujwx]*e[acflujwx]*|-\w*E\w*)(?=$|[\s;&|)`])/

/**
 * Why somebody has to be asked, whatever allows it: it names the environment of a process, and that of this one holds
 * credentials. A filter, not a wall: what a command makes up as it runs is not seen.
 */
export function environmentNamed(subject: Subject | undefined): string | undefined {
  const text = subject?.kind === 'command' ? subject.command : subject?.kind === 'file' ? subject.path : ''
  const plain = text.replaceAll(/["'\\]/g, '')
  return FILES.test(plain) || PS.test(plain)
    ? 'it names the environment or the memory of a process, where credentials are'
    : undefined
}
