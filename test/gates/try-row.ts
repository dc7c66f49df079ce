/** Tries a row of the table: in this process, and on the command line. */
import { existsSync } from 'node:fs'
import { query, type AgentMessage, type QueryOptions } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { cliStage, type AtEnd, type Ran, type CliStage } from '../support/cli-stage.ts'
import type { Row } from './rows.ts'

const CALL = { name: 'Bash', input: { command: 'touch ran' } }

/** A home and a project as the row says. */
export function staged({ files = {}, prepare }: Pick<Row, 'files' | 'prepare'>, atEnd?: AtEnd): CliStage {
  const here = cliStage(atEnd)
  for (const [name, content] of Object.entries(files)) here.write(name, content)
  prepare?.(here)
  return here
}

export interface Tried {
  /** Why it did not begin. */
  readonly stopped: string | undefined
  /** Notices about restrictions, in the stream. */
  readonly notices: readonly { readonly content: string; readonly failedOpen?: boolean }[]
  readonly stderr: readonly string[]
  /** Whether the tool ran. */
  readonly ran: boolean
}

/** No one gives a prompt. */
async function* silence(): AsyncGenerator<never> {
  // Then a session begins and ends.
}

/** A session that begins and ends: no prompt is given, and no tool called. */
export const beginning = (row: Pick<Row, 'files'>): Promise<Tried> => inQuery(row, {}, silence())

export async function inQuery(
  row: Pick<Row, 'files' | 'prepare' | 'options'>,
  more: QueryOptions = {},
  prompt: Parameters<typeof query>[0]['prompt'] = 'go'
): Promise<Tried> {
  const here = staged(row)
  const stderr: string[] = []
  const messages: AgentMessage[] = []
  let stopped: string | undefined
  try {
    const running = query({
      prompt,
      options: {
        ...{ cwd: here.project, env: here.env, persistSession: false, trust: true, allowedTools: ['Bash'] },
        model: scriptedModel([{ calls: [CALL] }, 'Done.']),
        stderr: text => stderr.push(text),
        ...row.options?.(here),
        ...more
      }
    })
    for await (const message of running) messages.push(message)
  } catch (error) {
    stopped = (error as Error).message
  }
  const notices = messages.flatMap(message =>
    message.type === 'system' && message.subtype === 'informational' && message.tag === 'restriction' ? [message] : []
  )
  return { stopped, notices, stderr, ran: existsSync(here.path('project/ran')) }
}

export interface OnCommandLine {
  readonly run: Ran
  readonly ran: boolean
  /** `fire --exit-code`, where it is concerned. */
  readonly fire: Ran | undefined
}

export async function onCommandLine(row: Row, atEnd: AtEnd): Promise<OnCommandLine> {
  const here = staged(row, atEnd)
  here.write('script.json', { turns: [{ calls: [CALL] }, 'Done.'] })
  const shared = ['--trust-project-hooks', ...(row.args?.(here) ?? [])]
  const model = ['--model', `script:${here.path('script.json')}`]
  const run = await here.run(['run', '-p', 'go', ...model, ...shared, ...(row.runArgs ?? ['--allowedTools', 'Bash'])])
  const ran = existsSync(here.path('project/ran'))
  const fire =
    row.runArgs === undefined
      ? await here.run(['fire', 'PreToolUse', '--tool', 'Bash', '--exit-code', ...shared])
      : undefined
  return { run, ran, fire }
}
