/** The list of tasks that a model keeps, and the hooks that watch over it. */
import { expect, test } from 'vitest'
import { ask, inputsOf, project, registry } from '../../support/agent-kit.ts'

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
])('%s: the task stays open, the message is given back, and the run continues', async (_, reply) => {
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
  expect(JSON.stringify(sent.at(-2))).toContain('The task was not created: too vague [editor]')
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
  expect(JSON.stringify(sent.at(-1)!.at(-1))).toContain(
    '\\"todos[0].content\\" is missing: add a string; \\"todos[0].status\\" is missing: add'
  )
})

const running = { subject: 'Run the tests', description: 'all of them', activeForm: 'Running the tests' }
const get = (taskId: string) => ({ name: 'TaskGet', input: { taskId } })

test('C9: TaskCreate and TaskUpdate take activeForm', async () => {
  const { sent } = await ask([
    { calls: [{ name: 'TaskCreate', input: running }] },
    { calls: [{ name: 'TaskUpdate', input: { taskId: '1', activeForm: 'Testing', status: 'in_progress' } }] },
    { calls: [get('1')] },
    'done'
  ])
  expect(JSON.stringify(sent)).not.toContain('is_error":true')
  expect(sent.at(-1)!.at(-1)).toMatchObject({
    content: [{ content: '#1 [in_progress] Run the tests\nall of them\nShown while in progress: Testing' }]
  })
})

test('C9: TaskGet gives one task, to hooks as well, and says when there is none', async () => {
  const { sent, events } = await ask([
    { calls: [{ name: 'TaskCreate', input: running }] },
    { calls: [get('1'), get('2')] },
    'done'
  ])
  const after = inputsOf({ events }, 'PostToolUse').filter(({ tool_name }) => tool_name === 'TaskGet')
  expect(after).toMatchObject([{ tool_response: { task: { id: '1', status: 'pending', ...running } } }])
  expect(JSON.stringify(sent.at(-1))).toContain('There is no task #2; TaskList shows all tasks')
})

test('C9: TaskGet is a tool like its siblings: it can be named, left out, and needs no permission', async () => {
  const named = await ask([{ calls: [get('1')] }, 'done'], { tools: ['TaskGet'], permissionMode: 'dontAsk' })
  expect(JSON.stringify(named.sent)).toContain('There is no task #1')
  const without = await ask([{ calls: [get('1')] }, 'done'], { disallowedTools: ['TaskGet'] })
  expect(JSON.stringify(without.sent)).not.toContain('There is no task #1')
})

test('C9: a session that continues still knows activeForm', async () => {
  const place = project()
  const kept = { in: place, persistSession: true }
  const first = await ask([{ calls: [{ name: 'TaskCreate', input: running }] }, 'done'], kept)
  const { sent } = await ask([{ calls: [get('1')] }, 'done'], { ...kept, resume: first.result.session_id })
  expect(JSON.stringify(sent.at(-1)!.at(-1))).toContain('Shown while in progress: Running the tests')
})
