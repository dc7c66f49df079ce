/** `carabiner.redact`: secrets of others may be shown, if the user says so; credentials of the runtime never are. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, informed, project, resultsIn, type Asked, type Project } from '../support/agent-kit.ts'
import { SAMPLES } from './secret-samples.ts'

const SHOW = { carabiner: { redact: 'credentials' } }
const OWN = 'own-credential-of-the-runtime'
const tokens = SAMPLES.filter(({ text }) => !text.includes('\n')).map(({ text }) => text)

const fixtures = (files: Readonly<Record<string, string>> = {}): Project =>
  project({ 'tokens.txt': `${tokens.join('\n')}\n${OWN}\n`, ...files })

function withUserSettings(place: Project, settings: object): Project {
  mkdirSync(join(place.home, '.claude'), { recursive: true })
  writeFileSync(join(place.home, '.claude/settings.json'), JSON.stringify(settings))
  return place
}

async function look(place: Project, more: object = {}): Promise<Asked & { seen: readonly boolean[] }> {
  const calls = [
    { name: 'Read', input: { file_path: 'tokens.txt' } },
    { name: 'Bash', input: { command: 'cat tokens.txt' } }
  ]
  const env = { ...place.env, ANTHROPIC_API_KEY: OWN }
  const asked = await ask([{ calls }, 'done'], { in: place, env, ...more })
  const texts = resultsIn(asked.sent.at(-1)!).map(({ text }) => text)
  for (const text of texts) expect(text).not.toContain(OWN)
  return { ...asked, seen: texts.map(text => tokens.every(token => text.includes(token))) }
}

test('a project cannot show secrets, and the attempt is a notice', async () => {
  const place = fixtures({ '.claude/settings.json': JSON.stringify(SHOW) })
  const asked = await look(place)
  expect(asked.seen).toEqual([false, false])
  expect(informed(asked).join('\n')).toContain('a project cannot switch the masking of secrets off')
})

test('the user can, in a settings file and in code; only credentials of the runtime are masked then', async () => {
  expect((await look(withUserSettings(fixtures(), SHOW))).seen).toEqual([true, true])
  expect((await look(fixtures(), { settings: SHOW })).seen).toEqual([true, true])
})

test('another session of the same process masks them, and so does a project that asks for it', async () => {
  expect((await look(fixtures())).seen).toEqual([false, false])
  const strict = fixtures({ '.claude/settings.json': JSON.stringify({ carabiner: { redact: 'all' } }) })
  expect((await look(withUserSettings(strict, SHOW))).seen).toEqual([false, false])
})

test('another value is an error', async () => {
  const place = withUserSettings(fixtures(), { carabiner: { redact: 'none' } })
  expect((await ask(['done'], { in: place })).result.result).toContain('redact')
})
