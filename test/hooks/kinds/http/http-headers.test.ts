import { describe, expect, test } from 'vitest'
import { httpHook, type HookEnvironmentOptions } from '../../../../src/external.ts'
import { CarabinerError, HookRegistry } from '../../../../src/hooks.ts'
import { harness } from '../../../../src/testing.ts'
import { fireAt, placeOf, serve } from './http-support.ts'

describe('headers', () => {
  const env = { TOKEN: 's3cret', USER_ID: 'u-1', EMPTY: '', BROKEN: 'a\r\nx-evil: 1', ANTHROPIC_API_KEY: 'sk-1' }

  /** The headers that arrive. */
  async function sent(
    headers: Record<string, string>,
    allowedEnvVars: readonly string[],
    options: HookEnvironmentOptions = {}
  ): Promise<Record<string, unknown>> {
    const { url, asked } = await serve('{}')
    const outcome = await fireAt(url, { headers, allowedEnvVars, place: placeOf({ env, ...options }) })
    expect(outcome.failures).toEqual([])
    return asked[0]!.headers
  }

  test('are sent', async () => {
    expect(await sent({ 'X-Team': 'a b', Accept: '*/*' }, [])).toMatchObject({ 'x-team': 'a b', accept: '*/*' })
  })

  test('cannot make the event anything but JSON', async () => {
    expect(await sent({ 'Content-Type': 'text/plain' }, [])).toMatchObject({ 'content-type': 'application/json' })
  })

  test.each([
    ['Bearer $TOKEN', 'Bearer s3cret'],
    ['Bearer ${TOKEN}', 'Bearer s3cret'],
    ['${TOKEN}_$USER_ID;', 's3cret_u-1;'],
    ['$TOKEN$TOKEN', 's3crets3cret'],
    ['costs $5, $ and ${', 'costs $5, $ and ${'],
    ['a${EMPTY}b$MISSING', 'ab'],
    ['a$USER_IDX', 'a']
  ])('%s becomes %s', async (value, expected) => {
    const allowed = ['TOKEN', 'USER_ID', 'EMPTY', 'MISSING']
    expect((await sent({ 'x-a': value }, allowed))['x-a']).toBe(expected)
  })

  test('a variable that the hook does not name becomes empty, and someone is told', async () => {
    const notices: string[] = []
    const onNotice = (text: string): void => void notices.push(text)
    expect(await sent({ 'x-a': '<$TOKEN>' }, ['USER_ID'], { onNotice })).toMatchObject({ 'x-a': '<>' })
    expect(notices).toEqual(['$TOKEN in the headers of a hook is not in allowedEnvVars and becomes empty'])
  })

  test('a variable that the place does not allow becomes empty, whatever the hook names', async () => {
    const headers = { 'x-a': '<$TOKEN>', 'x-b': '<$USER_ID>' }
    const allowed = ['TOKEN', 'USER_ID']
    expect(await sent(headers, allowed, { allowedEnvVars: ['USER_ID', 'MORE'] })).toMatchObject({
      'x-a': '<>',
      'x-b': '<u-1>'
    })
    expect(await sent(headers, allowed, { allowedEnvVars: [] })).toMatchObject({ 'x-a': '<>', 'x-b': '<>' })
  })

  test('names of objects are no variables', async () => {
    expect(await sent({ 'x-a': '<$constructor$__proto__>' }, ['constructor', '__proto__'])).toMatchObject({
      'x-a': '<>'
    })
  })

  test.each([
    ['a line break from a variable', '$BROKEN'],
    ['a line break of its own', 'a\nx-evil: 1'],
    ['a zero', 'a\0b'],
    ['what is not in Latin', '🧗']
  ])('%s is a failure, and nothing is sent', async (_, value) => {
    const { url, connections } = await serve('{}')
    const place = placeOf({ env })
    const outcome = await fireAt(url, { headers: { 'x-a': value }, allowedEnvVars: ['BROKEN'], place })
    expect(outcome).toMatchObject({ decision: 'deny', failures: [{ kind: 'http' }] })
    expect(outcome.failures[0]!.message).toMatch(/header x-a/)
    expect(outcome.failures[0]!.message).not.toContain('evil')
    expect(connections()).toBe(0)
  })

  test.each([
    'Content-Length',
    'transfer-encoding',
    'Host',
    'Connection',
    'Upgrade',
    'Expect',
    'x y',
    'x:',
    '',
    'x\r\ny'
  ])('none is called %j: it is an error when the hook is made', name => {
    const make = () => httpHook({ events: 'PreToolUse', url: 'http://127.0.0.1', headers: { [name]: '1' } })
    expect(make).toThrow(/a header cannot be .*; use a name/)
  })

  test.each([[{ 'x-a': 1 }], ['x-a: 1'], [[['x-a', '1']]]])('are names and texts, not %j', headers => {
    const make = () => httpHook({ events: 'PreToolUse', url: 'http://127.0.0.1', headers: headers as never })
    expect(make).toThrow(CarabinerError)
  })

  test('take the environment as it is when the event comes', async () => {
    const changing = { TOKEN: 'one' }
    const { url, asked } = await serve('{}')
    const hooks = new HookRegistry()
    const spec = {
      name: 'hook',
      events: 'PreToolUse',
      url,
      headers: { 'x-a': '$TOKEN' },
      allowedEnvVars: ['TOKEN']
    } as const
    hooks.register(httpHook(spec, placeOf({ env: changing })))
    await harness(hooks).fire('PreToolUse')
    changing.TOKEN = 'two'
    await harness(hooks).fire('PreToolUse')
    expect(asked.map(({ headers }) => headers['x-a'])).toEqual(['one', 'two'])
  })
})
