import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RegistryOptions } from '../../hooks/registry-options.ts'
import { armHooks, type ArmedHooks } from '../../settings/active/settings-registry.ts'
import type { Situation } from '../../settings/active/active-hooks.ts'

/** Hooks without an agent, with the variables of the settings, and a file for those that hooks set; `close` removes it. */
export async function hooksHere(situation: Situation, registry?: RegistryOptions): Promise<ArmedHooks> {
  // Created only when a hook is given its path.
  const folder = join(tmpdir(), `carabiner-${randomUUID()}`)
  const armed = await armHooks(() => situation, {
    registry,
    outside: { env: { ...process.env, ...situation.loaded.env }, envFile: join(folder, 'env.sh') }
  })
  return {
    ...armed,
    async close() {
      await armed.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
