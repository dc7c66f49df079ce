import { readFileSync } from 'node:fs'
import { attempt } from '../../util/attempt.ts'
import { isFile } from './paths.ts'

export type ConfigEntries = readonly (readonly [key: string, value: string])[]

/** A word or a number. */
const WORD = /^[\w-]*$/
const TEXT = /^/

/** Keys that name no program with such a value. All others may. What is in a folder of hooks is looked at by itself. */
const PLAIN: readonly (readonly [key: RegExp, value: RegExp])[] = [
  [
    /^core\.(?:repositoryformatversion|filemode|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|compression|bigfilethreshold|sparsecheckout|sparsecheckoutcone|preloadindex|checkstat|trustctime|longpaths|hidedotfiles)$/,
    WORD
  ],
  [/^core\.bare$|^(?:commit|tag|push)\.gpgsign$|^submodule\.recurse$|^index\.sparse$/, /^false$/],
  [/^core\.commentchar$/, /^[#;%!|:]$/],
  [/^core\.whitespace$/, /^[\w=, -]*$/],
  [/^core\.hookspath$/, /^(?!.*\.\.)[\w./-]+$/],
  [
    /^remote\..+\.(?:url|pushurl)$|^(?:user|author|committer)\.(?:name|email|signingkey)$|^branch\..+\.description$/,
    TEXT
  ],
  [/^remote\..+\.(?:fetch|push)$/, /^[\w./+:*^@#-]+$/],
  [/^remote\..+\.(?:tagopt|prune|prunetags|mirror)$|^user\.useconfigonly$/, WORD],
  [/^remote\.pushdefault$|^init\.defaultbranch$|^remote\..+\.gh-resolved$/, /^[\w./@-]+$/],
  [
    /^branch\..+\.(?:remote|pushremote|merge|vscode-merge-base|gh-merge-base|github-pr-owner-number)$/,
    /^[\w./:@#+~-]*$/
  ],
  [/^(?:pull|branch\..+)\.rebase$/, /^(?:true|false|merges)?$/],
  [
    /^(?:pull\.ff|push\.(?:default|autosetupremote|followtags)|advice\.\w+|gc\.auto(?:detach)?|fetch\.(?:prune|prunetags|parallel|fsckobjects|writecommitgraph)|transfer\.fsckobjects|maintenance\.(?:auto|strategy)|rerere\.(?:enabled|autoupdate)|rebase\.(?:autostash|autosquash|updaterefs)|commit\.(?:verbose|status|cleanup)|extensions\.(?:worktreeconfig|noop))$/,
    WORD
  ],
  [
    /^(?:merge\.(?:conflictstyle|ff|renames|renamelimit)|diff\.(?:renames|algorithm|colormoved|mnemonicprefix|noprefix|renamelimit|context)|log\.(?:date|decorate|abbrevcommit|follow|showroot)|status\.(?:short|branch|showuntrackedfiles|showstash|relativepaths))$/,
    WORD
  ],
  [/^(?:color|column)\.[\w.-]+$/, /^[\w #,-]*$/],
  [/^extensions\.objectformat$/, /^sha1$/],
  [/^diff\.submodule$/, /^short$/],
  [/^format\.pretty$/, /^(?:oneline|short|medium|full|fuller|reference)$/],
  [/^submodule\..+\.(?:url|branch|path)$|^submodule\.active$|^lfs\.url$/, TEXT],
  [/^submodule\..+\.(?:active|ignore)$|^lfs\.(?:repositoryformatversion|.+\.(?:access|locksverify))$/, WORD],
  [/^http\.(?:postbuffer|lowspeedlimit|lowspeedtime)$/, WORD]
]

/**
 * Keys that name programs for a terminal, or for commands that need a rule of their own, or make reading commands fetch
 * what is missing. Hooks are looked at by themselves.
 */
export const IDLE_KEYS =
  /^(?:alias\..+|pager\..+|core\.(?:editor|pager|hookspath|excludesfile)|commit\.template|(?:diff|merge)tool\..+|(?:diff|merge)\.(?:gui)?tool|gui\..+|remote\..+\.(?:promisor|partialclonefilter)|extensions\.partialclone)$/

export const isPlainEntry = ([key, value]: ConfigEntries[number]): boolean =>
  PLAIN.some(([keys, values]) => keys.test(key) && values.test(value))

/** Empty if it is none: a pipe would never end. */
export const fileText = (file: string): string =>
  (isFile(file) ? attempt(() => readFileSync(file, 'utf8')) : undefined) ?? ''

/** A line that is not understood has a key that is not known. */
export function configEntries(file: string): ConfigEntries {
  let section = ''
  return fileText(file)
    .split('\n')
    .flatMap((line): ConfigEntries => {
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
