/**
 * Prints schemas/: JSON Schemas of settings and of hook tests, for editors, from the tables that the loader reads.
 * `--check` only says whether they are up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { EVENT_NAMES } from '../src/lib/hooks/events/event-table.ts'
import { tableSchema } from '../src/lib/schema/json-schema.ts'
import { HANDLERS } from '../src/lib/settings/files/handlers.ts'
import { HOOK_TEST } from '../src/lib/settings/files/hook-tests.ts'
import { SETTINGS as SETTINGS_TABLE } from '../src/lib/settings/files/settings-table.ts'

type Properties = Record<string, Record<string, unknown>>

/** Other programs read the same files: what they add is no mistake. */
const open = (schema: object): object => ({ ...schema, additionalProperties: undefined })

const RULE = {
  type: 'object',
  properties: {
    matcher: { type: 'string', description: 'a name, names joined by |, a glob, or a regular expression' },
    hooks: { type: 'array', items: { oneOf: Object.values(HANDLERS).map(keys => open(tableSchema(keys))) } }
  },
  required: ['hooks']
}

const HOOKS = {
  type: 'object',
  properties: Object.fromEntries(EVENT_NAMES.map(name => [name, { $ref: '#/$defs/rules' }]))
}

function settingsSchema(): object {
  const whole = tableSchema(SETTINGS_TABLE) as { readonly properties: Properties }
  const { permissions, carabiner, ...properties } = whole.properties
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings that Carabiner reads',
    $defs: { rules: { type: 'array', items: RULE } },
    type: 'object',
    properties: {
      ...properties,
      hooks: HOOKS,
      permissions: open(permissions!),
      carabiner: { ...carabiner, properties: { ...(carabiner!['properties'] as Properties), hooks: HOOKS } }
    }
  }
}

function testsSchema(): object {
  const { properties, ...rest } = tableSchema(HOOK_TEST) as { readonly properties: Properties }
  const test = { ...rest, properties: { ...properties, event: { ...properties['event'], enum: EVENT_NAMES } } }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Tests of hooks',
    oneOf: [
      { type: 'array', items: test },
      { type: 'object', properties: { tests: { type: 'array', items: test } }, required: ['tests'] }
    ]
  }
}

const FILES = { 'schemas/settings.schema.json': settingsSchema(), 'schemas/hooktest.schema.json': testsSchema() }

for (const [file, schema] of Object.entries(FILES)) {
  const text = `${JSON.stringify(schema, null, 2)}\n`
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is not what the tables say: run \`node scripts/print-schemas.ts\``)
    process.exitCode = 1
  }
}
