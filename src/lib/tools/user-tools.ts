import { failed, type Tool } from './tool.ts'
import { builtInTool } from './built-in.ts'

/** Asks the user something. The answers come with the permission to ask. */
export const askUserQuestionTool = builtInTool('AskUserQuestion', {
  description:
    'Asks the user up to four questions, each with a few answers to choose from. Use it when only they can answer.',
  asks: true,
  async run({ questions, answers }) {
    if (answers === undefined) return failed('The user gave no answer.')
    const lines = Object.entries(answers).map(([question, answer]) => `${question}: ${String(answer)}`)
    return { content: `The user answered:\n${lines.join('\n')}`, output: { questions, answers } }
  }
})

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
