import { pathToFileURL } from 'node:url'
import { wordsOf } from '../../errors.ts'
import type { Hook } from '../../hooks/hook.ts'
import type { HookRegistry } from '../../hooks/registry.ts'
import { isObject } from '../../util/plain.ts'
import { fileChange } from '../trust/trusted-files.ts'
import { findingOf, gateError, type Finding } from './finding.ts'
import type { LoadedModule } from './loaded-hooks.ts'

/**
 * Loads modules of hooks: each exports by default a function that is given the registry, or a hook, or a list of
 * hooks. Their code runs, so call this only for modules that are trusted.
 */
export async function armModules(
  modules: readonly LoadedModule[],
  hooks: HookRegistry,
  root: string
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const module of modules) {
    try {
      const change = module.ofProject ? fileChange(module, root) : undefined
      if (change !== undefined) throw new Error(`${change} since it was trusted`)
      const { default: given } = (await import(pathToFileURL(module.file).href)) as { default?: unknown }
      const before = hooks.list().length
      await take(given, hooks)
      if (hooks.list().length === before)
        findings.push(findingOf('warning', module.place, true, ['module', `${module.file} registers no hooks`]))
    } catch (error) {
      const message = `${module.file} could not be loaded: ${wordsOf(error)}`
      findings.push(gateError(module.place, 'module', message))
    }
  }
  return findings
}

async function take(given: unknown, hooks: HookRegistry): Promise<void> {
  if (typeof given === 'function') await (given as (hooks: HookRegistry) => unknown)(hooks)
  else if (Array.isArray(given)) for (const each of given) hooks.register(each as Hook)
  else if (isObject(given)) hooks.register(given as unknown as Hook)
  else throw new Error('it exports neither a function nor hooks by default')
}
