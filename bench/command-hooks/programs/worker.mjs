/** The same hook as a worker, by `carabiner/worker`. */
import { serve } from '../../../dist/worker.js'

serve({
  PreToolUse: event => {
    const permissionDecision = /rm -rf \//.test(event.tool_input.command) ? 'deny' : 'allow'
    return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } }
  }
})
