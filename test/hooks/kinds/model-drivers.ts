/** An environment for hooks that ask a model: a session with a scripted model, and no other stand-ins. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HookEnvironment, type HookEnvironmentOptions } from '../../../src/external.ts'
import type { Model } from '../../../src/index.ts'
import type { Clock } from '../../../src/hooks.ts'
import { scriptedModel, type TurnOrMaker } from '../../../src/testing.ts'
import { systemClock } from '../../../src/lib/util/clock.ts'

/** No one waits between two tries. */
const HASTY: Clock = { ...systemClock, after: (_, run) => systemClock.after(0, run) }

/** Gives hooks such a place while `use` runs. */
export async function withModel<T>(
  turns: readonly TurnOrMaker[] | Model,
  use: (place: HookEnvironment) => Promise<T>,
  more: HookEnvironmentOptions = {}
): Promise<T> {
  const { open } = await import('../../../src/lib/query/open.ts')
  const { askAgent, askOnce } = await import('../../../src/lib/query/ask-once.ts')
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-model-'))
  const env = { HOME: folder }
  const model = 'ask' in turns ? turns : scriptedModel(turns)
  const options = { model, env, cwd: folder, settingSources: [], persistSession: false, clock: HASTY }
  const { session, close } = await open(options, () => undefined, new AbortController().signal)
  const place = new HookEnvironment({
    askModel: question => askOnce(question, session, { options, env }),
    askAgent: question => askAgent(question, session, { options, env }),
    ...more
  })
  try {
    return await use(place)
  } finally {
    await place.close()
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
}
