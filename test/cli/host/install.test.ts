/** `carabiner hooks install`: what it writes, and that the same bytes come back. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'jsonc-parser'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dialectOf, HOST_NAMES, type HostName } from '../../../src/lib/cli/host/hosts.ts'
import { changeFile, jsonFormat, type Format, type HostFile } from '../../../src/lib/cli/host/installed-file.ts'
import { OWN_LINE, ownLine } from '../../../src/lib/settings/files/own-line.ts'
import { cliStage } from '../../support/cli-stage.ts'
import { endAll, isAlive, processesWith } from '../../support/process-table.ts'

const [INSTALL, REMOVE] = [{ isRemoved: false }, { isRemoved: true }]

/** As people have them: name, text, and an edit that the person makes after the installation. */
const CONFIGURATIONS: readonly (readonly [string, string])[] = [
  ['an empty file', ''],
  ['blank lines', '\n\n'],
  ['no keys', '{}'],
  ['no keys, with a line break', '{}\n'],
  ['no keys, with a space', '{ }\n'],
  ['only a comment', '{\n  // nothing yet\n}\n'],
  ['a comment behind the brace', '{ // mine\n}\n'],
  [
    'comments everywhere',
    '// top\n{\n  /* one */ "model": "x", // two\n  // three\n  "hooks": {} // four\n  // five\n}\n// end\n'
  ],
  ['tabs', '{\n\t"model": "x",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n'],
  ['CRLF', '{\r\n  "model": "x", // mine\r\n  "hooks": {\r\n    "PreToolUse": [\r\n    ]\r\n  }\r\n}\r\n'],
  ['a byte order mark', '\uFEFF{\r\n    "model": "x"\r\n}'],
  [
    'trailing commas',
    '{\n  "model": "x",\n  "hooks": {\n    "PreToolUse": [\n      { "hooks": [{ "type": "command", "command": "x" }], },\n    ],\n  },\n}\n'
  ],
  [
    'unknown keys',
    '{\n  "$schema": "https://example.org/s.json",\n  "future": { "deep": [1, { "x": null }] },\n  "z": 1.50e3\n}\n'
  ],
  [
    'minified',
    '{"model":"x","hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]},"a":[1,2]}'
  ],
  ['one line with spaces', '{ "model": "x", "hooks": { "Stop": [] } }\n'],
  [
    'deep indentation',
    '{\n        "hooks": {\n                "PreToolUse": [\n                        {\n                                "hooks": []\n                        }\n                ]\n        }\n}\n'
  ],
  [
    'brackets on shared lines',
    '{\n  "hooks": {\n    "PreToolUse": [{\n      "matcher": "Bash",\n      "hooks": [{ "type": "command", "command": "x" }]\n    }]\n  },\n  "last": true\n}\n'
  ],
  ['commas in front', '{\n    "a": 1 // one\n  , "b": 2 // two\n  , "hooks": {}\n}\n'],
  ['a comma behind a comment', '{\n  "a": 1 /* one */ ,\n  "b": [ /* none */ ]\n}\n'],
  [
    'hooks with a matcher, in several events',
    '{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash|Write", "hooks": [{ "type": "command", "command": "a" }] } // first\n    ],\n    "BeforeTool": [\n      { "matcher": "run_shell_command", "hooks": [{ "type": "command", "command": "b" }] }\n    ],\n    "preToolUse": [{ "type": "command", "bash": "c" }],\n    "Other": [{ "hooks": [{ "type": "command", "command": "d" }] }]\n  }\n}\n'
  ],
  [
    'text that looks like comments and brackets',
    '{\n  "url": "https://x/*y*/",\n  "text": "} ], // no",\n  "hooks": {"Stop": ["//", "{"]}\n}\n'
  ],
  ['keys twice as deep, no line break at the end', '{\n "hooks":\n {\n  "Stop":\n  [\n  ]\n }\n}'],
  [
    'commas and ends in comments',
    '{\n  "a": 1, // b, c */\n  /* d, */ "e": [1 /* , */] // f, g\n  /* h */ /* , */\n}\n'
  ],
  [
    'a comment with brackets at the end',
    '{\n  "hooks": {\n    "PreToolUse": [\n      { "hooks": [] } /* x, */ // y, }]\n      /* z */\n    ]\n  }\n}\n'
  ],
  [
    'the same word elsewhere',
    '{\n  "note": "client.sh PreToolUse closed 50",\n  "list": ["carabiner could not answer"]\n}\n'
  ]
]

const JSON_HOSTS = HOST_NAMES.filter(name => name !== 'pi')

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function stage(host: HostName, text?: string) {
  const base = folder()
  const { config } = dialectOf(host)
  const path = join(base, config.user ?? config.project ?? '')
  if (text !== undefined) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const file: HostFile = { path, real: path, ownHome: join(base, 'own') }
  const read = (): string => readFileSync(path, 'utf8')
  const edit = (change: (now: string) => string): void => writeFileSync(path, change(read()))
  return { base, file, path, read, edit }
}

const linesOf = (host: HostName, client = '/opt/carabiner/hosts/client.sh') =>
  Object.keys(dialectOf(host).events).map(event => ({
    event,
    line: ownLine({
      bash: '/bin/bash',
      client,
      host,
      event,
      isClosed: true,
      deadline: 50,
      node: '/usr/bin/node',
      env: {}
    })
  }))

function formatFor(host: HostName, client?: string): Format {
  const { config } = dialectOf(host)
  return jsonFormat(
    config.fresh ?? {},
    linesOf(host, client).map(({ event, line }) => ({
      path: config.at(event),
      value: config.entry(line, 65, { event, isClosed: true })
    }))
  )
}

const valueIn = (text: string): unknown =>
  parse(text.replace('\uFEFF', ''), [], { allowTrailingComma: true }) as unknown
const ownIn = (value: unknown): number => (JSON.stringify(value).match(/could not answer: /g) ?? []).length

describe.each(JSON_HOSTS)('%s', host => {
  const format = formatFor(host)
  const count = linesOf(host).length

  test.each(CONFIGURATIONS)('%s: install, install, remove: the same bytes', async (_, text) => {
    const { file, read } = stage(host, text)
    expect((await changeFile(file, format, INSTALL)).state).toBe('changed')
    const installed = read()
    expect(ownIn(valueIn(installed))).toBe(count)
    expect((await changeFile(file, format, INSTALL)).state).toBe('unchanged')
    expect(read()).toBe(installed)
    expect((await changeFile(file, format, REMOVE)).state).toBe('changed')
    expect(read()).toBe(text)
    expect(readdirSync(join(file.ownHome, 'installed'))).toEqual([])
  })

  test.each(CONFIGURATIONS)('%s: edited by the person, only ours are taken out', async (_, text) => {
    const { file, read, edit } = stage(host, text)
    await changeFile(file, format, INSTALL)
    edit(now => now.replace('{', '{ "edited": [1], // by me\n'))
    await changeFile(file, format, REMOVE)
    const started = text.trim() === '' ? '{}\n' : text
    const left = read()
    expect(ownIn(valueIn(left))).toBe(0)
    expect(valueIn(left)).toEqual({ edited: [1], ...(valueIn(started) as object) })
    const hasKeys = Object.keys(valueIn(started) as object).length > 0
    const expected = started.replace('{', `{ "edited": [1]${hasKeys ? ',' : ''} // by me\n`)
    // Of brackets that were empty, the line break that we wrote into them stays, or all blanks go.
    const plain = (all: string): string =>
      hasKeys ? all.replaceAll(/([[{])\s+(?=[\]}])/g, '$1') : all.replaceAll(/\s+/g, ' ')
    expect(plain(left)).toBe(plain(expected))
  })

  test.each(CONFIGURATIONS)('%s: another path replaces the lines, and the same bytes come back', async (_, text) => {
    const { file, read } = stage(host, text)
    await changeFile(file, formatFor(host, "/home/o'neill/$x y/client.sh"), INSTALL)
    const once = read()
    await changeFile(file, format, INSTALL)
    expect(ownIn(valueIn(read()))).toBe(count)
    expect(read()).not.toContain('neill')
    await changeFile(file, formatFor(host, "/home/o'neill/$x y/client.sh"), INSTALL)
    expect(read()).toBe(once)
    await changeFile(file, format, REMOVE)
    expect(read()).toBe(text)
  })

  test('no file: it is made with its folders, and both are gone afterwards', async () => {
    const { file, base, path } = stage(host)
    expect((await changeFile(file, format, INSTALL)).state).toBe('created')
    expect(ownIn(JSON.parse(readFileSync(path, 'utf8')))).toBe(count)
    expect((await changeFile(file, format, REMOVE)).state).toBe('deleted')
    expect(readdirSync(base)).toEqual(['own'])
  })
})

const install = (host: string, ...more: readonly string[]): string[] => [
  ...['hooks', 'install', '--for', host, '--no-probe'],
  ...more
]

interface Installed {
  readonly file: string
  readonly state: string
  readonly content?: string
  readonly events: readonly { readonly event: string; readonly isClosed: boolean; readonly line: string }[]
  readonly cannotBeEnforced: readonly string[]
  readonly limits: readonly string[]
  readonly next: readonly string[]
}

describe('the command', () => {
  test.each(HOST_NAMES)('%s: written, idempotent, removed; --print writes nothing', async host => {
    const { run, json, home } = cliStage()
    const printed = await json<Installed>(install(host, '--print'))
    expect(readdirSync(home)).toEqual([])
    const made = await json<Installed>(install(host))
    expect(made.state).toBe('created')
    expect(readFileSync(made.file, 'utf8')).toBe(printed.content)
    expect((await json<Installed>(install(host))).state).toBe('unchanged')
    const { code, stdout } = await run(install(host))
    expect(code).toBe(0)
    for (const { event } of made.events) expect(stdout).toContain(event)
    for (const limit of made.limits) expect(stdout).toContain(limit)
    expect((await json<Installed>(install(host, '--remove'))).state).toBe('deleted')
    expect(readdirSync(home)).toEqual(['.carabiner'])
    expect((await json<Installed>(install(host, '--remove'))).state).toBe('unchanged')
  })

  test('user and project: two files; the time that the agent waits is longer than the deadline', async () => {
    const { run, json, project, home, read } = cliStage()
    const theirs = '{\n  // mine\n  "hooks": { "Stop": [] },\n}\n'
    for (const base of [home, project]) {
      mkdirSync(join(base, '.claude'))
      writeFileSync(join(base, '.claude/settings.json'), theirs)
    }
    await run(install('claude', '--deadline', '20'))
    expect(read('project/.claude/settings.json')).toBe(theirs)
    await run(install('claude', '--project'))
    const of = (name: string): readonly unknown[] =>
      (valueIn(read(name)) as { hooks: Record<string, { hooks: { timeout: number }[] }[]> }).hooks['PreToolUse'] ?? []
    expect(of('home/.claude/settings.json')).toMatchObject([{ hooks: [{ timeout: 35 }] }])
    expect(of('project/.claude/settings.json')).toMatchObject([{ hooks: [{ timeout: 65 }] }])
    await run(install('claude', '--remove'))
    expect(read('home/.claude/settings.json')).toBe(theirs)
    await run(install('claude', '--remove', '--project'))
    expect(read('project/.claude/settings.json')).toBe(theirs)
    expect((await json<Installed>(install('claude', '--project', '--print'))).next[0]).toContain('trust this folder')
  })

  test('what is in force here and cannot be enforced there is named', async () => {
    const { user, json } = cliStage()
    const hook = { type: 'command', command: 'true' }
    user({
      permissions: { ask: ['Bash(git push *)'] },
      hooks: { ConfigChange: [{ hooks: [hook] }], PreToolUse: [{ hooks: [hook] }] }
    })
    const { cannotBeEnforced, next } = await json<Installed>(install('codex', '--print'))
    expect(cannotBeEnforced).toContainEqual(
      expect.stringMatching(/^ConfigChange true \(.*settings\.json:\d+\): Codex has no such event$/)
    )
    expect(cannotBeEnforced).toContain('PreToolUse hooks: what they and rules ask about is refused')
    expect(next[0]).toContain('/hooks')
    expect((await json<Installed>(install('claude', '--print'))).cannotBeEnforced).toEqual([])
  })

  test.each([
    ['CODEX_HOME', 'codex', 'hooks.json'],
    ['CLAUDE_CONFIG_DIR', 'claude', 'settings.json'],
    ['GEMINI_CLI_HOME', 'gemini', '.gemini/settings.json'],
    ['PI_CODING_AGENT_DIR', 'pi', 'extensions/carabiner.js']
  ])('%s moves the file of %s', async (variable, host, name) => {
    const { json, path } = cliStage()
    const { file } = await json<Installed>(install(host), { env: { [variable]: path('moved') } })
    expect(file).toBe(path(`moved/${name}`))
    expect(existsSync(file)).toBe(true)
  })

  test('two at once do not lose each other, nor the file', async () => {
    const { run, user, read } = cliStage()
    const text = '{\n  // mine\n  "model": "x"\n}\n'
    user(text)
    const done = await Promise.all(
      [20, 30, 40, 50].map(seconds => run(install('claude', '--deadline', String(seconds))))
    )
    expect(done.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect(ownIn(valueIn(read('home/.claude/settings.json')))).toBe(linesOf('claude').length)
    await run(install('claude', '--remove'))
    expect(read('home/.claude/settings.json')).toBe(text)
  })
})

/** Stands for Copilot CLI: it makes the call that the model asks for, and asks its hook first if `asksHook`. */
const agent = (asksHook: boolean): string => `#!${process.execPath}
const { spawnSync } = require('node:child_process')
const { readFileSync } = require('node:fs')
if (process.argv.includes('--version')) console.log('1.2.3')
else void (async () => {
  const url = process.env.COPILOT_PROVIDER_BASE_URL + '/chat/completions'
  const tools = [{ type: 'function', function: { name: 'bash' } }]
  const ask = async messages =>
    (await (await fetch(url, { method: 'POST', body: JSON.stringify({ tools, messages }) })).json()).choices[0].message
  const { tool_calls: [call] } = await ask([])
  const toolArgs = JSON.parse(call.function.arguments)
  const { hooks } = JSON.parse(readFileSync(process.env.HOME + '/.copilot/hooks/carabiner.json', 'utf8'))
  const input = JSON.stringify({ sessionId: 's', timestamp: 1, cwd: process.cwd(), toolName: 'bash', toolArgs })
  const { stdout } = ${asksHook} ? spawnSync('bash', ['-c', hooks.preToolUse[0].bash], { input, encoding: 'utf8' }) : { stdout: '{}' }
  const { permissionDecision, permissionDecisionReason: reason = '' } = JSON.parse(stdout)
  if (permissionDecision !== 'deny') spawnSync('sh', ['-c', toolArgs.command])
  await ask([{ role: 'assistant', tool_calls: [call] }, { role: 'tool', content: reason }])
})()
`

describe('the probe', () => {
  const probe = ['hooks', 'install', '--for', 'copilot']

  test.each([
    [
      true,
      0,
      /The gate was crossed: yes, its calls pass Carabiner, because the model was told: .*the rule Bash\(touch /
    ],
    [
      false,
      1,
      /The gate was crossed: no, its calls do not pass Carabiner, because it ran a command that Carabiner refuses/
    ]
  ])('an agent that asks its hook: %j, exit code %d', async (asksHook, code, words) => {
    const { run, write, path, env, home } = cliStage()
    onTestFinished(() => endAll(processesWith(home).filter(isAlive)))
    write('bin/copilot', agent(asksHook), 0o755)
    const ran = await run(probe, { env: { PATH: `${path('bin')}:${env['PATH']}` } })
    expect(ran.stdout).toMatch(words)
    expect(ran.code).toBe(code)
  })

  test('an agent that is not installed, or that is in this project only, is not tried', async () => {
    const { run, env } = cliStage()
    const alone = {
      env: {
        PATH:
          env['PATH']
            ?.split(':')
            .filter(each => !existsSync(join(each, 'copilot')))
            .join(':') ?? ''
      }
    }
    for (const more of [[], ['--project']]) {
      const { code, stdout } = await run([...probe, ...more], alone)
      expect([code, stdout]).toEqual([0, expect.stringContaining('The gate was not tried: ')])
    }
  })
})

describe('what stays as it is', () => {
  test('a file that is a link is written at its target, with its mode', async () => {
    const { run, write, home, path } = cliStage()
    const target = write('dotfiles/claude.json', '{}\n', 0o640)
    mkdirSync(join(home, '.claude'))
    symlinkSync(target, path('home/.claude/settings.json'))
    expect((await run(install('claude'))).code).toBe(0)
    expect(lstatSync(path('home/.claude/settings.json')).isSymbolicLink()).toBe(true)
    expect(statSync(target).mode & 0o777).toBe(0o640)
    expect(ownIn(JSON.parse(readFileSync(target, 'utf8')))).toBeGreaterThan(0)
    await run(install('claude', '--remove'))
    expect(readFileSync(target, 'utf8')).toBe('{}\n')
    const [record = ''] = readdirSync(path('home/.carabiner/installed'))
    expect(record).toBe('')
  })

  test('what is kept for --remove is for the user only', async () => {
    const { run, user, path } = cliStage()
    user('{ "env": { "TOKEN": "x" } }')
    await run(install('claude'))
    const kept = path('home/.carabiner/installed')
    for (const name of readdirSync(kept)) expect(statSync(join(kept, name)).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['{ "hooks": [ }', /settings\.json cannot be read as settings: line 1: it is not valid JSON/],
    ['[]', /the file is not a JSON object/],
    ['{ "hooks": [] }', /settings\.json cannot be added to: hooks is not an object/],
    ['{ "hooks": { "Stop": {} } }', /hooks\.Stop is not a list/],
    ['\u0000', /settings\.json: it holds NUL bytes/]
  ])('%j is refused, with the key and what to do', async (content, why) => {
    const { run, user, read, home } = cliStage()
    user(content)
    const { code, stdout, stderr } = await run(install('claude'))
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toMatch(why)
    expect(stderr).toContain('nothing was written; ')
    expect(read('home/.claude/settings.json')).toBe(content)
    expect(readdirSync(join(home, '.claude'))).toEqual(['settings.json'])
  })

  test('a file that is read-only, or that others own or may write, is refused', async () => {
    const { run, user, path } = cliStage()
    user('{}')
    chmodSync(path('home/.claude/settings.json'), 0o444)
    expect((await run(install('claude'))).stderr).toMatch(/is read-only \(mode 0444\).*nothing was written/)
    chmodSync(path('home/.claude/settings.json'), 0o666)
    expect((await run(install('claude'))).stderr).toMatch(
      /any user of this machine can write to it; nothing was written/
    )
    expect(readFileSync(path('home/.claude/settings.json'), 'utf8')).toBe('{}')
  })

  test.runIf(process.getuid?.() === 0)('a file of another user is refused', async () => {
    const { run, user, path } = cliStage()
    user('{}')
    chownSync(path('home/.claude/settings.json'), 4242, 4242)
    expect((await run(install('claude'))).stderr).toMatch(/it belongs to another user; nothing was written/)
  })

  test('a link that leads out of the project is refused, also as a folder', async () => {
    const { run, path, project } = cliStage()
    mkdirSync(path('elsewhere'))
    symlinkSync(path('elsewhere'), join(project, '.codex'))
    const { code, stderr } = await run(install('codex', '--project'))
    expect(code).toBe(4)
    expect(stderr).toContain('it leads out of the project')
    expect(readdirSync(path('elsewhere'))).toEqual([])
  })

  test('another extension of that name is refused; ours of another version is replaced', async () => {
    const { run, write, read } = cliStage()
    const name = 'home/.pi/agent/extensions/carabiner.js'
    write(name, 'export default () => {}\n')
    expect((await run(install('pi'))).stderr).toContain('there is another one of that name')
    expect(read(name)).toBe('export default () => {}\n')
    write(name, '// Carabiner: an older one\n')
    expect((await run(install('pi'))).code).toBe(0)
    expect(read(name)).toContain('client.sh')
  })

  test.each([
    [[], /name the agent: --for claude/],
    [['--for', 'cursor'], /name the agent/],
    [['--for', 'codex', '--deadline', '0'], /--deadline takes/],
    [['--for', 'codex', '--deadline', 'soon'], /--deadline takes/]
  ])('%j: usage', async (args, why) => {
    const { run, home } = cliStage()
    const { code, stderr } = await run(['hooks', 'install', ...args])
    expect(code).toBe(64)
    expect(stderr).toMatch(why)
    expect(readdirSync(home)).toEqual([])
  })
})

describe('the line', () => {
  const SHELLS = ['sh', 'dash', 'bash'].filter(shell => spawnSync(shell, ['-c', 'true']).status === 0)
  const PLACES = ['plain', 'with space', "o'neill", '$HOME `id` "x"', 'a\nb', '-dash & ; |', 'ümläut', '!x%y#z']
  const asked = (client: string, isClosed = true, bash = '/bin/bash'): string =>
    ownLine({
      bash,
      client,
      host: 'codex',
      event: 'PreToolUse',
      isClosed,
      deadline: 50,
      node: "/o'x/$y/node",
      env: { HOME: "/it's $x" }
    })

  test.each(SHELLS.flatMap(shell => PLACES.map(place => [shell, place] as const)))(
    '%s runs it from %j',
    (shell, place) => {
      const client = join(folder(), place, 'hosts/client.sh')
      mkdirSync(dirname(client), { recursive: true })
      writeFileSync(client, 'cat; printf "<%s>" "$@"; exit "${CODE-0}"\n')
      const line = asked(client)
      expect(line).toMatch(OWN_LINE)
      const ran = (env: Record<string, string>) =>
        spawnSync(shell, ['-c', line], {
          input: '{"a":1}',
          encoding: 'utf8',
          env: { PATH: process.env['PATH'] ?? '', HOME: '/nowhere', ...env }
        })
      expect(ran({})).toMatchObject({
        status: 0,
        stdout: `{"a":1}<codex><PreToolUse><closed><50></o'x/$y/node><HOME=/it's $x>`,
        stderr: ''
      })
      expect(ran({ BASH_ENV: '/dev/fd/2', ENV: '/nowhere' })).toMatchObject({ status: 0, stderr: '' })
      for (const CODE of ['1', '2', '3', '127']) {
        const { status, stderr } = ran({ CODE })
        expect([status, stderr]).toEqual([2, expect.stringContaining('carabiner could not answer')])
      }
    }
  )

  test.each(SHELLS)(
    '%s, without the client, without bash, or with a client that is killed: 2, with text; open: 1',
    shell => {
      const missing = join(folder(), 'gone/client.sh')
      const killed = join(folder(), 'client.sh')
      writeFileSync(killed, 'kill -9 $$\n')
      const program = spawnSync('sh', ['-c', `command -v ${shell}`], { encoding: 'utf8' }).stdout.trim()
      for (const [client, bash] of [
        [missing, '/bin/bash'],
        [killed, '/bin/bash'],
        [killed, '/gone/bash']
      ] as const)
        for (const isClosed of [true, false]) {
          const { status, stderr } = spawnSync(program, ['-c', asked(client, isClosed, bash)], {
            encoding: 'utf8',
            env: {}
          })
          expect([status, stderr]).toEqual([
            isClosed ? 2 : 1,
            expect.stringContaining('repeat carabiner hooks install --for codex')
          ])
        }
    }
  )

  test('lines of people are not taken for ours', () => {
    for (const line of [
      'bash /opt/x/client.sh codex PreToolUse closed 50 node',
      `echo x; ${asked('/opt/x/client.sh')}`,
      "sh -c 'echo carabiner could not answer' carabiner",
      'carabiner hook --for codex'
    ])
      expect(line).not.toMatch(OWN_LINE)
  })
})

describe('the line of Claude Code in a project', () => {
  test('does not run here, needs no trust, is listed as off, and is no gap for doctor', async () => {
    const { run, json, project, write } = cliStage()
    write('project/.git/HEAD', 'ref: refs/heads/main\n')
    expect((await run(install('claude', '--project'))).code).toBe(0)
    const { hooks } = await json<{ hooks: readonly { off?: string; inForce: boolean; event: string }[] }>([
      'hooks',
      'list'
    ])
    expect(hooks.length).toBe(linesOf('claude').length)
    for (const hook of hooks) expect(hook).toMatchObject({ inForce: false, off: 'another agent asks Carabiner by it' })
    expect((await run(['hooks', 'trust', '--print'])).stdout).toContain('brings nothing that needs trust')
    const fired = await json<{ hooks: readonly unknown[]; outcome: object }>(['fire', 'PreToolUse'])
    expect(fired.hooks).toEqual([])
    expect((await run(['doctor'])).code).toBe(0)
    expect((await run(['hooks', 'check'], { cwd: project })).stdout).toContain('0 errors')
  })
})
