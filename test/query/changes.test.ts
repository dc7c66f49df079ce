/** What changes while an agent runs: files that hooks watch, and settings. */
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HookRegistry } from '../../src/index.ts'
import { ask, inputsOf, project, registry } from '../support/agent-kit.ts'
import { prompted } from '../support/agent-scene.ts'

const LIMIT = { timeout: 300_000 }

test('a file that a matcher names, and files that hooks ask for', LIMIT, async () => {
  const place = project({ '.env': 'A=1\n', 'other.txt': '' })
  const heard: string[] = []
  const seen = { env: Promise.withResolvers<void>(), other: Promise.withResolvers<void>() }
  const hooks = registry(it => {
    it.on('SessionStart', () => ({ hookSpecificOutput: { hookEventName: 'SessionStart', watchPaths: ['other.txt'] } }))
    it.on('FileChanged', '.env', ctx => {
      heard.push(`${ctx.input.file_name} ${ctx.input.event}`)
      seen.env.resolve()
    })
    it.on('FileChanged', ctx => void (ctx.input.file_name === 'other.txt' && seen.other.resolve()))
  })
  const { events } = await ask(['one', 'two'], {
    in: place,
    hooks,
    prompt: (async function* () {
      yield prompted('one')
      // A watcher needs a moment before it sees anything: what is written until then is written again.
      const writing = setInterval(() => {
        writeFileSync(place.path('.env'), `A=${Math.random()}\n`)
        writeFileSync(place.path('other.txt'), `${Math.random()}\n`)
      }, 200)
      await Promise.all([seen.env.promise, seen.other.promise])
      clearInterval(writing)
      yield prompted('two')
    })()
  })
  expect(inputsOf({ events }, 'FileChanged')).toContainEqual(
    expect.objectContaining({ file_path: place.path('other.txt'), event: 'change' })
  )
  expect(new Set(heard)).toEqual(new Set(['.env change']))
})

test('where no hook wants to know, nothing is watched', async () => {
  const { names } = await ask(['one'], { in: project({ '.env': '' }), hooks: new HookRegistry() })
  expect(names).not.toContain('FileChanged')
})

test('settings that change between two prompts count for the second', LIMIT, async () => {
  const place = project()
  const settings = `${place.home}/.carabiner/settings.json`
  let told = (): void => undefined
  const changed = new Promise<void>(resolve => (told = resolve))
  const { names, sent } = await ask(['one', 'two'], {
    in: place,
    prompt: (async function* () {
      yield prompted('one')
      const hook = { type: 'command', command: 'echo THE NEW HOOK' }
      const writing = setInterval(() => {
        const text = JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] }, at: Math.random() })
        writeFileSync(settings, text)
      }, 300)
      await changed
      clearInterval(writing)
      yield prompted('two')
    })(),
    persistSession: true,
    each: message =>
      message.type === 'system' &&
      message.subtype === 'informational' &&
      message.content.includes('and are now active') &&
      told()
  })
  expect(names).toContain('ConfigChange')
  expect(JSON.stringify(sent[0])).not.toContain('THE NEW HOOK')
  expect(JSON.stringify(sent[1])).toContain('THE NEW HOOK')
})
