/** Hooks of all kinds, for properties that hold for any hook. */
import * as fc from '../../support/fast-check.ts'
import { HookRegistry, type HookContext, type HookResult, type RegistryOptions } from '../../../src/hooks.ts'

const BEHAVIOURS = [
  'silent',
  'allow',
  'ask',
  'defer',
  'deny',
  'throw',
  'nonsense',
  'rewrite',
  'edit',
  'drop',
  'context'
] as const
export type HookBehaviour = (typeof BEHAVIOURS)[number]

export interface HookSpec {
  readonly behaviour: HookBehaviour
  /** The key of the input that it changes, and what it puts there. */
  readonly key: 'a' | 'b' | 'c'
  readonly value: number
  /** How long it takes; 0 answers at once. */
  readonly ticks: number
  readonly concurrent: boolean
  readonly priority: number
  readonly observe: boolean
}

const anyHook: fc.Arbitrary<HookSpec> = fc.record({
  behaviour: fc.constantFrom(...BEHAVIOURS),
  key: fc.constantFrom('a' as const, 'b' as const, 'c' as const),
  value: fc.nat(3),
  ticks: fc.nat(4),
  concurrent: fc.boolean(),
  priority: fc.constantFrom(0, 0, 0, 1, -1),
  observe: fc.constantFrom(false, false, false, false, true)
})

export const anyHooks = fc.array(anyHook, { maxLength: 7 })

/** Any input that JSON can say. */
export const anyInput = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'list', 'deep'), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
  .map(input => JSON.parse(JSON.stringify(input)) as Record<string, unknown>)

export const microtasks = async (ticks: number): Promise<void> => {
  for (let tick = 0; tick < ticks; tick++) await null
}

/** Registers a hook for each spec; `wait` says how time passes. */
export function registryOf(
  specs: readonly HookSpec[],
  wait: (ticks: number) => Promise<void>,
  options: RegistryOptions = {},
  hooks = new HookRegistry(options),
  first = 0
): HookRegistry {
  specs.forEach((spec, index) => {
    const { ticks, concurrent, priority, observe } = spec
    const name = `hook ${first + index}`
    const run = (ctx: HookContext<'PreToolUse'>): HookResult | Promise<HookResult> =>
      ticks === 0 ? behave(spec, name, ctx) : wait(ticks).then(() => behave(spec, name, ctx))
    hooks.register({ name, events: 'PreToolUse', concurrent, priority, observe, run })
  })
  return hooks
}

function behave({ behaviour, key, value }: HookSpec, name: string, ctx: HookContext<'PreToolUse'>): HookResult {
  switch (behaviour) {
    case 'silent':
      return undefined
    case 'deny':
      return { decision: 'deny', reason: `deny by ${name}` }
    case 'allow':
    case 'ask':
    case 'defer':
      return { decision: behaviour, reason: `${behaviour} by ${name}` }
    case 'throw':
      throw new Error(`broken ${name}`)
    case 'nonsense':
      return { decision: 'perhaps' } as never
    case 'rewrite':
      return { updatedInput: { ...ctx.toolInput, [key]: value } }
    case 'edit':
      ctx.toolInput[key] = value
      return undefined
    case 'drop':
      delete ctx.toolInput[key]
      return undefined
    case 'context':
      return { additionalContext: `context ${value}` }
  }
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  Object.values(value).forEach(deepFreeze)
  return Object.freeze(value)
}
