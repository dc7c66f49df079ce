import { agentTool } from '../agent/subagents/agent-tool.ts'
import { sendMessageTool } from '../agent/subagents/teammate.ts'
import { loadInstructions } from '../agent/instructions/instructions.ts'
import type { Beginning } from '../agent/session/session-lifecycle.ts'
import type { AgentMessage, InitMessage } from '../agent/output/output.ts'
import type { Replayed } from '../agent/session/replay.ts'
import { mayRead } from '../agent/call/readable.ts'
import { Session } from '../agent/session/session.ts'
import { streamed } from '../agent/output/hook-message.ts'
import { outputSchemaOf } from '../agent/structured.ts'
import { armHooks, type ArmedHooks } from '../settings/active/settings-registry.ts'
import { numberOf } from '../settings/files/env-number.ts'
import { sourceOf } from '../settings/files/finding.ts'
import { rulesOf } from '../settings/permissions/rules.ts'
import type { ConnectedServer } from '../tools/mcp/mcp.ts'
import type { AskAboutPage } from '../tools/web/web-fetch.ts'
import { systemClock } from '../util/clock.ts'
import { holdCredentialsIn } from '../util/credentials.ts'
import { missingTools } from './options/agent-definition.ts'
import { agentPorts, MOST_TURNS } from './setup/agents.ts'
import { chooseSession } from './session-choice.ts'
import { askAgent, askOnce } from './ask-once.ts'
import { SettingsWatch } from './settings-watch.ts'
import { registryOf } from './options/check-options.ts'
import { loadProject, reloadingProject, type ProjectContext } from './setup/project-context.ts'
import { MOST_TRIES } from '../model/retry.ts'
import { modelOf } from './setup/models.ts'
import { askThrough, type QueryOptions } from './options/options.ts'
import { placeOf, type Workspace } from './setup/workspace.ts'
import { SavedPermissions } from './saved-permissions.ts'
import { checkRestrictions, mcpNotices, type Notice } from './setup/restrictions-report.ts'
import { permissionsOf } from './setup/permission-rules.ts'
import { callServer, projectMcpServers, serverPorts } from './setup/servers.ts'
import { pluginsOf, skillsOf, skillToolsOf } from './setup/skills.ts'
import { systemPrompt } from './setup/system-prompt.ts'
import { isWanted, serversOf, toolsOf } from './setup/tools.ts'
import { openTranscripts, type Transcripts } from './transcripts.ts'
import { invalidOption } from '../schema/check.ts'

/** A session that is ready to begin. */
export interface Opened {
  readonly session: Session
  /** What the process has, and what the settings add. */
  readonly env: ProjectContext['env']
  readonly beginning: Beginning
  readonly servers: readonly OpenedServer[]
  /** The names of what can be called. */
  readonly names: Pick<InitMessage, 'agents' | 'skills' | 'plugins'>
  /** What is to be said to people once it has begun. */
  readonly notices: readonly string[]
  /** What restricts less than it seems to. */
  readonly restricted: readonly Notice[]
  /** What is missing of the transcript that it goes on from. */
  readonly gaps: readonly string[]
  /** What worked in the background when the session was last left. */
  readonly background: Replayed['background'] | undefined
  /** Takes up changes of settings files from now on. */
  watch(): Promise<() => Promise<void>>
  /** Ends what hooks and tools have left running. */
  close(): Promise<void>
}

/** What hooks reach that were armed before it was there. */
interface SessionRef {
  session?: Session
  servers?: readonly ConnectedServer[]
}

/** A server whose tools are there, or would be. */
interface OpenedServer {
  readonly name: string
  readonly source: string
  readonly status: string
}

/** Puts together what an agent works with: settings, trust, hooks, rules, tools, model, instructions, log. */
export async function open(
  options: QueryOptions,
  emit: (message: AgentMessage) => void,
  signal: AbortSignal,
  agentId?: string
): Promise<Opened> {
  const ground = loadProject(options)
  holdCredentialsIn(ground.env)
  const model = await modelOf(options.model, ground.env)
  if (options.maxBudgetUsd !== undefined && model.price === undefined)
    throw invalidOption(
      'maxBudgetUsd',
      options.maxBudgetUsd,
      `a model whose price is known; that of ${model.name} is not`
    )
  const outputSchema = await outputSchemaOf(options.outputFormat)
  const chosen = await chooseSession(options, ground.where)
  const place = placeOf(ground, chosen)
  const heard: SessionRef = {}
  const armed = await arm(ground, place, heard)
  let transcripts: Transcripts | undefined
  try {
    const restricted = checkRestrictions(ground, armed)
    const instructions = loadInstructions({
      cwd: place.tools.cwd,
      root: ground.loaded.root,
      home: ground.where.home,
      ownHome: ground.where.ownHome,
      managed: ground.where.managed,
      note: text => ground.options.stderr?.(text)
    })
    const remembered = new SavedPermissions(ground.where.ownHome, ground.loaded.root)
    const rules = rulesOf(ground.loaded, ground.trusted)
    const permissions = permissionsOf(ground, place, rules, remembered)
    const following = new SettingsWatch(permissions, rules, options)
    place.tools.mayRead = path => mayRead(path, permissions)
    const system = systemPrompt(
      options.systemPrompt,
      { cwd: place.tools.cwd, date: new Date().toISOString().slice(0, 10) },
      instructions
    )
    transcripts = await openTranscripts(chosen, options, {
      env: ground.env,
      cwd: () => place.tools.cwd,
      doing: () => heard.session?.doing ?? 'starting'
    })
    const notices: string[] = []
    const ports = serverPorts(options, place.tools, heard, notices, ground.where)
    const servers = (heard.servers = await serversOf(options, projectMcpServers(ground, ports), ports, signal))
    const agents = agentPorts(ground, model, transcripts, armed)
    const skills = skillsOf(ground, permissions, armed)
    const aboutPage: AskAboutPage = question => askOnce({ ...question, model: undefined }, heard.session, ground.env)
    heard.session = new Session({
      hooks: armed.hooks,
      model,
      tools: [...(await toolsOf(options, permissions, servers, aboutPage)), ...skillToolsOf(options, skills)],
      serverTools: options.serverTools ?? [],
      log: transcripts.log,
      place: place.tools,
      system,
      permissions,
      limits: {
        turns: options.maxTurns ?? MOST_TURNS,
        dollars: options.maxBudgetUsd,
        maxTokens: options.maxOutputTokens,
        window: options.contextWindow,
        ...limitsIn(ground.env, options, notices)
      },
      isOfProject: ofProjectIn(armed),
      ask: options.canUseTool === undefined ? undefined : askThrough(options.canUseTool),
      remember: update => remembered.keep(update),
      effort: options.effort,
      thinking: thinkingOf(options),
      outputSchema,
      partialMessages: options.includePartialMessages === true,
      profile: armed.hooks.options.profile ?? 'strict',
      clock: options.clock ?? systemClock,
      emit,
      agentId,
      skills,
      own: isWanted('Agent', options)
        ? session => [agentTool(agents, session), sendMessageTool(agents.teammates)]
        : undefined
    })
    const { session } = heard
    notices.push(...missingTools(options.agents, [...session.tools.keys()]))
    if (transcripts.resumed !== undefined) session.resume(transcripts.resumed)
    return {
      session,
      env: ground.env,
      watch: () =>
        armed.watch((reloaded, file) =>
          session.reader.notice(following.update(reloaded, file), reloaded.counts ? 'info' : 'warning')
        ),
      names: {
        agents: [...agents.definitions.keys()],
        skills: [...skills.all.keys()],
        plugins: pluginsOf(ground)
      },
      servers,
      notices,
      restricted: [...restricted, ...mcpNotices([...permissions.rules], armed.hooks.list(), servers)],
      gaps: transcripts.notices,
      background: transcripts.resumed?.background,
      beginning: {
        source: chosen.source,
        setup: options.setup,
        instructions,
        answered: transcripts.resumed?.answered
      },
      async close() {
        await place.close()
        await armed.close()
      }
    }
  } catch (error) {
    await transcripts?.log.close().catch(() => undefined)
    await place.close()
    await armed.close()
    throw error
  }
}

/** Whether a hook came with the project, by where it was declared. */
const ofProjectIn =
  ({ statuses }: ArmedHooks) =>
  (source: string): boolean =>
    statuses().some(({ hook: { ofProject, place } }) => ofProject && sourceOf(place) === source)

const MOST_STOP_BLOCKS = 8

/** Limits that the variables of the contract set, where no option does. */
function limitsIn(
  env: ProjectContext['env'],
  { maxStopBlocks }: QueryOptions,
  notices: string[]
): { readonly stopBlocks: number; readonly tries: number } {
  const note = (text: string): void => void notices.push(text)
  const cap = numberOf('CLAUDE_CODE_STOP_HOOK_BLOCK_CAP', env, note)
  const retries = numberOf('CLAUDE_CODE_MAX_RETRIES', env, note)
  return {
    // There, 0 is no limit; that for one prompt stays.
    stopBlocks: maxStopBlocks ?? (cap === 0 ? Number.POSITIVE_INFINITY : (cap ?? MOST_STOP_BLOCKS)),
    tries: retries === undefined ? MOST_TRIES : retries + 1
  }
}

function arm(ground: ProjectContext, place: Workspace, heard: SessionRef): Promise<ArmedHooks> {
  const { options, env } = ground
  const onto = registryOf(options.hooks)
  const own = onto?.options
  return armHooks(reloadingProject(ground), {
    onto,
    registry: {
      profile: options.profile,
      sessionId: place.tools.id,
      cwd: place.tools.cwd,
      // Whoever made the registry is told as well.
      onLate(answer) {
        heard.session?.hooks.applyLate(answer)
        return own?.onLate?.(answer)
      },
      ...(options.clock !== undefined && { clock: options.clock }),
      ...(options.includeHookEvents === true && {
        sink(message) {
          heard.session?.reader.emit(streamed(message))
          return own?.sink?.(message)
        }
      })
    },
    outside: {
      askModel: question => askOnce(question, heard.session, env),
      askAgent: question => askAgent(question, heard.session, env),
      callServer: call => callServer(call, heard.servers),
      env,
      envFile: place.envFile,
      onNotice: text => options.stderr?.(text),
      onWake: woken => heard.session?.hooks.wake(woken)
    }
  })
}

function thinkingOf({ thinking, maxThinkingTokens }: QueryOptions): number | 'adaptive' | undefined {
  if (thinking?.type === 'disabled') return 0
  if (thinking?.type === 'enabled') return thinking.budgetTokens ?? maxThinkingTokens ?? 'adaptive'
  return thinking?.type === 'adaptive' ? 'adaptive' : maxThinkingTokens
}
