import { HookRegistry } from 'carabiner/hooks'
import { HookRegistry as FromRoot } from 'carabiner'
import { harness } from 'carabiner/testing'

declare module 'carabiner/hooks' {
  interface ToolInputs {
    Deploy: { target: 'staging' | 'production'; force?: boolean }
  }
}

const hooks = new HookRegistry()
hooks.on('PreToolUse', 'Deploy', ctx => {
  const target: 'staging' | 'production' = ctx.toolInput.target
  const name: 'Deploy' = ctx.toolName
  // @ts-expect-error Deploy has none
  ctx.toolInput.command
  return target === 'production' ? { decision: 'ask', reason: name } : undefined
})
hooks.on('PostToolUse', 'Bash|Deploy', ctx => {
  if ('target' in ctx.toolInput) return { systemMessage: ctx.toolInput.target }
  return { systemMessage: ctx.toolInput.command }
})
hooks.on('PreToolUse', ['Deploy', 'Bash'], ctx =>
  'target' in ctx.toolInput ? undefined : { reason: ctx.toolInput.command }
)
new FromRoot().on('PreToolUse', 'Deploy', ctx => ({ reason: ctx.toolInput.target }))

await harness(hooks).tool('Deploy', { target: 'production' }).toAsk()
// @ts-expect-error nowhere to deploy to
await harness(hooks).tool('Deploy', { target: 'moon' }).toAsk()
