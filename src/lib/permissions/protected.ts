import { basename } from 'node:path'
import { parseShell } from '../shell/parse.ts'
import { isGitOf, isProgramOf } from '../shell/programs.ts'
import type { CallFacts, Policy } from './decide.ts'
import { FILE_WRITERS } from '../tool-table.ts'
import { pathsGiven, pathsNamedBy, type PathLookup } from './named-paths.ts'
import { namesOf } from '../util/path-glob.ts'
import { isWithin } from '../world/files/paths.ts'
import { literalNames, patternOf } from './path-pattern.ts'
import { fits } from './rule.ts'

/** Files of a git repository that make later commands run something, or redirect the repository. */
const OF_GIT =
  /^(?:hooks|config|config\.worktree|modules|worktrees|commondir|gitdir|head|info\/(?:attributes|grafts)|objects\/info\/(?:http-)?alternates|rebase-merge\/git-rebase-todo)(?=\/|$)/

/** They control the agent or run something later: written only if a user rule names them. undefined: all. */
const FOLDERS: ReadonlyMap<string, RegExp | undefined> = new Map([
  ['.claude', /^(?:settings[^/]*\.json|hooks|plugins|agents|commands|skills)(?=\/|$)/],
  ['.carabiner', undefined],
  ['.git', OF_GIT],
  ['.husky', undefined],
  ['.ssh', undefined],
  ['.vscode', /^(?:tasks|settings|launch)\.json$/],
  ['.idea', undefined],
  ['.devcontainer', undefined],
  ['.zed', undefined],
  ['.helix', undefined],
  ['.emacs.d', undefined],
  ['.vim', undefined],
  ['.mvn', undefined],
  ['.hg', /^hgrc(?:-not-shared)?$/],
  ['fish', /^(?:config\.fish|conf\.d|functions)(?=\/|$)/]
])
/** The same for folders that hold much else: naming the folder alone matches nothing. */
const SHARED: typeof FOLDERS = new Map([
  ['.bundle', /^config$/],
  ['.cargo', /^config(?:\.toml)?$/],
  ['.yarn', /^(?:plugins|releases)(?=\/|$)/],
  ['.config', /^(?:autostart|direnv|environment\.d|git\/(?:attributes|config)|helix|nvim|pip|systemd|tmux)(?=\/|$)/]
])
const FILES = new Set(
  `.bash_aliases .bash_login .bash_logout .bash_profile .bashrc .bazelrc .claude.json .cshrc .emacs .envrc .exrc .gdbinit
  .gemrc .git .gitconfig .gitmodules .gvimrc .inputrc .irbrc .kshrc .lldbinit .login .mcp.json .npmrc .nvim.lua .nvimrc .pdbrc
  .pnpmfile.cjs .pnpmfile.mjs .profile .pryrc .psqlrc .rprofile .screenrc .tcshrc .tmux.conf .vimrc .xinitrc .xprofile
  .xsession .xsessionrc .yarnrc .yarnrc.yml .zlogin .zlogout
  .zprofile .zshenv .zshrc`.split(/\s+/)
)
const REPOSITORY = ['HEAD', 'objects', 'refs']

const OF_USER = new Set(['.claude', '.carabiner'])

/**
 * The part of a path that is protected: a folder or a file. Upper case is ignored, as some file systems do. If only
 * folders above the project are protected ones, its files are not: the user has chosen to work there. The user's own
 * folders always are.
 */
function protectedPart(
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
    if (index === folded.length - 1) return index >= below && FILES.has(name)
    const rest = folded.slice(index + 1).join('/')
    if (index === atHome && OF_USER.has(name) && (FOLDERS.get(name)?.test(rest) ?? true)) return true
    const isKnown = FOLDERS.has(name) || SHARED.has(name)
    const child = isKnown ? (FOLDERS.get(name) ?? SHARED.get(name)) : OF_GIT
    if (child === undefined) return index + 1 >= below
    const [part] =
      child.exec(rest) ?? (isKnown ? [] : REPOSITORY.filter(each => each.toLowerCase() === folded[index + 1]))
    if (part === undefined || index + 1 + part.split('/').length < below) return false
    return isKnown || isRepository(`/${names.slice(0, index + 1).join('/')}`, part, has)
  })
  return at === -1 ? undefined : `/${names.slice(0, at + 1).join('/')}`
}

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

/** What protects a path from this call. A command that names such a path asks, since its effect there is unknown. */
export function protectionOf(call: CallFacts, policy: Policy): { decision: 'deny' | 'ask'; part: string } | undefined {
  const { subject } = call
  if (subject?.kind === 'command') {
    if (onlyReads(subject.command)) return undefined
    const part = partIn(subject.command, call, policy)
    return part === undefined || isNamed(part, call, policy) ? undefined : { decision: 'ask', part }
  }
  if (subject?.kind === 'file' ? subject.access !== 'write' : !FILE_WRITERS.has(call.tool)) return undefined
  const real = subject?.kind === 'file' ? [subject.path] : []
  const given = [call.input['file_path'], call.input['notebook_path']].filter(path => typeof path === 'string')
  for (const path of pathsGiven([...real, ...given], policy.roots[0] ?? '/', call).paths) {
    const part = protectedPart(path, policy, call.has)
    if (part !== undefined && !isNamed(part, call, policy)) return { decision: 'deny', part }
  }
  return undefined
}

/** A command may also change into the folder first, or move it. */
function partIn(command: string, call: CallFacts, policy: Policy): string | undefined {
  const { paths, unsure } = pathsNamedBy(command, policy, call)
  for (const path of paths) {
    const isFolder = FOLDERS.has(basename(path)) && path.includes('/.')
    const part = protectedPart(path, policy, call.has) ?? (isFolder ? path : undefined)
    if (part !== undefined) return part
  }
  // It may be any of them.
  return unsure?.startsWith('/proc/') === true ? unsure : undefined
}

function onlyReads(command: string): boolean {
  const { leaves, plain } = parseShell(command)
  return (
    plain &&
    leaves.every(({ assignments, words: [program, ...rest], redirections }) => {
      if (assignments.length > 0 || redirections.some(({ kind }) => kind !== 'read' && kind !== 'nowhere')) return false
      if (program === undefined) return true
      if (!program.known || rest.some(({ text, known }) => !known || text.startsWith('--output'))) return false
      return program.text === 'git' ? isGitOf('onlyReads', rest[0]?.text ?? '') : isProgramOf('onlyReads', program.text)
    })
  )
}

/** The user has a rule that allows it and names the place; a rule that merely covers it among others does not count. */
function isNamed(part: string, call: CallFacts, policy: Policy): boolean {
  return policy.rules.some(rule => {
    const { specifier, behavior, ofProject } = rule
    if (specifier === undefined || behavior !== 'allow' || ofProject === true) return false
    if (fits(rule, call, policy) !== 'yes') return false
    if (rule.tool === 'Bash') return specifier.includes(basename(part))
    return patternOf(specifier, policy, false).globs.some(glob => {
      const { literal, rest } = literalNames(glob)
      return isWithin(`/${literal.join('/')}`, part) || rest.includes(basename(part))
    })
  })
}
