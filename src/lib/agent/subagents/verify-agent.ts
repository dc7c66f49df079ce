import { HOOK_AGENT } from '../../hooks/kinds/hook-environment.ts'
import { noLog, randomUuid } from '../../transcript/log.ts'
import { runTask } from '../session/session-lifecycle.ts'
import { Session } from '../session/session.ts'

const TOOLS = new Set(['Read', 'Glob', 'Grep'])
const MOST_TURNS = 50

/** Runs an agent for the question of a hook. Its calls pass the same door as all others. */
export async function verify(
  { system, prompt, signal }: { readonly system: string; readonly prompt: string; readonly signal: AbortSignal },
  parent: Session,
  model: Session['model']
): Promise<string> {
  const { options } = parent
  const session = new Session({
    ...options,
    model,
    system,
    agent: {
      id: `h${randomUuid().replaceAll('-', '').slice(0, 16)}`,
      type: HOOK_AGENT,
      depth: (options.agent?.depth ?? 0) + 1,
      toolUseId: '',
      transcriptPath: options.agent?.transcriptPath ?? options.log.path
    },
    tools: options.tools.filter(({ name }) => TOOLS.has(name)),
    place: { ...options.place, seen: new Map() },
    limits: { ...options.limits, turns: MOST_TURNS },
    ask: undefined,
    outputSchema: undefined,
    // Its answer is for the hook only, and not part of the conversation.
    emit: () => undefined,
    log: noLog,
    spending: parent.spending
  })
  session.promptId = parent.promptId
  const { text, isError } = await runTask(prompt, session, signal)
  if (isError) throw new Error(text)
  return text
}
