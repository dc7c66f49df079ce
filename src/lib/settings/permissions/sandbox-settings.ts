import { OF_PROJECT, type Scope } from '../files/sources.ts'
import type { Document } from '../files/document.ts'
import type { SettingsFile } from '../files/settings-table.ts'

export type SandboxKeys = NonNullable<SettingsFile['sandbox']>
type List = 'allowWrite' | 'allowRead' | 'denyWrite' | 'denyRead'

/** What settings and options say about the sandbox, together. Paths are as written; relative ones are in the project. */
export interface LoadedSandbox extends Readonly<Record<List, readonly string[]>> {
  readonly enabled: boolean
  readonly autoAllow: boolean
  readonly network: boolean
  readonly unixSockets: boolean
}

/** Managed policy wins over later sources, and these over earlier ones. A project only tightens. */
export class SandboxSettings {
  readonly #read: { readonly keys: SandboxKeys; readonly scope: Scope }[] = []

  read(keys: SandboxKeys | undefined, scope: Scope, document?: Document): void {
    if (keys === undefined) return
    this.#read.push({ keys, scope })
    const idle = (key: keyof SandboxKeys, words: string, fix: string): unknown =>
      document?.findings.gate('warning', ['sandbox', key], 'key-idle', words, fix)
    if (OF_PROJECT.includes(scope))
      for (const key of looseningIn(keys))
        document?.findings.add(
          'info',
          ['sandbox', key],
          'project-mode',
          `a project cannot loosen the sandbox: ${key} is ignored`
        )
    if (typeof keys.network === 'object')
      idle('network', 'the network is off: filters of the network are not supported here', 'write "off" or "on"')
    if (keys.failIfUnavailable === false)
      idle('failIfUnavailable', 'if the sandbox is enabled, nothing runs without it', 'delete it')
  }

  result(): LoadedSandbox {
    const of = (isWanted: (scope: Scope) => boolean): readonly SandboxKeys[] =>
      this.#read.filter(({ scope }) => isWanted(scope)).map(({ keys }) => keys)
    const project = of(scope => OF_PROJECT.includes(scope))
    const others = of(scope => !OF_PROJECT.includes(scope))
    const managed = Object.assign({}, ...of(scope => scope === 'managed')) as SandboxKeys
    const last = Object.assign({}, ...others) as SandboxKeys
    const own = { ...last, ...managed }
    const autoAllow = (keys: SandboxKeys): boolean | undefined => keys.autoAllow ?? keys.autoAllowBashIfSandboxed
    const list = (name: List): readonly string[] =>
      [...others, ...(name.startsWith('deny') ? project : [])].flatMap(keys => [
        ...(keys[name] ?? []),
        ...(keys.filesystem?.[name] ?? [])
      ])
    return {
      enabled: [last, managed, ...project].some(({ enabled }) => enabled === true),
      autoAllow: autoAllow(own) === true && !project.some(keys => autoAllow(keys) === false),
      network: own.network === 'on' && !project.some(({ network = 'on' }) => network !== 'on'),
      unixSockets: own.unixSockets === true && !project.some(({ unixSockets }) => unixSockets === false),
      allowWrite: list('allowWrite'),
      allowRead: list('allowRead'),
      denyWrite: list('denyWrite'),
      denyRead: list('denyRead')
    }
  }
}

/** The keys that would allow more than without them. */
function looseningIn(keys: SandboxKeys): readonly (keyof SandboxKeys)[] {
  const { autoAllow, autoAllowBashIfSandboxed, network, unixSockets, allowWrite, allowRead, filesystem, enabled } = keys
  const isLoose: Partial<Record<keyof SandboxKeys, boolean>> = {
    enabled: enabled === false,
    autoAllow: autoAllow === true,
    autoAllowBashIfSandboxed: autoAllowBashIfSandboxed === true,
    network: network === 'on',
    unixSockets: unixSockets === true,
    allowWrite: (allowWrite ?? []).length > 0,
    allowRead: (allowRead ?? []).length > 0,
    filesystem: [...(filesystem?.allowWrite ?? []), ...(filesystem?.allowRead ?? [])].length > 0
  }
  return Object.entries(isLoose).flatMap(([key, loose]) => (loose ? [key as keyof SandboxKeys] : []))
}
