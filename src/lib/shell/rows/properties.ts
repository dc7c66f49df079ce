/** Data: one row per property, with the programs that have it: for rules, trust, lint, hook commands and Bash. */
export const PROPERTIES = {
  /** Without arguments they run their input. */
  shell: 'ash bash csh dash fish ksh mksh rbash sh tcsh zsh',
  /** They run a file, or the code after an option. Also with a version: `python3.12`. */
  interpreter: `bb bun chez clj clojure clisp crystal csi deno ecl elixir elvish emacs erl escript expect fennel gawk ghc
    ghci gjs gosh gp gprolog groovy gst guile iex io ipython irb janet jjs jruby jshell julia kotlin kotlinc lua luajit maxima
    micropython mujs mysql nashorn newlisp nim node nodejs nu ocaml octave osascript osh perl perl6 php pike powershell psql
    ptpython pwsh pypy python qjs R racket raku rhino Rscript ruby runghc runhaskell sage sbcl scala scheme scsh slsh sqlite
    stack swipl tcc tclsh ts-node ts-node-esm tsx txr utop vite-node wish wolframscript xonsh yabasic zx`,
  /** Most programs in this language can be seen to run nothing. */
  awk: 'awk gawk mawk nawk',
  /** Some of the words that they take are files. */
  editor: 'ed emacs ex gsed nvi nvim sed vi vim',
  /** After their options comes the program that they run. */
  wrapper: `builtin busybox bwrap catchsegv cgexec chpst chroot chrt command cpulimit daemonize dbus-run-session doas dtach env exec
    faketime fakeroot firejail flock genv gnice gnohup gstdbuf gtime gtimeout gxargs hyperfine ionice ld.so linux32 linux64 ltrace nice
    nohup nsenter numactl parallel perf pkexec prlimit proot proxychains proxychains4 rlwrap runuser setarch setpriv setsid sg
    start-stop-daemon stdbuf strace sudo systemd-run taskset time timeout torsocks toybox truss tsp unbuffer unshare valgrind
    watch xargs xvfb-run`,
  /** They run what their arguments name, in some other form. */
  runner: 'coproc entr eval find gdb script ssh su trap',
  /** They parse some of their arguments again as the shell does; so do shells. */
  rereads: 'entr env eval flock parallel runuser script ssh su trap watch',
  /** They run their input, at once or later, or start a shell that does. */
  runsInput:
    'at batch chroot crontab dc ed ex fakeroot gdb nsenter parallel proot runuser script setarch ssh su unshare',
  /** Much of what they take is text that they run. */
  runsText: `at batch crontab dc ed emacs ex gdb lldb mutt nc ncat nvi nvim parallel rlwrap scp screen script sftp socat ssh su
    tmux vi view vim watch`,
  /** They change the meaning of later commands, or run something from elsewhere. */
  unseen: '. alias bind compgen complete enable hash mapfile readarray source',
  /** Builtins that run their arguments, be it a file or text. */
  sources: '. eval run-parts set source',
  /** Their names are ordinary words elsewhere: `go test -v` does not run test. */
  ordinary: '[ printf test',
  /** Their arguments are data, if the names look like data. */
  readsData: 'cat chmod cmp cut diff echo grep head jq ls sort stat tail uniq wc',
  /** They write or create their arguments, and do not run them. */
  writes: 'mkdir mktemp rm rmdir tee touch truncate',
  tests: '[ [[ test',
  silent: 'cd chgrp chmod chown cp ln mkdir mv rm rmdir touch',
  sends: 'aws curl gh http https logger nc notify-send redis-cli wget xh',
  setsVariables: 'declare export getopts let local read readonly typeset unset wait',
  keyword: '! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while',
  builtIn: `. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo
    enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd
    pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask
    unalias unset wait`
}

/** The properties of programs that run others, or text: a rule about such a program alone says nothing. */
export const RUNS_OTHERS = [
  ...(['shell', 'interpreter', 'awk', 'editor', 'wrapper'] as const),
  ...(['runner', 'unseen', 'sources', 'runsInput', 'runsText', 'builtIn'] as const)
]
