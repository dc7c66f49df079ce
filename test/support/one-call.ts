/** One call and its outcome, for tests of permissions. */
import type { CanUseTool } from '../../src/index.ts'
import { ask, project, resultsIn, type Asked, type Asking } from './agent-kit.ts'

/** A call that nothing allows by itself. */
export const TOUCH = { calls: [{ name: 'Bash', input: { command: 'touch made' } }] }

/** Runs `touch made`; returns whether it was made, who was asked, and what the model got. */
export async function touch(
  asking: Asking,
  command = 'touch made'
): Promise<Asked & { ran: boolean; told: string; asked: number }> {
  let asked = 0
  const { canUseTool } = asking
  const counted: CanUseTool | undefined =
    canUseTool &&
    (async (...question) => {
      asked++
      return canUseTool(...question)
    })
  const place = asking.in ?? project()
  const run = await ask([{ calls: [{ name: 'Bash', input: { command } }] }, 'Done.'], {
    in: place,
    ...asking,
    canUseTool: counted
  })
  const told =
    run.sent[1] === undefined
      ? ''
      : resultsIn(run.sent[1])
          .map(({ text }) => text)
          .join()
  return { ...run, ran: place.has('made'), told, asked }
}

export const yes: CanUseTool = async () => ({ behavior: 'allow' })
export const no: CanUseTool = async () => ({ behavior: 'deny', message: 'not while I look' })
