/** One row per property, with the programs that have it: for rules, trust, lint, hook commands and Bash. */
const TABLE = {
  /** Without arguments they run their input. */
  shell: 'ash bash csh dash fish ksh mksh rbash sh tcsh zsh',
  /** They run a file, or the code after an option. Also with a version: `python3.12`. */
  interpreter: `bun deno elixir expect groovy guile julia lua node nodejs octave osascript perl php pwsh pypy python
    Rscript ruby sbcl scala tclsh ts-node tsx`,
  /** Most programs in this language can be seen to run nothing. */
  awk: 'awk gawk mawk nawk',
  /** Some of the words that they take are files. */
  editor: 'ed emacs ex gsed nvi nvim sed vi vim',
  /** After their options comes the program that they run. */
  wrapper: `builtin busybox bwrap chpst chroot chrt command daemonize doas env exec fakeroot firejail flock ionice linux32
    linux64 ltrace nice nohup nsenter numactl parallel pkexec proot rlwrap runuser setarch setpriv setsid stdbuf strace
    sudo systemd-run taskset time timeout toybox unbuffer unshare watch xargs`,
  /** They run what their arguments name, in some other form. */
  runner: 'coproc entr eval find gdb script ssh su trap',
  /** They parse some of their arguments again as the shell does; so do shells. */
  rereads: 'entr env eval flock parallel runuser script ssh su trap watch',
  /** They run their input, at once or later, or start a shell that does. */
  runsInput:
    'at batch chroot crontab dc ed ex fakeroot gdb nsenter parallel proot runuser script setarch ssh su unshare',
  /** They change the meaning of later commands, or run something from elsewhere. */
  unseen: '. alias bind compgen complete enable hash mapfile readarray source',
  /** Builtins that run their arguments, be it a file or text. */
  sources: '. eval run-parts set source',
  /** Their arguments are just words: `echo rm x` runs no rm. */
  takesWords: `[ basename cat cd diff dirname du echo egrep false fgrep file grep head ls mkdir printf pwd realpath rg rmdir
    stat tail test touch true wc which`,
  /** Their names are ordinary words elsewhere: `go test -v` does not run test. */
  ordinary: '[ printf test',
  /** They only read the files in their arguments. */
  onlyReads: `basename cat cd cmp diff dirname du echo egrep fgrep file grep head less ls more printf pwd readlink realpath
    rg sha256sum stat tail test wc`,
  /** Their arguments are data, if the names look like data. */
  readsData: 'cat chmod cmp cut diff echo grep head jq ls sort stat tail uniq wc',
  /** They write or create their arguments, and do not run them. */
  writes: 'mkdir mktemp rm rmdir tee touch truncate',
  tests: '[ [[ test',
  /** They change nothing and start nothing, whatever their arguments. */
  harmless:
    'basename cat cmp cut dirname echo false grep head id ls nl printf pwd readlink stat tail true uname wc whoami',
  silent: 'cd chgrp chmod chown cp ln mkdir mv rm rmdir touch',
  sends: 'aws curl gh http https logger nc notify-send redis-cli wget xh',
  setsVariables: 'declare export local read readonly typeset',
  keyword: '! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while',
  builtIn: `. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo
    enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd
    pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask
    unalias unset wait`
}

const GIT_TABLE = {
  takesWords: `add blame branch checkout commit diff fetch log ls-files merge pull push restore rev-parse rm show stash
    status switch tag`,
  onlyReads: 'add blame commit diff log ls-files show status',
  harmless: 'diff log show status'
}

const setsOf = <Row extends string>(
  table: Readonly<Record<Row, string>>
): Readonly<Record<Row, ReadonlySet<string>>> => {
  const rows = Object.entries<string>(table).map(([row, names]) => [row, new Set(names.split(/\s+/))])
  return Object.fromEntries(rows) as Record<Row, ReadonlySet<string>>
}

const SETS = setsOf(TABLE)
const GIT_SETS = setsOf(GIT_TABLE)

/** `/bin/rm` and `./rm` are `rm`. */
export const programName = (word: string): string => word.slice(word.lastIndexOf('/') + 1)

export const isProgramOf = (row: keyof typeof TABLE, name: string): boolean =>
  SETS[row].has(name) || (row === 'interpreter' && SETS.interpreter.has(name.replace(/[\d.]+$/, '')))

export const isGitOf = (row: keyof typeof GIT_TABLE, name: string): boolean => GIT_SETS[row].has(name)

export const isKeyword = (word: string): boolean => SETS.keyword.has(word)

export const runsCode = (name: string): boolean =>
  SETS.shell.has(name) || isProgramOf('interpreter', name) || SETS.sources.has(name)

export const runsArguments = (name: string): boolean =>
  SETS.shell.has(name) || SETS.wrapper.has(name) || SETS.runner.has(name)

export const rereadsArguments = (name: string): boolean => SETS.shell.has(name) || SETS.rereads.has(name)

export const takesCode = (word: string): boolean =>
  isProgramOf('interpreter', programName(word)) || SETS.awk.has(programName(word))

/** `NAME=value`, `NAME+=value`, `NAME[1]=value`. */
export const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*(?:\[.*\])?\+?=/s.test(word)

export const isCodeOption = (word: string): boolean => /^(?:-\w*[cer]|--eval|--print|-p|-E|-Com|eval)/.test(word)

export const STEERS =
  /^(?:PATH|LD_\w+|DYLD_\w+|BASH_ENV|ENV|IFS|PS\d|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|LESSOPEN|LESSCLOSE|TAR_OPTIONS|RIPGREP_CONFIG_PATH|GIT_\w+|NODE_(?!ENV\b)\w+|PYTHON\w*|PERL\w*|RUBY\w*|\w*PAGER|\w*EDITOR|\w*BROWSER|SHELL)\b/
