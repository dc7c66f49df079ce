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
