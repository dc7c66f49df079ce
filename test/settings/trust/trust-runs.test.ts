/** Trust covers what a command runs, in any way that it finds it; what a hook writes or keeps is not covered. */
import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { giveTrust, trustOf } from '../../../src/settings.ts'
import { formsWith, type Form } from '../forms.ts'
import { fireArmed, settingsScene, type SettingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const FORMS = formsWith(program => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0)

/** A project with such a hook, which is trusted. */
function trusted({ command, file, text, more = {} }: Form): SettingsScene {
  const here = settingsScene()
  for (const [name, content] of Object.entries(more)) here.write(`project/${name}`, content)
  here.write(`project/${file}`, text('true'))
  here.ofProject(commandOn('PreToolUse', command))
  giveTrust(here.load(), here.where)
  expect(trustOf(here.load(), here.where).state).toBe('trusted')
  return here
}

test('B10: of all ways to run a file of the project, none runs it changed without a new question', () => {
  expect(FORMS.length).toBeGreaterThanOrEqual(131)
  const missed = FORMS.filter(form => {
    const here = trusted(form)
    writeFileSync(here.path(`project/${form.file}`), form.text('touch ran'))
    return trustOf(here.load(), here.where).state !== 'changed'
  })
  expect(missed.map(({ command }) => command)).toEqual([])
})

test.each([
  'sh ~+/conf/x',
  '. "$(printf conf/%s x)"',
  'sh "$(find . -name x)"',
  'F=$(find . -name x); sh $F',
  'xargs sh < list',
  'sh ${F:-$(ls conf/*)}'
])('B10: %s does not run a file that has changed since it was trusted', async command => {
  const form = { command, file: 'conf/x', text: (line: string) => `${line}\n`, more: { list: 'conf/x\n' } }
  const here = trusted(form)
  const armed = await here.arm()
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
  here.write('project/conf/x', `touch ${here.path('ran')}\n`)
  expect(await fireArmed(armed)).toMatchObject({ blocked: true, failures: [{ kind: 'untrusted' }] })
  expect(existsSync(here.path('ran'))).toBe(false)
})

test.each([
  ['NODE_OPTIONS', { command: 'node -e 0', env: { NODE_OPTIONS: '--require ./conf/x.js' } }],
  ['BASH_ENV', { command: 'bash -c true', env: { BASH_ENV: './conf/x.js' } }],
  ['PATH', { command: 'x.js', env: { PATH: './conf:/usr/bin:/bin' } }],
  ['PYTHONPATH', { command: 'python3 -m x', env: { PYTHONPATH: 'conf' } }],
  ['a name', { command: 'sh $X', env: { X: 'conf/x.js' } }],
  ['a part of a name', { command: 'sh "$X"x.js', env: { X: 'conf/' } }],
  ['a name in a list of arguments', { command: 'sh', args: ['-c', '. ./$X'], env: { X: 'conf/x.js' } }]
])('B10: %s in the env of a hook is as good as in its command', (_, handler) => {
  const here = settingsScene()
  for (const name of ['x.js', 'x.py']) here.write(`project/conf/${name}`, 'true\n')
  here.ofProject({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', ...handler }] }] } })
  giveTrust(here.load(), here.where)
  expect(trustOf(here.load(), here.where).state).toBe('trusted')
  for (const name of ['x.js', 'x.py']) here.write(`project/conf/${name}`, 'touch ran\n')
  expect(trustOf(here.load(), here.where).state).toBe('changed')
})

test('B10: the env of a server of .mcp.json is covered as well', () => {
  const here = settingsScene()
  here.write('project/conf/x.js', 'true\n')
  const server = { command: 'node', args: ['-e', '0'], env: { NODE_OPTIONS: '--require ./conf/x.js' } }
  here.write('project/.mcp.json', JSON.stringify({ mcpServers: { s: server } }))
  giveTrust(here.load(), here.where)
  here.write('project/conf/x.js', 'touch ran\n')
  expect(trustOf(here.load(), here.where)).toMatchObject({ state: 'changed', changes: ['changed: file conf/x.js'] })
})

test.each(['X=conf/; sh "$X"x', 'X=conf/; . "./$X"x', "X=con; './'$X'f/x'"])(
  'B10: %s runs what the name and the quotes make together',
  command => {
    const here = trusted({ command, file: 'conf/x', text: line => `${line}\n` })
    here.write('project/conf/x', 'touch ran\n')
    expect(trustOf(here.load(), here.where).state).toBe('changed')
  }
)

test.each([
  `PYTHONPATH=conf python3 -c 'import x'`,
  `python3 -c 'import sys; sys.path.insert(0, "conf"); import x'`,
  'python3 tools/t.py'
])('B10: %s does not import a module that has changed since it was trusted', async command => {
  const more = { 'tools/t.py': 'import os, sys\nsys.path.append(os.path.join(os.getcwd(), "conf"))\nimport x\n' }
  const here = trusted({ command, file: 'conf/x.py', text: () => 'pass\n', more })
  const armed = await here.arm()
  here.write('project/conf/x.py', `open(${JSON.stringify(here.path('ran'))}, 'w')\n`)
  expect(await fireArmed(armed)).toMatchObject({ blocked: true, failures: [{ kind: 'untrusted' }] })
  expect(existsSync(here.path('ran'))).toBe(false)
})

test.each(['sh l/../x', '. ./l/../x', 'cd l/..; sh conf/sub/../x', 'node l/../x.js'])(
  'B10: a link is followed before what goes up behind it: %s',
  async command => {
    const here = settingsScene()
    for (const name of ['conf/x', 'conf/x.js', 'conf/sub/y']) here.write(`project/${name}`, 'true\n')
    symlinkSync('conf/sub', here.path('project/l'))
    here.ofProject(commandOn('PreToolUse', command))
    giveTrust(here.load(), here.where)
    for (const name of ['conf/x', 'conf/x.js']) here.write(`project/${name}`, 'false\n')
    expect(trustOf(here.load(), here.where).state).toBe('changed')
  }
)

test('B10: where it cannot be told what runs, in a project too large to cover, the hook is refused and told how to write it', async () => {
  const here = settingsScene()
  for (let folder = 0; folder < 60; folder++)
    for (let file = 0; file < 90; file++) here.write(`project/many/${folder}/${file}.ts`, '')
  here.ofProject(commandOn('PreToolUse', 'sh "$(find . -name x)"'))
  giveTrust(here.load(), here.where)
  const { blocked, failures } = await fireArmed(await here.arm())
  expect(blocked).toBe(true)
  expect(failures).toMatchObject([{ kind: 'untrusted', message: expect.stringContaining('name each by its path') }])
})

/** A project whose hook is a script with this text, or these commands, beside the usual files of a project. */
function ordinary(script: string, command = '.claude/hooks/hook.sh', name = 'hook.sh'): SettingsScene {
  const here = settingsScene()
  here.write(`project/.claude/hooks/${name}`, script)
  here.write('project/src/a.ts', 'export {}\n')
  here.ofProject(commandOn('PreToolUse', command))
  giveTrust(here.load(), here.where)
  return here
}

/** Fires three times, as an agent does that works between; then looks whether the project is still trusted. */
async function runsThrice(here: SettingsScene): Promise<void> {
  const armed = await here.arm()
  for (const round of [1, 2, 3]) {
    expect(await fireArmed(armed), `round ${round}`).toMatchObject({ blocked: false, failures: [] })
    writeFileSync(here.path('project/src/a.ts'), `export const round = ${round}\n`)
    writeFileSync(here.path('project/README.md'), `${round}\n`)
  }
  expect(trustOf(here.load(), here.where)).toMatchObject({ state: 'trusted', changes: [] })
}

const INPUT = 'input=$(cat)\n'

test.each([
  ['its log', 'cat >> "$(dirname "$0")/audit.log"'],
  ['its log, by another way to its folder', 'here="$(cd "$(dirname "$0")" && pwd)"\ncat >> "$here/audit.log"'],
  ['its log, through tee', 'tee -a "$(dirname "$0")/calls" > /dev/null'],
  ['a mark', `${INPUT}[ -f "$(dirname "$0")/once" ] || touch "$(dirname "$0")/once"`],
  ['a mark in the root', `${INPUT}if [ ! -e .ran-once ]; then touch .ran-once; fi`],
  ['a count', `${INPUT}f="\${0%/*}/count"\nn=$(cat "$f" 2>/dev/null || echo 0)\necho $((n + 1)) > "$f"`],
  [
    'a file of state in JSON',
    `${INPUT}echo "{\\"at\\": $$}" > "\${0%/*}/state.json"; cat "\${0%/*}/state.json" > /dev/null`
  ],
  ['a folder of its own', `${INPUT}mkdir -p .cache/hook && echo "$input" > .cache/hook/last`],
  ['a lock', `${INPUT}exec 9> "\${0%/*}/hook.lock"\nflock -n 9 || exit 0`],
  [
    'a file per session',
    `${INPUT}id=$(printf %s "$input" | head -c 3 | cksum | cut -d" " -f1)\necho x >> "\${0%/*}/$id-$$.log"`
  ],
  ['lines that it reads', 'while read -r line; do echo "$line" >> "${0%/*}/lines.txt"; done'],
  ['what others print', `${INPUT}ls src | while read -r f; do echo "$f"; done > files.txt`]
])('B11: a script that writes %s keeps its trust', async (_, text) => {
  await runsThrice(ordinary(`#!/bin/bash\n# the hook's own notes\n${text}\nexit 0\n`))
})

test.each([
  'cat >> "$CLAUDE_PROJECT_DIR"/.claude/hooks/audit.log',
  'cat >> "$(dirname "$0")/audit.log"',
  'tee -a calls > /dev/null',
  'jq -c . 2> /dev/null | tee -a .claude/calls.jsonl > /dev/null; true',
  'cat > /dev/null; touch once',
  'cat > /dev/null; [ -f once ] || { mkdir -p .cache && touch once; }',
  'cat > /dev/null; test -e .claude/seen || date > .claude/seen',
  `jq -r .x 2> /dev/null | { read -r f; [[ "$f" == *.ts || "$f" == *.js ]] && npx prettier --write "$f"; exit 0; }`,
  'cat > last.json; grep -q forbidden last.json && exit 2; exit 0',
  'cat > /dev/null; n=$(cat n.txt 2> /dev/null || echo 0); echo $((n + 1)) > n.txt',
  'cat > /dev/null; flock .claude/lock -c "date >> dates.log"',
  'cat | .claude/hooks/hook.sh | tee -a out.log > /dev/null',
  'sh .claude/hooks/hook.sh .claude/hooks/state',
  'bash "$CLAUDE_PROJECT_DIR"/.claude/hooks/hook.sh ./.claude/state.json',
  '"$(git rev-parse --show-toplevel 2>/dev/null || pwd)"/.claude/hooks/hook.sh state || .claude/hooks/hook.sh state',
  'STATE=.claude/state .claude/hooks/hook.sh "$STATE" >> hook.log 2>&1',
  'LOG=.claude/audit.log; cat >> $LOG',
  'export LOG=.claude/audit.log && cat >> "$LOG"'
])('B11: %s keeps its trust', async command => {
  await runsThrice(ordinary('#!/bin/sh\ncat > /dev/null\necho x >> "${1:-/dev/null}"\n', command))
})

test.each([
  '[ -f .claude/hooks/hook.sh ] && bash .claude/hooks/hook.sh || true',
  'test -x .claude/hooks/hook.sh && .claude/hooks/hook.sh',
  'H="$CLAUDE_PROJECT_DIR/.claude/hooks/hook.sh"; if [ -x "$H" ]; then exec "$H"; fi',
  `bash -c 'file=$(cat); [[ $file == *.go ]] && gofmt -w "$file"; exit 0'`,
  `python3 -c 'import json, sys; d = json.load(sys.stdin); print("%s" % d["tool_name"] + "+")'`
])('B11: %s only tests or reads, and keeps its trust', async command => {
  await runsThrice(ordinary('#!/bin/sh\ncat > /dev/null\n', command))
})

test.each([
  'touch x.sh; sh x.sh',
  'tee x.sh; [ -f x.sh ] && sh x.sh',
  `python3 -c 'import a; exec(open("x" + ".py").read())'`
])('B10: %s may run any file of the project, so every file counts', command => {
  const here = ordinary('#!/bin/sh\n', command)
  here.write('project/src/a.ts', 'export const changed = 1\n')
  expect(trustOf(here.load(), here.where)).toMatchObject({ state: 'changed', changes: ['changed: file src/a.ts'] })
})

test.each([
  ['a state file', 'import json, sys\nsys.stdin.read()\njson.dump({"n": 1}, open(sys.argv[1], "w"))\n'],
  [
    'a log beside it',
    'import os, sys\nlog = os.path.join(os.path.dirname(__file__), "py.log")\nopen(log, "a").write(sys.stdin.read())\n'
  ],
  [
    'a database',
    'import sqlite3, sys\nsys.stdin.read()\ndb = sqlite3.connect(sys.argv[1] + ".db")\ndb.execute("create table if not exists t (a)")\ndb.execute("insert into t values (1)")\ndb.commit()\n'
  ],
  ['its own byte code', 'import sys, helper\nsys.stdin.read()\nopen(sys.argv[1], "a").write("x")\n']
])('B11: a script in Python that writes %s keeps its trust', async (_, text) => {
  const here = ordinary(text, 'python3 .claude/hooks/hook.py .claude/hooks/state', 'hook.py')
  here.write('project/.claude/hooks/helper.py', 'pass\n')
  giveTrust(here.load(), here.where)
  await runsThrice(here)
})

test('B11: what it writes may change, what it runs may not: beside a log that grows, code is still covered', async () => {
  const here = ordinary('#!/bin/sh\n. "${0%/*}/common"\ncat >> "${0%/*}/audit.log"\n')
  here.write('project/.claude/hooks/common', 'true\n')
  giveTrust(here.load(), here.where)
  const armed = await here.arm()
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
  expect(await fireArmed(armed)).toMatchObject({ blocked: false, failures: [] })
  here.write('project/.claude/hooks/common', `touch ${here.path('ran')}\n`)
  expect(await fireArmed(armed)).toMatchObject({ blocked: true, failures: [{ kind: 'untrusted' }] })
  expect(existsSync(here.path('ran'))).toBe(false)
})
