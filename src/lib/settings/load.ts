import { basename, dirname, join, resolve } from 'node:path'
import type { Profile } from '../hooks/decode.ts'
import { rowOf } from '../hooks/events.ts'
import { parseDocument, readDocument, type Document, type Looked } from './document.ts'
import type { Finding, Path, Place } from './finding.ts'
import { readFrontmatter } from './frontmatter.ts'
import { Grants } from './grants.ts'
import { checkKeys, KeyReader } from './keys.ts'
import type { Loaded, LoadedHook, LoadedModule, LoadedServer, LoadOptions, Locks } from './loaded.ts'
import { installedPlugins, loadPlugin } from './plugins.ts'
import { projectServers } from './servers.ts'
import { readHooks, type Declared } from './shapes.ts'
import {
  foreignHand,
  isWithin,
  OF_PROJECT,
  namesIn,
  rootOf,
  sourcesOf,
  watchedBy,
  type Scope,
  type Source,
  type Where
} from './sources.ts'

const ALL_BUT_MANAGED: readonly Scope[] = ['user', 'project', 'local', 'flag', 'plugin', 'skill', 'agent']

/** Reads every file that may say something about hooks here. It starts nothing and executes nothing. */
export function loadSettings(where: Where, options: LoadOptions = {}): Loaded {
  const loading = new Loading(where, rootOf(where))
  for (const source of sourcesOf(where, loading.root)) if (isAsked(source.scope, options)) loading.settingsFile(source)
  if (options.settings !== undefined) loading.flag(options.settings)
  if (isAsked('project', options)) loading.servers()
  loading.plugins(options.pluginDirs ?? [])
  loading.frontmatter()
  for (const file of options.modules ?? [])
    loading.module(file, 'flag', where.cwd, { file: '--hooks', line: 1, column: 1, key: '' })
  return loading.result()
}

const isAsked = (scope: Scope, { sources }: LoadOptions): boolean =>
  sources === undefined || scope === 'managed' || (sources as readonly Scope[]).includes(scope)

class Loading {
  readonly root: string
  readonly #where: Where
  readonly #files: Source[] = []
  readonly #hooks: LoadedHook[] = []
  /** The first of each name, by event. */
  readonly #byName = new Map<string, LoadedHook>()
  readonly #grants = new Grants()
  readonly #modules: LoadedModule[] = []
  readonly #servers: LoadedServer[] = []
  readonly #findings: Finding[] = []
  readonly #disabled = new Set<Scope>()
  readonly #enabled = new Map<string, { on: boolean; scope: Scope; place: Place }>()
  #locks: Locks = {
    profile: undefined,
    trustByDigest: false,
    noBypass: false,
    managedHooksOnly: false,
    pluginHooksOnly: false
  }
  #profile: Profile | undefined
  #urls: readonly string[] | undefined
  #variables: readonly string[] | undefined

  constructor(where: Where, root: string) {
    this.#where = where
    this.root = root
  }

  settingsFile(source: Source): void {
    const { scope, file } = source
    const objection = OF_PROJECT.includes(scope)
      ? isWithin(file, this.root)
        ? undefined
        : 'it leads out of the project'
      : foreignHand(file)
    if (objection === undefined) return this.#settings(readDocument(file), source)
    const fix = OF_PROJECT.includes(scope)
      ? 'put the file itself there'
      : `chown it to yourself, and chmod go-w ${file}`
    const message = `${file} is not read: ${objection}`
    this.#findings.push({
      level: 'error',
      code: 'not-read',
      place: { file, line: 1, column: 1, key: '' },
      message,
      fix,
      gate: true
    })
  }

  servers(): void {
    const { servers, findings } = projectServers(this.root, this.#where)
    this.#servers.push(...servers)
    this.#findings.push(...findings)
  }

  flag(settings: string): void {
    const isJson = settings.trimStart().startsWith('{')
    const file = isJson ? '--settings' : resolve(this.#where.cwd, settings)
    const looked = isJson ? parseDocument(file, settings) : readDocument(file)
    if (looked.document === undefined && looked.findings.all.length === 0)
      looked.findings.add(
        'error',
        'settings-missing',
        [],
        `there is no file ${file}`,
        'check the path after --settings',
        true
      )
    this.#settings(looked, { scope: 'flag', file })
  }

  #settings({ document, findings }: Looked, source: Source): void {
    if (document !== undefined) {
      this.#files.push(source)
      checkKeys(document)
      this.#hooksOf(document, ['hooks'], document.value['hooks'], source.scope)
      this.#extension(document, source)
      if (this.#grants.read(document, source.scope)) this.#locks = { ...this.#locks, noBypass: true }
      this.#switches(document, source.scope)
    }
    this.#findings.push(...findings.all)
  }

  #hooksOf(document: Document, path: Path, map: unknown, scope: Scope, more: Partial<LoadedHook> = {}): void {
    if (map === undefined) return
    const placeOf =
      ({ path: own, rule }: Declared) =>
      (key: string): Place =>
        document.findings.place(key === 'matcher' ? [...(JSON.parse(rule) as Path), key] : [...own, key])
    for (const declared of readHooks(map, path, document.findings)) {
      this.#add(
        {
          plugin: undefined,
          owner: undefined,
          replaces: undefined,
          ofProject: OF_PROJECT.includes(scope),
          ...declared,
          scope,
          place: document.findings.place(declared.path),
          placeOf: placeOf(declared),
          ...more
        },
        document
      )
    }
  }

  /** A hook of a name that the user has used, in the project: it takes its place, but never that of a gate. */
  #add(hook: LoadedHook, document: Document): void {
    const key = `${hook.event} ${hook.name}`
    const other = hook.name === undefined ? undefined : this.#byName.get(key)
    if (other === undefined) this.#byName.set(key, hook)
    if (other !== undefined && hook.ofProject && other.scope === 'user') {
      if (rowOf(hook.event).failure === 'open') {
        document.findings.add(
          'info',
          'name-replaced',
          hook.path,
          `${hook.name} takes the place of ${where(other)}`,
          'give it another name to have both'
        )
        this.#hooks.push({ ...hook, replaces: other })
        return
      }
      document.findings.add(
        'info',
        'name-shared',
        hook.path,
        `${hook.name} has the name of ${where(other)}; on a gate both run`,
        'give it another name'
      )
    }
    this.#hooks.push(hook)
  }

  #extension(document: Document, { scope, file }: Source): void {
    const own = new KeyReader(document, ['carabiner'])
    const map = own.object('hooks')
    this.#hooksOf(document, ['carabiner', 'hooks'], map, scope)
    for (const module of own.texts('modules') ?? [])
      this.module(
        module,
        scope,
        scope === 'project' || scope === 'local' ? this.root : dirname(file),
        document.findings.place(['carabiner', 'modules'])
      )
    const profile = own.choice('profile', ['strict', 'compat'])
    // A project may ask for the stricter profile, and not for the other.
    if (profile !== undefined && (profile === 'strict' || !OF_PROJECT.includes(scope))) this.#profile = profile
    if (scope !== 'managed') return
    this.#locks = {
      ...this.#locks,
      profile: profile ?? this.#locks.profile,
      trustByDigest: this.#locks.trustByDigest || own.choice('trust', ['digest']) === 'digest',
      noBypass: this.#locks.noBypass || own.flag('disableBypass') === true
    }
  }

  module(path: string, scope: Scope, base: string, place: Place): void {
    this.#modules.push({ file: resolve(base, path), scope, place, ofProject: OF_PROJECT.includes(scope) })
  }

  #switches(document: Document, scope: Scope): void {
    const reader = new KeyReader(document)
    if (reader.flag('disableAllHooks') === true) this.#disable(scope)
    const enabled = new KeyReader(document, ['enabledPlugins'])
    for (const name of Object.keys(reader.object('enabledPlugins') ?? {})) {
      const on = enabled.flag(name)
      if (on !== undefined) this.#enable(name, on, scope, document.findings.place(['enabledPlugins', name]))
    }
    const [urls, variables] = [reader.texts('allowedHttpHookUrls'), reader.texts('httpHookAllowedEnvVars')]
    // A project neither opens what others have closed, nor closes the way to their gates.
    if (!OF_PROJECT.includes(scope)) {
      this.#urls = joined(this.#urls, urls)
      this.#variables = joined(this.#variables, variables)
    }
    if (scope !== 'managed') return
    const pluginsOnly = reader.flagOrTexts('strictPluginOnlyCustomization')
    this.#locks = {
      ...this.#locks,
      managedHooksOnly: this.#locks.managedHooksOnly || reader.flag('allowManagedHooksOnly') === true,
      pluginHooksOnly:
        this.#locks.pluginHooksOnly ||
        pluginsOnly === true ||
        (typeof pluginsOnly === 'object' && pluginsOnly.includes('hooks'))
    }
  }

  /** Nobody switches off what stands above them: a project its own hooks, a user all but the managed ones. */
  #disable(scope: Scope): void {
    const scopes =
      scope === 'managed'
        ? ['managed' as const, ...ALL_BUT_MANAGED]
        : OF_PROJECT.includes(scope)
          ? OF_PROJECT
          : ALL_BUT_MANAGED
    for (const each of scopes) this.#disabled.add(each)
  }

  /** What the user or managed policy has switched on is theirs, whatever a project says of it. */
  #enable(name: string, on: boolean, scope: Scope, place: Place): void {
    const before = this.#enabled.get(name)
    if (before?.scope === 'managed') return
    if (before?.on === true && OF_PROJECT.includes(scope) && !OF_PROJECT.includes(before.scope)) return
    this.#enabled.set(name, { on, scope, place })
  }

  plugins(folders: readonly string[]): void {
    const installed = installedPlugins(this.#where)
    this.#findings.push(...installed.findings.all)
    for (const [name, { on, scope, place }] of this.#enabled) {
      const root = installed.folders.get(name)
      if (on && root === undefined) this.#findings.push(notInstalled(name, place))
      else if (on && root !== undefined) this.#plugin(name, root, scope)
    }
    for (const folder of folders) this.#plugin(basename(folder), resolve(this.#where.cwd, folder), 'flag')
  }

  /** What managed policy has enabled is managed: nobody else switches it off. */
  #plugin(name: string, folder: string, enabledBy: Scope): void {
    const { root, data, maps, findings } = loadPlugin(name, folder, this.#where)
    const scope = enabledBy === 'managed' ? 'managed' : 'plugin'
    const more = { plugin: { name, root, data }, ofProject: OF_PROJECT.includes(enabledBy) }
    for (const { document, path, map } of maps) this.#hooksOf(document, path, map, scope, more)
    this.#findings.push(...findings.flatMap(({ all }) => all))
  }

  /** Skills and subagents, of the user and of the project. */
  frontmatter(): void {
    const { home } = this.#where
    for (const [base, ofProject] of [
      [home, false],
      [this.root, true]
    ] as const) {
      if (ofProject && base === home) continue
      for (const name of namesIn(join(base, '.claude/skills'), ''))
        this.#owned(join(base, '.claude/skills', name, 'SKILL.md'), 'skill', name, ofProject)
      for (const name of namesIn(join(base, '.claude/agents'), '.md'))
        this.#owned(join(base, '.claude/agents', name), 'agent', basename(name, '.md'), ofProject)
    }
  }

  #owned(file: string, scope: 'skill' | 'agent', name: string, ofProject: boolean): void {
    const { document, findings } = readFrontmatter(file)
    if (document !== undefined) {
      const owner = typeof document.value['name'] === 'string' ? document.value['name'] : name
      this.#hooksOf(document, ['hooks'], document.value['hooks'], scope, { owner, ofProject })
    }
    this.#findings.push(...findings.all)
  }

  result(): Loaded {
    return {
      root: this.root,
      files: this.#files,
      watched: [...new Set([...watchedBy(this.#where, this.root), ...this.#files.map(({ file }) => file)])].filter(
        file => file !== '--settings'
      ),
      hooks: this.#hooks,
      ...this.#grants.result(),
      modules: this.#modules,
      servers: this.#servers,
      findings: this.#findings,
      locks: this.#locks,
      profile: this.#locks.profile ?? this.#profile,
      disabled: this.#disabled,
      allowedUrls: this.#urls,
      allowedEnvVars: this.#variables
    }
  }
}

const notInstalled = (name: string, place: Place): Finding => ({
  level: 'warning',
  code: 'plugin-missing',
  place,
  message: `the plugin ${name} is enabled, and not installed`,
  fix: 'install it, or disable it',
  gate: false
})

const where = ({ place }: LoadedHook): string => `${place.file}:${place.line}`

const joined = (
  before: readonly string[] | undefined,
  more: readonly string[] | undefined
): readonly string[] | undefined => (more === undefined ? before : [...(before ?? []), ...more])
