const set = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

/** Programs that run what their arguments name. */
export const RUNS_ARGUMENTS = set(`
  ash bash builtin busybox bwrap chpst chroot chrt command coproc csh daemonize dash doas entr env eval exec fakeroot
  find firejail fish flock gdb ionice ksh linux32 linux64 ltrace mksh nice nohup nsenter numactl parallel pkexec proot
  rbash rlwrap runuser script setarch setpriv setsid sh ssh stdbuf strace su sudo systemd-run taskset tcsh time timeout
  toybox trap unbuffer unshare watch xargs zsh`)

/** Those that read their arguments, or some of them, once more as the shell does. */
export const READS_AGAIN = set(`
  ash bash csh dash entr env eval fish flock ksh mksh parallel rbash runuser script sh ssh su tcsh trap watch zsh`)

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
  'basename cat cd cmp diff dirname du echo egrep fgrep file grep head less ls more printf pwd readlink realpath rg sha256sum stat tail test wc'
)
/** And commands of git that leave them as they are. */
export const GIT_ONLY_READS = set('add blame commit diff log ls-files show status')

/** What sets variables for all that comes after it. */
export const SETS_VARIABLES = set('declare export local read readonly typeset')

/** Variables that make programs run something else. */
export const STEERS =
  /^(?:PATH|LD_\w+|DYLD_\w+|BASH_ENV|ENV|IFS|PS\d|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|LESSOPEN|LESSCLOSE|TAR_OPTIONS|RIPGREP_CONFIG_PATH|GIT_\w+|NODE_(?!ENV\b)\w+|PYTHON\w*|PERL\w*|RUBY\w*|\w*PAGER|\w*EDITOR|\w*BROWSER|SHELL)\b/
