import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ask, callTurn, informed, project, resultsIn } from '../support/agent-kit.ts'
import { scripted } from '../tools/mcp/mcp-kit.ts'
import { noSandbox } from '../support/host.ts'
import { eventually } from '../support/waiting.ts'
import { REPOSITORY } from '../support/built-package.ts'
import { askConfined, confined, neighbourhood, processesNamed, SECRET } from './sandbox-kit.ts'

const git = (cwd: string, ...args: readonly string[]): string => {
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_GLOBAL: '/dev/null' }
  const words = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args]
  const { stdout, stderr, status } = spawnSync('git', words, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

describe.skipIf(noSandbox !== undefined)('commands in the sandbox', () => {
  test('work in the project as before: output, exit codes, folder, further folders', async () => {
    const place = neighbourhood()
    const results = await confined(
      place,
      [
        'echo out; echo err >&2; exit 3',
        'mkdir -p a/b && cd a/b && echo x > f',
        'pwd; cat f',
        'kill -9 $$',
        'no-such-program'
      ],
      { additionalDirectories: [place.outside] }
    )
    expect(results.map(({ text }) => text)).toEqual([
      'Exit code 3\nout\nerr',
      '(no output)',
      `${place.path('a/b')}\nx`,
      'Exit code 137',
      expect.stringContaining('Exit code 127')
    ])
    expect(place.text('a/b/f')).toBe('x\n')
    const [written] = await confined(place, [`echo more > ${place.outside}/more`], {
      additionalDirectories: [place.outside]
    })
    expect(written).toMatchObject({ isError: false })
    expect(readFileSync(join(place.outside, 'more'), 'utf8')).toBe('more\n')
  })

  test('say that the sandbox can be the cause of an error, and which settings decide', async () => {
    const place = neighbourhood()
    const results = await confined(place, [
      `echo x > ${place.outside}/new`,
      'exec 3<>/dev/tcp/203.0.113.1/80',
      'git init -q . 2>/dev/null; false',
      `${process.execPath} -e "fetch('http://registry.example').catch(e => process.exit(console.log(e.cause.code) ?? 1))"`,
      // What succeeded has no error to explain, whatever it prints.
      'echo Read-only file system',
      'echo Read-only file system > notes; grep -c "Connection refused" notes'
    ])
    const named = results.map(({ text }) => text.includes('sandbox.network') && text.includes('sandbox.allowWrite'))
    expect(named).toEqual([true, true, false, true, false, false])
    const turns = [callTurn('Bash', { command: 'echo Read-only file system; false' }), 'done']
    const { sent } = await ask(turns, { in: place, allowedTools: ['Bash'] })
    const [outside] = resultsIn(sent.at(-1) ?? [])
    expect(outside?.text).toBe('Exit code 1\nRead-only file system')
  }, 20_000)

  test('have a /tmp of their own, which lasts as long as the session', async () => {
    const place = neighbourhood()
    const name = `carabiner-kept-${process.pid}`
    const [, kept] = await confined(place, [`echo kept > /tmp/${name}`, `cat "$TMPDIR/${name}"; ls /tmp`])
    expect(kept?.text).toBe(`kept\n${name}`)
    expect(existsSync(`/tmp/${name}`)).toBe(false)
    expect(
      readdirSync('/tmp').filter(
        each => each.startsWith('carabiner-sandbox-') && existsSync(`/tmp/${each}/tmp/${name}`)
      )
    ).toEqual([])
  })

  test('a time limit ends all of it, and nothing is left behind by a command that ended', async () => {
    const place = neighbourhood()
    const mark = `carabiner-${process.pid}-${Date.now()}`
    const script = place.write(
      'linger.sh',
      `setsid bash -c 'exec -a ${mark} sleep 1000' & (bash -c 'exec -a ${mark} sleep 1000' &)`
    )
    const { sent } = await askConfined(
      [
        callTurn('Bash', { command: `bash ${script}; exec -a ${mark} sleep 1000`, timeout: 1500 }),
        callTurn('Bash', { command: `bash ${script}; echo ended` }),
        'done'
      ],
      place
    )
    const [late, ended] = resultsIn(sent.at(-1) ?? [])
    expect(late?.text).toContain('took longer than 1500 ms')
    expect(ended?.text).toBe('ended')
    await eventually(() => processesNamed(mark).length === 0)
  })

  test('git works, and its hooks and configuration cannot be changed', async () => {
    const place = neighbourhood()
    git(place.cwd, 'init', '-q')
    writeFileSync(place.path('.git/config'), '[user]\nname=a\nemail=a@b.c\n', { flag: 'a' })
    git(place.cwd, 'config', 'core.fileMode', 'true')
    const before = place.text('.git/config')
    const results = await confined(place, [
      'echo 1 > f && git add -A && git commit -qm one && git checkout -qb other && git status --short && git log --oneline | wc -l',
      'printf "#!/bin/sh\\n" > .git/hooks/pre-commit',
      'git config core.fsmonitor ./evil',
      'echo /evil > .git/commondir',
      'mv .git .git2',
      'rm -rf .git/hooks && mkdir .git/hooks'
    ])
    expect(results[0]).toMatchObject({ text: '1', isError: false })
    expect(results.slice(1).map(({ isError }) => isError)).toEqual([true, true, true, true, true])
    expect(place.text('.git/config')).toBe(before)
    expect(readdirSync(place.path('.git'))).not.toContain('commondir')
    expect(git(place.cwd, 'ls-files').trim()).toBe('f')
    expect(git(place.cwd, 'branch', '--show-current').trim()).toBe('other')
  })

  test('what controls the agent cannot be created, and nothing is left of the placeholders', async () => {
    const place = neighbourhood()
    const results = await confined(place, [
      'mkdir -p .claude && echo "{}" > .claude/settings.json',
      'echo "{}" > .mcp.json',
      'git init -q .',
      'rm -rf .mcp.json .claude .git; ls -A',
      'mv .claude x',
      'ln -sfn /tmp .claude; ls -A .claude'
    ])
    expect(results.slice(0, 3).map(({ isError }) => isError)).toEqual([true, true, true])
    expect(readdirSync(place.cwd)).toEqual([])
    // One that was left after a crash is removed by the next session.
    mkdirSync(place.path('.claude'))
    chmodSync(place.path('.claude'), 0o555)
    await confined(place, ['true'])
    expect(readdirSync(place.cwd)).toEqual([])
    // One that is not ours stays.
    mkdirSync(place.path('.claude'))
    await confined(place, ['touch .claude/x'])
    expect(readdirSync(place.cwd)).toEqual(['.claude'])
  })

  test('a session that ends leaves the placeholders that another one uses', async () => {
    const place = neighbourhood()
    place.write('wait.sh', 'until [ -e go ]; do sleep 0.05; done; mkdir .claude/x && echo created')
    const first = confined(place, ['touch begun; bash wait.sh'])
    await eventually(() => place.has('begun'))
    await confined(place, ['true'])
    expect(place.has('.claude')).toBe(true)
    writeFileSync(place.path('go'), '')
    const [result] = await first
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('Read-only') })
    expect(place.has('.claude')).toBe(false)
  })

  test('a protected path that is a link is refused', async () => {
    const place = neighbourhood()
    mkdirSync(place.path('conf'))
    symlinkSync('conf', place.path('.claude'))
    const [result] = await confined(place, ['echo x > y'])
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('.claude is a symbolic link') })
    expect(place.has('y')).toBe(false)
  })

  test('files that rules deny are not readable under any of their names, also when they are created later', async () => {
    const place = neighbourhood()
    place.write('secrets/key', SECRET)
    place.write('deep/er/.env', SECRET)
    linkSync(place.path('secrets/key'), place.path('twin'))
    place.write('read.sh', 'cat secrets/* twin deep/er/.env later/.env via/*; ls secrets')
    place.write('later/x', '')
    symlinkSync('secrets', place.path('via'))
    const hooks = { settings: { permissions: { deny: ['Read(./secrets/**)', 'Read(.env)', 'Edit(./fixed.txt)'] } } }
    place.write('fixed.txt', 'as it was')
    place.write('write.sh', 'echo x > fixed.txt; rm fixed.txt; mv write.sh fixed.txt')
    const { sent } = await askConfined(
      [
        callTurn('Bash', { command: 'bash read.sh' }),
        () => {
          place.write('later/.env', SECRET)
          place.write('secrets/more', SECRET)
          return callTurn('Bash', { command: 'bash read.sh' })
        },
        callTurn('Bash', { command: 'bash write.sh' }),
        'done'
      ],
      place,
      hooks
    )
    const texts = resultsIn(sent.at(-1) ?? [])
      .map(({ text }) => text)
      .join('\n')
    expect(texts).not.toContain(SECRET)
    expect(texts).toContain('cat: deep/er/.env: Permission denied')
    expect(place.text('fixed.txt')).toBe('as it was')
  })

  test('credentials are absent unless allowRead names them; allowWrite opens folders', async () => {
    const place = neighbourhood()
    const command =
      'cat ~/.npmrc ~/.ssh/id_ed25519 ~/.carabiner/own ~/.config/gh/hosts.yml; cat ~/notes.txt; echo 1 > ~/cache/x'
    mkdirSync(join(place.home, 'cache'))
    place.write('read.sh', command)
    const [closed] = await confined(place, ['bash read.sh'])
    expect(closed?.text).not.toContain(SECRET)
    expect(closed?.text).toContain('plain')
    expect(existsSync(join(place.home, 'cache/x'))).toBe(false)
    const [open] = await confined(place, ['bash read.sh'], {
      sandbox: { allowRead: ['~/.npmrc'], allowWrite: ['~/cache'] }
    })
    expect(open?.text.split(SECRET)).toHaveLength(2)
    expect(existsSync(join(place.home, 'cache/x'))).toBe(true)
  })

  test('hooks set variables that commands get', async () => {
    const place = neighbourhood()
    const hook = { type: 'command', command: 'echo "export GREETING=hello" >> "$CLAUDE_ENV_FILE"' }
    const [result] = await confined(place, ['echo "$GREETING"; echo x >> ~/.carabiner/sessions/*/env.sh'], {
      settings: { hooks: { SessionStart: [{ hooks: [hook] }] } }
    })
    expect(result?.text).toContain('hello')
    expect(result?.isError).toBe(true)
  })

  test('servers answer, and hooks that are started ahead decide', async () => {
    const place = neighbourhood()
    const hook = { type: 'command', command: 'grep -q blocked && { echo no >&2; exit 2; }; exit 0', prewarm: true }
    const { sent } = await askConfined(
      [
        callTurn('mcp__s__echo', { text: 'hello' }),
        callTurn('Bash', { command: 'echo fine' }),
        callTurn('Bash', { command: 'echo blocked' }),
        callTurn('Bash', { command: 'echo fine' }),
        'done'
      ],
      place,
      {
        mcpServers: { s: scripted(place.path('calls.log')) },
        // The server and its Node are here, perhaps in /tmp, which is private.
        additionalDirectories: [REPOSITORY],
        settings: { carabiner: { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } } }
      }
    )
    const texts = resultsIn(sent.at(-1) ?? []).map(({ text }) => text)
    expect(texts).toEqual(['echo: hello', 'fine', expect.stringContaining('no'), 'fine'])
    expect(place.text('calls.log')).toContain('echo')
  })

  test('variables of a server for the loader of programs have no effect outside', async () => {
    const place = neighbourhood()
    const before = place.neighbours()
    const server = scripted(place.path('calls.log'))
    const env = { LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: join(place.outside, 'pwn-loader') }
    const { sent } = await askConfined([callTurn('mcp__s__echo', { text: 'hello' }), 'done'], place, {
      mcpServers: { s: Object.assign(server, { env }) },
      additionalDirectories: [REPOSITORY]
    })
    expect(resultsIn(sent.at(-1) ?? [])).toMatchObject([{ text: 'echo: hello' }])
    expect(place.neighbours()).toEqual(before)
  })

  test('a hook decides as before, and cannot write elsewhere', async () => {
    const place = neighbourhood()
    const hook = { type: 'command', command: `echo x > ${place.outside}/by-hook; echo no >&2; exit 2` }
    const [result] = await confined(place, ['echo ran'], {
      settings: { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } }
    })
    expect(result?.text).toContain('no')
    expect(result?.isError).toBe(true)
    expect(existsSync(join(place.outside, 'by-hook'))).toBe(false)
  })
})

describe.skipIf(noSandbox !== undefined)('settings of the sandbox', () => {
  const outsideIsWritten = async (
    user: object,
    projects: object,
    more: Parameters<typeof confined>[2] = {}
  ): Promise<boolean> => {
    const place = neighbourhood()
    mkdirSync(join(place.home, '.claude'))
    writeFileSync(join(place.home, '.claude/settings.json'), JSON.stringify(user))
    place.write('.claude/settings.json', JSON.stringify(projects))
    await confined(place, [`echo x > ${place.outside}/written`], { sandbox: undefined, trust: true, ...more })
    return existsSync(join(place.outside, 'written'))
  }
  const on = { sandbox: { enabled: true } }

  test('files enable it; a project can enable it, and cannot disable or loosen it', async () => {
    expect(await outsideIsWritten({}, {})).toBe(true)
    expect(await outsideIsWritten(on, {})).toBe(false)
    expect(await outsideIsWritten({}, on)).toBe(false)
    expect(await outsideIsWritten(on, { sandbox: { enabled: false } })).toBe(false)
    expect(
      await outsideIsWritten(on, { sandbox: { allowWrite: ['/var/tmp'], filesystem: { allowWrite: ['/'] } } })
    ).toBe(false)
    expect(await outsideIsWritten(on, {}, { sandbox: false })).toBe(true)
    expect(await outsideIsWritten(on, {}, { sandbox: { filesystem: { allowWrite: ['/var/tmp'] } } })).toBe(true)
  })

  test('managed policy keeps it on', async () => {
    const place = neighbourhood()
    const managed = join(place.base, 'managed')
    mkdirSync(managed)
    writeFileSync(join(managed, 'managed-settings.json'), JSON.stringify(on))
    const env = { ...place.env, CARABINER_MANAGED_DIR: managed }
    await confined(place, [`echo x > ${place.outside}/written`], { sandbox: false, env })
    expect(existsSync(join(place.outside, 'written'))).toBe(false)
  })

  test('a repository can be created where .git is named', async () => {
    const place = neighbourhood()
    const [result] = await confined(place, ['git init -q . && git status --short'], {
      sandbox: { allowWrite: ['.git'] }
    })
    expect(result).toMatchObject({ isError: false })
    expect(place.has('.git/HEAD')).toBe(true)
  })

  test.each([
    ['touch a', {}, true],
    ['bash script.sh', {}, true],
    ['touch a', { permissions: { deny: ['Bash(touch *)'] } }, false],
    ['touch a', { permissions: { ask: ['Bash(touch *)'] } }, false],
    ['touch a .claude/settings.json', {}, false],
    ['touch a', { permissions: { defaultMode: 'plan' } }, false],
    ['touch a', { sandbox: { enabled: false, autoAllow: true } }, false]
  ])('with autoAllow, %s and %j: runs without a question: %s', async (command, settings, isAllowed) => {
    const place = neighbourhood()
    place.write('script.sh', 'touch a')
    await ask([callTurn('Bash', { command }), 'done'], {
      in: place,
      settings: { sandbox: { enabled: true, autoAllowBashIfSandboxed: true }, ...settings }
    })
    expect(place.has('a')).toBe(isAllowed)
  })

  test('a project cannot switch autoAllow on', async () => {
    const place = neighbourhood()
    place.write('.claude/settings.json', JSON.stringify({ sandbox: { enabled: true, autoAllow: true } }))
    await ask([callTurn('Bash', { command: 'touch a' }), 'done'], { in: place, trust: true })
    expect(place.has('a')).toBe(false)
  })

  test('keys of other agents are reported, and never weaken it', async () => {
    const place = neighbourhood()
    const settings = {
      sandbox: {
        enabled: true,
        excludedCommands: ['touch *'],
        network: { allowedDomains: ['a.b'] },
        failIfUnavailable: false
      }
    }
    const asked = await askConfined([callTurn('Bash', { command: `touch ${place.outside}/written` }), 'done'], place, {
      sandbox: undefined,
      settings
    })
    for (const words of [/excludedCommands is not read/, /the network is off/, /nothing runs without it/])
      expect(informed(asked).join('\n')).toMatch(words)
    expect(existsSync(join(place.outside, 'written'))).toBe(false)
  })

  test('a misspelt key stops the run', async () => {
    const { result } = await ask(['hi'], { settings: { sandbox: { enabeld: true } } })
    expect(result).toMatchObject({ is_error: true, error_code: 'E_SETTINGS' })
    expect((await ask(['hi'], { sandbox: { enabeld: true } as never })).result.error_code).toBe('E_OPTION_INVALID')
  })
})

test.skipIf(noSandbox !== undefined)('carabiner run --sandbox and carabiner fire confine what they start', () => {
  const place = neighbourhood()
  const cli = (...args: readonly string[]): string => {
    const file = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
    const { stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
      cwd: place.cwd,
      env: place.env,
      encoding: 'utf8',
      input: ''
    })
    return stdout + stderr
  }
  const command = `echo x > ${place.outside}/written; echo y > inside`
  const turns = [{ calls: [{ name: 'Bash', input: { command } }] }, 'the end']
  place.write('script.json', JSON.stringify({ turns }))
  const told = cli('run', '-p', 'go', '--sandbox', '--model', 'script:script.json', '--dangerously-skip-permissions')
  expect(told).toContain('the end')
  expect(place.text('inside')).toBe('y\n')
  const hook = { type: 'command', command: `echo x > ${place.outside}/written; echo y > hooked; exit 2` }
  const settings = { sandbox: { enabled: true }, hooks: { PreToolUse: [{ hooks: [hook] }] } }
  cli('fire', 'PreToolUse', '--tool', 'Bash', '--settings', JSON.stringify(settings))
  expect(place.text('hooked')).toBe('y\n')
  expect(existsSync(join(place.outside, 'written'))).toBe(false)
  expect(readdirSync(place.cwd).toSorted()).toEqual(['hooked', 'inside', 'script.json'])
})

test.skipIf(noSandbox !== undefined)('descriptors that this process inherited are closed', () => {
  const place = neighbourhood()
  const script = `
    import { query } from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)}
    import { scriptedModel } from ${JSON.stringify(new URL('../../src/testing.ts', import.meta.url).href)}
    const command = 'ls /proc/self/fd; echo x >&200'
    const model = scriptedModel([{ calls: [{ name: 'Bash', input: { command } }] }, 'done'])
    const options = { model, sandbox: true, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }
    for await (const message of query({ prompt: 'go', options })) if (message.type === 'user') console.log(JSON.stringify(message.message.content))`
  const words = ['-c', 'exec 200>> "$1"; shift; exec "$@"', 'bash', join(place.outside, 'canary'), process.execPath]
  const { stdout, stderr } = spawnSync('bash', [...words, '--input-type=module', '-e', script], {
    cwd: place.cwd,
    env: place.env,
    encoding: 'utf8'
  })
  expect(stdout, stderr).toContain('200: Bad file descriptor')
  expect(readFileSync(join(place.outside, 'canary'), 'utf8')).toBe('untouched\n')
})

test('where it cannot be used, nothing starts', () => {
  const place = project()
  place.write('hook.sh', 'touch hooked')
  const script = `
    import { query } from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)}
    import { scriptedModel } from ${JSON.stringify(new URL('../../src/testing.ts', import.meta.url).href)}
    import { syncBuiltinESMExports } from 'node:module'
    import fs from 'node:fs'
    const access = fs.accessSync
    fs.accessSync = (path, ...more) => { if (String(path).endsWith('/bwrap')) throw new Error('ENOENT'); return access(path, ...more) }
    syncBuiltinESMExports()
    const settings = { sandbox: { enabled: true }, hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'sh hook.sh' }] }] } }
    const model = scriptedModel([{ calls: [{ name: 'Bash', input: { command: 'touch ran' } }] }, 'done'])
    const mcpServers = { s: { command: 'touch', args: ['served'] } }
    try {
      for await (const message of query({ prompt: 'go', options: { model, settings, mcpServers, profile: 'compat', permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } }))
        if (message.type === 'result') console.log(message.error_code, message.result)
    } catch (error) { console.log(error.code, error.message) }`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: place.cwd,
    env: place.env,
    encoding: 'utf8'
  })
  expect(stdout).toContain(
    'E_SANDBOX the sandbox is enabled and cannot be used, so nothing was started: bubblewrap is not installed'
  )
  expect(stdout).toContain('install the package bubblewrap')
  expect(stdout).toContain('to work without it')
  expect(readdirSync(place.cwd)).toEqual(['hook.sh'])
})
