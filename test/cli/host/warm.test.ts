/** The process that stays answers as a new one would, or leaves it to one. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync
} from 'node:fs'
import { execFileSync, spawn } from 'node:child_process'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findProgram } from '../../../src/lib/world/process/shell.ts'
import { ended } from '../../support/cli-stage.ts'
import { isRoot } from '../../support/host.ts'
import { endAll, isAlive, processesWith } from '../../support/process-table.ts'
import { eventually, gone } from '../../support/waiting.ts'
import { sayingNo, serverScene, withPackage, type ServerScene } from './warm-scene.ts'

withPackage()

/** With a process that stays, which answered once. */
async function warmed(policy: (scene: ServerScene) => void): Promise<ServerScene> {
  const scene = serverScene()
  policy(scene)
  await scene.ask()
  await scene.warm()
  expect(scene.colds()).toBe(1)
  return scene
}

describe('answers', () => {
  test('come from one process, by the policy as it is', async () => {
    const scene = await warmed(({ settings }) => settings(sayingNo('first')))
    const pid = scene.pid()
    for (const word of ['second', 'third', 'fourth']) {
      scene.settings(sayingNo(word))
      expect(await scene.ask()).toContain(word)
    }
    scene.settings({ permissions: { deny: ['Bash(rm:*)'] } })
    expect(await scene.ask({ command: 'rm x' })).toContain('Bash(rm:*)')
    expect(await scene.ask({ command: 'ls' })).toBe('')
    expect([scene.colds(), scene.pid()]).toEqual([1, pid])
  })

  test('are given in the environment, the folder and with the umask of the client', async () => {
    const scene = await warmed(({ settings }) => settings(sayingNo('$WHO $(pwd) $(umask) ${GONE-none}')))
    const place = (name: string): string => join(scene.folder, name)
    for (const [who, folder] of [
      ['ann', 'project'],
      ['bob', 'home']
    ] as const) {
      const env = { ...scene.env, WHO: who, ...(who === 'ann' ? { GONE: 'here' } : {}) }
      const said = await scene.ask({ env, cwd: place(folder) })
      expect(said).toContain(`${who} ${place(folder)} ${who === 'ann' ? '0022 here' : '0022 none'}`)
    }
    expect(scene.colds()).toBe(1)
  })

  test('start the programs of the PATH of the client', ({ onTestFinished: atEnd }) => {
    const scene = serverScene()
    const before = process.env['PATH']
    atEnd(() => void (process.env['PATH'] = before))
    for (const name of ['one', 'two']) scene.write(`${name}/no-such-program`, '', 0o755)
    for (const name of ['one', 'two', 'none']) {
      process.env['PATH'] = join(scene.folder, name)
      const found = name === 'none' ? undefined : join(scene.folder, name, 'no-such-program')
      expect(findProgram('no-such-program')).toBe(found)
    }
  })

  test('of two environments at the same time are never mixed', async () => {
    const scene = await warmed(({ settings }) => settings(sayingNo('$(sleep 0.0$WAIT)$WHO $(pwd)')))
    const folders = ['a', 'b'].map(name => join(scene.folder, name))
    for (const each of folders) mkdirSync(each)
    const asked = Array.from({ length: 24 }, (_, index) => ({
      env: { ...scene.env, WHO: `who-${index % 3}`, WAIT: String(index % 10) },
      cwd: folders[index % 2] ?? '',
      session: `session-${index % 2}`
    }))
    const said = await Promise.all(asked.map(each => scene.ask(each)))
    for (const [index, { env, cwd }] of asked.entries()) expect(said[index]).toContain(`${env.WHO} ${cwd}`)
  })

  test('are left to a new process where Node reads a variable only once', async () => {
    const scene = await warmed(({ module }) => module('process.env.NODE_OPTIONS'))
    const env = { ...scene.env, NODE_OPTIONS: '--no-warnings' }
    expect(await scene.ask({ env })).toContain('--no-warnings')
    expect(scene.colds()).toBe(2)
  })
})

describe('modules', () => {
  test('are kept as long as they and all that they import are the same, by content', async () => {
    const scene = await warmed(({ module, write }) => {
      write('home/.claude/deep.mjs', 'export const word = "one"\n')
      module('`${word} ${process.pid}`', `import { word } from './deep.mjs'`)
    })
    const [first, second] = [await scene.ask(), await scene.ask()]
    expect(first).toContain(`one ${scene.pid()}`)
    expect(second).toBe(first)
    scene.write('home/.claude/deep.mjs', 'export const word = "two"\n')
    utimesSync(join(scene.home, '.claude/deep.mjs'), 0, 0)
    expect(await scene.ask()).toContain('two')
    expect(scene.colds()).toBe(2)
  })

  test('behind a link that leads elsewhere now are loaded from there', async () => {
    const scene = await warmed(({ home, module, write }) => {
      for (const word of ['one', 'two']) write(`${word}/word.mjs`, `export { word } from './more.mjs'\n`)
      for (const word of ['one', 'two']) write(`${word}/more.mjs`, `export const word = '${word}'\n`)
      mkdirSync(join(home, '.claude'), { recursive: true })
      symlinkSync('../../one/word.mjs', join(home, '.claude/link.mjs'))
      module('word', `import { word } from './link.mjs'`)
    })
    expect(await scene.ask()).toContain('one')
    symlinkSync('../../two/word.mjs', join(scene.home, '.claude/other.mjs'))
    renameSync(join(scene.home, '.claude/other.mjs'), join(scene.home, '.claude/link.mjs'))
    expect(await scene.ask()).toContain('two')
  })

  test('keep nothing from one session, folder or environment for another', async () => {
    const scene = await warmed(({ module }) => module('`${++count} ${who}`', 'let count = 0, who = process.env.WHO'))
    const env = { ...scene.env, WHO: 'ann' }
    expect(await scene.ask({ env })).toContain('1 ann')
    expect(await scene.ask({ env })).toContain('2 ann')
    expect(await scene.ask({ env, session: 'two' })).toContain('1 ann')
    expect(await scene.ask({ env: { ...scene.env, WHO: 'bob' }, session: 'two' })).toContain('1 bob')
  })

  test.each([
    ['a file', `import { readFileSync } from 'node:fs'\nconst word = readFileSync(process.env.HOME + '/word', 'utf8')`],
    [
      'a file without an import',
      `const word = process.getBuiltinModule('fs').readFileSync(process.env.HOME + '/word', 'utf8')`
    ],
    ['a package', `import word from 'a-word'`],
    ['what is required', `import module from './old.cjs'\nconst { word } = module`]
  ])('that depend on %s are used once', async (_, before) => {
    const scene = await warmed(({ module, write }) => {
      write('home/word', 'first')
      write('home/node_modules/a-word/package.json', '{"main":"first.js"}')
      for (const word of ['first', 'second']) write(`home/node_modules/a-word/${word}.js`, `module.exports = '${word}'`)
      write('home/.claude/old.cjs', `exports.word = require('../word.json').word`)
      write('home/word.json', '{"word":"first"}')
      module('word', before)
    })
    const pid = await scene.warm()
    expect(await scene.ask()).toContain('first')
    scene.write('home/word', 'second')
    scene.write('home/word.json', '{"word":"second"}')
    scene.write('home/node_modules/a-word/package.json', '{"main":"second.js"}')
    expect(await scene.ask()).toContain('second')
    await gone([pid])
    // It started the next one itself.
    expect(await scene.warm()).not.toBe(pid)
  })

  test('that could not be loaded are tried again', async () => {
    const scene = await warmed(({ module }) => module('word', `import { word } from './missing.mjs'`))
    expect(await scene.ask()).toMatch(/missing\.mjs/)
    scene.write('home/.claude/missing.mjs', `export const word = 'found'\n`)
    expect(await scene.ask()).toContain('found')
  })

  test('that block the process are refused at the deadline, and the process is replaced', async () => {
    const scene = await warmed(({ module }) => module('process.pid'))
    const pid = scene.pid() ?? 0
    scene.module('process.argv.includes("--serve") ? (() => { for (;;); })() : "free"')
    expect(await scene.ask({ seconds: 3 })).toMatch(/^2: [^]*is refused/)
    expect(await scene.ask()).toContain('free')
    await gone([pid])
    scene.module('(() => { for (;;); })()')
    await scene.warm()
    expect(await scene.ask({ seconds: 3 })).toMatch(/^2: [^]*is refused/)
  })
})

describe('the process', () => {
  test('ends when our code changed', async () => {
    const scene = await warmed(({ settings }) => settings(sayingNo('first')))
    const pid = scene.pid() ?? 0
    const file = join(scene.package, 'package.json')
    scene.write('package.json', readFileSync(file, 'utf8'))
    renameSync(join(scene.folder, 'package.json'), file)
    expect(await scene.ask()).toContain('first')
    expect(scene.colds()).toBe(2)
    await gone([pid])
  })

  test('that is killed while it answers is replaced', async () => {
    const scene = await warmed(({ settings }) => settings(sayingNo('first')))
    const pid = scene.pid() ?? 0
    scene.settings(
      sayingNo(`$([ -e ${scene.folder}/begun ] || { touch ${scene.folder}/begun; kill -9 ${pid}; sleep 60; })second`)
    )
    expect(await scene.ask()).toContain('second')
    expect(scene.colds()).toBe(2)
    expect(await scene.warm()).not.toBe(pid)
  })

  test('ends with SIGTERM, or when its file is gone, and leaves nothing', async () => {
    const scene = await warmed(({ settings }) => settings(sayingNo('first')))
    const pid = scene.pid() ?? 0
    process.kill(pid, 'SIGTERM')
    await gone([pid])
    expect(scene.pid()).toBeUndefined()
    await scene.ask()
    const next = await scene.warm()
    const state = readFileSync(scene.state, 'utf8')
    rmSync(scene.state)
    const other = await asking(state)
    expect(other).toBe('over')
    await gone([next])
  })

  test('is one, however many are started', async () => {
    const scene = serverScene()
    scene.settings(sayingNo('first'))
    const serve = (): ReturnType<typeof spawn> =>
      spawn(process.execPath, [join(scene.package, 'dist/cli.js'), 'hook', '--serve'], {
        env: scene.env,
        stdio: 'ignore'
      })
    const ends = Array.from({ length: 6 }, serve).map(child => new Promise(resolve => child.once('exit', resolve)))
    await Promise.race(ends)
    const pid = await scene.warm()
    await eventually(() => processesWith(scene.home).filter(isAlive).length === 1)
    expect(processesWith(scene.home).filter(isAlive)).toEqual([pid])
    expect(await scene.ask()).toContain('first')
    expect(scene.colds()).toBe(0)
  })

  test('tells its proof only to who knows the secret, and bears what is not a call', async () => {
    const scene = await warmed(({ settings }) => settings(sayingNo('first')))
    const [port, secret] = readFileSync(scene.state, 'utf8').split(' ')
    expect(await sending(Number(port), `${'0'.repeat(32)}\0`)).toBe('')
    expect(await sending(Number(port), 'x'.repeat(100_000))).toBe('')
    expect(await sending(Number(port), `GET / HTTP/1.1\r\n\r\n`, true)).toBe('')
    await sending(Number(port), `${secret}\0\0\0\0\0\0-3\0\0`, true)
    await sending(Number(port), `${secret}\0claude\0PreToolUse\0x\0/nowhere\0\x001\0x\0{}\0`)
    expect(await scene.ask()).toContain('first')
    expect(scene.colds()).toBe(1)
  })

  test('is started neither by a plain carabiner hook, nor for the home of another user', async () => {
    const scene = serverScene()
    scene.settings(sayingNo('first'))
    const args = [join(scene.package, 'dist/cli.js'), 'hook', '--for', 'claude', '--event', 'PreToolUse']
    const run = (...more: readonly string[]) =>
      ended(spawn(process.execPath, [...args, ...more], { env: scene.env }), '{}')
    await run()
    expect(scene.pid()).toBeUndefined()
    if (!isRoot) return
    chownSync(scene.home, 65534, 65534)
    await run('--warm')
    expect(processesWith(scene.home)).toEqual([])
    expect(scene.pid()).toBeUndefined()
  })

  test.skipIf(!isRoot)('is another one for another user, and its policy as well', async () => {
    const scene = await warmed(({ settings }) => settings(sayingNo('policy of root, run by $(id -u)')))
    const theirs = join(scene.folder, 'theirs')
    scene.write('theirs/.claude/settings.json', JSON.stringify(sayingNo('policy of nobody, run by $(id -u)')))
    execFileSync('chown', ['-R', '65534:65534', theirs])
    for (const folder of [scene.folder, scene.package]) chmodSync(folder, 0o755)
    const as = (home: string, ...words: readonly string[]): Promise<string> => {
      const all = [
        ...words,
        'bash',
        '-p',
        join(scene.package, 'hosts/client.sh'),
        'codex',
        'PreToolUse',
        'closed',
        '20'
      ]
      const [file, ...args] = [...all, process.execPath]
      return ended(
        spawn(file, args, { cwd: '/', env: { ...scene.env, HOME: home } }),
        scene.payload({ cwd: '/' })
      ).then(({ stdout, stderr }) => stdout + stderr)
    }
    const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
    onTestFinished(() => endAll(processesWith(theirs).filter(isAlive)))
    await as(theirs, ...nobody)
    const state = join(theirs, '.carabiner/warm', scene.package.replaceAll('/', '%'))
    await eventually(() => existsSync(state))
    const both = Array.from({ length: 10 }, () => [as(scene.home), as(theirs, ...nobody)]).flat()
    for (const [index, said] of (await Promise.all(both)).entries())
      expect(said).toContain(index % 2 === 0 ? 'policy of root, run by 0' : 'policy of nobody, run by 65534')
    // Each with the home of the other: the other process is not asked.
    expect(await as(scene.home, ...nobody)).not.toContain('run by 0')
    expect(await as(theirs)).toContain('belongs to another user')
  })

  test.skipIf(!isRoot)('and its file are out of reach for other users', async () => {
    const scene = await warmed(({ settings }) => settings(sayingNo('first')))
    const read = spawn('setpriv', ['--reuid=65534', '--clear-groups', 'cat', scene.state])
    expect(await ended(read)).toMatchObject({ stdout: '' })
    const list = spawn('setpriv', ['--reuid=65534', '--clear-groups', 'ls', dirname(scene.state)])
    expect(await ended(list)).toMatchObject({ stdout: '' })
  })
})

/** What a server says to this. */
function sending(port: number, text: string, leave = false): Promise<string> {
  return new Promise(resolve => {
    let said = ''
    const socket = connect(port, '127.0.0.1', () => (leave ? socket.end(text) : socket.write(text)))
    socket.on('data', data => (said += String(data)))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(said))
  })
}

async function asking(state: string): Promise<string | undefined> {
  const [port, secret] = state.split(' ')
  const said = await sending(Number(port), `${secret}\0claude\0PreToolUse\x0020\0/\x000022\x000\0{}\0`)
  return said.replaceAll('\0', '').split('\n')[1]
}
