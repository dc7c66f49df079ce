import { engineFault } from '../../errors.ts'
import { credentialsIn, hideCredential } from '../../util/credentials.ts'
import { isObject } from '../../util/plain.ts'
import type { HookEnvironment } from './hook-environment.ts'
import type { HttpSpec } from './http.ts'
import { HookFailure } from '../dispatch/hook-failure.ts'

type Headers = Readonly<Record<string, string>>

/** Answers are small: compressing them would only take time. */
const OURS: Headers = { 'content-type': 'application/json', 'accept-encoding': 'identity' }

const NAME = /^[\w!#$%&'*+.^`|~-]+$/
/** These decide where a request goes and how it is sent; with other values it would be another request. */
const FRAMING = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade proxy-connection'.split(' ')
)

/** Checks the headers of a hook when it is made; returns a function that fills them in for each request. */
export function headersFor(
  {
    headers = {},
    allowedEnvVars = [],
    ofProject = false
  }: Pick<HttpSpec, 'headers' | 'allowedEnvVars'> & { ofProject?: boolean | undefined },
  place: HookEnvironment
): () => Headers {
  if (!isObject(headers)) throw engineFault('E_OPTION_INVALID', 'headers', JSON.stringify(headers), 'names and texts')
  for (const [name, value] of Object.entries(headers)) check(name, value)
  const most = place.options.allowedEnvVars
  const names = new Set(allowedEnvVars.filter(name => most === undefined || most.includes(name)))
  for (const [, braced, bare] of Object.values(headers).flatMap(value => [...value.matchAll(VARIABLE)])) {
    const name = braced ?? bare ?? ''
    if (!names.has(name)) place.notice(`$${name} in the headers of a hook is not in allowedEnvVars and becomes empty`)
  }
  // A project gets no credential by naming it.
  const read = (name: string): string | undefined => (names.has(name) ? place.variable(name, !ofProject) : undefined)
  return () => {
    const filled: Record<string, string> = { accept: 'application/json' }
    for (const [name, value] of Object.entries(headers)) filled[name.toLowerCase()] = fillVariables(name, value, read)
    for (const value of credentialsIn(filled)) hideCredential(value)
    return Object.assign(filled, OURS)
  }
}

function check(name: string, value: unknown): void {
  if (!NAME.test(name) || FRAMING.has(name.toLowerCase()))
    throw engineFault(
      'E_OPTION_INVALID',
      'a header',
      JSON.stringify(name),
      'a name that does not say how the request is sent'
    )
  if (typeof value !== 'string')
    throw engineFault('E_OPTION_INVALID', `the header ${name}`, JSON.stringify(value) ?? 'nothing', 'a text')
}

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g

/** A line break would start another header. */
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/

function fillVariables(header: string, value: string, read: (name: string) => string | undefined): string {
  const filled = value.replaceAll(VARIABLE, (_, braced?: string, bare?: string) => read(braced ?? bare ?? '') ?? '')
  if (UNFIT.test(filled))
    throw new HookFailure(
      'http',
      `was not asked: the value of its header ${header} holds a line break or another character that no header can hold`
    )
  return filled
}
