import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RegistryOptions } from '../../hooks/registry-options.ts'
import { armHooks, isProjectHook, type ArmedHooks } from '../../settings/active/settings-registry.ts'
import type { Situation } from '../../settings/active/active-hooks.ts'
import type { Environment } from '../../model/names.ts'
import { realPath } from '../../world/files/paths.ts'
import type { Sandbox } from '../../world/process/sandbox.ts'
import { settingsPlaces } from '../common.ts'

export interface HooksHere extends ArmedHooks {
  /** What confines hooks, if settings say so. */
  readonly sandbox: Sandbox | undefined
  /** The variables of the process and of the settings. */
  readonly env: Environment
  readonly isOfProject: (source: string) => boolean
}

/** Hooks without an agent, with the variables of the settings, and a file for those that hooks set; `close` removes it. */
export async function hooksHere(situation: Situation, registry?: RegistryOptions): Promise<HooksHere> {
  // Created only when a hook is given its path.
  const folder = join(tmpdir(), `carabiner-${randomUUID()}`)
  const envFile = join(folder, 'env.sh')
  const { loaded, projectTrusted } = situation
  const directories = loaded.directories.map(each => realPath(each, loaded.root))
  const project = { loaded, where: settingsPlaces(loaded.root), trusted: projectTrusted, options: {} }
  const places = { directories, envFile, shown: [] }
  const sandbox = loaded.sandbox.enabled
    ? (await import('../../query/setup/sandbox.ts')).openSandbox(project, places)
    : undefined
  const env = { ...process.env, ...loaded.env }
  const armed = await armHooks(() => situation, { registry, outside: { env, envFile, sandbox } })
  return {
    ...armed,
    sandbox,
    env,
    isOfProject: source => isProjectHook(armed, source),
    async close() {
      await armed.close()
      sandbox?.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
