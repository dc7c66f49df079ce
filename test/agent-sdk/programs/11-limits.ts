/** A limit is reached: what the result says then. */
import { query } from 'carabiner'

for await (const message of query({
  prompt: 'Look again and again',
  options: { maxTurns: 2, allowedTools: ['Glob'] }
})) {
  if (message.type !== 'result') continue
  switch (message.subtype) {
    case 'success':
      console.log('success', message.result)
      break
    case 'error_max_turns':
      console.log('too many turns', message.num_turns, message.errors.length)
      break
    case 'error_during_execution':
    case 'error_max_budget_usd':
    case 'error_max_structured_output_retries':
      console.log('error', message.subtype, message.errors.join('; '))
  }
  console.log('tokens', message.usage.input_tokens, message.usage.output_tokens)
  console.log('cost', message.total_cost_usd > 0, Object.keys(message.modelUsage).length)
}
