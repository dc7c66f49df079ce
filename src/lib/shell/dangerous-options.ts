import type { KnownWords } from './nested-commands.ts'

/**
 * Options that make an ordinary program run another one, or write to unexpected places: names of long options, and a
 * pattern of other words. Most programs accept an abbreviated name.
 */
const OPTIONS: ReadonlyMap<string, readonly [long: string, words?: RegExp]> = new Map([
  [
    'git',
    [
      `config config-env exec exec-path ext-diff extcmd git-dir open-files-in-pager output output-directory receive-pack
      separate-git-dir template upload-pack work-tree`,
      /^(?:-c|-C|-O.*|config)$/s
    ]
  ],
  ['find', ['', /^-(?:delete|exec|execdir|fls|fprint|fprint0|fprintf|ok|okdir)$/]],
  ['fd', ['', /^(?:-[A-Za-z]*[xX]|--exec)/]],
  ['fdfind', ['', /^(?:-[A-Za-z]*[xX]|--exec)/]],
  // In a cluster, `z` behind a letter that takes a value is part of that value.
  ['rg', ['', /^(?:--(?:pre|hostname-bin|search-zip)\b|-[^-efgmtTABCEjMrd]*z)/]],
  ['rsync', ['rsh rsync-path', /^-[A-Za-z]*e/]],
  // The command `e`, and the flag of `s///e`.
  [
    'sed',
    ['', /^(?:-[A-Za-z]*e(?=.)|--e\w*=)?(?!-)(?:.*?(?:[\s;{}!\d$/,]|[^\w\s\\][gpiImM\d]*))?e[gpiImM\d]*(?:$|[\s;}])/s]
  ],
  ['shuf', ['output', /^-\w*o/]],
  ['sort', ['output compress-program', /^-\w*o/]],
  ['split', ['filter']],
  [
    'tar',
    [
      'checkpoint-action info-script new-volume-script rmt-command rsh-command to-command use-compress-program',
      /^-[A-Za-z]*[IF]/
    ]
  ],
  ['tree', ['', /^-\w*o/]],
  ['zip', ['unzip-command', /^-[A-Za-z]*TT/]],
  ['test', ['', /^-[vR]$/]],
  ['[', ['', /^-[vR]$/]],
  ['printf', ['', /^-v/]]
])

const GIT_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ['archive', /^-[A-Za-z]*o/],
  ['bisect', /^run$/],
  ['clone', /^-[A-Za-z]*[uc]/],
  ['difftool', /^(?:-[A-Za-z]*[xt]|--t)/],
  ['filter-branch', /^--(?:[\w-]*filter|setup)$/],
  ['format-patch', /^-[A-Za-z]*o/],
  ['grep', /^-[A-Za-z]*O/],
  ['hook', /^run$/],
  ['mergetool', /^(?:-[A-Za-z]*t|--t)/],
  ['rebase', /^-[A-Za-z]*x/],
  ['send-email', /^--(?:[\w-]*cmd|sendmail|smtp-server)/],
  ['submodule', /^foreach$/]
])

export function dangerousOptions(program: string, words: KnownWords): readonly string[] {
  const options = OPTIONS.get(program)
  if (options === undefined) return []
  const [long, pattern] = options
  const ofGit = new Set<RegExp>()
  return words.filter((word, index): word is string => {
    if (word === undefined) return false
    // The first word of tar may go without its dash.
    const option = program === 'tar' && index === 0 && !word.startsWith('-') ? `-${word}` : word
    const name = /^--([^=]+)/s.exec(option)?.[1]
    const isLong = name !== undefined && name !== 'checkpoint' && long.split(/\s+/).some(each => each.startsWith(name))
    const isOfGit = [...ofGit].some(each => each.test(word))
    const command = program === 'git' ? GIT_OPTIONS.get(word) : undefined
    if (command !== undefined) ofGit.add(command)
    return pattern?.test(option) === true || isLong || isOfGit
  })
}

/** A rule that only ends in `*` does not name the option. */
export function namesOption(specifier: string, option: string): boolean {
  const name = option.startsWith('-') ? option.split('=')[0] : option
  return specifier.split(/\s+/).some(word => {
    if (word === option || word.split('=')[0] === name) return true
    return /^--?\w.*\*$/.test(word) && option.startsWith(word.slice(0, word.indexOf('*')))
  })
}
