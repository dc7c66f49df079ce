/**
 * Other ways to write a command that have the same effect. By construction, and not by what our parser makes of them: the
 * suite runs each way once, with a command that leaves a file.
 */
export interface Spelling {
  readonly title: string
  /** Each command can still be seen in the text, so that what was refused must be refused. */
  readonly isStatic: boolean
  /** `text`: for any command. `words`: only for a program with words that need no quotes. */
  readonly of: 'text' | 'words'
  /** A program that it needs, besides bash and what every system has. */
  readonly needs?: string
  /** Code in another language carries the command. */
  readonly isCarried?: boolean
  apply(command: string): string
}

export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const encoded = (text: string): string =>
  `$'${Array.from(Buffer.from(text), byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A delimiter of a here-document that ends none in the command. */
const delimiterFor = (command: string, delimiter = 'EOF'): string =>
  command.includes(delimiter) ? delimiterFor(command, `${delimiter}_`) : delimiter

/** In a template, %T is the command, %Q the command in quotes, %X each of its characters as a number, %B base64. */
const inTemplate = (template: string, command: string): string =>
  template
    .replaceAll('EOF', () => delimiterFor(command))
    .replaceAll(/%[TQXB]/g, sign =>
      sign === '%T' ? command : sign === '%Q' ? quoted(command) : sign === '%X' ? encoded(command) : base64(command)
    )

const lines = (text: string): readonly string[] => text.trim().split(/\n\s*/)

/** ⏎ is a new line. */
const SEEN = lines(String.raw`
  ( %T⏎)
  ((true)); %T
  { %T⏎}
  { { ( %T⏎) } }
  true; %T
  true && %T
  false || %T
  true⏎⏎%T⏎true
  :;:;:;%T
  # first⏎%T
  { %T⏎} # last
  %T⏎# last
  if true; then %T⏎fi
  if false; then :; else %T⏎fi
  if { %T⏎}; then :; fi
  for i in 1; do %T⏎done
  for ((i = 0; i < 1; i++)); do %T⏎done
  while true; do %T⏎break; done
  until false; do %T⏎break; done
  case y in (y) %T⏎;; esac
  select i in 1; do %T⏎break; done <<< 1
  f() { %T⏎}; f
  function f { %T⏎}; f
  f() ( %T⏎); f
  { %T⏎} | cat
  true | { %T⏎}
  { %T⏎} &⏎wait
  { %T⏎} 2>&1
  ! { %T⏎}
  time { %T⏎}
  coproc { %T⏎}⏎wait
  echo $(%T⏎)
  echo "$(%T⏎)"
  echo "a $(echo "b $(%T⏎)")"
  cat <(%T⏎)
  { : > >(%T⏎)⏎} | cat
  A=$(%T⏎)
  A=$(%T⏎) true
  export A=$(%T⏎)
  a=(1 $(%T⏎))
  : \${y:-$(%T⏎)}
  : $((0 + $({ %T⏎} >/dev/null⏎echo 1)))
  [[ a == $(%T⏎) ]]
  [ "$(%T⏎)" = a ]
  let "y=1$({ %T⏎} >/dev/null⏎)"
  for i in $(%T⏎); do :; done
  case $(%T⏎) in *) ;; esac
  cat <<EOF⏎$(%T⏎)⏎EOF
  cat <<< "$(%T⏎)"
  eval %Q
  eval %X
  builtin eval %Q
  command eval %Q
  trap %Q EXIT
  bash -c %Q
  bash -c %X
  bash -ec %Q
  bash --norc -c %Q
  bash -c %Q name
  /bin/bash -c %Q
  exec bash -c %Q
  env bash -c %Q
  env A=1 bash -c %Q
  timeout 20 bash -c %Q
  nohup bash -c %Q
  nice -n 1 bash -c %Q
  setsid -w bash -c %Q
  stdbuf -oL bash -c %Q
  bash <<'EOF'⏎%T⏎EOF
  bash -s <<'EOF'⏎%T⏎EOF
  bash <<< %Q
  xargs bash -c %Q < /dev/null
  find . -maxdepth 0 -exec bash -c %Q \;
  env -i /bin/bash -c %Q`)

const UNSEEN = lines(String.raw`
  echo %Q | bash
  printf %s %Q | bash
  echo %B | base64 -d | bash
  bash <(echo %Q)
  source <(echo %Q)
  . /dev/stdin <<< %Q
  eval "$(echo %Q)"
  eval "$(echo %B | base64 -d)"
  bash -c "$(echo %B | base64 -d)"
  x=%Q; eval "$x"
  x=%Q bash -c 'eval "$x"'
  bash -c 'eval "$0"' %Q
  bash -c '"$@"' name bash -c %Q
  set -- %Q; eval "$1"
  xargs -0 bash -c < <(printf %s %Q)
  printf %s %Q | xargs -0 bash -c
  git -c alias.x='!eval "$(echo %B | base64 -d)"' x
  awk 'BEGIN { system("echo %B | base64 -d | bash") }'
  perl -e 'exec "bash", "-c", $ARGV[0]' %Q
  python3 -c 'import os, sys; os.execvp("bash", ["bash", "-c", sys.argv[1]])' %Q
  sed -n '1e echo %B | base64 -d | bash' <<< x
  make -s -f - <<< 'all: ; @echo %B | base64 -d | bash'
  v='$(echo %B | base64 -d | bash)'; echo "\${v@P}"
  x='a[$(echo %B | base64 -d | bash >&2)]'; echo $((x))
  b=ba; "$b"sh -c %Q
  \${0/*/bash} -c %Q
  /bin/b?sh -c %Q
  BASH_ENV=<(echo %Q) bash -c :
  find . -maxdepth 0 -exec sh -c 'echo %B | base64 -d | bash' \;
  mapfile -C 'echo %B | base64 -d | bash #' -c 1 < <(echo)`)

const textOf = (template: string): string => template.replaceAll('⏎', '\n').replaceAll('\\${', '${')

const needed = (template: string): { readonly needs?: string } => {
  const [needs] = /\b(?:perl|python3|make|git)\b/.exec(template) ?? []
  return needs === undefined ? {} : { needs }
}

const texts = [
  ...SEEN.map(template => ({ template, isStatic: true })),
  ...UNSEEN.map(template => ({ template, isStatic: false }))
].map(({ template, isStatic }): Spelling => ({
  title: template,
  isStatic,
  of: 'text',
  ...needed(isStatic ? '' : template),
  isCarried: /^(?:perl|python3|make|git|awk|sed) /.test(template),
  apply: command => inTemplate(textOf(template), command)
}))

/** Each word in another spelling. */
const SPELLINGS: Readonly<Record<string, (word: string) => string>> = {
  'in single quotes': word => `'${word}'`,
  'in double quotes': word => `"${word}"`,
  'with empty quotes': word => `${word.slice(0, 1)}''${word.slice(1)}""`,
  'each letter in quotes': word => Array.from(word, letter => `'${letter}'`).join(''),
  'half in quotes': word => `${word.slice(0, 1)}"${word.slice(1)}"`,
  'with backslashes': word => Array.from(word, letter => `\\${letter}`).join(''),
  'one backslash': word => `\\${word}`,
  'as numbers': encoded,
  'as octal numbers': word =>
    `$'${Array.from(Buffer.from(word), byte => `\\${byte.toString(8).padStart(3, '0')}`).join('')}'`,
  'a line that goes on': word => `${word.slice(0, 1)}\\\n${word.slice(1)}`
}

const spelled = Object.entries(SPELLINGS).flatMap(([title, spell]): readonly Spelling[] => [
  { title, isStatic: true, of: 'words', apply: command => command.split(' ').map(spell).join(' ') },
  {
    title: `the program ${title}`,
    isStatic: true,
    of: 'words',
    apply: command => command.replace(/^\S+/, spell)
  },
  {
    title: `the last word ${title}`,
    isStatic: true,
    of: 'words',
    apply: command => command.replace(/\S+$/, spell)
  }
])

const BLANKS = ['\t', '   ', ' \\\n ', '\t\t \t']
const FOLDERS = ['/bin/', '/usr/bin/', '/bin/./', '/usr/../bin/', '//usr//bin//']

/** In front of a command; the program that is needed is its first word. */
const WRAPPERS = lines(`
  env
  env -i PATH=/usr/bin:/bin
  env A=1
  env -u A
  env -C .
  command
  command -p
  command --
  nohup
  timeout 20
  timeout -k 1 20
  timeout --signal=KILL 20
  nice
  nice -n 1
  nice -1
  stdbuf -oL
  stdbuf -i0 -o0
  setsid -w
  setsid --wait
  time
  time -p
  exec
  exec -a other
  ionice -c3
  taskset 1
  chrt -o 0
  setarch -R
  linux64
  flock /tmp
  xargs -a /dev/null
  xargs -n 1 -a /dev/null
  busybox
  sudo
  sudo -n -u root
  doas
  unshare
  strace -o /dev/null
  env timeout 20 nice
  command env nohup
  exec env
  coproc`)

/** Before or behind a command, without a change. */
const AROUND = lines(`
  A=1 %T
  A=1 B=2 %T
  </dev/null %T
  2>/dev/null %T
  %T 2>/dev/null
  %T </dev/null
  %T >/dev/null 2>&1
  %T >&2
  %T;
  %T &⏎wait
  %T # ; echo
  %T && true
  %T || true
  %T | cat
  %T |& cat
  true | %T
  ! %T
  \\⏎%T
  %T \\⏎
  $(echo) %T
  "" || %T
  env -S %Q
  find . -maxdepth 0 -exec %T \\;
  find . -maxdepth 0 -exec %T {} +
  find . -maxdepth 0 -execdir %T \\;
  echo a | xargs -I{} %T
  cd . && %T
  set -e; %T`)

const onWords = [
  ...BLANKS.map((blank): Spelling => ({
    title: `${JSON.stringify(blank)} between the words`,
    isStatic: true,
    of: 'words',
    apply: command => command.split(' ').join(blank)
  })),
  ...FOLDERS.map((folder): Spelling => ({
    title: `the program in ${folder}`,
    isStatic: true,
    of: 'words',
    apply: command => (/^[./]/.test(command) ? command : folder + command)
  })),
  ...WRAPPERS.map((wrapper): Spelling => ({
    title: `behind ${wrapper}`,
    isStatic: true,
    of: 'words',
    ...(!/^(?:command|time|exec|coproc)$/.test(wrapper.split(' ')[0]!) && { needs: wrapper.split(' ')[0]! }),
    apply: command => `${wrapper} ${command}${wrapper === 'coproc' ? '\nwait' : ''}`
  })),
  ...AROUND.map((template): Spelling => ({
    title: template,
    isStatic: !template.startsWith('$('),
    of: 'words',
    apply: command => inTemplate(textOf(template), command)
  }))
]

export const MUTATIONS: readonly Spelling[] = [...texts, ...spelled, ...onWords]

/** A program and words that mean themselves. */
export const isPlain = (command: string): boolean =>
  /^[\w./-]+(?: [\w./:=@,%+-]+)*$/.test(command) && !/^\w+=/.test(command) && !isBuiltin(command.split(' ')[0]!)

/** What only the shell can run has no other path, and nothing in front. */
const isBuiltin = (word: string): boolean =>
  /^(?:\.|:|alias|builtin|cd|command|compgen|complete|coproc|declare|enable|eval|exec|export|hash|let|local|mapfile|popd|pushd|read|readarray|readonly|set|source|time|trap|typeset|unset|wait)$/.test(
    word
  )
