import { setTimeout as wait } from 'node:timers/promises'
import { builtInTool } from '../built-in.ts'
import { failed, type Tool, type BackgroundTask, type ToolResult, type ToolSession } from '../tool.ts'

export const taskOutputTool: Tool = builtInTool('TaskOutput', {
  description: `Shows the state of a command in the background, and its output since the last call.

- It waits for the command to end; with "block": false it returns immediately.`,
  async run({ task_id, block, timeout }, { session, signal }) {
    const task = session.background.get(task_id)
    if (task === undefined) return unknownTask(session, task_id)
    if (block && task.status === 'running') {
      const over = new AbortController()
      const limit = wait(timeout, undefined, { signal: AbortSignal.any([signal, over.signal]) })
      await Promise.race([task.done, limit.catch(() => undefined)])
      over.abort()
    }
    return taskReport(task, block)
  }
})

function taskReport(task: BackgroundTask, waited: boolean): ToolResult {
  const { id, type, status, description, exitCode } = task
  const output = task.read()
  if (status !== 'running') task.isReported = true
  const retrieval = status !== 'running' ? 'success' : waited ? 'timeout' : 'not_ready'
  const code = exitCode === undefined ? '' : ` with exit code ${exitCode}`
  const state = status === 'running' ? `${id} is still running.` : `${id} has ${ENDS[status]}${code}.`
  return {
    content: `${state}\n${output === '' ? '(nothing new was printed)' : output}`,
    output: {
      retrieval_status: retrieval,
      task: { task_id: id, task_type: type, status, description, output, exitCode: exitCode ?? null }
    }
  }
}

const ENDS = { completed: 'ended', failed: 'failed', killed: 'been ended' }

export const taskStopTool: Tool = builtInTool('TaskStop', {
  description: 'Ends a command in the background, with all its child processes.',
  check(input) {
    const task_id = input.task_id ?? input.shell_id
    return task_id === undefined ? { problem: '"task_id" is missing' } : { input: { task_id } }
  },
  async run({ task_id = '' }, { session }) {
    const task = session.background.get(task_id)
    if (task === undefined) return unknownTask(session, task_id)
    const { id, type, status } = task
    if (status !== 'running') return failed(`${id} is not running: it has ${ENDS[status]}.`)
    task.isReported = true
    task.end()
    const message = `${id} was ended: ${task.command ?? task.description}`
    return { content: message, output: { message, task_id: id, task_type: type, command: task.command } }
  }
})

function unknownTask(session: ToolSession, id: string): ToolResult {
  const ids = [...session.background.keys()]
  const known = ids.length === 0 ? 'nothing runs in the background' : `there are ${ids.join(', ')}`
  return failed(`Nothing in the background is named ${JSON.stringify(id)}; ${known}.`)
}

interface Facts {
  readonly toolUseId: string
  readonly outputFile?: string | undefined
  readonly usage?: string
}

/** Notifies an agent that its background task has ended, in the format of Claude Code. */
export function taskNotification(task: BackgroundTask, { toolUseId, outputFile, usage }: Facts): string {
  const { id, status, description, exitCode, type } = task
  const code = exitCode === undefined ? '' : ` (exit code ${exitCode})`
  const what = type === 'local_agent' ? 'Agent' : 'Background command'
  return [
    '<task-notification>',
    `<task-id>${id}</task-id>`,
    `<tool-use-id>${toolUseId}</tool-use-id>`,
    ...(outputFile === undefined ? [] : [`<output-file>${outputFile}</output-file>`]),
    `<status>${status}</status>`,
    `<summary>${what} "${description}" ${ENDINGS[status]}${code}</summary>`,
    `<result>${task.read().trimEnd()}</result>`,
    ...(usage === undefined ? [] : [`<usage>${usage}</usage>`]),
    '</task-notification>'
  ].join('\n')
}

const ENDINGS = { running: 'is running', completed: 'finished', failed: 'failed', killed: 'was stopped' } as const
