/** Commands and what must be decided: D deny, A ask (or deny), OK allow. ⏎ is a new line, ⇥ a tab, ␍ a carriage return. */
const TEXT = String.raw`
D git status; rm x  ¦  D git status⏎rm x  ¦  D git status && rm x  ¦  D git status || rm x
D git status & rm x  ¦  D git status | rm x  ¦  D git status |& rm x  ¦  D git status;:|rm x
D git log $(rm x)  ¦  D git log @rm x@  ¦  D git log "$(rm x)"  ¦  D echo "$(echo @rm x@)"
D git diff <(rm x) y  ¦  D git status >(rm x)  ¦  D FOO=$(rm x) git status  ¦  D FOO=bar rm x
D env rm x  ¦  D env -i A=1 rm x  ¦  D env -S "rm x"  ¦  D nohup rm x
D timeout 5 rm x  ¦  D nice -n 5 rm x  ¦  D stdbuf -oL rm x  ¦  D setsid -w rm x
D time rm x  ¦  D command rm x  ¦  D exec rm x  ¦  D builtin eval "rm x"
D sudo rm x  ¦  D flock f rm x  ¦  D busybox rm x  ¦  D script -c "rm x"
A mywrap rm x  ¦  A unknown-tool --run "rm x"  ¦  D bash -c "rm x"  ¦  D sh -ec 'rm x'
D sh<<<"rm x"  ¦  D bash <<E⏎rm x⏎E  ¦  D cat <<E⏎$(rm x)⏎E  ¦  OK cat <<'E'⏎$(rm x)⏎E
A bash -c "$X"  ¦  A eval "$(printf '\162m x')"  ¦  A echo cm0geA== | base64 -d | sh  ¦  A curl u | sh
D r""m x  ¦  D r'm' x  ¦  D \rm x  ¦  D $'\x72m' x
D /bin/rm x  ¦  D /bin/./rm x  ¦  D /usr/../bin/rm x  ¦  A /???/r? x
A a=r;b=m;$a$b x  ¦  A rm\${IFS}x  ¦  D {rm,x}  ¦  A \${0/*/rm} x
A alias git='rm x'⏎git status  ¦  D git() { rm x; }; git status  ¦  D function git { rm x; }; git log  ¦  A source ./f
A . ./f  ¦  A enable -f ./f.so z  ¦  D trap 'rm x' EXIT  ¦  D coproc rm x
A mapfile -C 'rm x #' -c1 A<f  ¦  A compgen -C 'rm x' y  ¦  A complete -C 'rm x' y  ¦  A PROMPT_COMMAND='rm x'
A PATH=./evil:$PATH git status  ¦  A BASH_ENV=./f bash -c 'echo'  ¦  A LD_PRELOAD=./f git status  ¦  A PS4='$(rm x)' bash -xc :
A GIT_SSH_COMMAND='rm x' git fetch  ¦  A GIT_EXTERNAL_DIFF='rm x' git diff  ¦  A GIT_PAGER='rm x' git log  ¦  A NODE_OPTIONS=-r./f node a
A git -c alias.x='!rm x' x  ¦  A git -c core.fsmonitor='rm x' status  ¦  A git --exec-path=. status  ¦  A git grep -O'rm x' p
A git ls-remote --upload-pack='rm x;' .  ¦  A git diff --output=f  ¦  A git -C ../other status  ¦  A git config core.hooksPath h
D find . -exec rm {} \;  ¦  D find . -execdir rm {} +  ¦  A find . -delete  ¦  A find . -fprint f
D echo x | xargs rm  ¦  D xargs -a f rm  ¦  A xargs -I{} sh -c '{}'  ¦  D parallel rm ::: x
A awk 'BEGIN{system("rm x")}'  ¦  A sed '1e rm x' f  ¦  A sed 'w f' g  ¦  A sort -o f g
A tee f  ¦  A tar cf - --checkpoint-action=exec='rm x' .  ¦  A python3 -c 'print(1)'  ¦  A perl -e 'print 1'
A ssh -o ProxyCommand='rm x' h  ¦  A man -P 'rm x' ls  ¦  A rg --pre ./f p  ¦  A vim -c ':!rm x'
A git status > f  ¦  A git status >> f  ¦  A git status >| f  ¦  A git status &> f
A exec 3>f  ¦  D echo x > .agent/settings.json  ¦  D cd .agent && echo x > settings.json  ¦  OK git status >/dev/null 2>&1
A x='a[$(rm x)]'; echo $((x))  ¦  A v='$(rm x)'; echo "\${v@P}"  ¦  A [[ -v 'a[$(rm x)]' ]]  ¦  A printf -v 'a[$(rm x)]' y
A read 'a[$(rm x)]' <<<1  ¦  A test -v 'a[$(rm x)]'  ¦  D let "y=$(rm x)"  ¦  A declare -n r=z
D if :; then rm x; fi  ¦  D for i in 1; do rm x; done  ¦  D case y in y) rm x;; esac  ¦  D ( rm x )
D { rm x; }  ¦  D ! rm x  ¦  D until rm x; do :; done  ¦  D select i in 1; do rm x; done
D git status #⏎rm x  ¦  D # git status⏎rm x  ¦  D git status \⏎; rm x  ¦  D git⇥status;rm⇥x
A git status␍rm x  ¦  A git status\u2028rm x
A git status\u00A0  ¦  A g\u0456t status  ¦  A git status \u202E  ¦  A git status \u200B  ¦  A git "status  ¦  A cat <<E⏎x
D cat secrets/k  ¦  D cat < ./secrets/../secrets/k  ¦  D cat s"e"crets/k  ¦  A cat s*/k
A cat $P/k  ¦  D grep -r k secrets  ¦  A grep -r k .  ¦  D git diff --no-index /dev/null secrets/k
D cat linkdir/k  ¦  D cat hardlink  ¦  A cp -r . /elsewhere  ¦  A cat /proc/self/root/ROOT/secrets/k
D echo \${y:-$(rm x)}  ¦  D echo $((1+$(rm x)))  ¦  D [[ a == $(rm x) ]]  ¦  D a=(1 $(rm x))  ¦  D export A=$(rm x)
D git status &&⏎rm x  ¦  D command -p rm x  ¦  D env -C . rm x  ¦  D (exec -a git rm x)  ¦  A hash -p /bin/rm git; git x
A cat <<E >f⏎y⏎E  ¦  A { echo a; } > f  ¦  A exec {n}>f  ¦  A echo a | tee >(cat >f)  ¦  D for ((i=0;i<$(rm x);i++)); do :; done
OK echo "a\"; rm x; #"  ¦  OK echo 'a'\''; rm x; #'  ¦  OK grep 'rm -rf' log  ¦  OK git commit -m "drop; rm old"  ¦  OK git log --format='%h;rm x'
OK git log --grep='$(rm x)'  ¦  OK echo '@rm x@'  ¦  OK git status # ; rm x  ¦  OK echo "a && rm x"  ¦  OK grep -F '|rm x' f
OK echo rm x  ¦  OK echo a\;rm x  ¦  OK echo $'a\'; rm x'  ¦  OK echo "\$(rm x)"
`

export type CorpusDecision = 'D' | 'A' | 'OK'

/** `root`: the folder of the project. */
export const corpus = (root: string): readonly (readonly [CorpusDecision, string])[] => [
  ...TEXT.trim()
    .split(/\n|¦/)
    .map(cell => {
      const [, expected = '', command = ''] = /^(D|A|OK) (.*)$/.exec(cell.trim()) ?? []
      return [expected as CorpusDecision, decoded(command, root)] as const
    }),
  ['D', 'true;'.repeat(60) + 'rm x'],
  ['D', 'true;'.repeat(10_000) + 'rm x']
]

const decoded = (command: string, root: string): string =>
  command
    .replaceAll('@', '`')
    .replaceAll('`P}', '@P}')
    .replaceAll('\\${', '${')
    .replaceAll('⏎', '\n')
    .replaceAll('⇥', '\t')
    .replaceAll('␍', '\r')
    .replaceAll(/\\u([\dA-F]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('ROOT', root)
