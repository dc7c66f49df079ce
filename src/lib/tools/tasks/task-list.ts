import { isObject, type PlainObject } from '../../util/plain.ts'
import { TASK_STATUS } from '../../tool-table.ts'
import { builtInTool, type ToolInput } from '../built-in.ts'
import { failed, type Tool, type ToolCall, type ToolResult } from '../tool.ts'

type Status = (typeof TASK_STATUS)[number]

interface Task {
  readonly id: string
  subject: string
  description: string
  status: Status
  activeForm?: string | undefined
}

export function taskListTools(): readonly Tool[] {
  const list = new TaskList()
  return [
    builtInTool('TaskCreate', {
      description: 'Adds a task to your list. Use the list for work of several steps, and keep it up to date.',
      run: (input, call) => list.create(input, call)
    }),
    builtInTool('TaskUpdate', {
      description: 'Changes a task of your list: its status or its text, or removes it (status "deleted").',
      run: (input, call) => list.update(input, call)
    }),
    builtInTool('TaskGet', {
      description: 'Shows one task of your list, with its description.',
      run: async input => list.get(input)
    }),
    builtInTool('TaskList', {
      description: 'Shows your list of tasks.',
      run: async () => list.show(),
      memory: { read: () => list.read(), restore: kept => list.restore(kept) }
    }),
    builtInTool('TodoWrite', {
      description: 'Replaces your whole list of tasks. TaskCreate and TaskUpdate change single tasks.',
      run: (input, call) => list.write(input, call)
    })
  ]
}

class TaskList {
  readonly #tasks = new Map<string, Task>()
  #last = 0

  /** A hook may refuse it: then the task is not created. */
  async create({ subject, description, activeForm }: ToolInput<'TaskCreate'>, call: ToolCall): Promise<ToolResult> {
    const shown = activeForm === undefined ? {} : { activeForm }
    const task: Task = { id: String(++this.#last), subject, description, status: 'pending', ...shown }
    const refusal = refusalIn(await call.fire('TaskCreated', taskFields(task)))
    if (refusal !== undefined) return failed(`The task was not created: ${refusal}`)
    this.#tasks.set(task.id, task)
    return { content: `Task #${task.id} was created: ${subject}`, output: { task: { id: task.id, subject } } }
  }

  /** A hook may refuse the completion: then the task stays as it is. */
  async update(change: ToolInput<'TaskUpdate'>, call: ToolCall): Promise<ToolResult> {
    const task = this.#tasks.get(change.taskId)
    if (task === undefined) return unknownTask(change.taskId)
    const from = task.status
    task.subject = change.subject ?? task.subject
    task.description = change.description ?? task.description
    if (change.activeForm !== undefined) task.activeForm = change.activeForm
    if (change.status === 'deleted') this.#tasks.delete(task.id)
    else if (change.status !== undefined) {
      const refusal = await this.#move(task, change.status, call)
      if (refusal !== undefined) return failed(`Task #${task.id} stays ${from}: ${refusal}`)
    }
    const to = change.status ?? from
    const output = { success: true, taskId: task.id, ...(from !== to && { statusChange: { from, to } }) }
    return { content: `Task #${task.id} was changed: ${to}`, output }
  }

  async #move(task: Task, status: Status, call: ToolCall): Promise<string | undefined> {
    const ends = status === 'completed' && task.status !== 'completed'
    const refusal = ends ? refusalIn(await call.fire('TaskCompleted', taskFields(task))) : undefined
    if (refusal === undefined) task.status = status
    return refusal
  }

  read(): unknown {
    return this.#last === 0 ? undefined : { last: this.#last, tasks: [...this.#tasks.values()] }
  }

  restore(kept: unknown): void {
    if (!isObject(kept) || !Array.isArray(kept['tasks']) || !Number.isSafeInteger(kept['last'])) return
    this.#last = kept['last'] as number
    for (const task of (kept['tasks'] as unknown[]).filter(isTask)) this.#tasks.set(task.id, { ...task })
  }

  get({ taskId }: ToolInput<'TaskGet'>): ToolResult {
    const task = this.#tasks.get(taskId)
    if (task === undefined) return unknownTask(taskId)
    const { id, subject, status, description, activeForm } = task
    const shown = activeForm === undefined ? [] : [`Shown while in progress: ${activeForm}`]
    return { content: [`#${id} [${status}] ${subject}`, description, ...shown].join('\n').trim(), output: { task } }
  }

  show(): ToolResult {
    const tasks = [...this.#tasks.values()].map(({ id, subject, status }) => ({ id, subject, status }))
    const lines = tasks.map(({ id, subject, status }) => `#${id} [${status}] ${subject}`)
    return { content: lines.length === 0 ? 'There are no tasks' : lines.join('\n'), output: { tasks } }
  }

  /** The whole list at once, as older models write it. What hooks refuse stays as it was. */
  async write({ todos }: ToolInput<'TodoWrite'>, call: ToolCall): Promise<ToolResult> {
    const before = new Map([...this.#tasks.values()].map(task => [task.subject, task]))
    const refused: string[] = []
    for (const { content, status } of todos) {
      const made = before.get(content) ?? (await this.#made(content, call, refused))
      before.delete(content)
      const refusal = made && (await this.#move(made, status, call))
      if (refusal !== undefined) refused.push(`${content}: ${refusal}`)
    }
    for (const { id } of before.values()) this.#tasks.delete(id)
    if (refused.length > 0) return failed(`Not everything was written: ${refused.join('; ')}`)
    return { content: 'The list was written', output: { newTodos: todos } }
  }

  async #made(subject: string, call: ToolCall, refused: string[]): Promise<Task | undefined> {
    const id = String(this.#last + 1)
    const { error } = await this.create({ subject, description: '' }, call)
    if (error !== undefined) refused.push(`${subject}: ${error}`)
    return this.#tasks.get(id)
  }
}

const isTask = (value: unknown): value is Task =>
  isObject(value) &&
  [value['id'], value['subject'], value['description']].every(each => typeof each === 'string') &&
  isStatus(value['status'])

const isStatus = (value: unknown): boolean => TASK_STATUS.some(status => status === value)

const taskFields = ({ id, subject, description }: Task): PlainObject => ({
  task_id: id,
  task_subject: subject,
  task_description: description
})

function refusalIn(outcome: PlainObject | undefined): string | undefined {
  if (outcome === undefined || (outcome['blocked'] !== true && outcome['continue'] !== false)) return undefined
  const { reason, stopReason, by } = outcome as Readonly<Record<string, string | undefined>>
  return `${reason ?? stopReason ?? 'a hook says no'}${by === undefined ? '' : ` [${by}]`}`
}

const unknownTask = (id: string): ToolResult => failed(`There is no task #${id}; TaskList shows all tasks`)
