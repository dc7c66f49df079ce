import type { HookFlags } from '../flags.ts'
import { fault } from '../../faults.ts'
import { EXIT } from '../common.ts'
import { readPipedText, reserveOutput, writeOutput } from '../standard-streams.ts'
import { answerHook } from './answer.ts'
import { serveHooks, startWarm } from './warm.ts'

/** The time for an answer, in seconds. */
export const DEADLINE = 50

/** `carabiner hook --for HOST --event EVENT`: one event of another agent, from standard input, judged by the policy here. */
export async function answerHost(flags: HookFlags): Promise<number> {
  if (flags.serve === true) return serveHooks()
  const { for: host = '', event = '', deadline = String(DEADLINE) } = flags
  const seconds = Number(deadline)
  if (!(seconds >= 1 && seconds <= 3600)) throw fault('E_USAGE', `--deadline takes 1 to 3600 seconds, not ${deadline}`)
  // What hooks print must not become part of the answer.
  reserveOutput()
  const start = performance.now()
  const silence = setTimeout(() => process.stdin.destroy(), seconds * 500)
  const payload = await readPipedText().catch(() => '')
  clearTimeout(silence)
  const { code, stdout, stderr } = await answerHook({
    host,
    event,
    payload,
    cwd: process.cwd(),
    deadline: seconds * 1000 - (performance.now() - start)
  })
  writeOutput(stdout)
  process.stderr.write(stderr)
  if (flags.warm === true) startWarm()
  return code === 0 ? EXIT.done : EXIT.blocked
}
