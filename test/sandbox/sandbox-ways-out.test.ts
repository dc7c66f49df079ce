/** Ways out of the sandbox that are not paths: Unix sockets, the filter of system calls, names that are not text. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { noSandbox } from '../support/host.ts'
import { confined, neighbourhood, SECRET } from './sandbox-kit.ts'

/** Prints what arrives at a datagram socket, which Node cannot open. */
const LISTENER = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('ready', flush=True)
print(s.recv(100).decode(), flush=True)`

const PAIRS = `import socket, sys
for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
  try:
    a, b = socket.socketpair(socket.AF_UNIX, kind)
    a.send(b'x')
    print(kind.name, 'passes', b.recv(1).decode())
    b.sendto(b'from the sandbox', sys.argv[1])
  except OSError as error:
    print(kind.name, error.strerror)`

describe.skipIf(noSandbox !== undefined)('sockets in the sandbox', () => {
  test('pairs of sockets work inside, and reach no socket outside', async () => {
    const place = neighbourhood()
    const path = join(place.outside, 'datagrams')
    const listener = spawn('python3', ['-c', LISTENER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void listener.kill('SIGKILL'))
    const exit = once(listener, 'close')
    let heard = ''
    listener.stdout.on('data', chunk => (heard += chunk))
    await once(listener.stdout, 'data')
    place.write('pairs.py', PAIRS)
    const [result] = await confined(place, [`python3 pairs.py ${path}`])
    expect(result?.text).toContain('SOCK_DGRAM Operation not permitted')
    expect(result?.text).toContain('SOCK_RAW Operation not permitted')
    expect(result?.text).toContain('SOCK_STREAM passes x')
    expect(result?.text).toContain('SOCK_SEQPACKET passes x')
    const [open] = await confined(place, [`python3 pairs.py ${path}`], { sandbox: { unixSockets: true } })
    expect(open?.text).toContain('SOCK_DGRAM passes x')
    await exit
    expect(heard).toBe('ready\nfrom the sandbox\n')
  })

  test('a command that can write the folder for temporary files cannot change the filter of the next one', async () => {
    const place = neighbourhood()
    mkdirSync(place.path('tmp'))
    vi.stubEnv('TMPDIR', place.path('tmp'))
    onTestFinished(() => void vi.unstubAllEnvs())
    const allow = String.raw`printf '\006\0\0\0\0\0\377\177'`
    const [, after] = await confined(place, [
      `for f in tmp/carabiner-sandbox-*/*; do [ -d "$f" ] || ${allow} > "$f"; ls -d "$f"; done`,
      `python3 -c 'import socket; socket.socket(socket.AF_UNIX)'`
    ])
    expect(after?.text).toContain('PermissionError')
    expect(existsSync(place.path('tmp'))).toBe(true)
  })

  test.each(['tmp in the project', 'a folder in allowWrite', 'a directory that is added'])(
    'a command cannot put a link in the place of the folder that the next one sees as /tmp: %s',
    async where => {
      const place = neighbourhood()
      const folder = where.startsWith('tmp') ? place.path('tmp') : join(place.base, 't')
      mkdirSync(folder)
      vi.stubEnv('TMPDIR', folder)
      onTestFinished(() => void vi.unstubAllEnvs())
      const exchange = (target: string): string =>
        `for f in ${folder}/carabiner-sandbox-*; do cd $f && mv tmp tmp2; ln -s ${target} tmp; cd ..; mv $f $f-2; mkdir $f; ln -s ${target} $f/tmp; done; ls ${folder}`
      const [, , , after] = await confined(
        place,
        [exchange(place.outside), 'echo x > /tmp/canary; echo x > /tmp/new', exchange(place.cwd), 'ls /tmp'],
        where.endsWith('added')
          ? { steer: running => running.addDirectory(folder) }
          : { sandbox: { allowWrite: [folder] } }
      )
      expect(place.neighbours()).toMatchObject({ [join(place.outside, 'canary')]: '644 untouched\n' })
      expect(existsSync(join(place.outside, 'new'))).toBe(false)
      expect(after?.text).not.toContain('.claude')
    }
  )

  test('a denied file whose name is not valid UTF-8 cannot be hidden: nothing runs until it is renamed', async () => {
    for (const name of ['\xffa.pem', 's\xff/a.pem']) {
      const place = neighbourhood()
      const file = Buffer.from(place.path(name), 'latin1')
      mkdirSync(file.subarray(0, file.lastIndexOf('/')), { recursive: true })
      writeFileSync(file, SECRET)
      const [result] = await confined(place, ['cat *a.pem s*/a.pem'], { sandbox: { denyRead: ['**/*.pem'] } })
      expect(result?.text).not.toContain(SECRET)
      expect(result?.text).toContain('not valid UTF-8')
    }
  })
})
