/**
 * Prints schemas/: JSON Schemas of settings and of hook tests, for editors, from the tables that the loader reads.
 * `--check` only says whether they are up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { EVENT_NAMES } from '../src/lib/hooks/events/event-table.ts'
import { HANDLERS, KEY_TYPES, type KeyRule } from '../src/lib/settings/files/handlers.ts'
import { EXPECT_KEYS } from '../src/lib/settings/files/hook-tests.ts'

const handler = (type: string, keys: Readonly<Record<string, KeyRule>>): object => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(keys).map(([key, { takes, words }]) => [
      key,
      key === 'type' ? { const: type } : { ...KEY_TYPES[takes].schema, description: words }
    ])
  ),
  required: Object.entries(keys).flatMap(([key, { required }]) => (required === true ? [key] : []))
})

const RULE = {
  type: 'object',
  properties: {
    matcher: { type: 'string', description: 'a name, names joined by |, a glob, or a regular expression' },
    hooks: { type: 'array', items: { oneOf: Object.entries(HANDLERS).map(([type, keys]) => handler(type, keys)) } }
  },
  required: ['hooks']
}

const events = (value: object): object => ({
  type: 'object',
  properties: Object.fromEntries(EVENT_NAMES.map(name => [name, value]))
})

const TEXTS = { type: 'array', items: { type: 'string' } }
const HOOKS = events({ $ref: '#/$defs/rules' })

const SETTINGS = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Settings that Carabiner reads',
  $defs: { rules: { type: 'array', items: RULE } },
  type: 'object',
  properties: {
    hooks: HOOKS,
    permissions: { type: 'object', properties: { allow: TEXTS, deny: TEXTS, ask: TEXTS } },
    disableAllHooks: { type: 'boolean' },
    allowManagedHooksOnly: { type: 'boolean', description: 'managed settings only' },
    allowedHttpHookUrls: TEXTS,
    httpHookAllowedEnvVars: TEXTS,
    carabiner: {
      type: 'object',
      additionalProperties: false,
      properties: {
        hooks: HOOKS,
        modules: { ...TEXTS, description: 'TypeScript or JavaScript modules of hooks' },
        profile: { enum: ['strict', 'compat'] },
        trust: { const: 'digest', description: 'managed settings only: trust is given by digest alone' },
        disableBypass: { type: 'boolean', description: 'managed settings only' }
      }
    }
  }
}

const TEST = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string' },
    event: { enum: EVENT_NAMES },
    tool: { type: 'string', description: 'the tool that the event is about' },
    input: { type: 'object', description: 'laid over the sample of the event' },
    expect: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(EXPECT_KEYS.map(key => [key, {}])),
      description: 'text between slashes is a pattern, null expects nothing'
    },
    within: { type: 'number', exclusiveMinimum: 0, description: 'seconds' },
    fuzz: { type: 'boolean', description: 'try broken inputs as well' }
  },
  required: ['event', 'expect']
}

const TESTS = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Tests of hooks',
  oneOf: [
    { type: 'array', items: TEST },
    { type: 'object', properties: { tests: { type: 'array', items: TEST } }, required: ['tests'] }
  ]
}

const FILES = { 'schemas/settings.schema.json': SETTINGS, 'schemas/hooktest.schema.json': TESTS }

for (const [file, schema] of Object.entries(FILES)) {
  const text = `${JSON.stringify(schema, null, 2)}\n`
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is not what the tables say: run \`node scripts/print-schemas.ts\``)
    process.exitCode = 1
  }
}
