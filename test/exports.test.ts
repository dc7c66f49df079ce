/** What the package offers: nothing that a signature names is missing, and everything is explained. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as hooks from '../src/hooks.ts'
import * as index from '../src/index.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** What an entry exports, with the file that declares it. */
function exportsOf(entry: string): readonly { name: string; file: string }[] {
  const statements = read(`src/${entry}`).matchAll(/export (?:type )?\{([^}]*)\} from '\.\/([^']*)'/g)
  return [...statements].flatMap(([, names, file]) =>
    names!
      .replaceAll(/\/\*.*?\*\//gs, '')
      .split(',')
      .map(name =>
        name
          .replace('type', '')
          .replace(/ as \w+/, '')
          .trim()
      )
      .filter(name => name !== '')
      .map(name => ({ name, file: `src/${file}` }))
  )
}

const ENTRIES = ['hooks.ts', 'external.ts', 'worker.ts', 'settings.ts', 'testing.ts']
const PUBLIC = ENTRIES.flatMap(exportsOf)

// F197
test.each(PUBLIC)('$name is explained where it is declared', ({ name, file }) => {
  const declaration = new RegExp(
    `(\\S*)\\n(?:export )(?:declare )?(?:async )?(?:function|const|class|interface|type) ${name}\\b`
  )
  expect(declaration.exec(read(file))?.[1], `${file} should say what ${name} is`).toBe('*/')
})

// F197
test('the entry of the package offers all that the engine does', () => {
  expect(Object.keys(index)).toEqual(expect.arrayContaining(Object.keys(hooks)))
})

// F197: the types of other hook systems, by the names they have here.
test.each([
  'HookRegistry',
  'EventName',
  'HookContext',
  'HookFunction',
  'Hook',
  'HookResult',
  'Reply',
  'Decision',
  'Outcome',
  'Matcher',
  'Callback',
  'CallbackMatcher',
  'HookMessage',
  'HookStarted',
  'HookProgress',
  'HookResponse',
  'InputOf',
  'Message',
  'AgentResult'
])('%s is exported', name => {
  const names = [
    ...PUBLIC.map(each => each.name),
    ...read('src/lib/hooks/events/tool-inputs.ts').matchAll(/export type (\w+)/g)
  ].map(each => (typeof each === 'string' ? each : each[1]))
  expect(names).toContain(name)
})
