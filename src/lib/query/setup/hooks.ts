import type { StreamedHook } from '../../agent/output/agent-messages.ts'
import type { HookMessage } from '../../hooks/hook-messages.ts'
import { armHooks, type ArmedHooks } from '../../settings/active/settings-registry.ts'
import { askAgent, askOnce } from '../ask-once.ts'
import { registryOf } from '../options/check-options.ts'
import { reloadingProject, type ProjectContext } from './project-context.ts'
import { callServer, type SessionRef } from './servers.ts'
import type { Workspace } from './workspace.ts'

export function openHooks(project: ProjectContext, workspace: Workspace, ref: SessionRef): Promise<ArmedHooks> {
  const { options, env, loaded } = project
  const onto = registryOf(options.hooks)
  const own = onto?.options
  return armHooks(reloadingProject(project), {
    onto,
    registry: {
      profile: options.profile,
      sessionId: workspace.tools.id,
      cwd: workspace.tools.cwd,
      // The owner of the registry gets both as well.
      onLate(answer) {
        ref.session?.hooks.applyLate(answer)
        return own?.onLate?.(answer)
      },
      ...(options.clock !== undefined && { clock: options.clock }),
      ...(options.includeHookEvents === true && {
        sink(message) {
          ref.session?.reader.emit(streamedHook(message))
          return own?.sink?.(message)
        }
      })
    },
    outside: {
      askModel: question => askOnce(question, ref.session, project),
      askAgent: question => askAgent(question, ref.session, project),
      callServer: call => callServer(call, ref.servers),
      env,
      envFile: workspace.envFile,
      sandbox: loaded.sandbox.enabled ? workspace.sandbox : undefined,
      onNotice: text => options.stderr?.(text),
      onWake: woken => ref.session?.hooks.wake(woken)
    }
  })
}

/** The contract names a hook after its event and what its matcher tests; exit code 2 is an error there. */
function streamedHook({ hook_target, ...message }: HookMessage): StreamedHook {
  const { hook_event, hook_name: hook_label } = message
  const hook_name =
    hook_target === undefined || hook_event === 'UserPromptExpansion' ? hook_event : `${hook_event}:${hook_target}`
  const named = { ...message, hook_name, hook_label } as StreamedHook
  if (named.subtype !== 'hook_response' || named.exit_code !== 2 || named.outcome !== 'success') return named
  return { ...named, outcome: 'error', output: named.stderr ?? '' }
}
