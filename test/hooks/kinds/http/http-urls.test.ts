import * as fc from '../../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { httpHook, HookEnvironment, type HookEnvironmentOptions } from '../../../../src/external.ts'
import { CarabinerError } from '../../../../src/hooks.ts'
import { fireAt, placeOf, serve } from './http-support.ts'

/** The message with which a URL is refused when a hook is made; nothing if it is not. */
function refusal(url: string, allowedUrls?: HookEnvironmentOptions['allowedUrls']): string | undefined {
  try {
    httpHook({ name: 'hook', events: 'PreToolUse', url }, new HookEnvironment({ allowedUrls }))
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(CarabinerError)
    expect((error as CarabinerError).code).toBe('E_URL_REFUSED')
    return (error as Error).message
  }
}

const isAllowed = (url: string, ...patterns: readonly string[]): boolean => refusal(url, patterns) === undefined

describe('a hook can be', () => {
  test.each(['http://127.0.0.1:8080/a', 'https://hooks.example/check?a=1', 'HTTPS://Hooks.Example', 'http://[::1]:1/'])(
    'at %s',
    url => expect(refusal(url)).toBeUndefined()
  )

  test.each([
    ['', /is not a URL; give all of it/],
    ['hooks.example/check', /is not a URL/],
    ['/check', /is not a URL/],
    ['http://', /is not a URL/],
    ['http://hooks.example:99999', /is not a URL/],
    ['file:///etc/passwd', /file:.*only http: and https:/],
    ['ftp://hooks.example', /only http: and https:/],
    ['javascript:alert(1)', /only http: and https:/],
    ['data:application/json,{}', /only http: and https:/],
    ['ws://hooks.example', /only http: and https:/],
    ['unix:/run/hook.sock', /only http: and https:/]
  ])('not at %j', (url, words) => expect(refusal(url)).toMatch(words))

  test('not at nothing', () => {
    expect(() => httpHook({ name: 'hook' } as never, new HookEnvironment())).toThrow('no hook can be at nothing')
  })

  test.each(['https://me:hunter2@hooks.example/', 'https://hunter2@hooks.example/', 'https://me:hunter2@[bad'])(
    'at none with a password, and the error does not repeat it: %s',
    url => {
      const message = refusal(url)
      expect(message).toBeDefined()
      expect(message).not.toContain('hunter2')
    }
  )

  test('what may be secret in a query is not repeated either', () => {
    expect(refusal('https://hooks.example/a?token=hunter2', [])).not.toContain('hunter2')
  })
})

describe('allowedUrls', () => {
  test('none at all is any, and an empty list is none', () => {
    expect(refusal('https://hooks.example/')).toBeUndefined()
    expect(refusal('https://hooks.example/', [])).toMatch(/allowedUrls is empty and forbids all; add one/)
  })

  test('the error says what to do', () => {
    expect(refusal('https://hooks.example/a', ['https://other.example/*'])).toBe(
      'no hook can be at https://hooks.example/a: no pattern in allowedUrls fits; ' +
        'add one, such as "https://hooks.example/*", if hooks may use it'
    )
  })

  test.each([
    ['*', 'https://hooks.example/a'],
    ['https://hooks.example/*', 'https://hooks.example/'],
    ['https://hooks.example/*', 'https://hooks.example/a/b?c=d'],
    ['https://HOOKS.example/*', 'https://hooks.EXAMPLE/a'],
    ['HTTPS://hooks.example/*', 'https://hooks.example/a'],
    ['https://hooks.example', 'https://hooks.example'],
    ['https://hooks.example/', 'https://hooks.example'],
    ['https://hooks.example:443/*', 'https://hooks.example/a'],
    ['https://hooks.example/*', 'https://hooks.example:443/a'],
    ['https://*.example.com/*', 'https://a.example.com/x'],
    ['https://*.example.com/*', 'https://a.b.example.com/x'],
    ['https://hooks.example/*/check', 'https://hooks.example/a/b/check'],
    ['https://hooks.example/a?key=*', 'https://hooks.example/a?key=1'],
    ['*://hooks.example/*', 'http://hooks.example/a'],
    ['http*://hooks.example/*', 'https://hooks.example/a'],
    ['http://localhost:*', 'http://localhost:8080/a/b'],
    ['http://localhost:*', 'http://localhost/a'],
    ['http://localhost:*/a', 'http://localhost:8080/a'],
    ['http://127.0.0.*:80*/a', 'http://127.0.0.7:8012/a'],
    ['http://[::1]:8080/*', 'http://[::1]:8080/a'],
    ['https://hooks.example/*', 'https://hooks.example/x/../a']
  ])('%s fits %s', (pattern, url) => expect(isAllowed(url, pattern)).toBe(true))

  test.each([
    ['https://*.example.com/*', 'https://evil.test/x.example.com/'],
    ['https://*.example.com/*', 'https://evil.test/?x.example.com/'],
    ['https://*.example.com/*', 'https://evil.test#x.example.com/'],
    ['https://*.example.com/*', 'https://evil.test\\.example.com/'],
    ['https://*.example.com/*', 'https://x.example.com.evil.test/'],
    ['https://*.example.com/*', 'https://evilexample.com/'],
    ['https://*.example.com/*', 'https://example.com/'],
    ['https://*.example.com/*', 'https://a.example.com:8443/'],
    ['https://*.example.com/*', 'https://a.example.com./'],
    ['https://*.example.com/*', 'http://a.example.com/'],
    ['https://*.example.com', 'https://a.example.com/x'],
    ['https://hooks.example/*', 'http://hooks.example/'],
    ['https://hooks.example/a', 'https://hooks.example/A'],
    ['https://hooks.example/a', 'https://hooks.example/a?b'],
    ['https://hooks.example/a/*', 'https://hooks.example/a/../b'],
    ['https://hooks.example/a/*', 'https://hooks.example/a/%2e%2e/b'],
    ['https://hooks.example/a/*', 'https://hooks.example/a'],
    ['https://hooks.example/ab*ba', 'https://hooks.example/aba'],
    ['http://localhost:80*/', 'http://localhost:7080/'],
    ['http://127.0.0.1:*', 'http://127.0.0.2:1/'],
    ['http://127.0.0.1:*/', 'http://2130706434/'],
    ['hooks.example/*', 'https://hooks.example/a'],
    ['https:/*', 'https://hooks.example/a'],
    ['https*', 'https://hooks.example/a'],
    ['**', 'https://hooks.example/a'],
    ['https://me@hooks.example/*', 'https://hooks.example/a'],
    ['', 'https://hooks.example/a']
  ])('%s does not fit %s', (pattern, url) => expect(isAllowed(url, pattern)).toBe(false))

  test('one of several is enough', () => {
    expect(isAllowed('https://b.example/', 'https://a.example/', 'https://b.example/', 'nonsense')).toBe(true)
  })

  test('a pattern with many stars takes no time', () => {
    const pattern = `https://hooks.example/${'*a'.repeat(5000)}`
    expect(isAllowed(`https://hooks.example/${'a'.repeat(20_000)}b`, pattern)).toBe(false)
  })

  // Forms of the parts of a URL that make one host look like another.
  const pieces = [
    'a.example.com',
    'example.com',
    'evil.test',
    '.',
    ':',
    '@',
    '/',
    '\\',
    '?',
    '#',
    '%2e',
    '%2f',
    '*',
    'A.'
  ]
  const tail = fc.array(fc.constantFrom(...pieces, ':8443', ':443', '[::1]', '//', '..', '\t', 'ａ'), { maxLength: 8 })
  const urls = tail.map(parts => `https://${parts.join('')}`)

  test('no URL fits a pattern whose host is not its own', () => {
    let fitted = 0
    fc.assert(
      fc.property(urls, url => {
        if (!isAllowed(url, 'https://*.example.com/*')) return
        fitted++
        const { hostname, port, username } = new URL(url)
        expect([hostname.endsWith('.example.com'), port, username]).toEqual([true, '', ''])
      }),
      { numRuns: 3000 }
    )
    expect(fitted).toBeGreaterThan(0)
  })

  test('a server at a host that is not allowed is never asked', async () => {
    const fine = await serve('{}', '127.0.0.1')
    const other = await serve('{}', '127.0.0.2', fine.port)
    const place = placeOf({ allowedUrls: [`http://127.0.0.1:${fine.port}/*`] })
    const hosts = ['127.0.0.1', '127.0.0.2', '127.0.2', '2130706434', '0x7f000002', '0177.0.0.2', '[::ffff:127.0.0.2]']
    const [good, bad] = [`127.0.0.1:${fine.port}`, `127.0.0.2:${fine.port}`]
    const parts = fc.constantFrom(...hosts, `:${fine.port}`, good, bad, '/', '\\', '@', '#', '?', '//', '%40', '.', ' ')
    const tricky = fc.array(parts, { maxLength: 5 }).map(some => `http://${some.join('')}`)
    const plain = fc.constantFrom(`http://${bad}/${good}/`, `http://${good}@${bad}/`, `http://${bad}#@${good}/`)
    const sound = fc.webPath().map(path => `http://${good}${path}`)
    let asked = 0
    await fc.assert(
      fc.asyncProperty(fc.oneof(tricky, plain, sound), async url => {
        if (refusal(url, place.options.allowedUrls) !== undefined) return
        await fireAt(url, { place })
        asked++
      }),
      { numRuns: 500 }
    )
    expect(other.connections()).toBe(0)
    expect(asked).toBeGreaterThan(0)
    expect(fine.asked).toHaveLength(asked)
  })
})
