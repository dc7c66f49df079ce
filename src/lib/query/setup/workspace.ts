import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { HookEnvironment } from '../../hooks/kinds/hook-environment.ts'
import { rulesOf } from '../../settings/permissions/permission-settings.ts'
import type { ToolSession } from '../../tools/tool.ts'
import { isFolder, realPath } from '../../world/files/paths.ts'
import type { Sandbox } from '../../world/process/sandbox.ts'
import type { SessionRef } from './servers.ts'
import type { SessionChoice } from '../session-choice.ts'
import type { ProjectContext } from './project-context.ts'

export interface Workspace {
  readonly tools: ToolSession
  readonly envFile: string
  readonly sandbox: Sandbox | undefined
  close(): Promise<void>
}

export async function openWorkspace(
  project: ProjectContext,
  { key, store }: SessionChoice,
  ref: SessionRef
): Promise<Workspace> {
  const { options, where, loaded, env, trusted } = project
  const id = key.sessionId
  const folder = join(where.ownHome, 'sessions', id)
  const beside = store?.pathOf?.(key).replace(/\.jsonl$/, '') ?? folder
  const envFile = join(folder, 'env.sh')
  const closing: (() => void | Promise<void>)[] = []
  const given = [...loaded.directories, ...(options.additionalDirectories ?? [])]
  const directories = given.map(each => realPath(each, where.cwd))
  const outputFolder = join(beside, 'tool-results')
  const places = { directories, envFile, shown: [outputFolder] }
  const isForAll = loaded.sandbox.enabled
  const isNeeded = isForAll || rulesOf(loaded, trusted).some(rule => rule.sandbox === true)
  const sandbox = isNeeded ? (await import('./sandbox.ts')).openSandbox(project, places, ref) : undefined
  return {
    envFile,
    sandbox,
    tools: {
      sandbox: sandbox && {
        scratch: sandbox.scratch,
        isForAll,
        confine: program => sandbox.confine(program),
        admit: added => sandbox.admit(added)
      },
      id,
      root: loaded.root,
      cwd: where.cwd,
      directories,
      env: new HookEnvironment({ projectDir: loaded.root, env }).inherited(),
      envFile,
      outputFolder,
      seen: new Map(),
      background: new Map(),
      onClose: close => void closing.push(close)
    },
    async close() {
      await Promise.allSettled(closing.map(async close => close()))
      // Most sessions leave nothing there; a folder with files stays.
      if (isFolder(folder)) await rmdir(folder).catch(() => undefined)
    }
  }
}
