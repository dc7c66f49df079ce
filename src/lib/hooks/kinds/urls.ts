import { fault } from '../../faults.ts'
import { globOf } from '../../util/names.ts'

export function allowedUrl(text: string, allowed: readonly string[] | undefined): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined)
    throw fault(
      'E_URL_REFUSED',
      urlText(text),
      'it is not a URL',
      'give all of it, such as "https://hooks.example/check"'
    )
  const refuse = (why: string, next: string): Error => fault('E_URL_REFUSED', publicUrl(url), why, next)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refuse('only http: and https: URLs are supported', 'use one that begins with https://')
  if (url.username !== '' || url.password !== '')
    throw refuse('it contains a user or a password', 'send them in a header, by a variable that allowedEnvVars names')
  if (allowed !== undefined && !allowed.some(pattern => isAllowedBy(url, pattern))) {
    const why = allowed.length === 0 ? 'allowedUrls is empty and forbids all' : 'no pattern in allowedUrls fits'
    throw refuse(why, 'add one, such as "https://hooks.example/*", if hooks may use it')
  }
  return url
}

const urlText = (text: unknown): string => {
  const words = JSON.stringify(text) ?? 'nothing'
  // Text that is not a URL may still hold a password.
  return words.includes('@') ? 'this' : words
}

/** The part of a URL that may be shown: the rest may hold secrets. */
export const publicUrl = ({ protocol, host, pathname }: URL): string =>
  protocol === 'http:' || protocol === 'https:' ? `${protocol}//${host}${pathname}` : protocol

const PATTERN = /^([a-z*]+):\/\/(\[[^\]/]*\]|[^:/?#[\]]*)(?::([\d*]+))?([/?].*)?$/is
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Scheme, host, port and path are compared one by one, so that a `*` in one of them matches nothing of the next.
 * Without a port it is the default one; without a path it is `/`, or any if the pattern ends with `*`.
 */
function isAllowedBy(url: URL, pattern: string): boolean {
  if (pattern === '*') return true
  const [, scheme, host, port, path = pattern.endsWith('*') ? '/*' : '/'] = PATTERN.exec(pattern) ?? []
  if (scheme === undefined || host === undefined) return false
  return (
    fits(url.protocol.slice(0, -1), scheme.toLowerCase()) &&
    fits(url.hostname, host.toLowerCase()) &&
    (port === undefined ? url.port === '' : fits(url.port || (DEFAULT_PORTS[url.protocol] ?? ''), port)) &&
    fits(url.pathname + url.search, path)
  )
}

const fits = (text: string, pattern: string): boolean => globOf(pattern)(text)
