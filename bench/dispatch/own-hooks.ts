import type { HookContext, HookResult } from '../../dist/hooks.js'
import type { Body, Call, Timing, Work } from './contenders.ts'

type Ctx = HookContext<'PreToolUse'>

/** Only hooks that read the input touch it: in the others the work needs none. */
export function hookWith(work: Work, body: Body, timing: Timing): (ctx: Ctx) => HookResult | Promise<HookResult> {
  const nothing = {} as Call['tool_input']
  if (body === 'reading') {
    return timing === 'sync'
      ? ctx => work(ctx.toolInput as unknown as Call['tool_input'])
      : async ctx => work(ctx.toolInput as unknown as Call['tool_input'])
  }
  return timing === 'sync' ? () => work(nothing) : async () => work(nothing)
}
