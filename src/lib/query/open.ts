import { readableBy } from '../permissions/decide.ts'
import { isSandboxed } from '../permissions/sandboxed.ts'
import { lookupIn } from '../agent/call/call.ts'
import { ProjectInstructions } from '../agent/instructions/instructions.ts'
import type { AgentMessage, InitMessage } from '../agent/output/agent-messages.ts'
import type { Replayed } from '../agent/session/replay.ts'
import type { Beginning } from '../agent/session/session-lifecycle.ts'
import { Session } from '../agent/session/session.ts'
import { outputSchemaOf } from '../agent/structured.ts'
import { agentTool } from '../agent/subagents/agent-tool.ts'
import { sendMessageTool } from '../agent/subagents/teammate.ts'
import { invalidOption } from '../schema/check.ts'
import { bodyOf, readFrontmatter } from '../settings/files/frontmatter.ts'
import { rulesOf } from '../settings/permissions/permission-settings.ts'
import type { AskAboutPage } from '../tools/web/web-fetch.ts'
import { systemClock } from '../util/clock.ts'
import { holdCredentialsIn } from '../util/credentials.ts'
import { beginMasking } from '../util/secrets.ts'
import { askOnce } from './ask-once.ts'
import { missingTools, ownToolNames } from './options/agent-definition.ts'
import { askThrough, type QueryOptions } from './options/options.ts'
import { SavedPermissions } from './saved-permissions.ts'
import { chooseSession } from './session-choice.ts'
import { followSettings } from './settings-watch.ts'
import { agentPorts } from './setup/agents.ts'
import { inactiveLine } from '../settings/active/active-hooks.ts'
import { isProjectHook } from '../settings/active/settings-registry.ts'
import { openHooks } from './setup/hooks.ts'
import { limitsOf, requestOf, sessionModel, thinkingOf } from './setup/models.ts'
import { permissionsOf } from './setup/permission-rules.ts'
import { loadProject, type ProjectContext } from './setup/project-context.ts'
import { restrictionsBy } from './setup/missed-tools.ts'
import { checkRestrictions, mcpNotices, type Notice } from './setup/restrictions-report.ts'
import { openServers, type SessionRef } from './setup/servers.ts'
import { pluginsOf, skillsOf, skillToolsOf } from './setup/skills.ts'
import { systemPrompt } from './setup/system-prompt.ts'
import { isWanted, toolsOf } from './setup/tools.ts'
import { openWorkspace } from './setup/workspace.ts'
import { openTranscripts } from './transcripts.ts'

export interface Opened {
  readonly session: Session
  readonly project: ProjectContext
  readonly beginning: Beginning
  readonly servers: readonly OpenedServer[]
  readonly names: Pick<InitMessage, 'agents' | 'skills' | 'plugins'>
  /** Warnings for people, shown once it has started: about restrictions, servers, the resumed transcript. */
  readonly notices: readonly Notice[]
  readonly background: Replayed['background'] | undefined
  watch(): Promise<() => Promise<void>>
  close(): Promise<void>
}

interface OpenedServer {
  readonly name: string
  readonly source: string
  readonly status: string
}

/** Assembles everything that an agent works with. If a step fails, what was opened before is closed again. */
export async function open(
  options: QueryOptions,
  emit: (message: AgentMessage) => void,
  signal: AbortSignal,
  agentId?: string
): Promise<Opened> {
  const project = loadProject(options)
  const { env, where, loaded } = project
  holdCredentialsIn(env)
  const model = await sessionModel(project)
  const outputSchema = await outputSchemaOf(options.outputFormat)
  const choice = await chooseSession(options, where)
  const ref: SessionRef = {}
  const workspace = await openWorkspace(project, choice, ref)
  const place = workspace.tools
  const armed = await openHooks(project, workspace, ref).catch((error: unknown) => {
    workspace.sandbox?.close()
    throw error
  })
  const endMasking = beginMasking(loaded.showsSecrets)
  const close = async (): Promise<void> => {
    await workspace.close()
    await armed.close()
    workspace.sandbox?.close()
    endMasking()
  }
  const closers = [close]
  try {
    const restricted = checkRestrictions(project, armed)
    if (options.holdOutput === false && armed.hooks.hears('PostModelResponse', true))
      throw invalidOption(
        'holdOutput',
        false,
        'true: a hook on PostModelResponse judges answers before anyone sees them'
      )
    const instructions = new ProjectInstructions({
      ...where,
      cwd: place.cwd,
      root: loaded.root,
      split: file => ({ keys: readFrontmatter(file).document?.value ?? {}, body: bodyOf(file) }),
      warn: options.stderr
    })
    const saved = new SavedPermissions(where.ownHome, loaded.root)
    const rules = rulesOf(loaded, project.trusted)
    const permissions = permissionsOf(project, workspace, rules, saved)
    const updateSettings = followSettings(permissions, rules, options)
    place.mayRead = () => readableBy(permissions)
    place.sandboxes = command => isSandboxed(command, permissions, lookupIn(place), loaded.sandbox.enabled)
    const doing = (): string => ref.session?.doing ?? 'starting'
    const transcripts = await openTranscripts(choice, options, { place, doing })
    closers.unshift(() => transcripts.log.close().catch(() => undefined))
    const notices: string[] = []
    const servers = (ref.servers = await openServers(project, place, { ref, notices, signal }))
    const agents = agentPorts(project, model, transcripts, armed)
    const skills = skillsOf(project, permissions, armed)
    const askAboutPage: AskAboutPage = question => askOnce({ ...question, model: undefined }, ref.session, project)
    const session = (ref.session = new Session(
      {
        hooks: armed.hooks,
        model,
        tools: [...(await toolsOf(options, permissions, servers, askAboutPage)), ...skillToolsOf(options, skills)],
        serverTools: options.serverTools ?? [],
        log: transcripts.log,
        place,
        system: systemPrompt(options.systemPrompt, place.cwd, instructions.atStart),
        instructions,
        permissions,
        limits: limitsOf(project, notices),
        inactive: () => armed.statuses().flatMap(inactiveLine),
        isOfProject: source => isProjectHook(armed, source),
        ask: options.canUseTool === undefined ? undefined : askThrough(options.canUseTool),
        remember: update => saved.keep(update),
        effort: options.effort,
        thinking: thinkingOf(options),
        outputSchema,
        holdOutput: options.holdOutput === true,
        partialMessages: options.includePartialMessages === true,
        profile: armed.hooks.options.profile ?? 'strict',
        clock: options.clock ?? systemClock,
        emit,
        agentId,
        skills
      },
      owner => (isWanted('Agent', options) ? [agentTool(agents, owner), sendMessageTool(agents.teammates)] : [])
    ))
    const { resumed } = transcripts
    if (resumed !== undefined) session.resume(resumed)
    const isSame = resumed?.model === undefined || resumed.model === model.name
    notices.push(...missingTools(options.agents, [...session.tools.keys()]))
    return {
      session,
      project,
      watch: () =>
        armed.watch((reloaded, file) =>
          session.reader.notice(updateSettings(reloaded, file), reloaded.counts ? 'info' : 'warning')
        ),
      names: { agents: [...agents.definitions.keys()], skills: [...skills.all.keys()], plugins: pluginsOf(project) },
      servers,
      notices: [
        ...restricted,
        ...mcpNotices(restrictionsBy(permissions.rules, armed.hooks.list()), servers, ownToolNames(options)),
        ...notices.map(content => ({ content, tag: 'mcp' })),
        ...transcripts.notices.map(content => ({ content, tag: 'transcript' }))
      ],
      background: resumed?.background,
      beginning: {
        source: choice.source,
        setup: options.setup,
        instructions: instructions.atStart,
        answered: resumed?.answered,
        switched: isSame ? undefined : requestOf(options.model, resumed.model, model, project)
      },
      close
    }
  } catch (error) {
    for (const end of closers) await end()
    throw error
  }
}
