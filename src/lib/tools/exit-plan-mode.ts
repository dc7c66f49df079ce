import { fields } from './fields.ts'
import type { Tool } from './tool.ts'

const INPUT = fields({
  plan: { type: 'string', words: 'What you are going to do, step by step, for the user to agree to.' }
})

/** Ends the mode in which nothing may be changed, once somebody has agreed to the plan. */
export const exitPlanMode = (leave: () => void): Tool => ({
  name: 'ExitPlanMode',
  description:
    'Call this when you have finished planning and are ready to begin. The user is asked to agree to the plan.',
  inputSchema: INPUT.schema,
  check: input => INPUT.check(input),
  readOnly: () => true,
  async run(input) {
    leave()
    const words = 'The user has agreed to the plan. You may begin.'
    return { content: words, output: { plan: input['plan'], message: words } }
  }
})
