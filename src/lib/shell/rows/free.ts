/**
 * Data: what needs no rule, by program or sub-command: its options, as letters that may share a dash, or as
 * whole words; with `=` they take a value. Everything else needs a rule, also where the table of programs calls it harmless.
 */
const DIFF = `-psubwz -UMC= --patch --no-patch --unified= --stat= --numstat --shortstat --summary --name-only --name-status --color= --no-color --word-diff= --diff-filter= --no-renames --find-renames=
  --ignore-all-space --ignore-space-change --ignore-blank-lines --exit-code --quiet --no-ext-diff --no-textconv --relative= --minimal --patience --histogram --function-context --compact-summary --check`
const LOG = `-i -nSG= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --regexp-ignore-case --extended-regexp --fixed-strings --merges --no-merges --first-parent --all --branches= --tags=
  --remotes= --reverse --oneline --abbrev-commit --date= --graph --follow --decorate= --no-decorate --format= --pretty= --topo-order --date-order --left-right --cherry-pick --parents`
const SUMS = '-bt --tag --binary --text'

export const FREE: Readonly<Record<string, string>> = {
  basename: '-a -s= --suffix=',
  base64: '-d -w= --decode --wrap=',
  cat: '-AbeEnstTv --number --show-all',
  cd: '',
  cksum: '',
  cmp: '-sl --silent',
  column: '-t -s= --table --separator=',
  comm: '-123',
  'command -v': '-v',
  cut: '-s -bcdf= --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter=',
  date: '-uIR --utc --iso-8601=',
  df: '-hkTi',
  diff: '-qsucywbBNi -UCW= --brief --unified= --context= --side-by-side --color= --ignore-all-space --ignore-space-change --ignore-blank-lines --width= --suppress-common-lines --strip-trailing-cr',
  dirname: '',
  du: '-abchkmsx -d= --all --bytes --total --human-readable --summarize --max-depth= --exclude= --apparent-size',
  echo: '-neE',
  false: '',
  fd: '-HIusigFap -tedE= --hidden --no-ignore --glob --type= --extension= --exclude= --max-depth= --absolute-path --full-path --color=',
  file: '-bi --brief --mime --mime-type',
  find: '-maxdepth -mindepth -name -iname -path -ipath -type -size -empty -mtime -mmin -newer -perm -not -a -and -o -or -prune -print -print0',
  grep: `-EFGPivwxclLoqsbnHhaIr -eABCm= --extended-regexp --fixed-strings --perl-regexp --ignore-case --invert-match --word-regexp --line-regexp --count --color= --files-with-matches
    --files-without-match --max-count= --only-matching --quiet --no-messages --line-number --with-filename --no-filename --exclude= --exclude-dir= --include= --recursive --regexp=
    --after-context= --before-context= --context=`,
  head: '-q -nc= --lines= --bytes=',
  hexdump: '-C -ns=',
  id: '-ugnGr',
  jq: '-rcesSnRjM --raw-output --compact-output --exit-status --slurp --sort-keys --null-input --raw-input --tab --indent=',
  ls: '-AacdFhiklmnoprRsStuUxX1 --all --almost-all --color= --human-readable --recursive --reverse --directory --classify --full-time --group-directories-first --sort= --time=',
  md5sum: SUMS,
  nice: '-n=',
  nl: '-b=',
  nproc: '',
  od: '-xc -AtjN=',
  paste: '-s -d= --delimiters= --serial',
  printf: '',
  pwd: '-PL',
  readlink: '-fen',
  realpath: '-es --relative-to=',
  rev: '',
  rg: `-isSvwxclnNoqFPUaHIpu -egtTmABC= --ignore-case --case-sensitive --smart-case --invert-match --word-regexp --count --files-with-matches --files-without-match --line-number --no-line-number
    --only-matching --quiet --fixed-strings --multiline --hidden --no-ignore --glob= --iglob= --type= --type-not= --max-count= --max-depth= --after-context= --before-context= --context= --sort=
    --color= --heading --no-heading --files --column --no-filename --with-filename --stats --json --no-messages --regexp=`,
  sed: '-nEr -e= --quiet --silent --regexp-extended --expression=',
  seq: '-w -s=',
  sha1sum: SUMS,
  sha256sum: SUMS,
  sha512sum: SUMS,
  sleep: '',
  sort: '-bdfghiMnrVcCsuz -kt= --reverse --unique --numeric-sort --human-numeric-sort --version-sort --key= --field-separator= --ignore-case --stable --check',
  stat: '-ftx -c= --format= --terse',
  strings: '-n= --bytes=',
  tac: '',
  tail: '-q -nc= --lines= --bytes=',
  test: '-d -e -f -r -s -w -x -n -z',
  '[': '-d -e -f -r -s -w -x -n -z',
  timeout: '-ks= --kill-after= --signal=',
  tr: '-cdsC --delete --complement --squeeze-repeats',
  tree: '-adfi -LIP= --dirsfirst --noreport --gitignore --prune',
  true: '',
  ':': '',
  type: '-atp',
  uname: '-asnrvmpio',
  uniq: '-cdui --count --repeated --unique --ignore-case',
  wait: '',
  wc: '-cmlLw --bytes --chars --lines --words',
  which: '-a',
  whoami: '',
  xxd: '-p -l -s -c -g -u -b',
  awk: '-F=',

  'git blame': '-elswn -L= --show-email --date= --porcelain',
  'git branch':
    '-arlv --all --remotes --list --verbose --show-current --color= --no-color --sort= --merged= --no-merged= --contains= --no-contains= --points-at= --format=',
  'git describe': '--all --tags --contains --abbrev= --always --long --exact-match --match= --first-parent',
  'git diff': `${DIFF} --cached --staged --merge-base`,
  'git log': `${LOG} ${DIFF} -L=`,
  'git ls-files':
    '-cdmosz --cached --deleted --modified --others --stage --exclude-standard --error-unmatch --full-name',
  'git remote': '-v --verbose',
  'git remote get-url': '--push --all',
  'git rev-parse':
    '-q --verify --quiet --short= --abbrev-ref= --symbolic-full-name --show-toplevel --show-prefix --git-dir --git-common-dir --is-inside-work-tree --is-bare-repository',
  'git shortlog': '-nsec --numbered --summary --email --since= --until= --no-merges --all',
  'git show': `${LOG} ${DIFF}`,
  'git stash list': '--oneline --format= --pretty= --date=',
  'git status':
    '-sbvz -u= --short --branch --verbose --porcelain= --long --show-stash --untracked-files= --ignored= --no-renames --ahead-behind --no-ahead-behind',
  'git tag': '-l -n= --list --sort= --points-at= --contains= --no-contains= --merged= --no-merged= --format='
}

const FILTER = String.raw`(?:\.|(?:\.[A-Za-z_]\w*|\.?\[(?:\d*|"[\w -]*")\])+|keys|length)`
const ADDRESS = String.raw`(?:\d+|\$|/[\w .:=-]+/)`
const PLACEHOLDER = String.raw`%(?:[hHsbBdDn%]|[ac][nedrisI]|x09|\((?:refname|objectname|subject|authorname|committerdate|upstream|HEAD)(?::[a-z]+)?\))`

/** Words that need no rule, although the shell expands them: the status of the command before, and names to search. */
export const FREE_WORDS: Readonly<Record<string, RegExp>> = {
  echo: /^(?:[\w .,:;=()!-]|\$\?)*$/,
  grep: /^--(?:include|exclude|exclude-dir)=[\w.*-]+$/
}

/** The same for texts in a language of their own, by their kind. */
export const FREE_TEXTS: Readonly<Record<string, RegExp>> = {
  template: /^(?!-)(?:[^%\\]|%[sd%]|\\[nt\\"'])*$/,
  sed: new RegExp(`^${ADDRESS}(?:,${ADDRESS})?[p=]$`),
  awk: /^\{ *print(?: +\$(?:\d+|NF)(?: *, *\$(?:\d+|NF))*)? *;? *\}$/,
  filter: new RegExp(`^${FILTER}(?: *[|,] *${FILTER})*$`),
  format: new RegExp(`^(?:oneline|short|medium|full|fuller|(?:t?format:|(?=[^]*%))(?:[^%]|${PLACEHOLDER})*)$`)
}
