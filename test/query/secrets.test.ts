/** Secrets of others are recognized by their form, also in pieces, and ordinary text is not changed. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { query } from '../../src/index.ts'
import { maskSecrets, SecretFilter } from '../../src/lib/util/secrets.ts'
import { cliStage } from '../support/cli-stage.ts'
import { openaiServer } from '../support/openai-server.ts'
import * as fc from '../support/fast-check.ts'
import { HANG } from '../support/waiting.ts'
import { SAMPLES } from './secret-samples.ts'
import { repetitions } from '../support/seed.ts'

vi.setConfig({ testTimeout: 2 * HANG })

function filtered(pieces: readonly string[]): string {
  const filter = new SecretFilter()
  return pieces.map(piece => filter.add(piece)).join('') + filter.end()
}

describe('every sample', () => {
  test('there are twelve families, and at least sixty samples', () => {
    expect(new Set(SAMPLES.map(({ family }) => family)).size).toBe(12)
    expect(SAMPLES.length).toBeGreaterThanOrEqual(60)
  })

  test.each(SAMPLES.map((sample, at) => ({ ...sample, name: `${sample.family} ${at}` })))(
    '$name is masked, alone, in lines and in JSON, cut at every byte',
    ({ text, secret }) => {
      const around = (one: string): readonly string[] => [
        one,
        `a line\n${one}\nanother`,
        JSON.stringify({ text: `x\n${one}` })
      ]
      const parts = JSON.stringify(secret)
        .slice(1, -1)
        .split('\\n')
        .filter(part => !part.startsWith('-----'))
      for (const whole of around(text)) {
        const masked = maskSecrets(whole)
        expect(masked).toBe(
          whole.replace(secret, '[a credential]').replace(JSON.stringify(secret).slice(1, -1), '[a credential]')
        )
        for (const part of parts) expect(masked).not.toContain(part)
        for (let cut = 0; cut <= whole.length; cut++)
          expect(filtered([whole.slice(0, cut), whole.slice(cut)]), `cut at ${cut}`).toBe(masked)
        expect(filtered(whole.match(/[^]/g) ?? [])).toBe(masked)
      }
    }
  )
})

const BEFORE = [
  'x',
  'token',
  'PROD_',
  'v1-',
  'key%3D',
  '\u001b[31m',
  '\u001b[1;32m',
  JSON.stringify('\u001b[31m').slice(1, -1)
]

test.each(BEFORE)('a secret is masked also if %j precedes it without a space', before => {
  for (const { text, secret } of SAMPLES) {
    // The name of a key belongs to the form of its value.
    const glued = text.startsWith('value ') ? text.replace('value ', before) : `${before}${text}`
    const masked = glued.replace(secret, '[a credential]')
    expect(maskSecrets(glued)).toBe(masked)
    expect(filtered(glued.match(/[^]/g) ?? [])).toBe(masked)
  }
})

test('source files of packages are left alone, but for a JSON web token', () => {
  const names = readdirSync('node_modules', { recursive: true, encoding: 'utf8' })
  const sources = names.filter(name =>
    /^(?:zod|yaml|ajv|commander|fast-check|@ai-sdk)\/.*\.(?:[cm]?[jt]s|md|map)$/.test(name)
  )
  expect(sources.length).toBeGreaterThan(1_000)
  const changed = sources.filter(name => {
    const text = readFileSync(join('node_modules', name), 'utf8')
    return maskSecrets(text) !== text
  })
  expect(changed).toEqual(['zod/src/v4/mini/tests/string.test.ts'])
})

test('chunks of any sizes give what the whole text gives', () => {
  const piece = fc.oneof(
    fc.constantFrom(...SAMPLES.map(({ text }) => text)),
    fc.constantFrom(...SAMPLES.map(({ secret }) => secret.slice(0, -3))),
    fc.constantFrom('w'.repeat(20), 'a-1'.repeat(6), '\u001b[32m', '%3d'),
    fc.constantFrom(
      'task-',
      'sk-',
      'eyJ',
      '://',
      ':',
      '@',
      '-----',
      '-----BEGIN ',
      'PRIVATE KEY-----',
      '\n',
      ' ',
      '\\n',
      '.',
      'x'
    ),
    fc.string({ maxLength: 12 })
  )
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (texts, sizes) => {
        const whole = texts.join('')
        const pieces: string[] = []
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const size = sizes[turn % sizes.length]!
          pieces.push(whole.slice(at, at + size))
          at += size
        }
        expect(filtered(pieces)).toBe(maskSecrets(whole))
      }
    ),
    { numRuns: repetitions(5000) }
  )
})

test('ordinary text is left alone', () => {
  const texts = [
    readFileSync('package-lock.json', 'utf8'),
    readFileSync('docs/permissions.md', 'utf8'),
    randomBytes(1_000_000).toString('base64'),
    randomBytes(1_000_000).toString('base64url'),
    randomBytes(100_000).toString('hex'),
    Array.from({ length: 2000 }, () => randomUUID()).join('\n'),
    Array.from({ length: 500 }, (_, at) => `sha512-${createHash('sha512').update(String(at)).digest('base64')}`).join(
      '\n'
    ),
    'task-1234567890123456789012345678901234567890123456789012 disk-proj-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'http://localhost:3000/@scope/x postgres://user:password@localhost https://user:${TOKEN}@host git@host:a/b',
    'npm_config_user_agent npm_package_dependencies_something_very_long_indeed sk-learn sk_live_',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`-----BEGIN PRIVATE KEY-----` begins a key.',
    'aws_secret_access_key = process.env.AWS_SECRET_ACCESS_KEY; AKIA is a prefix, and eyJ begins a token.'
  ]
  for (const text of texts) expect(maskSecrets(text) === text, text.slice(0, 60)).toBe(true)
})

test('time grows with the length of the text, whatever it is', () => {
  const heads = [
    'eyJ',
    'eyJ.',
    'eyJ_',
    'sk-ant-',
    'sk-',
    'ghp_',
    '://',
    '://a:',
    '://1:1',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----\n',
    'AIza',
    'aws_secret_access_key=',
    '-',
    '\\n'
  ]
  const cost = (text: string): number => {
    const { user } = process.cpuUsage()
    maskSecrets(text)
    const filter = new SecretFilter()
    for (let at = 0; at < text.length; at += 65_536) filter.add(text.slice(at, at + 65_536))
    return process.cpuUsage().user - user
  }
  // A quadratic pattern needs minutes for this: the limit is one of hanging, not of speed.
  for (const head of heads) expect(cost(head.repeat(2_000_000 / head.length)), head).toBeLessThan(10_000_000)
})

test('X5: planted secrets are in no result, message, transcript, output file or payload of a result', async () => {
  const here = cliStage()
  const all = SAMPLES.map(({ text }) => text).join('\n')
  here.write('project/notes.txt', `${all}\nlast\n`)
  here.write(
    'project/drip.mjs',
    `import { readFileSync, writeSync } from 'node:fs'
for (const byte of readFileSync('notes.txt')) writeSync(1, Buffer.of(byte))
for (let at = 0; at < 4; at++) writeSync(2, readFileSync('notes.txt'))`
  )
  const keep = { type: 'command', command: `cat >> ${here.path('home/payloads')}` }
  here.user({ hooks: { PostToolUse: [{ hooks: [keep] }], PostToolUseFailure: [{ hooks: [keep] }] } })
  const server = await openaiServer(
    {
      calls: [
        { id: 'a1', name: 'Bash', input: { command: `${process.execPath} drip.mjs` } },
        { id: 'a2', name: 'Read', input: { file_path: 'notes.txt' } },
        { id: 'a3', name: 'Grep', input: { pattern: 'value', path: '.', output_mode: 'content' } },
        { id: 'a4', name: 'Bash', input: { command: `${process.execPath} drip.mjs >&2; exit 3` } }
      ]
    },
    { calls: [{ id: 'b1', name: 'Write', input: { file_path: 'notes.txt', content: 'value [a credential]' } }] },
    { calls: [{ id: 'b2', name: 'Edit', input: { file_path: 'notes.txt', old_string: 'last', new_string: 'end' } }] },
    { text: 'Done.' }
  )
  onTestFinished(() => server.close())
  const sinks: [string, string][] = []
  const running = query({
    prompt: 'Go',
    options: {
      model: `${server.url}#gpt-test`,
      cwd: here.project,
      env: { ...here.env, OPENAI_COMPATIBLE_API_KEY: 'none-of-your-business' },
      allowedTools: ['Bash', 'Edit', 'Write'],
      includeHookEvents: true,
      stderr: text => sinks.push(['stderr', text])
    }
  })
  for await (const message of running) sinks.push([`message ${message.type}`, JSON.stringify(message)])
  for (const { body } of server.requests) sinks.push(['request', JSON.stringify(body)])
  for (const name of readdirSync(here.home, { recursive: true })) {
    const path = join(here.home, String(name))
    if (statSync(path).isFile()) sinks.push([path, readFileSync(path, 'latin1')])
  }
  expect(server.requests).toHaveLength(4)
  expect(here.read('home/payloads').split('"PostToolUse').length).toBeGreaterThan(4)
  const parts = SAMPLES.flatMap(({ secret }) => secret.split('\n').filter(line => !line.startsWith('-----')))
  const leaks = sinks.flatMap(([name, text]) =>
    parts.filter(part => text.includes(part)).map(part => `${name}: ${part}`)
  )
  expect(leaks).toEqual([])
  // The mask was not written, and an edit beside the secrets kept them.
  expect(JSON.stringify(server.requests[2]!.body)).toContain('stands for a secret that is not shown')
  expect(here.read('project/notes.txt')).toBe(`${all}\nend\n`)
})
