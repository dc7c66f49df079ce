/** A rule about a host applies to every name of the host. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/agent-kit.ts'

const asked: string[] = []
let server: Server
let port = 0

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const location = /^\/to\/(.*)$/.exec(request.url ?? '')?.[1]
    if (location === undefined) response.end('the page')
    else response.writeHead(302, { location: `http://${decodeURIComponent(location)}:${port}/` }).end()
  })
  await new Promise<void>(resolve => server.listen(0, '::', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const fetching = (url: string) => ({ calls: [{ name: 'WebFetch', input: { url, prompt: 'What?' } }] })

const SPELLINGS = [
  '127.0.0.1',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:FFFF:7F00:0001]',
  '[::127.0.0.1]',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'app.localhost',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '127.0.0.2',
  hostname(),
  ...Object.values(networkInterfaces()).flatMap(all =>
    (all ?? []).flatMap(({ address, family }) => (family === 'IPv4' ? [address] : []))
  )
]

test.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]'])(
  'B9: a rule that refuses %s refuses it by every name',
  async domain => {
    const before = asked.length
    const urls = SPELLINGS.map(host => `http://${host}:${port}/`)
    const { result } = await ask([...urls.map(fetching), 'done'], {
      allowedTools: ['WebFetch'],
      disallowedTools: [`WebFetch(domain:${domain})`]
    })
    expect(result.permission_denials).toHaveLength(SPELLINGS.length)
    expect(asked.slice(before)).toEqual([])
  }
)

test('B9: a name or a password in front of the host hides nothing', async () => {
  const before = asked.length
  const urls = [`http://example.com@127.0.0.1:${port}/`, `http://a:b@[::ffff:7f00:1]:${port}/`]
  await ask([...urls.map(fetching), 'done'], {
    allowedTools: ['WebFetch'],
    disallowedTools: ['WebFetch(domain:127.0.0.1)']
  })
  expect(asked.slice(before)).toEqual([])
})

test('B9: other hosts are other hosts, in any writing', async () => {
  const rules = { allowedTools: ['WebFetch(domain:127.0.0.1)'], disallowedTools: ['WebFetch(domain:bücher.example)'] }
  const refused = ['http://xn--bcher-kva.example/', 'http://B%C3%9CCHER.example./', 'http://www.bücher.example/']
  const { result } = await ask([...refused.map(fetching), 'done'], rules)
  expect(result.permission_denials).toHaveLength(refused.length)
  const before = asked.length
  // Allowed: the same address. Asked about: another name for this machine.
  const both = [`http://[::ffff:127.0.0.1]:${port}/same`, `http://localhost:${port}/other`]
  const allowed = await ask([fetching(both[0]!), 'It is a page.', fetching(both[1]!), 'done'], rules)
  expect(asked.slice(before)).toEqual(['/same'])
  expect(allowed.result.permission_denials).toMatchObject([{ tool_input: { url: both[1] } }])
})

test.each(['[::ffff:127.0.0.1]', '[::1]', '127.1', '0.0.0.0'])(
  'B9: a page that leads on to a refused host is not followed there: %s',
  async host => {
    const before = asked.length
    const url = `http://localhost:${port}/to/${encodeURIComponent(host)}`
    const { sent } = await ask([fetching(url), 'done'], { allowedTools: ['WebFetch(domain:localhost)'] })
    expect(asked.slice(before)).toEqual([`/to/${encodeURIComponent(host)}`])
    expect(JSON.stringify(sent.at(-1))).toContain('moved to another host')
  }
)
