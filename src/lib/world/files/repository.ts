import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { attempt } from '../../util/attempt.ts'
import { FileFinder } from './file-finder.ts'
import { configEntries, fileText, IDLE_KEYS, isPlainEntry, type ConfigEntries } from './git-config.ts'
import { linksInIndex } from './git-index.ts'
import {
  ifThere,
  isFile,
  isFolder,
  isLink,
  isProgram,
  isThere,
  isWithin,
  kindOf,
  namesInFolder,
  realPath
} from './paths.ts'

/** What git would run in a folder besides itself, by its configuration, attributes and hooks. */
export interface RepositoryFacts {
  /** What makes reading commands run a program: a key of the configuration, an attribute, a repository in disguise. */
  readonly program: string | undefined
  /** The same without keys that name programs for a terminal or for other commands: where a rule names git. */
  readonly driver: string | undefined
  /** A driver, a hook or a signing program that commands which change the repository would run. */
  readonly hook: string | undefined
  /** Why pushing to or fetching from a remote may run something. */
  remoteProblem(remote: string): string | undefined
  /** What git would run if its index changes, and named repositories that are there: any below, and those of submodules. */
  nestedProblem(fact: 'driver' | 'hook'): string | undefined
  /** A folder of hooks among the files that a commit may contain. */
  readonly hookFolder: string | undefined
}

const SIGNS = /^(?:commit|tag|push)\.gpgsign$/

const DEEPEST = 8

export function repositoryFacts(folder: string, depth = 0): RepositoryFacts {
  const real = realPath(folder)
  const git = gitFolder(real)
  if (git === undefined) return NO_REPOSITORY
  return git.isHidden ? factsOfUnknown(`what ${git.own} says: it is a repository`) : factsOf(git, real, depth)
}

function isPlain([key, value]: ConfigEntries[number], { own, top }: GitFolder): boolean {
  return key === 'core.worktree' ? realPath(value, realPath(own)) === top : isPlainEntry([key, value])
}

function factsOf(git: GitFolder, real: string, depth: number): RepositoryFacts {
  const local = [`${git.common}/config`, `${git.own}/config.worktree`].flatMap(configEntries)
  const global = [join(homedir(), '.gitconfig'), join(homedir(), '.config/git/config')].flatMap(configEntries)
  const keys = local.filter(entry => !isPlain(entry, git))
  const signs = [...global, ...local].find(([key, value]) => SIGNS.test(key) && value !== 'false')?.[0]
  const folders = hookFolders(git, [...global, ...local])
  const hooks = folders.flatMap(hooksIn)
  const within = depth < DEEPEST ? submodulesOf(git) : undefined
  const nested = within?.map(each => repositoryFacts(each, depth + 1)) ?? [
    factsOfUnknown(`what the index of ${git.top} says`)
  ]
  // Commands that only read may refresh the index.
  const always =
    attributeIn(git, real, global) ??
    borrowedIn(git) ??
    hooks.find(file => file.endsWith('/post-index-change')) ??
    nested.find(each => each.program)?.program
  const driver =
    keys.find(([key]) => !IDLE_KEYS.test(key))?.[0] ??
    always ??
    hooks.find(file => file.endsWith('/reference-transaction'))
  return {
    program: keys[0]?.[0] ?? always,
    driver,
    hook:
      hooks[0] ??
      keys.find(([key]) => key === 'core.hookspath')?.[0] ??
      signs ??
      driver ??
      nested.find(each => each.hook)?.hook,
    remoteProblem: remote => remoteProblem(remote, git, local),
    nestedProblem: fact => repositoriesBelow(git, depth).find(each => each[fact])?.[fact],
    hookFolder: folders.find(each => isWithin(each, git.top) && !isWithin(each, realPath(git.common)))
  }
}

const factsOfUnknown = (words: string): RepositoryFacts => ({
  program: words,
  driver: words,
  hook: words,
  remoteProblem: () => words,
  nestedProblem: () => words,
  hookFolder: words
})

const REMOTE = /^(?:(?:https?|ssh|git):\/\/.*|[\w.-]+@[\w.-]+:.*)$/

/** Another folder is a repository of its own, and its hooks would run. */
const urlProblem = (url: string): string | undefined =>
  REMOTE.test(url) ? undefined : `${url} is not a remote that is known to run nothing here`

const NO_REPOSITORY: RepositoryFacts = {
  program: undefined,
  driver: undefined,
  hook: undefined,
  remoteProblem: urlProblem,
  nestedProblem: () => undefined,
  hookFolder: undefined
}

/** Empty: any remote that is configured, since the branch chooses one. */
function remoteProblem(remote: string, { common }: GitFolder, local: ConfigEntries): string | undefined {
  const urlsOf = (name: string): readonly string[] =>
    local.flatMap(([key, value]) => (key === `remote.${name}.url` || key === `remote.${name}.pushurl` ? [value] : []))
  const ofName = (name: string): string | undefined => {
    // Older ways to describe a remote.
    const file = ['remotes', 'branches'].map(each => `${common}/${each}/${name}`).find(isThere)
    const urls = urlsOf(name)
    return file ?? (urls.length === 0 ? [name] : urls).map(urlProblem).find(problem => problem !== undefined)
  }
  if (remote !== '') return ofName(remote)
  const all = local.flatMap(([key, value]) =>
    /^(?:branch\..+\.(?:push)?remote|remote\.pushdefault)$/.test(key)
      ? [value]
      : (/^remote\.(.+)\.(?:push)?url$/s.exec(key)?.slice(1) ?? [])
  )
  return [...new Set(['origin', ...all])]
    .filter(name => name !== 'origin' || urlsOf(name).length > 0)
    .map(ofName)
    .find(problem => problem !== undefined)
}

interface GitFolder {
  readonly top: string
  readonly own: string
  readonly common: string
  /** A folder that git takes for a repository, although it is not called `.git`, or one of which that is not certain. */
  readonly isHidden?: true
}

function gitFolder(folder: string): GitFolder | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const file = join(top, '.git')
    if (
      isThere(join(top, 'HEAD')) &&
      (isThere(join(top, 'commondir')) || (isThere(join(top, 'objects')) && isThere(join(top, 'refs'))))
    )
      return { top, own: top, common: top, isHidden: true }
    if (isFile(file) || isFolder(file)) return gitFolderAt(top, file)
    if (top === dirname(top)) return undefined
  }
}

/** A repository, or the file in a worktree or a submodule that leads to one. Git does not normalize what is written there. */
function gitFolderAt(top: string, file: string): GitFolder {
  const own = isFolder(file) ? file : behind(top, /^gitdir: ([^]*)/.exec(fileText(file))?.[1] ?? '.git')
  const common = isThere(`${own}/commondir`) ? behind(own, fileText(`${own}/commondir`)) : own
  // As git writes them. Otherwise git may look for another one further up, or this is the repository of another folder.
  const isValid =
    belongsTo(top, { file, own, common }) &&
    /^(?:ref: refs\/\S{1,200}|[\da-f]{40})\n?$/.test(fileText(`${own}/HEAD`)) &&
    isFolder(`${common}/objects`) &&
    isFolder(`${common}/refs`)
  return { top, own, common, ...(!isValid && { isHidden: true }) }
}

/** A worktree and a submodule are named by the repository that they name. */
function belongsTo(top: string, { file, own, common }: { file: string; own: string; common: string }): boolean {
  const real = realPath(own)
  const shared = realPath(common)
  if (isFolder(file)) return real === file && shared === real
  if (shared !== real)
    return realPath(fileText(`${own}/gitdir`).trim(), real) === file && join(real, '../..') === shared
  return worktreeOf(real) === top
}

/** That of a submodule. */
const worktreeOf = (own: string): string | undefined => {
  const value = configEntries(`${own}/config`).findLast(([key]) => key === 'core.worktree')?.[1]
  return value && realPath(value, own)
}

/** Folders of a repository that are looked at by themselves, or that git does not read, or reads by the hash of what is in them. */
const APART = /\/\.git\/(?:(?:modules|worktrees)\/[^/]+\/)?(?:hooks|lfs|modules|objects\/[\da-f]{2})$/
const LINKS = new FileFinder((path, linked) => linked || APART.test(path), false)

/** What leads to the objects of another repository, or to other files. */
function borrowedIn({ common }: GitFolder): string | undefined {
  const alternates = `${common}/objects/info/alternates`
  if (isThere(alternates)) return alternates
  const { found, whole } = LINKS.find([common])
  return whole ? found.find(each => each.isLink)?.path : common
}

const NESTED = new FileFinder((path, linked) => linked || /\/\.git$/i.test(path), false)
const MODULES = new FileFinder((path, linked) => linked || path.endsWith('/HEAD'), true)

/** Whatever the index names afterwards, it is one of these. Also those of submodules that are not there. */
function repositoriesBelow({ top, common }: GitFolder, depth: number): readonly RepositoryFacts[] {
  const nested = NESTED.find([top])
  const modules = MODULES.find([`${common}/modules`])
  if (!nested.whole || !modules.whole || modules.found.some(each => each.isLink) || depth >= DEEPEST)
    return [factsOfUnknown(`what repositories below ${top} say`)]
  const folders = nested.found.map(({ path }) => (/\/\.git$/i.test(path) ? dirname(path) : path))
  const others = folders.filter(each => each !== top && isThere(`${each}/.git`))
  const owns = modules.found.map(({ path }) => dirname(path)).filter(each => isThere(`${each}/objects`))
  return [
    ...others.map(each => repositoryFacts(each, depth + 1)),
    ...owns.map(own => factsOf({ top: worktreeOf(own) ?? own, own, common: own }, own, depth + 1))
  ]
}

function behind(folder: string, text: string): string {
  const path = text.replace(/[\r\n]+$/, '')
  return isAbsolute(path) ? path : `${folder}/${path}`
}

const KNOWN = new Map<string, readonly [changed: string, paths: readonly string[] | undefined]>()
/** In milliseconds. Times are exact to some of them: what changes at once again would not be noticed. */
const SETTLED = 100

/** The folders of submodules that are there: git looks into each of them, with its own configuration. Undefined: not known. */
function submodulesOf({ top, own }: GitFolder): readonly string[] | undefined {
  const paths = attempt(() => linksOf(`${own}/index`))
  return paths?.map(path => join(top, path)).filter(folder => isThere(join(folder, '.git')))
}

function linksOf(index: string): readonly string[] | undefined {
  const stat = kindOf(index)
  const changed = `${stat?.ino} ${stat?.mtimeMs} ${stat?.ctimeMs} ${stat?.size}`
  const known = KNOWN.get(index)
  if (known?.[0] === changed) return known[1]
  if (stat?.isFile() === false) return undefined
  const bytes = ifThere(() => readFileSync(index))
  const paths = bytes === undefined ? [] : linksInIndex(bytes)
  if (Date.now() - (stat?.ctimeMs ?? Infinity) > SETTLED) KNOWN.set(index, [changed, paths])
  return paths
}

const DRIVER =
  /^(?:filter\..+\.(?:clean|smudge|process)|diff\..+\.(?:command|textconv)|diff\.external|merge\..+\.driver)$/

/** Attributes choose drivers, which the user's own configuration may define. */
function attributeIn({ top, common }: GitFolder, folder: string, global: ConfigEntries): string | undefined {
  if (!global.some(([key]) => DRIVER.test(key))) return undefined
  const files = [join(common, 'info/attributes')]
  for (let at = folder; ; at = dirname(at)) {
    files.push(join(at, '.gitattributes'))
    if (at === top || at === dirname(at)) break
  }
  return files.find(file => /\s(?:filter|diff|merge)=/.test(fileText(file)))
}

/** All that may be the one: which file of the configuration counts depends on further keys. */
const hookFolders = ({ top, common }: GitFolder, entries: ConfigEntries): readonly string[] => [
  join(common, 'hooks'),
  ...entries.flatMap(([key, value]) =>
    key === 'core.hookspath' ? [realPath(value.replace(/^~(?=\/)/, homedir()), top)] : []
  )
]

/** What a link leads to may come with a commit. */
const hooksIn = (folder: string): readonly string[] =>
  namesInFolder(folder)
    .map(name => join(folder, name))
    .filter(file => !file.endsWith('.sample') && (isProgram(file) || isLink(file)))
