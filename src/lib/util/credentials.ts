/**
 * The credentials of this process: by name, if they are in its environment, and by value, wherever they came from. No
 * child inherits them, and none of their values is shown, stored or sent to a hook.
 */

export const CREDENTIALS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'OPENAI_COMPATIBLE_API_KEY'
]

export const HIDDEN = '[a credential]'

/** Shorter values occur in ordinary words. */
const SHORTEST = 8

/** All values to hide, as they are and as JSON escapes them, longest first. */
let values: readonly string[] = []
const withheld = new Set<string>()

export function hideCredential(value: unknown): void {
  if (typeof value !== 'string' || value.length < SHORTEST || values.includes(value)) return
  const quoted = JSON.stringify(value).slice(1, -1)
  values = [...new Set([...values, value, quoted])].toSorted((one, other) => other.length - one.length)
}

/**
 * Hides a value, and keeps it from children under any variable name. A shell would remove quotes and blanks around it.
 */
export function holdCredential(value: unknown): void {
  if (typeof value !== 'string') return
  for (const each of new Set([value, value.replaceAll(/^["'\s]+|["'\s]+$/g, '')])) {
    hideCredential(each)
    if (each.length >= SHORTEST) withheld.add(each)
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Registers the credentials under known names; with the package of a provider, also those with its prefix. */
export function holdCredentialsIn(env: Environment, provider?: string): void {
  for (const name of CREDENTIALS) holdCredential(env[name])
  if (provider === undefined) return
  const plain = (text: string): string => text.replaceAll(/[^a-z\d]/gi, '').toUpperCase()
  const prefix = provider === 'amazon-bedrock' ? 'AWS' : plain(provider)
  for (const [name, value] of Object.entries(env))
    if (plain(name).startsWith(prefix) && SECRET_NAME.test(name)) holdCredential(value)
}

/** The names of variables, headers and keys that may hold a credential. */
export const SECRET_NAME = /key|token|secret|password|credential|authorization|cookie/i

export function credentialsIn(named: unknown): readonly string[] {
  if (typeof named !== 'object' || named === null) return []
  return Object.entries(named).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && typeof value === 'string' ? [value.replace(/^(?:Basic|Bearer|Token)\s+/i, '')] : []
  )
}

export function isWithheld(value: string): boolean {
  for (const credential of withheld) if (value.includes(credential)) return true
  return false
}

export function maskCredentials(text: string): string {
  let clean = text
  for (const value of values) if (clean.includes(value)) clean = clean.replaceAll(value, HIDDEN)
  return clean
}

/** The length of the end of a text that may be the start of one of these. */
export function heldBack(text: string, whole = values): number {
  return Math.max(0, ...whole.map(each => begunBy(text, each)))
}

function begunBy(text: string, value: string): number {
  for (let count = Math.min(text.length, value.length - 1); count > 0; count--)
    if (text.endsWith(value.slice(0, count))) return count
  return 0
}
