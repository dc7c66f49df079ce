import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { attempt } from '../../util/attempt.ts'
import { isFile, isFolder, isProgram, isThere } from './paths.ts'

/** What git would run in a folder besides itself, by its configuration, attributes and hooks. */
export interface RepositoryFacts {
  /** What makes reading commands run a program: a key of the configuration, an attribute, a repository in disguise. */
  readonly program: string | undefined
  /** A hook or a signing program that commands which change the repository would run. */
  readonly hook: string | undefined
  /** Why pushing to or fetching from a remote may run something. */
  remoteProblem(remote: string): string | undefined
}

/** Keys that name no program. All others may. */
const PLAIN_KEYS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|compression|bigfilethreshold|sparsecheckout|sparsecheckoutcone|untrackedcache|preloadindex|checkstat|trustctime|commentchar|whitespace|longpaths|protecthfs|protectntfs|splitindex|hidedotfiles)|remote\..+\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|promisor|partialclonefilter|skipdefaultupdate|mirror)|remote\.pushdefault|branch\..+|user\.(?:name|email|signingkey)|author\..+|committer\..+|init\..+|pull\..+|push\.(?:default|autosetupremote|followtags)|color\..+|column\..+|advice\..+|submodule\..+\.(?:url|active|branch|path|ignore)|submodule\.(?:active|recurse|fetchjobs)|gc\..+|fetch\.(?:prune|prunetags|fsckobjects|parallel|writecommitgraph)|transfer\..+|receive\.(?:denycurrentbranch|denynonfastforwards|fsckobjects)|rebase\.(?:autostash|autosquash|updaterefs)|merge\.(?:conflictstyle|ff|renames|renamelimit)|diff\.(?:renames|algorithm|colormoved|mnemonicprefix|noprefix|renamelimit|submodule|context)|log\..+|status\..+|format\.pretty|tag\.sort|blame\..+|extensions\.(?:objectformat|worktreeconfig|partialclone|refstorage|noop)|index\..+|pack\..+|feature\..+|maintenance\..+|lfs\..+|http\.(?:postbuffer|lowspeedlimit|lowspeedtime)|safe\..+|stash\..+|commit\.(?:verbose|status|cleanup)|help\..+|rerere\..+|worktree\..+)$/

const SIGNS = /^(?:commit|tag|push)\.gpgsign$/

type Entries = readonly (readonly [key: string, value: string])[]

export function repositoryFacts(folder: string): RepositoryFacts {
  const git = gitFolder(folder)
  if (git === undefined) return { program: undefined, hook: undefined, remoteProblem: urlProblem }
  if (git.isHidden) {
    const words = `what ${git.own} says: it is a repository`
    return { program: words, hook: words, remoteProblem: () => words }
  }
  const local = [join(git.common, 'config'), join(git.own, 'config.worktree')].flatMap(entriesOf)
  const global = [join(homedir(), '.gitconfig'), join(homedir(), '.config/git/config')].flatMap(entriesOf)
  const key = local.find(([name, value]) => !PLAIN_KEYS.test(name) && !(SIGNS.test(name) && value === 'false'))?.[0]
  const signs = [...global, ...local].find(([name, value]) => SIGNS.test(name) && value !== 'false')?.[0]
  const urls = new Map(
    local.flatMap(([name, value]) => (name.endsWith('url') ? [[name.split('.')[1] ?? '', value]] : []))
  )
  return {
    program: key ?? attributeIn(git, folder, global),
    hook: hookIn(git, [...global, ...local]) ?? signs ?? key,
    remoteProblem: remote => urlProblem(urls.get(remote === '' ? 'origin' : remote) ?? remote)
  }
}

const REMOTE = /^(?:|(?:https?|ssh|git):\/\/.*|[\w.-]+@[\w.-]+:[^]*|[\w-][\w.-]*)$/

/** Another folder is a repository of its own, and its hooks would run. */
const urlProblem = (url: string): string | undefined =>
  REMOTE.test(url) ? undefined : `${url} is not a remote that is known to run nothing here`

interface GitFolder {
  readonly top: string
  readonly own: string
  readonly common: string
  /** A folder that git takes for a repository, although it is not called `.git`. */
  readonly isHidden?: true
}

function gitFolder(folder: string): GitFolder | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const own = join(top, '.git')
    if (isFolder(own)) return { top, own, common: own }
    if (isFile(own)) return linkedFolder(top, own)
    if (
      isThere(join(top, 'HEAD')) &&
      (isThere(join(top, 'commondir')) || (isFolder(join(top, 'objects')) && isFolder(join(top, 'refs'))))
    )
      return { top, own: top, common: top, isHidden: true }
    if (top === dirname(top)) return undefined
  }
}

/** A worktree or a submodule. */
function linkedFolder(top: string, file: string): GitFolder {
  const own = resolve(top, /^gitdir: (.*)/.exec(fileText(file))?.[1]?.trim() ?? '.git')
  const common = fileText(join(own, 'commondir')).trim()
  return { top, own, common: common === '' ? own : resolve(own, common) }
}

const fileText = (file: string): string => attempt(() => readFileSync(file, 'utf8')) ?? ''

function entriesOf(file: string): Entries {
  let section = ''
  return fileText(file)
    .split('\n')
    .flatMap(line => {
      const [, name, sub, rest] = /^\s*\[\s*([\w.-]+)(?:\s+"((?:\\.|[^"\\])*)")?\s*\](.*)$/.exec(line) ?? []
      if (name !== undefined) section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`
      const text = (name === undefined ? line : (rest ?? '')).trim()
      if (text === '' || /^[#;]/.test(text)) return []
      const [, key = text, value = ''] = /^([\w-]+)\s*(?:=\s*(.*))?$/.exec(text) ?? []
      return [[`${section}.${key.toLowerCase()}`, value] as const]
    })
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

function hookIn({ top, common }: GitFolder, entries: Entries): string | undefined {
  const chosen = entries.findLast(([key]) => key === 'core.hookspath')?.[1]
  const folder = chosen === undefined ? join(common, 'hooks') : isAbsolute(chosen) ? chosen : resolve(top, chosen)
  const names = attempt(() => readdirSync(folder)) ?? []
  return names.map(name => join(folder, name)).find(file => !file.endsWith('.sample') && isProgram(file))
}
