import { randomBytes } from 'node:crypto'
import type { Running } from '../../world/process/process.ts'
import { follow, type CommandEnding } from './bash-follow.ts'
import type { Output } from './bash-output.ts'
import { taskNotification } from '../tasks/tasks.ts'
import { startProblem } from './processes.ts'
import type { BackgroundTask, ToolSession } from '../tool.ts'

export const newTaskId = (): string => `b${randomBytes(4).toString('hex')}`

export interface BackgroundCommand {
  readonly id: string
  readonly toolUseId: string
  readonly command: string
  readonly description: string
}

export function keepInBackground(
  session: ToolSession,
  { toolUseId, ...told }: BackgroundCommand,
  { running, output, timeout }: { readonly running: Running; readonly output: Output; readonly timeout: number }
): BackgroundTask {
  let status: BackgroundTask['status'] = 'running'
  let exitCode: number | undefined
  let last = ''
  const done = follow(running, output, timeout).then(ending => {
    output.close()
    if (status === 'running') status = statusAfter(ending)
    exitCode = ending.ended?.code ?? undefined
    last = lastWords(ending, timeout)
  })
  const task: BackgroundTask = {
    ...told,
    type: 'local_bash',
    get status() {
      return status
    },
    get exitCode() {
      return exitCode
    },
    done,
    read() {
      const text = output.take() + last
      last = ''
      return text
    },
    end() {
      if (status === 'running') status = 'killed'
      running.end()
    }
  }
  session.background.set(told.id, task)
  const word = (): string | undefined =>
    task.isReported === true ? undefined : taskNotification(task, { toolUseId, outputFile: output.file })
  session.expect?.(done.then(() => word))
  return task
}

function statusAfter({ why, ended }: CommandEnding): BackgroundTask['status'] {
  if (why === 'ended' && ended?.code === 0) return 'completed'
  return why === 'ended' && typeof ended?.signal === 'string' ? 'killed' : 'failed'
}

function lastWords({ why, ended }: CommandEnding, timeout: number): string {
  if (why === 'timeout') return `\n[It was ended after ${timeout} ms: it reached its time limit.]`
  if (why === 'flood') return '\n[It was ended: it printed too much.]'
  return ended?.error === undefined ? '' : `\n[It could not be started: ${startProblem(ended.error)}]`
}
