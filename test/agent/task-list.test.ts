/** The list of tasks that a model keeps, and the hooks that watch over it. */
import { expect, test } from 'vitest'
import { ask, inputsOf, registry } from './kit.ts'

const create = (subject: string) => ({ name: 'TaskCreate', input: { subject, description: 'all of it' } })
const complete = (taskId: string) => ({ name: 'TaskUpdate', input: { taskId, status: 'completed' } })
const list = { name: 'TaskList', input: {} }

test('tasks are made, done and listed, and hooks are told', async () => {
  const { sent, events } = await ask([
    { calls: [create('one')] },
    { calls: [create('two')] },
    { calls: [complete('1'), { name: 'TaskUpdate', input: { taskId: '2', status: 'deleted' } }, complete('9')] },
    { calls: [list] },
    'done'
  ])
  expect(inputsOf({ events }, 'TaskCreated')).toMatchObject([
    { task_id: '1', task_subject: 'one', task_description: 'all of it' },
    { task_id: '2', task_subject: 'two' }
  ])
  expect(inputsOf({ events }, 'TaskCompleted')).toMatchObject([{ task_id: '1', task_subject: 'one' }])
  expect(JSON.stringify(sent.at(-1))).toContain('There is no task #9')
  expect(sent.at(-1)!.at(-1)).toMatchObject({ content: [{ content: '#1 [completed] one' }] })
})

test.each([
  ['a block', { decision: 'block', reason: 'the tests fail' } as const],
  ['continue: false', { continue: false, stopReason: 'the tests fail' } as const]
])('%s: the task stays open, the message is given back, and the run goes on', async (_, reply) => {
  const { sent, result } = await ask(
    [{ calls: [create('one')] }, { calls: [complete('1')] }, { calls: [list] }, 'done'],
    {
      hooks: registry(hooks => hooks.on('TaskCompleted', () => reply))
    }
  )
  expect(JSON.stringify(sent.at(-2))).toContain('Task #1 stays pending: the tests fail')
  expect(JSON.stringify(sent.at(-1)!.at(-1))).toContain('#1 [pending] one')
  expect(result.result).toBe('done')
})

test('TaskCreated may refuse: there is no such task', async () => {
  const { sent } = await ask([{ calls: [create('one')] }, { calls: [list] }, 'done'], {
    hooks: registry(hooks =>
      hooks.on('TaskCreated', () => ({ decision: 'block', reason: 'too vague' }), { name: 'editor' })
    )
  })
  expect(JSON.stringify(sent.at(-2))).toContain('The task was not made: too vague [editor]')
  expect(JSON.stringify(sent.at(-1)!.at(-1))).toContain('There are no tasks')
})

test('TodoWrite writes the list anew, for those who ask for it', async () => {
  const todos = (status: string) => ({
    name: 'TodoWrite',
    input: { todos: [{ content: 'one', status, activeForm: 'doing' }] }
  })
  const { sent, events } = await ask(
    [
      { calls: [todos('pending')] },
      { calls: [todos('completed')] },
      { calls: [list] },
      { calls: [{ name: 'TodoWrite', input: { todos: [{}] } }] },
      'done'
    ],
    { tools: ['TodoWrite', 'TaskList'] }
  )
  expect(inputsOf({ events }, 'TaskCreated')).toHaveLength(1)
  expect(inputsOf({ events }, 'TaskCompleted')).toMatchObject([{ task_subject: 'one' }])
  expect(JSON.stringify(sent.at(-1))).toContain('#1 [completed] one')
  expect(JSON.stringify(sent.at(-1)!.at(-1))).toContain('must be a list')
})
