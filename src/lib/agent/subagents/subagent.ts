import { errorMessage } from '../../errors.ts'
import type { HookRegistry } from '../../hooks/registry.ts'
import type { Model, Usage } from '../../model/model.ts'
import { nowNamed } from '../../permissions/rule.ts'
import type { Log } from '../../transcript/entry.ts'
import type { AgentDefinition } from './definitions.ts'
import type { Ending } from '../session/ending.ts'
import { forbiddenTo, forbidsTool, permissionsFor } from './child-permissions.ts'
import { resumeRun, runTask } from '../session/session-lifecycle.ts'
import { reasonForModel } from '../call/objections.ts'
import { isPending } from '../call/open-call.ts'
import { readableBy } from '../../permissions/decide.ts'
import { isSandboxed } from '../../permissions/sandboxed.ts'
import { lookupIn } from '../call/call.ts'
import type { Replayed } from '../session/replay.ts'
import type { SessionOptions } from '../session/session-options.ts'
import { Session } from '../session/session.ts'
import { stay, type Mailbox } from './teammate.ts'

export interface AgentPorts {
  readonly definitions: ReadonlyMap<string, AgentDefinition>
  modelFor(name: string): Promise<Model>
  /** The hooks of a session and of one kind of subagent, until `leave`. Throws if one is missing. */
  enter(type: string, hooks: HookRegistry): { readonly hooks: HookRegistry; leave(): void }
  logFor(agentId: string, after: string | null): Promise<Log>
  /** The saved state of an agent. Undefined if nothing is saved for any. */
  readonly load: ((agentId: string) => Promise<KeptAgent | undefined>) | undefined
  readonly running: Map<string, Errand>
  readonly teammates: Map<string, Mailbox>
}

export interface KeptAgent extends Replayed {
  readonly type: string | undefined
}

export interface Errand {
  readonly id: string
  readonly isResumed: boolean
  readonly goesOn: boolean
  readonly type: string
  readonly description: string
  readonly prompt: string
  readonly model: string | undefined
  readonly toolUseId: string
  readonly unattended: boolean
  /** It stays for further messages under a name. */
  readonly teammate: { readonly name: string; readonly mailbox: Mailbox } | undefined
}

export interface SubagentRun {
  readonly id: string
  readonly ending: Ending
  /** One of its calls waits for a decision, which can be made when the session is resumed. */
  readonly isUndecided: boolean
  readonly type: string
  readonly model: string
  readonly tools: readonly string[]
  readonly usage: Usage
  readonly ms: number
}

const DEEPEST = 3

/**
 * Runs a subagent to its end. Its calls pass the same door as those of its parent, the same hooks and rules; hooks and
 * rules that it adds end with it.
 */
export async function runSubagent(
  errand: Errand,
  parent: Session,
  ports: AgentPorts,
  signal: AbortSignal
): Promise<SubagentRun | { readonly refused: string }> {
  const { id } = errand
  const kept = errand.isResumed ? await keptAgent(id, ports) : undefined
  if (kept !== undefined && 'refused' in kept) return kept
  const type = kept?.type !== undefined && ports.definitions.has(kept.type) ? kept.type : errand.type
  const definition = ports.definitions.get(type)
  if (definition === undefined) return notStarted(type, 'there is no such agent')
  let entered: ReturnType<AgentPorts['enter']>
  try {
    entered = ports.enter(type, parent.options.hooks)
  } catch (error) {
    return notStarted(type, errorMessage(error))
  }
  const { hooks, leave } = entered
  const begun = performance.now()
  let log: Log | undefined
  try {
    const about = { agent_id: id, agent_type: type, description: errand.description }
    const start = await parent.hooks.run('SubagentStart', about, { signal })
    if (start.blocked || start.continue === false)
      return notStarted(
        type,
        `${start.blocked ? reasonForModel(start) : (start.stopReason ?? '')} [${start.by ?? 'a hook'}]`
      )
    log = await ports.logFor(id, kept?.last ?? null)
    const child = await childOf(parent, { ...errand, type }, definition, { hooks, log, modelFor: ports.modelFor })
    if (kept !== undefined) child.resume(kept)
    await recordStart({ ...errand, type }, child, parent)
    for (const { text } of start.contexts)
      child.conversation.addContext(`SubagentStart hook additional context: ${text}`)
    const work = (task: string): Promise<Ending> => workOn(task, child, signal)
    const { teammate } = errand
    const prompt = errand.goesOn && child.conversation.messages.length > 0 ? '' : errand.prompt
    const ending = await (teammate === undefined ? work(prompt) : stay({ ...teammate, prompt }, work, parent, signal))
    parent.denials.push(...child.denials)
    child.conversation.isClosed = true
    await log.close()
    const isUndecided = ending.reason === 'tool_deferred' || (child.isClosing && isPending(child.open))
    const { used: usage, called: tools } = child
    return { id, type, model: child.model.name, ending, isUndecided, tools, usage, ms: performance.now() - begun }
  } catch (error) {
    await log?.close().catch(() => undefined)
    throw error
  } finally {
    leave()
  }
}

const notStarted = (type: string, why: string): { readonly refused: string } => ({
  refused: `${type} was not started: ${why}`
})

const AGENT_ID = /^[\w-]{1,128}$/

async function keptAgent(id: string, ports: AgentPorts): Promise<KeptAgent | { readonly refused: string }> {
  // A model may give any id, and a store may make a path of it.
  if (!AGENT_ID.test(id)) return { refused: `There is no agent ${JSON.stringify(id)} to resume` }
  if (ports.load === undefined)
    return { refused: `Agent ${id} cannot be resumed: this session keeps no transcripts of agents` }
  try {
    return (await ports.load(id)) ?? { refused: `There is no agent ${id} to resume` }
  } catch (error) {
    return { refused: `Agent ${id} cannot be resumed: its transcript cannot be read: ${errorMessage(error)}` }
  }
}

/** Both transcripts show which agent works for which. */
async function recordStart(
  { id, type, description, toolUseId }: Errand,
  child: Session,
  parent: Session
): Promise<void> {
  const depth = child.options.agent?.depth
  const parentAgentId = parent.options.agent?.id
  const about = { subagentId: id, agentType: type, description, toolUseId, depth, parentAgentId }
  child.transcript.append({ type: 'system', subtype: 'subagent', ...about })
  // A named agent must exist.
  await child.transcript.flush()
  parent.transcript.append({ type: 'system', subtype: 'subagent_started', ...about })
  await parent.transcript.flush()
}

const DONE = new Set<Ending['reason']>(['completed', 'stop_hook_prevented', 'stop_hook_overruled', 'tool_deferred'])

/** The loop, and SubagentStop if it failed: the loop itself fires it for a normal end. */
async function workOn(task: string, child: Session, signal: AbortSignal): Promise<Ending> {
  child.stopped = undefined
  const failed = async (error: string): Promise<void> => {
    const { agent, log } = child.options
    const whose = { agent_id: child.agentId, agent_type: agent?.type ?? '', agent_transcript_path: log.path }
    const end = { ...whose, stop_hook_active: false, success: false, error }
    await child.hooks.run('SubagentStop', end, { signal: child.afterwards })
  }
  try {
    // Without a task it continues its last one.
    const ending = await (task === '' ? resumeRun(child, signal) : runTask(task, child, signal))
    if (!DONE.has(ending.reason)) await failed(ending.text)
    return ending
  } catch (error) {
    await failed(errorMessage(error))
    throw error
  }
}

async function childOf(
  parent: Session,
  errand: Errand,
  definition: AgentDefinition,
  { hooks, log, modelFor }: Pick<SessionOptions, 'hooks' | 'log'> & Pick<AgentPorts, 'modelFor'>
): Promise<Session> {
  const { id, type, toolUseId } = errand
  const { options } = parent
  const { limits, agent } = options
  const depth = (agent?.depth ?? 0) + 1
  const forbidden = forbiddenTo(type, definition)
  const has = (name: string): boolean => isNamed(definition, name) && !forbidsTool(forbidden, name)
  const permissions = permissionsFor(definition, forbidden, options.permissions)
  const model = errand.model ?? definition.model ?? 'inherit'
  const child: SessionOptions = {
    ...options,
    hooks,
    agentId: undefined,
    agent: {
      id,
      type,
      depth,
      toolUseId,
      transcriptPath: agent?.transcriptPath ?? options.log.path,
      isParentClosing: () => parent.isClosing
    },
    model: model === 'inherit' ? parent.model : await modelFor(model),
    tools: options.tools.filter(({ name }) => has(name)),
    log,
    place: {
      ...options.place,
      seen: new Map(),
      mayRead: () => readableBy(permissions),
      sandboxes: command =>
        isSandboxed(command, permissions, lookupIn(options.place), options.place.sandbox?.isForAll === true)
    },
    system: definition.prompt,
    instructions: undefined,
    permissions,
    limits: { ...limits, turns: definition.maxTurns ?? limits.turns },
    ask: errand.unattended ? undefined : options.ask,
    outputSchema: undefined,
    spending: parent.spending
  }
  const ownTools: Session['ownTools'] = owner =>
    depth < DEEPEST && has('Agent')
      ? (parent.ownTools?.(owner).filter(({ name }) => !forbidsTool(forbidden, name)) ?? [])
      : []
  const session = new Session(child, ownTools)
  session.promptId = parent.promptId
  session.afterwards = parent.afterwards
  return session
}

const isNamed = ({ tools }: AgentDefinition, name: string): boolean =>
  tools === undefined || tools.map(nowNamed).includes(name)
