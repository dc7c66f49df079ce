import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { attempt } from '../../util/attempt.ts'
import { isFile, isFolder, isProgram, isThere, kindOf, realPath, REPLACEMENT } from './paths.ts'

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
}

/** Keys that name no program. All others may. */
const PLAIN_KEYS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|compression|bigfilethreshold|sparsecheckout|sparsecheckoutcone|untrackedcache|preloadindex|checkstat|trustctime|commentchar|whitespace|longpaths|protecthfs|protectntfs|splitindex|hidedotfiles)|remote\..+\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|skipdefaultupdate|mirror)|remote\.pushdefault|branch\..+\.(?!mergeoptions|rebase)[\w-]+|user\.(?:name|email|signingkey)|author\..+|committer\..+|init\..+|pull\.ff|push\.(?:default|autosetupremote|followtags)|color\..+|column\..+|advice\..+|submodule\..+\.(?:url|active|branch|path|ignore)|submodule\.(?:active|fetchjobs)|gc\.(?!recentobjectshook)\w+|fetch\.(?:prune|prunetags|fsckobjects|parallel|writecommitgraph)|transfer\..+|receive\.(?:denycurrentbranch|denynonfastforwards|fsckobjects)|rebase\.(?:autostash|autosquash|updaterefs)|merge\.(?:conflictstyle|ff|renames|renamelimit)|diff\.(?:renames|algorithm|colormoved|mnemonicprefix|noprefix|renamelimit|context)|log\.(?!showsignature)\w+|status\..+|blame\.(?!ignorerevsfile)\w+|extensions\.(?:objectformat|worktreeconfig|refstorage|noop)|index\..+|pack\..+|feature\..+|maintenance\..+|lfs\.(?:repositoryformatversion|url|.+\.(?:access|locksverify))|http\.(?:postbuffer|lowspeedlimit|lowspeedtime)|safe\..+|stash\..+|commit\.(?:verbose|status|cleanup)|help\..+|rerere\..+|worktree\..+)$/

/**
 * Keys that name programs for a terminal, or for commands that need a rule of their own, or make reading commands fetch
 * what is missing. Hooks are looked at by themselves.
 */
const IDLE_KEYS =
  /^(?:alias\..+|pager\..+|core\.(?:editor|pager|hookspath|excludesfile)|sequence\.editor|commit\.template|(?:diff|merge)tool\..+|(?:diff|merge)\.(?:gui)?tool|gui\..+|remote\..+\.(?:promisor|partialclonefilter)|extensions\.partialclone)$/

/** Further keys that run nothing with such a value. What is in the folder of hooks is looked at by itself. */
const PLAIN_VALUES: readonly (readonly [key: RegExp, value: RegExp])[] = [
  [/^core\.hookspath$/, /^(?!.*\.\.)[\w./-]+$/],
  [/^(?:commit|tag|push)\.gpgsign$/, /^false$/],
  [/^(?:pull|branch\..+)\.rebase$/, /^(?:true|false|merges)?$/],
  [/^diff\.submodule$/, /^short$/],
  [/^submodule\.recurse$/, /^false$/],
  // Some parts of it start the program that checks signatures.
  [/^format\.pretty$/, /^(?!.*%[-+ ]?G)/]
]

const SIGNS = /^(?:commit|tag|push)\.gpgsign$/

type Entries = readonly (readonly [key: string, value: string])[]

const DEEPEST = 8

export function repositoryFacts(folder: string, depth = 0): RepositoryFacts {
  const real = realPath(folder)
  const git = gitFolder(real)
  if (git === undefined) return { program: undefined, driver: undefined, hook: undefined, remoteProblem: urlProblem }
  if (git.isHidden) return factsOfUnknown(`what ${git.own} says: it is a repository`)
  const local = [`${git.common}/config`, `${git.own}/config.worktree`].flatMap(entriesOf)
  const global = [join(homedir(), '.gitconfig'), join(homedir(), '.config/git/config')].flatMap(entriesOf)
  const keys = local.filter(entry => !isPlain(entry, git))
  const signs = [...global, ...local].find(([key, value]) => SIGNS.test(key) && value !== 'false')?.[0]
  const hooks = hooksIn(git, [...global, ...local])
  const within = depth < DEEPEST ? submodulesOf(git) : undefined
  const nested = within?.map(each => repositoryFacts(each, depth + 1)) ?? [
    factsOfUnknown(`what submodules of ${git.top} say`)
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
    remoteProblem: remote => remoteProblem(remote, git, local)
  }
}

function isPlain([key, value]: Entries[number], { own, top }: GitFolder): boolean {
  if (key === 'core.worktree') return realPath(value, realPath(own)) === top
  return PLAIN_KEYS.test(key) || PLAIN_VALUES.some(([keys, values]) => keys.test(key) && values.test(value))
}

const factsOfUnknown = (words: string): RepositoryFacts => ({
  program: words,
  driver: words,
  hook: words,
  remoteProblem: () => words
})

const REMOTE = /^(?:(?:https?|ssh|git):\/\/.*|[\w.-]+@[\w.-]+:.*)$/

/** Another folder is a repository of its own, and its hooks would run. */
const urlProblem = (url: string): string | undefined =>
  REMOTE.test(url) ? undefined : `${url} is not a remote that is known to run nothing here`

/** Empty: any remote that is configured, since the branch chooses one. */
function remoteProblem(remote: string, { common }: GitFolder, local: Entries): string | undefined {
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
  // Otherwise git looks for another one further up, or this is the repository of another folder.
  const isValid =
    belongsTo(top, { file, own, common }) &&
    /^(?:ref:\s*refs\/|[\da-f]{40})/.test(fileText(`${own}/HEAD`)) &&
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
  return entriesOf(`${own}/config`).some(([key, value]) => key === 'core.worktree' && realPath(value, real) === top)
}

/** What leads to the objects of another repository. */
function borrowedIn({ common }: GitFolder): string | undefined {
  const objects = `${common}/objects`
  const alternates = `${objects}/info/alternates`
  if (isThere(alternates)) return alternates
  return [common, objects, `${objects}/pack`].flatMap(linksAt)[0]
}

const linksAt = (folder: string): readonly string[] =>
  whileUnchanged(folder, () =>
    (attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [])
      .filter(entry => entry.isSymbolicLink())
      .map(entry => join(folder, entry.name))
  )

function behind(folder: string, text: string): string {
  const path = text.replace(/[\r\n]+$/, '')
  return isAbsolute(path) ? path : `${folder}/${path}`
}

const fileText = (file: string): string => attempt(() => readFileSync(file, 'utf8')) ?? ''

/** A line that is not understood has a key that is not known. */
function entriesOf(file: string): Entries {
  let section = ''
  return fileText(file)
    .split('\n')
    .flatMap((line): Entries => {
      const [, name, sub, rest] = /^\s*\[\s*([\w.-]+)(?:\s+"((?:\\.|[^"\\])*)")?\s*\](.*)$/.exec(line) ?? []
      if (name !== undefined) section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`
      const text = (name === undefined ? line : (rest ?? '')).trim()
      if (text === '' || /^[#;]/.test(text)) return []
      const [, key, written = ''] = /^([\w-]+)\s*(?:=\s*(.*))?$/.exec(text) ?? []
      const value = valueOf(written)
      return [key !== undefined && value !== undefined ? [`${section}.${key.toLowerCase()}`, value] : [`? ${text}`, '']]
    })
}

/** Without quotes and comment. Undefined: it has escapes, or continues in the next line. */
function valueOf(written: string): string | undefined {
  const value = written.replace(/"([^"\\]*)"|[#;].*/g, '$1').trim()
  return /["\\]/.test(value) ? undefined : value
}

const KNOWN = new Map<string, readonly [changed: string, paths: readonly string[]]>()
/** In milliseconds. Times are exact to some of them: what changes at once again would not be noticed. */
const SETTLED = 100

/** What was found in a file or folder that has not changed since. */
function whileUnchanged(path: string, look: () => readonly string[]): readonly string[] {
  const stat = kindOf(path)
  const changed = `${stat?.ino} ${stat?.mtimeMs} ${stat?.ctimeMs} ${stat?.size}`
  const known = KNOWN.get(path)
  if (known?.[0] === changed) return known[1]
  const paths = look()
  if (Date.now() - (stat?.ctimeMs ?? Infinity) > SETTLED) KNOWN.set(path, [changed, paths])
  return paths
}

/** The folders of submodules that are there: git looks into each of them, with its own configuration. Undefined: not known. */
function submodulesOf({ top, own }: GitFolder): readonly string[] | undefined {
  const names = (attempt(() => readdirSync(own)) ?? []).filter(name => /^(?:index|sharedindex\..*)$/.test(name))
  const paths = names.flatMap(name => whileUnchanged(`${own}/${name}`, () => linksIn(`${own}/${name}`)))
  if (paths.includes('')) return undefined
  return paths.map(path => join(top, path)).filter(folder => isThere(join(folder, '.git')) && folder !== top)
}

/** The mode of an entry of the index that is a link to another repository. */
const LINK = Buffer.from([0, 0, 0xe0, 0])
/** How far behind the mode its path starts: by the length of hashes and of flags. */
const TO_PATH = [38, 40, 50, 52] as const

/** What may be the paths of links. An empty path stands for any: version 4 and sparse ones abbreviate them, and some are not text. */
function linksIn(file: string): readonly string[] {
  const bytes = attempt(() => readFileSync(file)) ?? Buffer.alloc(0)
  const version = bytes[7]
  // An extension: folders stand for all that is in them.
  if (bytes.includes('sdir\0\0\0\0')) return ['']
  const paths = new Set<string>()
  for (let at = bytes.indexOf(LINK); at !== -1; at = bytes.indexOf(LINK, at + 1))
    for (const from of TO_PATH) {
      const path = bytes.subarray(at + from, bytes.indexOf(0, at + from)).toString()
      // In other places there may be any bytes.
      const isUsual = from === TO_PATH[version === 3 ? 1 : 0]
      if (version === 4 || (isUsual && path.includes(REPLACEMENT))) return ['']
      if (path !== '') paths.add(path)
    }
  return [...paths]
}

const DRIVER =
  /^(?:filter\..+\.(?:clean|smudge|process)|diff\..+\.(?:command|textconv)|diff\.external|merge\..+\.driver)$/

/** Attributes choose drivers, which the user's own configuration may define. */
function attributeIn({ top, common }: GitFolder, folder: string, global: Entries): string | undefined {
  if (!global.some(([key]) => DRIVER.test(key))) return undefined
  const files = [join(common, 'info/attributes')]
  for (let at = folder; ; at = dirname(at)) {
    files.push(join(at, '.gitattributes'))
    if (at === top || at === dirname(at)) break
  }
  return files.find(file => /\s(?:filter|diff|merge)=/.test(fileText(file)))
}

/** In every folder that may be the one: which file of the configuration counts depends on further keys. */
function hooksIn({ top, common }: GitFolder, entries: Entries): readonly string[] {
  const chosen = entries.flatMap(([key, value]) => (key === 'core.hookspath' ? [resolve(top, value)] : []))
  return [join(common, 'hooks'), ...chosen].flatMap(folder =>
    (attempt(() => readdirSync(folder)) ?? [])
      .map(name => join(folder, name))
      .filter(file => !file.endsWith('.sample') && isProgram(file))
  )
}
