/** The shell client beside programs and servers that tests write: whatever they do, it answers, in time. */
import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ended } from '../../support/cli-stage.ts'
import { isRoot } from '../../support/host.ts'
import { processesWith } from '../../support/process-table.ts'
import { eventually, gone, there } from '../../support/waiting.ts'
import { clientScene, clientProgram, scriptedServer, type ClientScene } from './client-scene.ts'

const COLD = `{"from":"cold"}`
const WARM = `{"from":"warm"}`
const PROOF = 'the-proof'

/** A scene whose command line prints what it was called with, and answers. */
function coldScene(code = `writeSync(1, '${COLD}\\n')`): ClientScene {
  const scene = clientScene()
  scene.write('package/dist/cli.js', clientProgram(code))
  return scene
}

/** The same with a server that proves itself, and then answers this. */
async function serverScene(answer: string, prove = (socket: Socket): unknown => socket.write(`${PROOF}\n`)) {
  const scene = coldScene(`writeSync(1, JSON.stringify({ from: 'cold', args: process.argv.slice(2) }))`)
  const server = await scriptedServer((text, socket) => {
    if (!socket.bytesWritten) prove(socket)
    if (text.endsWith('}\0')) socket.end(answer)
  })
  const announce = (pid = process.pid, start = startOf(pid)): string =>
    scene.write(
      `home${scene.state.slice(scene.home.length)}`,
      `${server.port} the-secret ${PROOF} ${pid} ${start}\n`,
      0o600
    )
  announce()
  return { scene, server, announce }
}

const startOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')[19] ?? ''
const framed = (code: number, out: string, err = ''): string =>
  `${code} ${Buffer.byteLength(out)} ${Buffer.byteLength(err)}\n${out}${err}`

describe('the process that stays', () => {
  test('gets the event with the environment, the folder and the umask of the client, and its answer is printed', async () => {
    const { scene, server } = await serverScene(framed(0, `${WARM}\n`, 'a note é\n'))
    const payload = `{"a":"é\\n",\n "b": 1}`
    const env = { ...scene.env, LINES: 'one\ntwo', EMPTY: '', ODD: 'a=b' }
    const ran = await scene.call({ payload, env })
    expect(ran).toEqual({ code: 0, signal: null, stdout: `${WARM}\n`, stderr: 'a note é\n' })
    const [secret, ...fields] = String(server.received[0]).split('\0')
    expect(secret).toBe('the-secret')
    const mask = /Umask:\t(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    expect(fields.slice(0, 6)).toEqual(['claude', 'PreToolUse', '20', join(scene.folder, 'project'), mask, '5'])
    expect(fields.slice(6, 11)).toEqual(Object.entries(env).map(([name, value]) => `${name}=${value}`))
    expect(fields.slice(11)).toEqual([payload, ''])
  })

  test.each([
    ['busy', 'busy', undefined],
    ['over', 'over', '--warm'],
    ['cut off', framed(0, WARM).slice(0, -2), '--warm'],
    ['too long', `${framed(0, WARM)} `, '--warm'],
    ['silence', '', '--warm'],
    ['no header', WARM, '--warm']
  ])('%s: a new process answers', async (_, answer, flag) => {
    const { scene } = await serverScene(answer)
    const { code, stdout } = await scene.call()
    expect(code).toBe(0)
    const deadline = ['--deadline', '19']
    const words = [
      'hook',
      '--for',
      'claude',
      '--event',
      'PreToolUse',
      ...deadline,
      ...(flag === undefined ? [] : [flag])
    ]
    expect(JSON.parse(stdout)).toEqual({ from: 'cold', args: words })
  })

  test('a large event gets there as well', async () => {
    const { scene, server } = await serverScene(framed(0, WARM))
    const payload = `{"a":"${'é\\n\n'.repeat(1_000_000)}"}`
    expect((await scene.call({ payload })).stdout).toBe(WARM)
    expect(server.received[0]?.toString().split('\0').at(-2) === payload).toBe(true)
  })

  test('that has ended is sent nothing, whoever has its port and its number now', async () => {
    const { scene, server, announce } = await serverScene(framed(0, WARM))
    for (const [pid, start] of [
      [process.pid, '1'],
      [2 ** 22 + 1, '1'],
      [process.pid, '']
    ] as const) {
      announce(pid, start)
      expect(JSON.parse((await scene.call({ payload: '{"password":"hunter2"}' })).stdout)).toMatchObject({
        from: 'cold'
      })
    }
    expect(server.received).toEqual([])
    announce()
    expect((await scene.call()).stdout).toBe(WARM)
  })

  test('that cannot prove itself is not believed', async () => {
    for (const prove of [(socket: Socket) => socket.write('another-proof\n'), (socket: Socket) => socket.end()]) {
      const { scene } = await serverScene(framed(0, WARM), prove)
      expect(JSON.parse((await scene.call()).stdout)).toMatchObject({ from: 'cold' })
    }
  })

  test('that accepts and says nothing is not waited for', async () => {
    const { scene } = await serverScene('', () => undefined)
    expect(JSON.parse((await scene.call()).stdout)).toMatchObject({ from: 'cold' })
  })

  test('that stops reading a large payload costs no more than the deadline', async () => {
    const { scene } = await serverScene('', socket => {
      socket.write(`${PROOF}\n`)
      socket.pause()
    })
    const ran = await scene.call({ payload: `{"a":"${'x'.repeat(20_000_000)}"}`, seconds: 3 })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/is refused/)
  })

  test('an answer that no agent would understand refuses', async () => {
    for (const answer of [
      framed(0, ''),
      framed(0, 'hello'),
      framed(0, '{"a":'),
      framed(3, WARM),
      framed(2, '', 'no!')
    ]) {
      const { scene } = await serverScene(answer)
      const ran = await scene.call()
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toMatch(/is refused/)
    }
  })

  test('that is cut off at the deadline refuses', async () => {
    const { scene } = await serverScene('')
    const { scene: silent } = await serverScene('', socket => socket.write(`${PROOF}\n0 `))
    expect(JSON.parse((await scene.call()).stdout)).toMatchObject({ from: 'cold' })
    expect(await silent.call({ payload: '[]', seconds: 2 })).toMatchObject({ code: 2, stdout: '' })
  })

  test.skipIf(!isRoot)('the file, the folder and the process of another user are not used', async () => {
    const { scene, server, announce } = await serverScene(framed(0, WARM))
    expect((await scene.call()).stdout).toBe(WARM)
    chownSync(scene.state, 65534, 65534)
    expect(JSON.parse((await scene.call()).stdout)).toMatchObject({ from: 'cold' })
    chownSync(scene.state, 0, 0)
    chownSync(dirname(scene.state), 65534, 65534)
    expect(JSON.parse((await scene.call()).stdout)).toMatchObject({ from: 'cold' })
    chownSync(dirname(scene.state), 0, 0)
    const other = spawn('setpriv', ['--reuid=65534', '--clear-groups', 'sleep', '600'])
    onTestFinished(() => void other.kill())
    await eventually(() => statSync(`/proc/${other.pid}`).uid === 65534)
    announce(other.pid)
    expect(JSON.parse((await scene.call()).stdout)).toMatchObject({ from: 'cold' })
    expect(server.received).toHaveLength(1)
  })
})

describe('a new process', () => {
  test('gets the payload as it is, and the environment of the client', async () => {
    const scene = coldScene(`
      const hash = require('node:crypto').createHash('sha256').update(readFileSync(0)).digest('hex')
      writeSync(1, JSON.stringify({ hash, lang: process.env.LC_ALL ?? null, cwd: process.cwd() }))`)
    for (const payload of [`{"a":"${'é\n'.repeat(4_000_000)}"}`, '{"a":1}\n\n', '', '\u0001\u00ff[']) {
      const hash = createHash('sha256').update(payload).digest('hex')
      const cwd = join(scene.folder, 'project')
      expect(JSON.parse((await scene.call({ payload })).stdout)).toEqual({ hash, lang: null, cwd })
      const env = { ...scene.env, LC_ALL: 'de_DE.UTF-8' }
      expect(JSON.parse((await scene.call({ payload, env })).stdout)).toEqual({ hash, lang: 'de_DE.UTF-8', cwd })
    }
  })

  test.each([
    ['prints nothing', ''],
    ['prints half an answer', `writeSync(1, '{"a":')`],
    ['prints another text first', `writeSync(1, 'hello\\n${COLD}')`],
    ['fails', 'process.exit(1)'],
    ['fails after an answer', `writeSync(1, '${COLD}'); process.exit(1)`],
    ['is killed', `process.kill(process.pid, 'SIGKILL')`],
    ['refuses without a word', 'process.exit(2)'],
    ['has an error', 'throw new Error()']
  ])('that %s refuses, or tells that nothing was looked at', async (_, code) => {
    const scene = coldScene(code)
    const closed = await scene.call()
    expect(closed).toMatchObject({ code: 2, stdout: '' })
    expect(closed.stderr).toMatch(/carabiner: PreToolUse of claude is refused/)
    const open = await scene.call({ failing: 'open', event: 'Stop' })
    expect(open).toMatchObject({ code: 1, stdout: '' })
    expect(open.stderr).toMatch(/carabiner: Stop of claude was not looked at/)
  })

  test('is started with the node of PATH if its own is missing, and refuses without any', async () => {
    const scene = coldScene()
    mkdirSync(join(scene.folder, 'bin'))
    symlinkSync(process.execPath, join(scene.folder, 'bin/node'))
    const found = { ...scene.env, PATH: `${join(scene.folder, 'bin')}:/usr/bin:/bin` }
    expect((await scene.call({ node: '/nowhere/node', env: found })).stdout).toBe(`${COLD}\n`)
    mkdirSync(join(scene.folder, 'none'))
    symlinkSync('/bin/bash', join(scene.folder, 'none/bash'))
    const none = await scene.call({ node: '/nowhere/node', env: { ...scene.env, PATH: join(scene.folder, 'none') } })
    expect(none).toMatchObject({ code: 2, stdout: '' })
    expect(none.stderr).toMatch(/is refused/)
  })

  test('is the sources without a build, and refuses without both', async () => {
    const scene = clientScene()
    expect(await scene.call()).toMatchObject({ code: 2, stdout: '' })
    scene.write('package/src/cli.ts', `process.stdout.write('${COLD}')`)
    expect((await scene.call()).stdout).toBe(COLD)
  })

  test('that never answers ends at the deadline, with all that it started', async () => {
    for (const code of ['for (;;);', 'setInterval(() => undefined, 1000)']) {
      const scene = coldScene(code)
      const ran = await scene.call({ seconds: 2 })
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toMatch(/no answer within 2 seconds|ended with 137/)
      await gone(() => processesWith(scene.package))
    }
  })

  test('ends when the agent ends the client', async () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      const scene = coldScene('for (;;);')
      const client = scene.start()
      client.stdin?.end('{}')
      await there(() => processesWith(join(scene.package, 'dist')))
      client.kill(signal)
      await gone(() => processesWith(scene.package))
    }
  })

  test('ends at the deadline when the client was killed', async () => {
    const scene = coldScene('for (;;);')
    const client = scene.start({ seconds: 2 })
    client.stdin?.end('{}')
    await there(() => processesWith(join(scene.package, 'dist')))
    client.kill('SIGKILL')
    await gone(() => processesWith(scene.package))
  })
})

describe('the client', () => {
  test('without a standard input, or a home, answers', async () => {
    const scene = coldScene(`writeSync(1, JSON.stringify([readFileSync(0, 'utf8')])[0] && '${COLD}')`)
    const script = join(scene.package, 'hosts/client.sh')
    scene.write('call.sh', `bash -p ${script} claude PreToolUse closed 20 ${process.execPath} <&-\n`)
    const env = { PATH: scene.env['PATH'] }
    expect(await ended(spawn('bash', [join(scene.folder, 'call.sh')], { env }))).toMatchObject({
      code: 0,
      stdout: COLD
    })
  })

  test('with a standard input that never ends refuses at the deadline', async () => {
    const scene = coldScene()
    const client = scene.start({ seconds: 1 })
    client.stdin?.write('{')
    const code = await new Promise(resolve => client.once('exit', resolve))
    expect(code).toBe(2)
    await gone(() => processesWith(scene.package))
  })

  test('with arguments that are missing or wrong refuses', async () => {
    const scene = coldScene()
    for (const seconds of ['', '0', 'x', '-1', '1; echo', 'a[$(id)]'])
      expect(await scene.call({ seconds })).toMatchObject({ code: 2, stdout: '' })
  })

  test('is not disturbed by variables that configure shells', async () => {
    const scene = coldScene()
    const noise = scene.write('noise.sh', 'echo noise; exit 0\n')
    const disturbed = {
      BASH_ENV: noise,
      ENV: noise,
      POSIXLY_CORRECT: '1',
      SHELLOPTS: 'nounset:errexit',
      SECONDS: '999'
    }
    const env = { ...scene.env, ...disturbed, 'BASH_FUNC_read%%': '() { echo noise; }', IFS: '0' }
    expect(await scene.call({ env })).toEqual({ code: 0, signal: null, stdout: `${COLD}\n`, stderr: '' })
  })

  test('fits on two screens', () => {
    const lines = readFileSync(join(clientScene().package, 'hosts/client.sh'), 'utf8').split('\n')
    expect(lines.length).toBeLessThan(120)
    expect(lines.filter(line => line.length > 120)).toEqual([])
  })
})
