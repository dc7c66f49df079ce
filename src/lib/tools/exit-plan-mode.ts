import { builtInTool } from './built-in.ts'
import type { Tool } from './tool.ts'

export const exitPlanMode = (leave: () => void): Tool =>
  builtInTool('ExitPlanMode', {
    description:
      'Call this when you have finished planning and are ready to begin. The user is asked to agree to the plan.',
    async run({ plan }) {
      leave()
      const words = 'The user has agreed to the plan. You may begin.'
      return { content: words, output: { plan, message: words } }
    }
  })
