/**
 * Names are found where they are looked for. An exported name is declared in one file of src/, so that searching for it
 * leads to one place; files and declarations have names of the field, not those on the lists below.
 *
 * A declaration whose comment says `@deprecated` may keep its old name: it is there for one more version.
 */
import { basename } from 'node:path/posix'
import { moduleOf, sourceFiles } from './check-imports.ts'
import { syntaxOf, type Syntax } from './syntax.ts'

/** Names that no file of src/ has. */
const FILES = new Set(
  (
    'given told shown life said heard spoken named owned covered chosen standing armed force owners grants word-order ' +
    'opaque held-commands patience hub late tidy handover pen paper places telling ground remembered first-message'
  ).split(' ')
)

/** Names that no file of one module has, because they say something else there. */
const FILES_OF: Readonly<Record<string, readonly string[]>> = {
  permissions: ['turns'],
  tools: ['turns', 'search', 'names'],
  model: ['draft', 'finish'],
  query: ['place', 'follow']
}

/** Names that nothing declares. */
const NAMES = new Set(
  (
    'isHearsay isWork isBeyondTelling Lane Hub Outside Standing Rare ' +
    'Ground Patience Grants Pen Paper Remembered Tidy Handover'
  ).split(' ')
)

/** No type and no function is named by a participle alone: it does not say of what. */
const PARTICIPLES = new Set('given told said shown heard spoken named owned covered chosen standing armed'.split(' '))

/** Names that no function of these modules has: a session has one port for each of those it writes to. */
const VERBS = new Set('heed say tell inform note record'.split(' '))
const MODULES_WITH_PORTS = new Set(['agent', 'query'])

/** Words for people that good documentation does not use. */
const PHRASES =
  /\b(?:somebody|nobody|whoever|anybody|everybody|goes on|so many|let pass|(?:is|are) told|what is none|that which)\b/gi

/** Phrases on that list in comments, sentences and documents (path → text). */
export function phrasesIn(texts: ReadonlyMap<string, string>): readonly string[] {
  return Array.from(texts).flatMap(([path, text]) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        Array.from(line.matchAll(PHRASES), ([phrase]) => `${path}:${index + 1} says "${phrase}": use plain English`)
      )
  )
}

/** The trees of these files (path → text). */
export const syntaxIn = (files: ReadonlyMap<string, string>): ReadonlyMap<string, Syntax> =>
  new Map(Array.from(files, ([path, text]) => [path, syntaxOf(path, text)]))

/** What is wrong with the names in these files, one sentence each. */
export function problemsIn(files: ReadonlyMap<string, string>): readonly string[] {
  const syntax = syntaxIn(files)
  return [...homonymsIn(syntax), ...oldFilesIn([...files.keys()]), ...oldNamesIn(syntax), ...participlesIn(syntax)]
}

/** Exported names that are declared in more than one file. */
export function homonymsIn(syntax: ReadonlyMap<string, Syntax>): readonly string[] {
  const places = new Map<string, Set<string>>()
  for (const [path, { exported }] of syntax)
    for (const { name } of exported) places.set(name, (places.get(name) ?? new Set()).add(path))
  return Array.from(places)
    .filter(([, { size }]) => size > 1)
    .map(([name, paths]) => `${name} is exported by ${paths.size} files: ${[...paths].toSorted().join(', ')}`)
    .toSorted()
}

/** Files whose name is on the lists. */
export function oldFilesIn(paths: readonly string[]): readonly string[] {
  return paths
    .filter(path => {
      const name = basename(path, '.ts')
      return FILES.has(name) || (FILES_OF[moduleOf(path) ?? ''] ?? []).includes(name)
    })
    .map(path => `${path}: name the file after its subject`)
    .toSorted()
}

/** Types and functions that are named by a participle alone. Types are those in PascalCase. */
export function participlesIn(syntax: ReadonlyMap<string, Syntax>): readonly string[] {
  return Array.from(syntax).flatMap(([path, { declared }]) =>
    declared
      .filter(({ name, isCallable, isDeprecated }) => !isDeprecated && (isCallable || /^[A-Z][a-z]/.test(name)))
      .filter(({ name }) => !NAMES.has(name) && PARTICIPLES.has(name.toLowerCase()))
      .map(({ name, line }) => `${path}:${line} declares ${name}: say of what, or what it does`)
  )
}

/** Declarations whose name is on the lists. */
export function oldNamesIn(syntax: ReadonlyMap<string, Syntax>): readonly string[] {
  return Array.from(syntax).flatMap(([path, { declared }]) => {
    const verbs = MODULES_WITH_PORTS.has(moduleOf(path) ?? '') ? VERBS : new Set()
    return declared
      .filter(({ isDeprecated }) => !isDeprecated)
      .filter(({ name, isCallable }) => NAMES.has(name) || (isCallable && verbs.has(name)))
      .map(({ name, line }) => `${path}:${line} declares ${name}: name it after what it is or does`)
  })
}

if (import.meta.main) {
  const files = await sourceFiles('.')
  const problems = problemsIn(files)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  else console.log(`exported names of ${files.size} files are unique`)
}
