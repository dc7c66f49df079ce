import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** Where a plugin lives, and where it may keep data. */
export interface Plugin {
  readonly root: string
  readonly data: string
}

/**
 * `${CLAUDE_PROJECT_DIR}` and the like, filled in. In a shell command only where the path is plain: anything else is
 * left to the shell, which finds it in the environment, so that no path is ever read as a piece of program.
 */
export function filledIn(text: string, paths: Readonly<Record<string, string>>, forShell: boolean): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => {
    const path = Object.hasOwn(paths, name) ? paths[name]! : undefined
    return path === undefined || (forShell && !/^[\w@%+=:,./-]*$/.test(path)) ? whole : path
  })
}

/** The words of a command, roughly as a shell would see them. */
export const wordsIn = (command: string): readonly string[] =>
  command.split(/[\s'"`;&|<>()]+/).filter(word => word !== '')

/**
 * Where a command runs: in the folder of the event. One that names a file of the project by a relative path runs in
 * the project's root, so that a file of the same name elsewhere is never taken for it.
 */
export function folderFor(
  { command, args }: { readonly command: string; readonly args?: readonly string[] | undefined },
  root: string,
  cwd: string | undefined
): string {
  if (cwd === undefined || cwd === root) return root
  const words = args === undefined ? wordsIn(command) : [command, ...args]
  return words.some((word, place) => isOfProject(word, place, root)) ? root : cwd
}

function isOfProject(word: string, place: number, root: string): boolean {
  if (!word.includes('/') || /^[/~$-]|^\w+:/.test(word)) return false
  return place === 0 || /^\.{1,2}\//.test(word) || word.startsWith('.claude/') || existsSync(resolve(root, word))
}
