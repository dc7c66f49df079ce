const set = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

/** Programs that run what their arguments name. */
export const RUNS_ARGUMENTS = set(`
  ash bash bwrap busybox chpst chroot chrt command coproc daemonize dash doas entr env eval exec fakeroot find
  firejail fish flock gdb ionice ksh linux32 linux64 ltrace nice nohup nsenter numactl parallel pkexec proot rlwrap
  runuser script setarch setpriv setsid sh ssh stdbuf strace su sudo systemd-run taskset time timeout toybox trap
  unbuffer unshare watch xargs zsh builtin`)

/** Shells: without arguments they run what they read. */
export const SHELLS = set('ash bash dash fish ksh sh zsh')

/** Programs that take a program as an argument, in a language of its own, after one of these options. */
export const INTERPRETERS = set('awk bun deno gawk lua mawk node perl php python python2 python3 ruby tclsh')
export const CODE_OPTION = /^(?:-\w*[cer]|--eval|--print|-p|-E|eval)/

/** What changes the meaning of what comes after it, or runs what is somewhere else. */
export const RUNS_UNSEEN = set('. alias bind compgen complete enable hash mapfile readarray source')

/** Programs to which their arguments are just words, so that nothing is meant by `echo rm x`. */
export const TAKES_WORDS = set(`
  [ basename cat cd diff dirname du echo egrep false fgrep file grep head ls mkdir printf pwd realpath rg rmdir stat
  tail test touch true wc which`)
/** The same for commands of git. */
export const GIT_TAKES_WORDS = set(`
  add blame branch checkout commit diff fetch log ls-files merge pull push restore rev-parse rm show stash status
  switch tag`)

/** Programs that only look at the files they are given. */
export const ONLY_READS = set(
  'basename cat cd cmp diff dirname du echo egrep fgrep file grep head less ls more printf pwd realpath rg sha256sum stat tail test wc'
)
/** And commands of git that leave them as they are. */
export const GIT_ONLY_READS = set('add blame commit diff log ls-files show status')

/** Variables that make programs run something else. */
export const STEERS =
  /^(?:PATH|LD_\w+|DYLD_\w+|BASH_ENV|ENV|IFS|PS\d|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|GIT_\w+|NODE_\w+|PYTHON\w*|PERL\w*|RUBY\w*|\w*PAGER|\w*EDITOR|\w*BROWSER|SHELL)\b/

/** Words that make an ordinary program run another one, or write where nobody looks. */
const TURNS: ReadonlyMap<string, RegExp> = new Map([
  [
    'git',
    /^(?:-c|-C|-O.*|config|--(?:config-env|exec-path|ext-diff|git-dir|open-files-in-pager|output|receive-pack|upload-pack|work-tree|exec)(?:=.*)?)$/s
  ],
  ['find', /^-(?:delete|exec|execdir|fls|fprint|fprint0|fprintf|ok|okdir)$/],
  ['rg', /^--(?:pre|hostname-bin)\b/],
  ['sort', /^(?:-\w*o|--output|--compress-program)/],
  ['tar', /^(?:-\w*I|--(?:checkpoint-action|rsh-command|to-command|use-compress-program))/],
  ['test', /^-[vR]$/],
  ['[', /^-[vR]$/],
  ['printf', /^-v/]
])

/** The first word that turns the program to something else. */
export const turnIn = (program: string, words: readonly (string | undefined)[]): string | undefined =>
  words.find(word => word !== undefined && TURNS.get(program)?.test(word) === true)
