import { isObject } from '../util/plain.ts'
import { failed, type Tool } from './tool.ts'
import { builtInTool } from './built-in.ts'

const OPTION = {
  type: 'object',
  properties: { label: { type: 'string' }, description: { type: 'string' } },
  required: ['label']
}

const QUESTION = {
  type: 'object',
  properties: {
    question: { type: 'string' },
    header: { type: 'string' },
    options: { type: 'array', items: OPTION },
    multiSelect: { type: 'boolean' }
  },
  required: ['question', 'options']
}

const isQuestion = (value: unknown): boolean =>
  isObject(value) && typeof value['question'] === 'string' && Array.isArray(value['options'])

/** Asks the user something. The answers come with the permission to ask. */
export const askUserQuestionTool: Tool = {
  name: 'AskUserQuestion',
  description:
    'Asks the user up to four questions, each with a few answers to choose from. Use it when only they can know.',
  inputSchema: {
    type: 'object',
    properties: { questions: { type: 'array', items: QUESTION, minItems: 1, maxItems: 4 } },
    required: ['questions']
  },
  check(input) {
    const questions = isObject(input) ? input['questions'] : undefined
    if (!Array.isArray(questions) || questions.length === 0 || questions.length > 4 || !questions.every(isQuestion))
      return { problem: '"questions" must be a list of one to four { question, options: [{ label }] }' }
    return { input: { questions, ...(isObject(input) && isObject(input['answers']) && { answers: input['answers'] }) } }
  },
  readOnly: () => true,
  asks: true,
  async run({ questions, answers }) {
    if (!isObject(answers)) return failed('The user gave no answer.')
    const lines = Object.entries(answers).map(([question, answer]) => `${question}: ${String(answer)}`)
    return { content: `The user answered:\n${lines.join('\n')}`, output: { questions, answers } }
  }
}

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
