/** The client that models, MCP servers and WebFetch share, against a real server on loopback. */
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { httpFetch } from '../../../src/lib/world/http/client.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const echo: RequestListener = (request, response) => {
  let body = ''
  request.on('data', piece => (body += String(piece)))
  request.on('end', () => response.end(JSON.stringify({ method: request.method, headers: request.headers, body })))
}

interface Echo {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const POST = { method: 'POST', body: '{"a":1}', headers: { authorization: 'Bearer x', cookie: 'c=1', 'x-more': 'y' } }

test('a redirect is not followed unless that is asked for', async () => {
  const url = await serve((_, response) => response.writeHead(307, { location: '/there' }).end())
  const response = await httpFetch(`${url}/here`, POST)
  expect(response.status).toBe(307)
  expect(response.headers.get('location')).toBe('/there')
})

test.each([
  [307, 'POST', '{"a":1}'],
  [308, 'POST', '{"a":1}'],
  [302, 'GET', ''],
  [303, 'GET', '']
])('a redirect with status %i is followed with %s', async (status, method, body) => {
  const url = await serve((request, response) =>
    request.url === '/here' ? response.writeHead(status, { location: '/there' }).end() : echo(request, response)
  )
  const response = await httpFetch(`${url}/here`, { ...POST, redirect: 'follow' })
  expect(await response.json()).toMatchObject({ method, body, headers: { authorization: 'Bearer x' } })
})

test('another origin gets no credentials', async () => {
  const other = await serve(echo)
  const url = await serve((_, response) => response.writeHead(307, { location: `${other}/x` }).end())
  const credentials = { authorization: 'Bearer x', cookie: 'c=1', 'X-API-Key': 'k', 'mcp-session-id': 's' }
  const sent = { ...POST, headers: { accept: 'a/b', ...credentials }, redirect: 'follow' } as const
  const { headers, body } = (await (await httpFetch(url, sent)).json()) as Echo
  expect(headers).toMatchObject({ accept: 'a/b' })
  expect(body).toBe(POST.body)
  for (const name of Object.keys(credentials)) expect(headers).not.toHaveProperty(name.toLowerCase())
})

test('redirects that lead in circles end with an error', async () => {
  const url = await serve((_, response) => response.writeHead(302, { location: '/again' }).end())
  await expect(httpFetch(url, { redirect: 'follow' })).rejects.toThrow('redirected more than 20 times')
})

test('what was compressed is unpacked; an encoding that is not known is an error', async () => {
  const url = await serve((request, response) =>
    response.writeHead(200, { 'content-encoding': request.url === '/gzip' ? 'gzip' : 'rot13' }).end(gzipSync('hello'))
  )
  expect(await (await httpFetch(`${url}/gzip`)).text()).toBe('hello')
  await expect(httpFetch(`${url}/odd`)).rejects.toThrow('content-encoding rot13')
})

test.each([205, 304])('status %i has no body', async status => {
  const url = await serve((_, response) => response.writeHead(status).end())
  const response = await httpFetch(url)
  expect([response.status, await response.text()]).toEqual([status, ''])
})

test('a status that is none is an error that names it', async () => {
  const url = await serve((_, response) => response.writeHead(999).end('no robots'))
  await expect(httpFetch(url)).rejects.toThrow('the server answered with status 999')
})
