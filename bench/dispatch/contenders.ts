import { createHooks, HookableCore } from 'hookable'
import tapable from 'tapable'
import type { Dist } from '../report.ts'

/** One tool call, as an agent has it. */
export interface Call {
  readonly tool_name: string
  readonly tool_input: { readonly command: string; readonly description: string }
  readonly tool_use_id: string
}

/** What a hook does when it runs, the same for every contender. */
export type Body = 'silent' | 'reading' | 'replying'
export type Timing = 'sync' | 'async'

export interface Scene {
  readonly body: Body
  readonly timing: Timing
  /** Twenty tools' worth of hooks, of which six match the call. */
  readonly hooks: readonly { readonly matcher: string; readonly matches: (tool: string) => boolean }[]
}

interface Verdict {
  readonly decision: 'allow' | 'deny' | 'ask'
}
export type Work = (input: Call['tool_input']) => Verdict | undefined

export const TOOL = 'Bash'

/** Half of the matchers are names, half are regular expressions; six of twenty match Bash. */
export const HOOKS: Scene['hooks'] = Array.from({ length: 20 }, (_, index) => {
  const tool = index % 10 < 3 ? TOOL : `Tool${index}`
  const pattern = new RegExp(`^${tool}$`)
  return index % 2 === 0
    ? { matcher: tool, matches: name => name === tool }
    : { matcher: pattern.source, matches: name => pattern.test(name) }
})

/** The first is registered for the name of the tool. */
export const ONE_HOOK: Scene['hooks'] = HOOKS.slice(0, 1)

export const HOOKABLE = 'HookableCore'

let lengths = 0
const REPLY = { decision: 'allow' } as const
const WORK: Record<Body, Work> = {
  silent: () => undefined,
  reading: input => {
    lengths += input.command.length
    return undefined
  },
  replying: () => REPLY
}
const STRENGTH = { deny: 3, allow: 2, ask: 1 }
const stronger = (a: Verdict | undefined, b: Verdict | undefined): Verdict | undefined =>
  b === undefined || (a !== undefined && STRENGTH[a.decision] >= STRENGTH[b.decision]) ? a : b

export type Dispatch = (call: Call) => unknown

/** What one would write by hand for exactly this: hooks by tool name, only promises awaited, no safety. */
function byHand({ body, timing, hooks }: Scene): Dispatch {
  const work = WORK[body]
  const make = () =>
    timing === 'sync' ? (call: Call) => work(call.tool_input) : async (call: Call) => work(call.tool_input)
  const byTool = new Map([[TOOL, hooks.filter(hook => hook.matches(TOOL)).map(make)]])
  return async call => {
    let verdict: Verdict | undefined
    for (const hook of byTool.get(call.tool_name) ?? []) {
      const answer = hook(call)
      verdict = stronger(verdict, answer instanceof Promise ? await answer : answer)
    }
    return verdict
  }
}

/** Libraries without matchers: each hook looks for itself whether it is meant. */
function selfChecking({ body, timing, hooks }: Scene): readonly ((call: Call, state: State) => unknown)[] {
  const work = WORK[body]
  return hooks.map(({ matches }) => {
    const run = (call: Call, state: State): void => {
      if (matches(call.tool_name)) state.verdict = stronger(state.verdict, work(call.tool_input))
    }
    return timing === 'sync' ? run : async (call: Call, state: State) => run(call, state)
  })
}
interface State {
  verdict: Verdict | undefined
}

function hookableWith(
  make: () => { hook(name: string, run: never): unknown; callHook(name: string, ...args: never[]): unknown }
) {
  return (scene: Scene): Dispatch => {
    const library = make()
    for (const run of selfChecking(scene)) library.hook('PreToolUse', run as never)
    return async call => {
      const state: State = { verdict: undefined }
      await library.callHook('PreToolUse', call as never, state as never)
      return state.verdict
    }
  }
}

/** HookableCore at its least: no tool to test, no answer to collect, and what `callHook` returns as it is. */
function bareHookable({ body, timing, hooks }: Scene): Dispatch {
  const library = new HookableCore<Record<string, (call: Call) => unknown>>()
  const work = WORK[body]
  for (const _ of hooks) {
    library.hook('PreToolUse', timing === 'sync' ? call => work(call.tool_input) : async call => work(call.tool_input))
  }
  return call => library.callHook('PreToolUse', call)
}

function tapableSeries(scene: Scene): Dispatch {
  const hook = new tapable.AsyncSeriesHook<[Call, State]>(['call', 'state'])
  selfChecking(scene).forEach((run, index) => {
    if (scene.timing === 'sync') hook.tap(`hook${index}`, run as () => void)
    else hook.tapPromise(`hook${index}`, run as () => Promise<void>)
  })
  return async call => {
    const state: State = { verdict: undefined }
    await hook.promise(call, state)
    return state.verdict
  }
}

function tapableWaterfall(scene: Scene): Dispatch {
  const hook = new tapable.AsyncSeriesWaterfallHook<[State, Call]>(['state', 'call'])
  selfChecking(scene).forEach((run, index) => {
    const swapped = (state: State, call: Call) => run(call, state)
    if (scene.timing === 'sync') hook.tap(`hook${index}`, swapped as never)
    else hook.tapPromise(`hook${index}`, swapped as never)
  })
  return call => hook.promise({ verdict: undefined }, call)
}

const session = new AbortController()

type Engine = typeof import('../../dist/hooks.js')

export const importHooks = (dist: Dist): Promise<Engine> => import(`${dist.url}hooks.js`)

type Hooks = typeof import('./own-hooks.ts')

/** Hooks of Carabiner answer with its own `allow()`. */
const ours =
  ({ allow, HookRegistry }: Engine, { hookWith }: Hooks) =>
  ({ body, timing, hooks }: Scene): Dispatch => {
    const registry = new HookRegistry({ sessionId: 'bench', signal: session.signal })
    const work: Work = body === 'replying' ? () => allow() as Verdict : WORK[body]
    for (const { matcher } of hooks) registry.on('PreToolUse', matcher, hookWith(work, body, timing))
    return call => registry.fire('PreToolUse', call)
  }

type Contenders = Readonly<Record<string, (scene: Scene) => Dispatch>>

async function builtFrom(dists: readonly Dist[]): Promise<Contenders> {
  // Each build has its own copy of the hooks: the compiler would otherwise make them for the contexts of all builds.
  const built = dists.map(async dist => {
    const hooks = (await import(`./own-hooks.ts?${dist.name}`)) as Hooks
    return [dist.name, ours(await importHooks(dist), hooks)] as const
  })
  return Object.fromEntries(await Promise.all(built))
}

export const contendersFor = async (dists: readonly Dist[]): Promise<Contenders> => ({
  'by hand': byHand,
  ...(await builtFrom(dists)),
  [HOOKABLE]: hookableWith(() => new HookableCore() as never),
  createHooks: hookableWith(() => createHooks() as never),
  'tapable series': tapableSeries,
  'tapable waterfall': tapableWaterfall
})

/**
 * One hook, and it matches. HookableCore does the same work as in the other scenes: its hook tests the tool, and what
 * it answers is collected. `callHook` alone does neither.
 */
export const peersOfOne = async (dists: readonly Dist[]): Promise<Contenders> => ({
  [HOOKABLE]: hookableWith(() => new HookableCore() as never),
  ...(await builtFrom(dists)),
  'its callHook alone': bareHookable,
  'by hand': byHand
})

export const readSoFar = (): number => lengths
