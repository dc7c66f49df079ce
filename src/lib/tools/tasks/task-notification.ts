import type { BackgroundTask } from '../tool.ts'

interface Facts {
  readonly toolUseId: string
  readonly outputFile?: string | undefined
  /** Further lines, as they stand. */
  readonly usage?: string
}

/** Tells an agent that a task of its own has ended, in the words that Claude Code has for it. */
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
    `<summary>${what} "${description}" ${ENDS[status]}${code}</summary>`,
    `<result>${task.read().trimEnd()}</result>`,
    ...(usage === undefined ? [] : [`<usage>${usage}</usage>`]),
    '</task-notification>'
  ].join('\n')
}

const ENDS = { running: 'is running', completed: 'finished', failed: 'failed', killed: 'was stopped' } as const
