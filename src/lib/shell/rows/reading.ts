/** Data: programs that only read what they name, and print. The notation is explained in ../row.ts. */
export const READING: Readonly<Record<string, string>> = {
  basename: 'reads any || text+',
  base64: 'reads inert | -d -D -i -w= --decode --ignore-garbage --wrap= | read*',
  cat: 'reads any || read*',
  cksum: 'as sha256sum',
  cmp: 'reads any || read read? text*',
  column: 'reads inert | -t -s= -c= -N= -R= -x -n --table --separator= --columns= | read*',
  comm: 'reads inert | -123 --check-order --nocheck-order --total --output-delimiter= | read read',
  cut: 'reads inert | -s -z -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= | read*',
  date: 'reads inert | -u -I? -R -d= -r< --utc --date= --iso-8601? --rfc-3339= --rfc-email --reference< | date?',
  df: 'reads inert | -a -h -H -i -k -l -T -P -t= --human-readable --inodes --local --print-type --total --output? | read*',
  diff: `reads inert deep enters | -q -s -u -c -U= -C= -y -i -w -b -B -E -Z -a -d -N -r** -t -W= -x= -I= -p -e --brief --unified? --context? --side-by-side --color?
    --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --text --minimal --new-file --recursive** --exclude= --width=
    --suppress-common-lines --report-identical-files --label= --normal --no-dereference --strip-trailing-cr | read read`,
  dirname: 'reads any || text+',
  du: `reads inert | -a -b -c -h -H -k -L** -m -s -S -x -d= -t= -0 --all --apparent-size --bytes --total --human-readable --summarize --max-depth= --si
    --threshold= --exclude= --one-file-system --time? | read*`,
  echo: 'reads any raw || text*',
  egrep: 'as grep',
  expr: 'reads inert || text+',
  false: 'reads any || text*',
  fd: `reads deep | -H -I -u -s -i -g -F -a -l -L** -p -0 -t= -e= -E= -d= -c= -S= -1 -q --hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --fixed-strings --absolute-path
    --list-details --follow** --full-path --print0 --max-depth= --min-depth= --exact-depth= --exclude= --type= --extension= --size= --changed-within= --changed-before= --color= --threads= --max-results=
    -x~ -X~ --exec~ --exec-batch~ | text? read*`,
  fdfind: 'as fd',
  fgrep: 'as grep',
  file: 'reads inert | -b -i -L -h -k -N -0 --brief --mime --mime-type --mime-encoding --dereference --no-dereference | read+',
  find: `reads dash | -H -L** -P ( ) ! , -a -and -o -or -not -true -false -maxdepth= -mindepth= -depth -d -daystart -follow** -mount -xdev -noleaf -regextype=
    -warn -nowarn -name= -iname= -path= -ipath= -wholename= -iwholename= -regex= -iregex= -lname= -ilname= -type= -xtype= -size= -empty -perm= -user= -group= -uid= -gid=
    -nouser -nogroup -newer< -anewer< -cnewer< -newermt= -newerat= -newerct= -mtime= -atime= -ctime= -mmin= -amin= -cmin= -used= -links= -inum= -samefile< -readable
    -writable -executable -fstype= -prune -quit -print -print0 -printf= -ls -exec%** -execdir%** -ok%** -okdir%** -delete~ -fprint> -fprint0> -fls> -fprintf>
    | read*`,
  fmt: 'reads any || read*',
  fold: 'reads any || read*',
  free: 'reads any || text*',
  getconf: 'reads inert | -a | text*',
  grep: `reads inert | -E -F -G -P -i -v -w -x -c -l -L -o -q -s -b -n -H -h -T -Z -z -a -I -U -u -y -r* -R** -# -e^ -f<^ -m= -A= -B= -C= -d=action -D=
    --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour?
    --files-with-matches --files-without-match --max-count= --only-matching --quiet --silent --no-messages --byte-offset --line-number --with-filename --no-filename
    --label= --initial-tab --null --null-data --text --binary-files= --directories=action --devices= --exclude= --exclude-dir= --include= --exclude-from< --recursive*
    --dereference-recursive** --regexp^ --file<^ --after-context= --before-context= --context= --line-buffered --version --help | text read*`,
  head: 'reads inert | -q -v -z -# -n= -c= --lines= --bytes= --quiet --silent --verbose --zero-terminated | read*',
  hexdump: 'reads inert | -C -b -c -d -o -x -v -n= -s= -e= | read*',
  hostname: 'reads inert | -f -s -d -i -I | none',
  id: 'reads any || text*',
  join: 'reads inert | -a= -e= -i -j= -o= -t= -v= -1= -2= --check-order --nocheck-order --header | read read',
  jq: `reads inert | -r -c -e -s -S -n -R -j -a -C -M --raw-output --compact-output --exit-status --slurp --sort-keys --null-input --raw-input --join-output
    --ascii-output --color-output --monochrome-output --tab --indent= --arg=2 --argjson=2 --slurpfile<2 --rawfile<2 --seq --stream --unbuffered | filter read*`,
  ls: 'reads any | -L** --de** --der** --dere** --deref** --derefe** --derefer** --derefere** --dereferen** --dereferenc** --dereference** | read*',
  lsblk: 'reads any || text*',
  lscpu: 'reads inert | -a -b -e? -J -p? | none',
  md5sum: 'as sha256sum',
  nl: 'reads any || read*',
  nproc: 'reads any || none',
  numfmt: 'reads any || text*',
  od: 'reads any || read*',
  paste: 'reads inert | -d= -s -z --delimiters= --serial --zero-terminated | read*',
  pgrep: 'reads inert | -a -f -l -n -o -u= -x -c -P= | text?',
  printenv: 'asks inert',
  printf: 'reads posix || template text*',
  ps: 'reads inert | -A -e -f -F -l -p= -u= -C= -o=psformat -H -w -x -a --forest --no-headers --sort= --pid= --ppid= | psflags?',
  pwd: 'reads any || none',
  readlink: 'reads any || read+',
  realpath: 'reads any || read+',
  rev: 'reads any || read*',
  rg: `reads deep | -i -s -S -v -w -x -c -l -n -N -o -q -F -P -U -a -H -I -p -h -0 -. -u -L** -e^ -f<^ -g= -t= -T= -m= -A= -B= -C= -M= -r= -d= -j=
    --ignore-case --case-sensitive --smart-case --invert-match --word-regexp --line-regexp --count --count-matches --files-with-matches --files-without-match --line-number
    --no-line-number --only-matching --quiet --fixed-strings --pcre2 --multiline --multiline-dotall --text --with-filename --no-filename --pretty --hidden --no-ignore
    --no-ignore-vcs --unrestricted --regexp^ --file<^ --glob= --iglob= --type= --type-not= --type-list --max-count= --max-depth= --max-filesize= --max-columns= --after-context=
    --before-context= --context= --replace= --sort= --sortr= --color= --colors= --heading --no-heading --json --stats --files@ --null --trim --column --vimgrep --threads= --encoding= --version
    --no-messages --passthru --crlf --engine= --no-config --pre! --hostname-bin! --search-zip~ -z~ | text read*`,
  seq: 'reads any || text*',
  sha1sum: 'as sha256sum',
  sha256sum: 'reads inert | -b -t -z --binary --text --tag --zero | read*',
  sha512sum: 'as sha256sum',
  sleep: 'reads any || text+',
  sort: `reads | -b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z -k= -t= -S= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort
    --human-numeric-sort --month-sort --numeric-sort --random-sort --reverse --sort= --version-sort --check? --key= --merge --stable --field-separator= --unique
    --zero-terminated --parallel= --buffer-size= -o> --output> -T! --temporary-directory! --compress-program! --batch-size= | read*`,
  stat: 'reads any || read+',
  strings: 'reads inert | -a -n= -t= -f --bytes= --radix= | source*',
  sum: 'as sha256sum',
  tac: 'reads any || read*',
  tail: `reads inert | -q -v -z -f -F -# -n= -c= -s= --lines= --bytes= --follow? --quiet --silent --verbose --retry --pid= --sleep-interval= --zero-terminated | read*`,
  tr: 'reads any || text*',
  tree: `reads inert apart | -a -d -f -i -l** -x -s -h -D -p -u -g -C -n -r -t -U -v -q -N -Q -F -J -X -L= -P= -I= --noreport --dirsfirst --prune --gitignore --filelimit= --du --si
    --sort= --charset= -o> | read*`,
  tty: 'reads any || none',
  uname: 'reads any || none',
  uniq: `reads inert | -c -d -D -u -i -z -f= -s= -w= --count --repeated --unique --ignore-case --skip-fields= --skip-chars= --check-chars= --all-repeated? | read?`,
  uptime: 'reads any || none',
  wc: 'reads inert | -c -m -l -L -w --bytes --chars --lines --max-line-length --words --total= | read*',
  whereis: 'reads inert | -b -m -s | text*',
  which: 'reads any || text*',
  whoami: 'reads any || none',
  xxd: 'reads inert dash posix | -a -b -c= -g= -l= -p -s= -u | read?',

  // Builtins of the shell.
  ':': 'reads any || text*',
  true: 'reads any || text*',
  cd: 'reads inert || folder',
  // Where commands behind them run is not followed.
  pushd: 'asks inert',
  popd: 'asks inert',
  dirs: 'reads inert || none',
  test: `reads dash | ! ( ) -a -o -n= -z= -b< -c< -d< -e< -f< -g< -h< -k< -p< -r< -s< -S< -L< -u< -w< -x< -O< -G< -N< -t= -nt -ot -ef -eq -ne -lt -le -gt -ge = == != | text*`,
  '[': 'as test',
  type: 'reads inert | -a -t -p -P -f | text+',
  exit: 'reads inert || text?',
  set: 'reads inert | -e -u -x -f -o=option +e +u +x | none',
  umask: 'reads inert || none',
  wait: 'reads inert || none',
  jobs: 'reads inert || none',

  // Texts in a language of their own: each is read before it counts as harmless.
  sed: `reads | -n -E -r -s -u -z -e^sed -l= --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression^sed --posix --debug --line-length= --sandbox
    -i~ --in-place~ -f!^ --file!^ | sed read*`,
  gsed: 'as sed',
  awk: 'reads posix | -F= -v= -f!^ --field-separator= | awk read*',
  gawk: 'as awk',
  mawk: 'as awk',
  nawk: 'as awk'
}
