import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { errorMessage } from '../../errors.ts'
import type { Hook } from '../../hooks/hook.ts'
import { isObject } from '../../util/plain.ts'
import { HookRegistry } from '../../hooks/registry.ts'
import type { RegistryOptions } from '../../hooks/registry-options.ts'
import { HookEnvironment, type HookEnvironmentOptions } from '../../hooks/kinds/hook-environment.ts'
import { findingOf, gateError, sourceOf, type Finding } from '../files/finding.ts'
import type { LoadedModule } from '../files/loaded-hooks.ts'
import { fileChange } from '../trust/trusted-files.ts'
import { reasonBarred, type Situation, type HookStatus } from './active-hooks.ts'
import { loadKinds, ruleFitsNow } from '../files/handler-kinds.ts'
import { LiveHooks, unchanged, watchSettings, type ReloadResult } from './live-reload.ts'
import { SkillHooks, type SubagentHooks } from './skill-hooks.ts'
import { compileSafely } from '../lint/patterns.ts'

/** Options of a registry for hooks from files. */
export interface ArmOptions {
  /** A registry that hooks from files join, in a scope of their own. */
  readonly onto?: HookRegistry | undefined
  readonly registry?: RegistryOptions | undefined
  readonly outside?: HookEnvironmentOptions | undefined
}

/** Hooks from files, ready to be fired. */
export interface ArmedHooks {
  readonly hooks: HookRegistry
  readonly statuses: () => readonly HookStatus[]
  /** @deprecated Use `statuses`. */
  readonly standings: () => readonly HookStatus[]
  /** Hooks that could not be activated, though the files were valid; those of skills and subagents as well. */
  readonly findings: readonly Finding[]
  /** Loads the files again, since this one has changed. */
  reload(file: string): Promise<ReloadResult>
  /** Does so on each change. Call the result to stop. */
  watch(onReload: (reloaded: ReloadResult, file: string) => unknown): Promise<() => Promise<void>>
  /** Activates the hooks of a skill. Throws where one of them cannot be activated. */
  activate(owner: string): void
  /** Also fires the hooks of a subagent, until `leave`. Throws where one of them cannot be activated. */
  enter(owner: string, onto: HookRegistry): SubagentHooks
  /** Takes them out of the registry and ends what they keep running. */
  close(): Promise<void>
}

/** The scope of hooks from modules of the project. It identifies them, whatever `source` they give. */
const PROJECT_MODULES = 'modules of the project'

export const isProjectHook = ({ statuses, hooks }: ArmedHooks, source: string): boolean =>
  statuses().some(({ hook: { ofProject, place } }) => ofProject && sourceOf(place) === source) ||
  hooks.list().some(hook => hook.scope === PROJECT_MODULES && hook.source === source)

/**
 * A registry with all hooks that are active. Among hooks from files, ask wins over allow; patterns run in linear time.
 * `look` is called now, and again for each reload. Modules are loaded once: a change takes effect at the next start.
 */
export async function armHooks(look: () => Situation, options: ArmOptions = {}): Promise<ArmedHooks> {
  const situation = look()
  const { loaded } = situation
  const around = (options.onto ?? new HookRegistry()).scope(PROJECT_MODULES, {
    precedence: 'ask-over-allow',
    compilePattern: compileSafely,
    cwd: loaded.root,
    ...options.registry,
    profile: loaded.locks.profile ?? options.registry?.profile ?? options.onto?.options.profile ?? loaded.profile
  })
  const hooks = around.scope('files')
  await loadKinds(loaded)
  const { allowedUrls, allowedEnvVars } = loaded
  const place = new HookEnvironment({
    projectDir: loaded.root,
    allowedUrls,
    allowedEnvVars,
    matchesRule: (rule, input) => ruleFitsNow(rule, input, loaded.root),
    ...options.outside
  })
  const live = new LiveHooks(situation, hooks, place)
  const modules = loaded.modules.filter(module => reasonBarred(module, situation) === undefined)
  const owned = new SkillHooks(() => live.situation, hooks, place)
  const armed = await armModules(modules, ({ ofProject }) => (ofProject ? around : hooks), loaded.root)
  const findings = [...live.findings, ...owned.findings, ...armed]
  // One after the other: what is loaded last must be active in the end.
  let last: Promise<unknown> = Promise.resolve()
  const reload = (file: string): Promise<ReloadResult> => {
    const next = last.then(async () => {
      const now = look()
      await loadKinds(now.loaded)
      return live.replace(now, file)
    })
    const result = next.catch((error: unknown) =>
      unchanged(`${errorMessage(error)}; the previous settings stay active`)
    )
    last = result
    return result
  }
  return {
    hooks,
    statuses: () => live.statuses,
    standings: () => live.statuses,
    findings,
    reload,
    watch: onReload =>
      watchSettings(loaded.watched, file => void reload(file).then(reloaded => onReload(reloaded, file))),
    activate: owner => owned.activate(owner),
    enter: (owner, onto) => owned.enter(owner, onto),
    async close() {
      owned.disarm()
      live.disarm()
      await place.close()
    }
  }
}

/** A module exports a function of the registry, a hook, or a list of hooks. Its code runs: only for trusted ones. */
async function armModules(
  modules: readonly LoadedModule[],
  registryFor: (module: LoadedModule) => HookRegistry,
  root: string
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const module of modules) {
    const hooks = registryFor(module)
    try {
      const change = module.ofProject ? fileChange(module, root) : undefined
      if (change !== undefined) throw new Error(`${change} since it was trusted`)
      const { default: given } = (await import(pathToFileURL(module.file).href)) as { default?: unknown }
      const before = hooks.list().length
      await take(given, hooks)
      if (hooks.list().length === before)
        findings.push(findingOf('warning', module.place, true, ['module', `${module.file} registers no hooks`]))
    } catch (error) {
      const line = lineIn(module.file, error)
      const at = line === undefined ? '' : ` (${module.file}:${line})`
      findings.push(
        gateError(module.place, 'module', `${module.file} could not be loaded: ${errorMessage(error)}${at}`)
      )
    }
  }
  return findings
}

/** The line of a file that an error is about. Node keeps that of a syntax error in JavaScript for what it prints. */
function lineIn(file: string, error: unknown): string | undefined {
  const { href } = pathToFileURL(file)
  const find = (text = ''): string | undefined =>
    /^\d+/.exec(text.replaceAll(href, file).split(`${file}:`)[1] ?? '')?.[0]
  const stack = error instanceof Error ? error.stack : undefined
  if (find(stack) !== undefined || !(error instanceof SyntaxError)) return find(stack)
  return find(spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 5_000 }).stderr)
}

async function take(given: unknown, hooks: HookRegistry): Promise<void> {
  if (typeof given === 'function') await (given as (hooks: HookRegistry) => unknown)(hooks)
  else if (Array.isArray(given)) for (const each of given) hooks.register(each as Hook)
  else if (isObject(given)) hooks.register(given as unknown as Hook)
  else throw new Error('it exports neither a function nor hooks by default')
}
