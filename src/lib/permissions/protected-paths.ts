import type { PathLookup, Policy } from './policy.ts'
import { OF_GIT, PROTECTED_FILES, PROTECTED_FOLDERS, SECRETS, SHARED } from '../shell/rows/paths.ts'
import { namesOf } from '../util/path-glob.ts'
import { isWithin } from '../world/files/paths.ts'

const REPOSITORY = ['HEAD', 'objects', 'refs']

const OF_USER = new Set(['.claude', '.carabiner', '.codex', '.copilot', '.gemini', '.pi', '.qwen'])

/**
 * The part of a path that is protected: a folder or a file. Upper case is ignored, as some file systems do. If only
 * folders above the project are protected ones, its files are not: the user has chosen to work there. The user's own
 * folders always are.
 */
export function protectedPart(
  path: string,
  { own = [], roots: [root], home }: Policy,
  has: PathLookup['has']
): string | undefined {
  const folder = own.find(each => isWithin(path, each))
  if (folder !== undefined) return folder
  const names = namesOf(path)
  const below = root !== undefined && isWithin(path, root) ? namesOf(root).length : 0
  const atHome = home !== undefined && isWithin(path, home) ? namesOf(home).length : -1
  const folded = names.map(name => name.normalize('NFC').toLowerCase())
  const at = folded.findIndex((name, index) => {
    if (index === folded.length - 1) return index >= below && PROTECTED_FILES.has(name)
    const rest = folded.slice(index + 1).join('/')
    if (index === atHome && OF_USER.has(name) && (PROTECTED_FOLDERS.get(name)?.test(rest) ?? true)) return true
    const isKnown = PROTECTED_FOLDERS.has(name) || SHARED.has(name)
    const child = isKnown ? (PROTECTED_FOLDERS.get(name) ?? SHARED.get(name)) : OF_GIT
    if (child === undefined) return index + 1 >= below
    const [part] =
      child.exec(rest) ?? (isKnown ? [] : REPOSITORY.filter(each => each.toLowerCase() === folded[index + 1]))
    if (part === undefined || index + 1 + part.split('/').length < below) return false
    return isKnown || isRepository(`/${names.slice(0, index + 1).join('/')}`, part, has)
  })
  return at === -1 ? undefined : `/${names.slice(0, at + 1).join('/')}`
}

/** Some files in it are protected, or all of them. */
export const isProtectedFolder = (name: string): boolean =>
  name.startsWith('.') && (PROTECTED_FOLDERS.has(name.toLowerCase()) || SHARED.has(name.toLowerCase()))

function isRepository(folder: string, part: string, has: PathLookup['has']): boolean {
  if (has === undefined) return false
  // With these two, the other parts of a repository may be elsewhere.
  if (part === 'head' || part === 'commondir') {
    if (has(`${folder}/${part === 'head' ? 'commondir' : 'HEAD'}`)) return true
  }
  const missing = REPOSITORY.filter(name => !has(`${folder}/${name}`))
  return missing.length === 0
    ? OF_GIT.test(part)
    : missing.length === 1 && missing[0]!.toLowerCase() === part.split('/')[0]
}

/** What a command does not read without a rule: it may hold credentials, or it controls the agent. */
export const isPrivate = (path: string, policy: Policy, { has }: PathLookup): boolean =>
  SECRETS.test(path) || protectedPart(path, policy, has) !== undefined
