/** Pages from the web, from a real server on loopback. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plainText } from '../../../src/lib/tools/web/html.ts'
import { ask, inputsOf } from '../../support/agent-kit.ts'

let server: Server
let base = ''
const asked: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/page')
      response
        .setHeader('content-type', 'text/html')
        .end('<head><title>x</title></head><p>The <b>answer</b> is 42.</p><script>evil()</script>')
    else if (request.url === '/moved') response.writeHead(302, { location: '/page' }).end()
    else if (request.url === '/away') response.writeHead(302, { location: 'http://example.invalid/x' }).end()
    else if (request.url === '/round') response.writeHead(302, { location: '/round' }).end()
    else if (request.url === '/flood') {
      const piece = Buffer.alloc(1024 * 1024, 'x')
      const send = (): boolean => response.writable && !response.destroyed && response.write(piece, () => send())
      send()
    } else response.writeHead(404).end('no such page')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const fetching = (path: string) => ({
  calls: [{ name: 'WebFetch', input: { url: `${base}${path}`, prompt: 'What is the answer?' } }]
})
const allowed = { allowedTools: ['WebFetch(domain:127.0.0.1)'] }

test('a page is read by a model, which sees the text and the question', async () => {
  const { sent, events } = await ask([fetching('/moved'), 'It is 42.', 'done'], allowed)
  expect(sent[1]).toEqual([{ role: 'user', content: 'The answer is 42.\n\n---\n\nWhat is the answer?' }])
  expect(JSON.stringify(sent.at(-1))).toContain('It is 42.')
  expect(inputsOf({ events }, 'PostToolUse')).toMatchObject([
    { tool_name: 'WebFetch', tool_response: { code: 200, result: 'It is 42.' } }
  ])
})

test('without a permission nothing is fetched', async () => {
  const before = asked.length
  const { result } = await ask([fetching('/page'), 'done'])
  expect(result.permission_denials).toMatchObject([{ tool_name: 'WebFetch' }])
  expect(asked.length).toBe(before)
})

test.each([
  ['/away', 'moved to another host: http://example.invalid/x'],
  ['/round', 'redirects more than 5 times'],
  ['/none', 'answered with 404'],
  ['/flood', 'larger than']
])('%s: %s', async (path, words) => {
  const { sent } = await ask([fetching(path), 'done'], allowed)
  expect(JSON.stringify(sent.at(-1))).toContain(words)
})

test.each(['ftp://host/x', 'file:///etc/passwd', 'nonsense', 'http://user:secret@host/'])(
  '%s is no address for it',
  async url => {
    const { sent } = await ask([{ calls: [{ name: 'WebFetch', input: { url, prompt: 'x' } }] }, 'done'], {
      allowedTools: ['WebFetch']
    })
    expect(JSON.stringify(sent.at(-1))).toContain('InputValidationError')
  }
)

test('what is shown of a page', () => {
  expect(
    plainText('<!-- a --><h1>A &amp; B</h1>\n<p>x&#33;&#x21; <a href="/y">y</a></p><style>p{}</style>&unknown;')
  ).toBe('A & B\nx!! y (/y)\n&unknown;')
})
