/** The gate in front of a tool that has no hooks of its own: from any agent SDK, or your own. */
import { HookRegistry, ask, deny, guard, transform } from 'carabiner'

/** How another SDK might call a tool: with the input, and an argument of its own. */
interface Call {
  readonly callId: string
}
const transfer = async (input: { to: string; amount: number }, _call: Call): Promise<string> =>
  `sent ${input.amount} to ${input.to}`

const hooks = new HookRegistry()
hooks.on(
  'PreToolUse',
  'Transfer',
  ctx => {
    const amount = Number(ctx.toolInput['amount'])
    if (amount <= 0) return deny('the amount must be positive')
    if (amount > 1_000) return ask(`${amount} is a lot`)
    return transform({ ...ctx.toolInput, amount: Math.round(amount) })
  },
  { name: 'limits' }
)
hooks.on('PostToolUse', 'Transfer', ctx => console.log(`  log: ${ctx.toolUseId} ${JSON.stringify(ctx.toolInput)}`))

const guarded = guard(hooks, 'Transfer', transfer, {
  idOf: call => call.callId,
  onAsk: ({ reason, input }) => {
    console.log(`  asked: ${reason}, ${JSON.stringify(input)}?`)
    return false
  },
  onDeny: refusal => refusal.message
})

for (const [index, amount] of [12.4, 5_000, -1].entries()) {
  console.log(`transfer ${amount}`)
  console.log(`  ${await guarded({ to: 'Ada', amount }, { callId: `call-${index + 1}` })}`)
}
