import { fitting, keyOf, problemsIn, rowsIn } from '../../schema/check.ts'
import { own, type FieldTable, type Infer } from '../../schema/table.ts'
import type { RuleExamples } from '../../permissions/rule-examples.ts'
import { isObject } from '../../util/plain.ts'
import type { Document } from './document.ts'
import { problemWords } from './finding.ts'
import { OF_PROJECT, type Scope } from './sources.ts'

const STRINGS = { list: 'string' } as const

/** A rule, or a rule with examples of what it means, and where its commands run. */
type RuleEntry = string | ({ readonly rule: string; readonly sandbox?: boolean | undefined } & RuleExamples)

const RULE = { rule: 'string', 'match?': STRINGS, 'not_match?': STRINGS, 'sandbox?': 'boolean' } as const

const RULES = {
  list: own<RuleEntry>(
    'rules as strings, or as { rule, match, not_match, sandbox }',
    value => typeof value === 'string' || (isObject(value) && problemsIn(RULE, value, []).length === 0),
    ['string', { object: RULE }]
  )
} as const

const PERMISSIONS = {
  'allow?': { type: RULES, words: 'rules for calls that run without a question' },
  'deny?': { type: RULES, words: 'rules for calls that never run' },
  'ask?': { type: RULES, words: 'rules for calls that a person is asked about' },
  'defaultMode?': { type: 'string', words: 'the initial permission mode' },
  'additionalDirectories?': { type: STRINGS, words: 'additional working folders' },
  'disableBypassPermissionsMode?': ['disable'],
  'disableAutoMode?': ['disable']
} as const satisfies FieldTable

const CARABINER = {
  'hooks?': 'unknown',
  'modules?': { type: STRINGS, words: 'TypeScript or JavaScript modules of hooks' },
  'profile?': { type: ['strict', 'compat'], words: 'strict closes gates on failure; compat behaves like Claude Code' },
  'trust?': { type: ['digest'], words: 'managed settings only: trust is given by digest alone' },
  'disableBypass?': { type: 'boolean', words: 'forbids the mode in which no call is asked about' },
  'redact?': {
    type: ['all', 'credentials'],
    words: 'credentials: secrets that are recognized only by their form are not masked; not in projects'
  }
} as const satisfies FieldTable

const FLAG_OR_STRINGS = own<boolean | readonly string[]>(
  'true, false or a list of strings',
  value => typeof value === 'boolean' || (Array.isArray(value) && value.every(item => typeof item === 'string'))
)

const FOLDERS = {
  'allowWrite?': { type: STRINGS, words: 'folders beside the project that may be written' },
  'allowRead?': { type: STRINGS, words: 'credentials that may be read' },
  'denyWrite?': { type: STRINGS, words: 'paths that may not be written' },
  'denyRead?': { type: STRINGS, words: 'paths that may not be read' }
} as const satisfies FieldTable

/** Names of Claude Code are accepted where they mean the same. */
export const SANDBOX = {
  'enabled?': { type: 'boolean', words: 'commands, hooks and MCP servers run in a sandbox, or not at all' },
  'autoAllow?': {
    type: 'boolean',
    words: 'commands in the sandbox run without a question, unless a rule or hook objects'
  },
  'autoAllowBashIfSandboxed?': 'boolean',
  'network?': {
    type: own<'on' | 'off' | object>('"on" or "off"', value => value === 'on' || value === 'off' || isObject(value)),
    words: 'default: off'
  },
  'unixSockets?': { type: 'boolean', words: 'whether Unix sockets can be used; default: no' },
  ...FOLDERS,
  'filesystem?': { object: FOLDERS },
  'failIfUnavailable?': 'boolean'
} as const satisfies FieldTable

/** The keys of a settings file that are read here. The value of `hooks` is read by shapes.ts. */
export const SETTINGS = {
  'hooks?': 'unknown',
  'permissions?': { object: PERMISSIONS },
  'env?': 'object',
  'sandbox?': { object: SANDBOX },
  'disableAllHooks?': 'boolean',
  'allowManagedHooksOnly?': { type: 'boolean', words: 'managed settings only' },
  'strictPluginOnlyCustomization?': { type: FLAG_OR_STRINGS, words: 'managed settings only' },
  'allowedHttpHookUrls?': STRINGS,
  'httpHookAllowedEnvVars?': STRINGS,
  'enabledPlugins?': { record: 'boolean' },
  'carabiner?': { object: CARABINER }
} as const satisfies FieldTable

export type SettingsFile = Partial<Infer<typeof SETTINGS>>

const namesOf = (table: FieldTable): readonly string[] => rowsIn(table).map(({ name }) => name)

export const SETTINGS_KEYS = {
  top: namesOf(SETTINGS),
  permissions: namesOf(PERMISSIONS),
  carabiner: namesOf(CARABINER),
  sandbox: namesOf(SANDBOX)
}

const MANAGED_ONLY = ['carabiner.trust', 'allowManagedHooksOnly', 'strictPluginOnlyCustomization']
const NOT_OF_PROJECTS = ['env', 'permissions.additionalDirectories']

/** A wrong value is a finding, and is left out. Unknown keys are left to `checkKeys`. */
export function readSettings({ value, findings }: Document, scope: Scope): SettingsFile {
  const idle = scope === 'managed' ? [] : MANAGED_ONLY
  const ignored = OF_PROJECT.includes(scope) ? [...idle, ...NOT_OF_PROJECTS] : idle
  for (const problem of problemsIn(SETTINGS, value)) {
    const key = keyOf(problem.path)
    if (problem.code === 'key-type' && !ignored.some(each => key.startsWith(each)))
      findings.gate('error', problem.path, ...problemWords(problem))
  }
  for (const key of idle) {
    const path = key.split('.')
    const held = path.reduce<unknown>((each, name) => (isObject(each) ? each[name] : undefined), value)
    if (held !== undefined && held !== false)
      findings.gate(
        'warning',
        path,
        'key-idle',
        `${path.at(-1)} applies in managed settings only`,
        'move it to managed-settings.json, or delete it'
      )
  }
  const settings = fitting(SETTINGS, value)
  if (OF_PROJECT.includes(scope) && settings.carabiner?.redact === 'credentials')
    findings.gate(
      'warning',
      ['carabiner', 'redact'],
      'key-idle',
      'a project cannot switch the masking of secrets off',
      'put it in your own settings, or delete it'
    )
  return settings
}
