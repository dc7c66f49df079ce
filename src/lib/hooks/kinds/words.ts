import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { wordsRead } from '../../shell/command-words.ts'
import { isFile } from '../../world/files/paths.ts'

/** Variables and the home folder, filled in from an environment. */
const expanded = (word: string, env: Readonly<Record<string, string>>): string =>
  word
    .replace(/^~(?=\/|$)/, env['HOME'] ?? '~')
    .replaceAll(/\$\{?(\w+)\}?/g, (whole, name: string) => (Object.hasOwn(env, name) ? env[name]! : whole))

/** All words of a program that may name a file, those of a command line among them. */
function namesIn(words: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set([...words, ...words.flatMap(wordsRead)].map(word => expanded(word, env)))]
}

/** The files that a program and its words name by a path. */
export const scriptsNamedBy = (
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>
): readonly string[] =>
  namesIn(words, env)
    .filter(name => name.includes('/'))
    .map(name => resolve(cwd, name))
    .filter(isFile)

/** The files that a program and its words name: by a path, in its folder, or by a name that is found in PATH. */
export function filesNamedBy(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>
): readonly string[] {
  return namesIn(words, env).flatMap(name => {
    const file = isAbsolute(name) ? name : resolve(cwd, name)
    if (isFile(file)) return [file]
    return name.includes('/') || !/^[\w.+-]+$/.test(name) ? [] : inPath(name, env['PATH'] ?? '')
  })
}

function inPath(name: string, path: string): readonly string[] {
  const folder = path.split(delimiter).find(each => each !== '' && isFile(join(each, name)))
  return folder === undefined ? [] : [join(folder, name)]
}
