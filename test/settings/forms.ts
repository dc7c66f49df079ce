/** Commands that run a file of a project, each in another way: the file, what it needs beside it, and the command. */

export interface Form {
  readonly command: string
  /** The file that is run. */
  readonly file: string
  /** Makes the text of that file, given what it should do: a line of shell. */
  readonly text: (line: string) => string
  readonly more?: Readonly<Record<string, string>>
}

const SHELL = { file: 'conf/x', text: (line: string): string => `${line}\n` }
const PYTHON = { file: 'conf/x.py', text: (line: string): string => `import os\nos.system(${JSON.stringify(line)})\n` }
const NODE = {
  file: 'conf/x.js',
  text: (line: string): string => `require('node:child_process').execSync(${JSON.stringify(line)})\n`
}
const PERL = { file: 'conf/x.pl', text: (line: string): string => `system(${JSON.stringify(line)});\n1;\n` }

/** Words that come to the path of the file, and what has to go before. */
const PATHS: readonly (readonly [path: string, before?: string])[] = [
  ['conf/x'],
  ['./conf/x'],
  ['~+/conf/x'],
  ['$PWD/conf/x'],
  ['"$CLAUDE_PROJECT_DIR"/conf/x'],
  ['"${CLAUDE_PROJECT_DIR:-.}/conf/x"'],
  ['"$(pwd)/conf/x"'],
  ['"$(printf conf/%s x)"'],
  ['$(printf conf/%s x)'],
  ['"$(find . -name x)"'],
  ['$(find . -name x)'],
  ['`find . -name x`'],
  ['"$(ls conf/*)"'],
  ['"conf/$(echo x)"'],
  ['conf/$(echo x)'],
  ['"$(cat list)"'],
  ['$(<list)'],
  ['"$(sed -n 1p list)"'],
  ['"$(echo Y29uZi94 | base64 -d)"'],
  [String.raw`"$(printf '\143onf/x')"`],
  [String.raw`$'\143onf/x'`],
  ['"$(echo conf/y | tr y x)"'],
  ['"$(realpath conf/x)"'],
  ['"$(cd conf && pwd)/x"'],
  ['con?/x'],
  ['c*/x'],
  ['conf/[x]'],
  ["con''f/x"],
  ['co"nf"/x'],
  [String.raw`con\f/x`],
  ['"${F:-conf/x}"'],
  ['$F', 'F=conf/x; '],
  ['"$F"', 'F="$(find . -name x)"; '],
  ['$F', 'F=$(find . -name x); '],
  ['$F/x', 'F="$(echo conf)"; '],
  ['$A$B', 'A=co; B=nf/x; '],
  ['con${F#x}/x', 'F=xf; '],
  ['${F%.sh}', 'F=conf/x.sh; '],
  ['${F/y/x}', 'F=conf/y; '],
  ['${F:2}', 'F=./conf/x; '],
  ['${!F}', 'G=conf/x; F=G; '],
  ['"$F"', 'read -r F < list; '],
  ['"${F[0]}"', 'mapfile -t F < list; '],
  ['"$F"', 'printf -v F conf/%s x; '],
  ['"${F[0]}"', 'F=(conf/x); '],
  ['"$1"', 'set -- $(cat list); '],
  ['x', 'cd conf; '],
  ['x', 'pushd conf > /dev/null; '],
  ['x', 'cd "$(echo conf)"; ']
]

const RUNNERS: readonly ((path: string) => string)[] = [
  path => `sh ${path}`,
  path => `bash ${path}`,
  path => `. ${path.startsWith('x') ? './x' : path}`,
  path => `env sh ${path}`,
  path => `if sh ${path}; then true; fi`,
  path => `timeout 20 bash -e ${path}`
]

const shell = (command: string, more: Partial<Form> = {}): Form => ({
  ...SHELL,
  command,
  ...more,
  more: { list: 'conf/x\n', ...more.more }
})

const SHELLS: readonly Form[] = [
  ...RUNNERS.flatMap(runner => PATHS.map(([path, before = '']) => shell(before + runner(path)))),
  ...[
    'cat conf/x | sh',
    'sh < conf/x',
    'sh -s < conf/x',
    'bash <(cat conf/x)',
    '. <(cat conf/x)',
    '. /dev/stdin < conf/x',
    'exec 3< conf/x; . /dev/fd/3',
    'eval "$(cat conf/x)"',
    'sh -c "$(cat conf/x)"',
    "sh -c '. ./conf/x'",
    `bash -c 'sh -c "sh conf/x"'`,
    'sh -c \'sh "$1"\' sh conf/x',
    'sh -c \'"$@"\' sh sh conf/x',
    'sh <<< "$(cat conf/x)"',
    'sh <<< ". ./conf/x"',
    'cat <<EOF | sh\n. ./conf/x\nEOF',
    'sed "" conf/x | bash',
    'awk 1 conf/x | sh',
    'head -c 9999 conf/x | sh',
    'echo sh conf/x | sh',
    'printf "conf/%s" x | xargs sh',
    'xargs sh < list',
    'xargs -a list sh',
    'cat list | xargs -n1 sh',
    'find . -name x | xargs sh',
    'find . -name x -print0 | xargs -0 -n1 sh',
    String.raw`find . -name x -exec sh {} \;`,
    'find conf -type f -exec sh {} +',
    'while read -r f; do sh "$f"; done < list',
    'cat list | while read -r f; do . "./$f"; done',
    'for f in $(cat list); do sh $f; done',
    'for f in conf/*; do sh "$f"; done',
    'for d in conf; do for n in x; do sh $d/$n; done; done',
    'f() { sh "$1"; }; f conf/x',
    'trap "sh conf/x" EXIT',
    'cp conf/x run; sh run',
    'cat conf/x > run; sh run',
    'cat conf/x | tee run > /dev/null; sh run',
    'ln -sf conf/x run; sh run',
    'dd if=conf/x of=run 2> /dev/null; sh run',
    'BASH_ENV=conf/x bash -c true',
    'env BASH_ENV=conf/x bash -c true',
    'env -C conf sh x',
    "env -S 'sh conf/x'",
    'nice -n 1 sh conf/x',
    'setsid -w sh conf/x',
    'exec sh conf/x',
    'command sh conf/x',
    `awk 'BEGIN { system("sh conf/x") }'`,
    `X="$(sh conf/x)"; echo "$X"`,
    'echo "$(sh conf/x)"',
    '[ -f once ] || sh conf/x',
    'sh conf/x | tee -a calls.log',
    'tee -a calls.log | sh conf/x',
    'sh conf/x >> calls.log 2>&1'
  ].map(command => shell(command)),
  shell('sh tools/t.sh', { more: { 'tools/t.sh': '. ./conf/x\n' } }),
  shell('sh tools/t.sh', { more: { 'tools/t.sh': '. "$(dirname "$0")/../conf/x"\n' } }),
  shell('sh tools/t.sh conf/x', { more: { 'tools/t.sh': '. "./$1"\n' } }),
  shell('tools/t.sh conf/x', { more: { 'tools/t.sh': '#!/bin/sh\nfile=$1\nsh "$file"\n' } }),
  shell('python3 tools/t.py conf/x', {
    more: { 'tools/t.py': 'import subprocess, sys\nsubprocess.run(["sh", sys.argv[1]])\n' }
  })
]

const SCRIPT = { 'tools/t.py': 'import sys\nsys.path.insert(0, "conf")\nimport x\n' }

const PYTHONS: readonly Form[] = [
  ...[
    'python3 conf/x.py',
    'python3 -m conf.x',
    'cd conf && python3 -m x',
    'PYTHONPATH=conf python3 -m x',
    `PYTHONPATH=conf python3 -c 'import x'`,
    `env PYTHONPATH=conf python3 -c 'import x'`,
    `export PYTHONPATH=$PWD/conf; python3 -c 'import x'`,
    `PYTHONPATH="$(pwd)/conf:$PYTHONPATH" python3 -c "import x"`,
    `python3 -c 'import sys; sys.path.insert(0, "conf"); import x'`,
    `python3 -c 'import sys; sys.path.append("conf"); __import__("x")'`,
    `python3 -c 'import sys; sys.path[:0] = ["co" + "nf"]; import x'`,
    `python3 -c 'from conf import x'`,
    `python3 -c 'import conf.x'`,
    `python3 -c 'import importlib; importlib.import_module("conf.x")'`,
    `python3 -c 'import importlib; importlib.import_module(".".join(["conf", "x"]))'`,
    `python3 -c 'exec(open("conf/x.py").read())'`,
    `python3 -c 'exec(open("co" + "nf/x.py").read())'`,
    `python3 -c 'import runpy; runpy.run_path("conf/x.py")'`,
    `python3 -c 'import os; os.chdir("conf"); import x'`,
    `python3 -c 'import os; os.system("python3 conf/x.py")'`,
    'python3 - < conf/x.py',
    'python3 < conf/x.py',
    'cat conf/x.py | python3',
    'cat conf/x.py | python3 -',
    'python3 "$(find . -name x.py)"',
    'python3 conf/*.py'
  ].map(command => ({ ...PYTHON, command })),
  { ...PYTHON, command: 'python3 tools/t.py', more: SCRIPT },
  { ...PYTHON, command: 'PYTHONPATH=conf python3 tools/t.py', more: { 'tools/t.py': 'import x\n' } },
  { ...PYTHON, command: 'PYTHONPATH=. python3 tools/t.py', more: { 'tools/t.py': 'import conf.x\n' } }
]

const NODES: readonly Form[] = [
  'node conf/x.js',
  'node conf/x',
  'cd conf && node x',
  `node -e 'require("./conf/x.js")'`,
  `node -e 'require("./conf/x")'`,
  `node -p 'require("./conf/x.js"); 1'`,
  `node -e 'require("./con" + "f/x.js")'`,
  'node -e "import(\'./conf/x.js\')"',
  'node -r ./conf/x.js -e 1',
  'node --require ./conf/x.js -e 1',
  'node --import ./conf/x.js -e 1',
  'NODE_OPTIONS="--require ./conf/x.js" node -e 1',
  `NODE_PATH=conf node -e 'require("x")'`,
  'node < conf/x.js',
  'cat conf/x.js | node',
  'node "$(find . -name x.js)"'
].map(command => ({ ...NODE, command }))

const PERLS: readonly Form[] = [
  'perl conf/x.pl',
  `perl -e 'do "./conf/x.pl"'`,
  `perl -e 'require "./conf/x.pl"'`,
  'perl < conf/x.pl',
  'perl "$(find . -name x.pl)"'
].map(command => ({ ...PERL, command }))

/** All of them, with interpreters that this machine may lack left to `has`. */
export const formsWith = (has: (program: string) => boolean): readonly Form[] => [
  ...SHELLS.filter(({ command }) => !command.startsWith('python') || has('python3')),
  ...(has('python3') ? PYTHONS : []),
  ...NODES,
  ...(has('perl') ? PERLS : [])
]
