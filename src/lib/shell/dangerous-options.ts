/** What makes an ordinary program run another one, or write where nobody looks. */
interface Turns {
  /** Names of options. Most programs are content with the beginning of a name. */
  readonly long?: readonly string[]
  /** Options that only look like the beginning of one of them. */
  readonly harmless?: readonly string[]
  readonly words?: RegExp
}

const names = (text: string): readonly string[] => text.trim().split(/\s+/)

const OUTPUT: Turns = { long: ['output'], words: /^-\w*o/ }

const TURNS: ReadonlyMap<string, Turns> = new Map([
  [
    'git',
    {
      long: names(`config config-env exec exec-path ext-diff extcmd git-dir open-files-in-pager output output-directory
        receive-pack separate-git-dir template upload-pack work-tree`),
      words: /^(?:-c|-C|-O.*|config)$/s
    }
  ],
  ['find', { words: /^-(?:delete|exec|execdir|fls|fprint|fprint0|fprintf|ok|okdir)$/ }],
  ['fd', { words: /^(?:-[A-Za-z]*[xX]|--exec)/ }],
  ['fdfind', { words: /^(?:-[A-Za-z]*[xX]|--exec)/ }],
  ['rg', { words: /^(?:--(?:pre|hostname-bin|search-zip)|-[^-]*z)/ }],
  ['rsync', { long: ['rsh', 'rsync-path'], words: /^-[A-Za-z]*e/ }],
  // The command `e`, and the flag of `s///e`.
  [
    'sed',
    {
      words:
        /^(?:-[A-Za-z]*e(?=.)|--e\w*=)?(?!-)(?:.*?(?:[\s;{}!\d$/,]|[^\w\s\\][gpiImM\d]*))?e[gpiImM\d]*(?:$|[\s;}])/s
    }
  ],
  ['shuf', OUTPUT],
  ['sort', { long: ['output', 'compress-program'], words: OUTPUT.words! }],
  ['split', { long: ['filter'] }],
  [
    'tar',
    {
      long: names(`checkpoint-action info-script new-volume-script rmt-command rsh-command to-command
        use-compress-program`),
      harmless: ['checkpoint'],
      words: /^-[A-Za-z]*[IF]/
    }
  ],
  ['tree', { words: /^-\w*o/ }],
  ['zip', { long: ['unzip-command'], words: /^-[A-Za-z]*TT/ }],
  ['test', { words: /^-[vR]$/ }],
  ['[', { words: /^-[vR]$/ }],
  ['printf', { words: /^-v/ }]
])

/** The same for single commands of git. */
const TURNS_OF_GIT: ReadonlyMap<string, RegExp> = new Map([
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

type Words = readonly (string | undefined)[]

/** All words that turn the program to something else. */
export function turnsIn(program: string, words: Words): readonly string[] {
  const turns = TURNS.get(program)
  if (turns === undefined) return []
  const more = program === 'git' ? turnsOfGit(words) : []
  return words.filter((word, index): word is string => {
    if (word === undefined) return false
    // The first word of tar may go without its dash.
    const option = program === 'tar' && index === 0 && !word.startsWith('-') ? `-${word}` : word
    return turns.words?.test(option) === true || isLong(option, turns) || more.includes(index)
  })
}

function isLong(word: string, { long = [], harmless = [] }: Turns): boolean {
  const name = /^--([^=]+)/s.exec(word)?.[1]
  return name !== undefined && !harmless.includes(name) && long.some(each => each.startsWith(name))
}

/** Where they stand: behind the command that they belong to. */
function turnsOfGit(words: Words): readonly number[] {
  const patterns: RegExp[] = []
  return words.flatMap((word = '', index) => {
    const isTurn = patterns.some(pattern => pattern.test(word))
    const pattern = TURNS_OF_GIT.get(word)
    if (pattern !== undefined && !patterns.includes(pattern)) patterns.push(pattern)
    return isTurn ? [index] : []
  })
}

/** Whether a rule speaks of such a word itself, and not just of all that may come. */
export function namesTurn(specifier: string, turn: string): boolean {
  const name = turn.startsWith('-') ? turn.split('=')[0] : turn
  return specifier.split(/\s+/).some(word => {
    if (word === turn || word.split('=')[0] === name) return true
    return /^--?\w.*\*$/.test(word) && turn.startsWith(word.slice(0, word.indexOf('*')))
  })
}
