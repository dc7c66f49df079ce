/** Data: words that mean more than they seem to. */

/** Signs and words with which a program of awk may start a program, use another file, or show the environment. */
export const HARM_IN_AWK = /[|>@]|system|getline|ENVIRON|ARGV|PROCINFO|SYMTAB|FUNCTAB|include|load|namespace/

/** Of these sub-commands: what they name is fetched and run, or runs later. */
export const INSTALLS = / (?:add|download|i|install|get|require)$/

/** The program and its first word, or a further word: what the next one names is fetched or started. */
export const STARTS_OTHERS =
  /^(?:(?:npm|pnpm|yarn|bun|deno) (?:create|init|innit)|\S+ (?:gen|x)|(?:\S+ )?(?:dlx|exec|execute|explore|--))$/

/** Options of common programs for code, settings and plug-ins, and addresses of code. */
export const CHOOSES_CODE =
  /^(?:-[rcep]|--(?:[\w-]*(?:config|require|import|loader|plugin|preset|eval|print|exec|script|shell|reporter|setup|env|pool|runner|transform|resolver|preload)[\w-]*|cwd|root|dir|prefix|rootdir))(?:$|=)|(?:^|=)(?:data|file|https?|ext|git\+\w+):/i

/** The name of a script of the project. A few commands of package managers themselves have a dash. */
export const SCRIPT_NAME =
  /^(?!(?:self-update|upgrade-interactive|generate-lock-entry|set-version|approve-builds|patch-commit|patch-remove|cat-file|cat-index|find-hash|install-test)$)(?:\w[\w.]*[:_-][\w.:-]*|_\w+)$/

/** By the options that are given, each between blanks: what writes the files that are in an archive. */
export const UNPACKS: Readonly<Record<string, RegExp>> = {
  tar: / (?:-x|--extract|--get) /,
  unzip: /^(?!.* -[ltvp] )/
}

/** The same: what may create links, so that paths lead elsewhere afterwards. */
const WORKTREE =
  'checkout switch restore reset merge rebase cherry-pick revert pull stash bisect am apply clone init mv worktree'
const ANY = /^/
export const PLANTS: Readonly<Record<string, RegExp>> = {
  ...UNPACKS,
  ln: ANY,
  mv: ANY,
  rsync: ANY,
  cp: / (?:-a|-d|-P|-r|-R|--archive|--recursive|--no-dereference|--preserve) /,
  ...Object.fromEntries(WORKTREE.split(' ').map(name => [`git ${name}`, ANY]))
}

/** What takes repositories that it finds into the index, or fetches in those that a commit names. */
export const FINDS_REPOSITORIES = /^git (?:add|fetch|remote update)$/

/** By the options: what opens an editor, for want of a message. */
export const OPENS_EDITOR: Readonly<Record<string, RegExp>> = {
  'git commit': /^(?!.* (?:-m|--message|-F|--file|-C|--reuse-message|--no-edit|--dry-run) )/,
  'git tag': /^(?!.* (?:-m|--message|-F|--file) ).* (?:-a|--annotate) /
}

/** The same, by the last word of the name: what writes the files that it reads. */
const FIX = / --fix /
export const WRITES_BACK: Readonly<Record<string, RegExp>> = {
  sed: / (?:-i|--in-place) /,
  gsed: / (?:-i|--in-place) /,
  rubocop: / (?:-a|-A|--autocorrect|--autocorrect-all) /,
  ...Object.fromEntries(
    'lint eslint xo standard standardx oxlint markdownlint-cli2'.split(' ').map(name => [name, FIX])
  )
}
