import { fault } from '../../faults.ts'
import { HookRegistry } from '../../hooks/registry.ts'
import { parseMode } from '../../permissions/modes.ts'
import { checkObject, invalidOption } from '../../schema/check.ts'
import { own, type FieldTable } from '../../schema/table.ts'
import { isObject } from '../../util/plain.ts'
import { checkAgent } from './agent-definition.ts'
import { checkWishes } from '../session-choice.ts'
import { OPTIONS, type QueryOptions } from './options.ts'
import type { PromptStream } from '../prompts.ts'
import { ofCaller } from '../setup/permission-rules.ts'
import { checkServers, checkTools } from '../setup/tools.ts'

const CALL = {
  prompt: own<string | PromptStream>(
    'a string, or an AsyncIterable of messages',
    value =>
      typeof value === 'string' ||
      (typeof value === 'object' &&
        typeof (value as Partial<AsyncIterable<unknown>> | null)?.[Symbol.asyncIterator] === 'function')
  ),
  'options?': 'object'
} as const satisfies FieldTable

/** The arguments of `query()`, checked as far as possible before anything is loaded. */
export function checkCall(call: unknown): { readonly prompt: string | PromptStream; readonly options: QueryOptions } {
  if (!isObject(call)) throw invalidOption('the argument of query()', call, '{ prompt, options }')
  const misplaced = Object.keys(call).find(key => Object.hasOwn(OPTIONS, key))
  if (misplaced !== undefined)
    throw invalidOption('a key of query()', misplaced, `{ prompt, options: { ${misplaced} } }`)
  checkObject(CALL, call, 'query()', { prefix: '' })
  const { prompt, options = {} } = call as { prompt: string | PromptStream; options?: QueryOptions }
  checkQueryOptions(options)
  const { resume, continue: goesOn } = options
  if (prompt === '' && resume === undefined && goesOn !== true)
    throw invalidOption('prompt', prompt, 'a string; an empty one only with resume or continue')
  return { prompt, options }
}

export function checkQueryOptions(options: QueryOptions): void {
  checkObject(OPTIONS, options, 'the options of query()', { prefix: '', allOptional: true })
  const { agents = {}, permissionMode, allowDangerouslySkipPermissions } = options
  if (permissionMode !== undefined) {
    const mode = parseMode(permissionMode, allowDangerouslySkipPermissions === true)
    if (typeof mode === 'object') throw fault('E_MODE', mode.problem, 'permissionMode')
  }
  checkWishes(options)
  checkTools(options)
  checkServers(options)
  for (const [name, agent] of Object.entries(agents)) checkAgent(agent, `agents.${name}`, options)
  ofCaller(options)
  registryOf(options.hooks)
}

export function registryOf(hooks: QueryOptions['hooks']): HookRegistry | undefined {
  if (hooks === undefined || hooks instanceof HookRegistry) return hooks
  const registry = new HookRegistry({ precedence: 'ask-over-allow' })
  registry.callbacks(hooks, 'options.hooks')
  return registry
}
