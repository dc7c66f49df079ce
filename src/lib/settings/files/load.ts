import { dirname, join, resolve } from 'node:path'
import { rowOf } from '../../hooks/events/event-table.ts'
import { readHooks, type Declared } from './shapes.ts'
import { isObject } from '../../util/plain.ts'
import { parseDocument, readDocument, type Document, type Looked } from './document.ts'
import type { KeyPath } from '../../schema/check.ts'
import { gateError, startOf, type Finding, type Place } from './finding.ts'
import { PermissionSettings } from '../permissions/permission-settings.ts'
import { SandboxSettings } from '../permissions/sandbox-settings.ts'
import { checkKeys } from './keys.ts'
import { readSettings, type SettingsFile } from './settings-table.ts'
import type {
  EnabledPlugin,
  Loaded,
  LoadedGrant,
  LoadedHook,
  LoadedModule,
  LoadedOwner,
  LoadedServer,
  LoadOptions
} from './loaded-hooks.ts'
import { ownerGrants, pluginNameProblem, findOwners, type OwnerFolder } from '../active/skills-and-agents.ts'
import { installedPlugins, loadPlugin } from './plugins.ts'
import {
  foreignHand,
  staysInProject,
  OF_PROJECT,
  rootOf,
  sourcesOf,
  watchedBy,
  type Scope,
  type Source,
  type Where
} from './sources.ts'
import { OWN_LINE } from './own-line.ts'
import { strayFindings } from './stray-files.ts'
import { Switches } from './switches.ts'

/** Reads every settings file that applies here. Starts and executes nothing. */
export function loadSettings(where: Where, options: LoadOptions = {}): Loaded {
  const loading = new Loading(where, rootOf(where))
  for (const source of sourcesOf(where, loading.root)) if (isAsked(source.scope, options)) loading.settingsFile(source)
  loading.strays()
  if (options.settings !== undefined) loading.flag(options.settings)
  loading.sandbox.read(options.sandbox, 'flag')
  if (isAsked('project', options)) loading.servers()
  loading.plugins(options.pluginDirs ?? [])
  loading.owners(options)
  for (const file of options.modules ?? []) loading.module(file, 'flag', where.cwd, startOf('--hooks'))
  return loading.result()
}

const isAsked = (scope: Scope, { sources }: LoadOptions): boolean =>
  sources === undefined || scope === 'managed' || (sources as readonly Scope[]).includes(scope)

class Loading {
  readonly root: string
  readonly sandbox = new SandboxSettings()
  readonly #where: Where
  readonly #files: Source[] = []
  readonly #hooks: LoadedHook[] = []
  /** The first of each name, by event. */
  readonly #byName = new Map<string, LoadedHook>()
  readonly #grants = new PermissionSettings()
  readonly #modules: LoadedModule[] = []
  readonly #servers: LoadedServer[] = []
  readonly #plugins: EnabledPlugin[] = []
  readonly #owners: LoadedOwner[] = []
  readonly #allowed: LoadedGrant[] = []
  readonly #findings: Finding[] = []
  readonly #switches = new Switches()

  constructor(where: Where, root: string) {
    this.#where = where
    this.root = root
  }

  settingsFile(source: Source): void {
    const { scope, file } = source
    const objection = OF_PROJECT.includes(scope)
      ? staysInProject(file, this.root)
        ? undefined
        : 'it leads outside the project'
      : foreignHand(file)
    if (objection === undefined) return this.#settings(readDocument(file), source)
    const fix = OF_PROJECT.includes(scope)
      ? 'put the file itself there'
      : `chown it to yourself, and chmod go-w ${file}`
    this.#findings.push(gateError(startOf(file), 'not-read', `${file} is not read: ${objection}`, fix))
  }

  strays(): void {
    this.#findings.push(...strayFindings(this.#where, this.root))
  }

  /** The servers of the user come from a flag, or from code. */
  servers(): void {
    const file = join(this.root, '.mcp.json')
    if (this.root === this.#where.home || !staysInProject(file, this.root)) return
    const { document, findings } = readDocument(file)
    const map = document?.value['mcpServers']
    if (map !== undefined && !isObject(map)) {
      const fix = 'use { "name": { "command": … } }'
      findings.add('error', ['mcpServers'], 'key-type', 'mcpServers is not an object', fix)
    }
    for (const [name, spec] of Object.entries(isObject(map) ? map : {})) {
      const place = findings.place(['mcpServers', name])
      this.#servers.push({ name, spec: isObject(spec) ? spec : { command: spec }, place })
    }
    // A server that is missing opens no gate.
    this.#findings.push(...findings.all.map(finding => ({ ...finding, gate: false })))
  }

  flag(settings: string): void {
    const isJson = settings.trimStart().startsWith('{')
    const file = isJson ? '--settings' : resolve(this.#where.cwd, settings)
    const looked = isJson ? parseDocument(file, settings) : readDocument(file)
    if (looked.document === undefined && looked.findings.all.length === 0)
      looked.findings.gate('error', [], 'settings-missing', `there is no file ${file}`)
    this.#settings(looked, { scope: 'flag', file })
  }

  #settings({ document, findings }: Looked, source: Source): void {
    if (document !== undefined) {
      this.#files.push(source)
      checkKeys(document)
      const settings = readSettings(document, source.scope)
      this.#hooksOf(document, ['hooks'], settings.hooks, { scope: source.scope })
      this.#extension(settings, document, source)
      this.#grants.read(settings, document, source.scope)
      this.sandbox.read(settings.sandbox, source.scope, document)
      this.#switches.read(settings, source.scope, path => findings.place(path))
    }
    this.#findings.push(...findings.all)
  }

  #hooksOf(document: Document, path: KeyPath, map: unknown, own: Partial<LoadedHook> & { scope: Scope }): void {
    if (map === undefined) return
    const placeOf =
      ({ path: hook, rule }: Declared) =>
      (key: string): Place =>
        document.findings.place(key === 'matcher' ? [...(JSON.parse(rule) as KeyPath), key] : [...hook, key])
    const ofProject = OF_PROJECT.includes(own.scope)
    const common = { plugin: undefined, owner: undefined, replaces: undefined, ofProject, ...own }
    for (const declared of readHooks(map, path, document.findings)) {
      const place = document.findings.place(declared.path)
      const isOwnLine = OWN_LINE.test(String(declared.spec['command']))
      const hook = { ...declared, ...common, place, placeOf: placeOf(declared), isOwnLine }
      this.#add(isOwnLine ? { ...hook, ofProject: false } : hook, document)
    }
  }

  /** A project's hook replaces the user's hook of the same name, except on a gate, where both run. */
  #add(hook: LoadedHook, document: Document): void {
    const key = `${hook.event} ${hook.name}`
    const other = hook.name === undefined ? undefined : this.#byName.get(key)
    if (other === undefined) this.#byName.set(key, hook)
    if (other !== undefined && hook.ofProject && other.scope === 'user') {
      if (rowOf(hook.event).failure === 'open') {
        document.findings.add('info', hook.path, 'name-replaced', `${hook.name} replaces ${where(other)}`)
        this.#hooks.push({ ...hook, replaces: other })
        return
      }
      const message = `${hook.name} has the name of ${where(other)}; on a gate both run`
      document.findings.add('info', hook.path, 'name-shared', message)
    }
    this.#hooks.push(hook)
  }

  #extension({ carabiner = {} }: SettingsFile, document: Document, { scope, file }: Source): void {
    this.#hooksOf(document, ['carabiner', 'hooks'], carabiner.hooks, { scope })
    for (const module of carabiner.modules ?? [])
      this.module(
        module,
        scope,
        OF_PROJECT.includes(scope) ? this.root : dirname(file),
        document.findings.place(['carabiner', 'modules'])
      )
  }

  module(path: string, scope: Scope, base: string, place: Place): void {
    this.#modules.push({ file: resolve(base, path), scope, place, ofProject: OF_PROJECT.includes(scope) })
  }

  plugins(folders: readonly string[]): void {
    const installed = installedPlugins(this.#where, this.root)
    this.#findings.push(...installed.findings.all)
    for (const [name, { on, scope, place }] of this.#switches.plugins) {
      const root = installed.folders.get(name)
      if (on && root === undefined) this.#findings.push(notInstalled(name, place, OF_PROJECT.includes(scope)))
      else if (on && root !== undefined) this.#plugin(name, root, scope)
    }
    for (const folder of folders) this.#plugin(undefined, resolve(this.#where.cwd, folder), 'flag')
  }

  /** A plugin that managed policy enables is managed: no other settings can disable it. */
  #plugin(given: string | undefined, folder: string, enabledBy: Scope): void {
    const { name, id, root, data, maps, findings } = loadPlugin(given, folder, this.#where)
    const managed = enabledBy === 'managed'
    const ofProject = OF_PROJECT.includes(enabledBy)
    const scope: Scope = managed ? 'managed' : 'plugin'
    const more = { scope, plugin: { name: id, root, data, managed }, ofProject }
    for (const { document, path, map } of maps) this.#hooksOf(document, path, map, more)
    this.#findings.push(...findings.flatMap(({ all }) => all.map(each => ({ ...each, ofProject }))))
    const plugin = { name, id, root, data, managed, ofProject }
    const objection = pluginNameProblem(plugin, this.#plugins)
    if (objection !== undefined) this.#findings.push(objection)
    else if (!this.#plugins.some(each => each.root === root)) this.#plugins.push(plugin)
  }

  owners(options: LoadOptions): void {
    const { home } = this.#where
    const own = { folder: join(home, '.claude'), ofProject: false, plugin: undefined }
    const project = { folder: join(this.root, '.claude'), ofProject: true, plugin: undefined }
    if (isAsked('user', options)) this.#ownersOf(own)
    if (this.root !== home && isAsked('project', options)) this.#ownersOf(project)
    for (const plugin of this.#plugins) this.#ownersOf({ folder: plugin.root, ofProject: plugin.ofProject, plugin })
  }

  #ownersOf(folder: OwnerFolder): void {
    for (const { owner, findings } of findOwners(folder)) {
      if (owner !== undefined) {
        const { kind, name, document, ofProject, plugin } = owner
        this.#owners.push(owner)
        this.#allowed.push(...ownerGrants(owner))
        const scope: Scope = kind === 'agent' ? kind : 'skill'
        const more = { scope, owner: name, ofProject, plugin: plugin && { ...plugin, name: plugin.id } }
        if (document !== undefined) this.#hooksOf(document, ['hooks'], document.value['hooks'], more)
      }
      this.#findings.push(...findings)
    }
  }

  result(): Loaded {
    const [where, root, files] = [this.#where, this.root, this.#files]
    return {
      root,
      files,
      // Few sessions watch files.
      get watched() {
        const all = new Set([...watchedBy(where, root), ...files.map(({ file }) => file)])
        all.delete('--settings')
        return [...all]
      },
      hooks: this.#hooks,
      ...this.#grants.result(),
      sandbox: this.sandbox.result(),
      modules: this.#modules,
      servers: this.#servers,
      plugins: this.#plugins,
      owners: this.#owners,
      grants: this.#allowed,
      findings: this.#findings,
      ...this.#switches.result()
    }
  }
}

const notInstalled = (name: string, place: Place, ofProject: boolean): Finding => {
  const message = `the plugin ${name} is enabled, and not installed`
  return { ...gateError(place, 'plugin-missing', message, 'install it, or disable it'), ofProject }
}

const where = ({ place }: LoadedHook): string => `${place.file}:${place.line}`
