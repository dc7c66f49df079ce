import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { realPath } from '../../world/files/paths.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { makeFolders } from '../../world/files/own-file.ts'
import { readDocument, type Document, type Looked } from './document.ts'
import type { KeyPath } from '../../schema/check.ts'
import { Findings, startOf, type Place, type FindingWords } from './finding.ts'
import type { EnabledPlugin } from './loaded-hooks.ts'
import { staysInProject, namesIn, type Where } from './sources.ts'
import { attempt } from '../../util/attempt.ts'

interface LoadedPlugin extends Pick<EnabledPlugin, 'name' | 'id' | 'root' | 'data'> {
  readonly maps: readonly HookMap[]
  /** One per file; reading its hooks may add to them. */
  readonly findings: readonly Findings[]
}

interface HookMap {
  readonly document: Document
  readonly path: KeyPath
  readonly map: unknown
}

/** By `name@marketplace`: as installed for this project, else for the user; never those of another project. */
export function installedPlugins(
  { home }: Where,
  root: string
): {
  readonly folders: ReadonlyMap<string, string>
  readonly findings: Findings
} {
  const { document, findings } = readDocument(join(home, '.claude/plugins/installed_plugins.json'))
  const plugins = document?.value['plugins']
  const folders = new Map<string, string>()
  for (const [name, value] of Object.entries(isObject(plugins) ? plugins : {})) {
    const installs: readonly unknown[] = Array.isArray(value) ? value : [value]
    const usable = installs.filter(isObject).filter(({ installPath }) => typeof installPath === 'string')
    const here = usable.find(({ projectPath }) => typeof projectPath === 'string' && realPath(projectPath) === root)
    const install = here ?? usable.find(({ projectPath }) => typeof projectPath !== 'string')
    if (install !== undefined) folders.set(name, String(install['installPath']))
  }
  return { folders, findings }
}

/** The plugins that a folder consists of: it is one, or its marketplace lists some that are in it. */
export function pluginFolders(root: string): readonly string[] {
  const isPlugin = (folder: string): boolean =>
    ['.claude-plugin/plugin.json', 'hooks/hooks.json'].some(part => existsSync(join(folder, part)))
  const listed = readDocument(join(root, '.claude-plugin/marketplace.json')).document?.value['plugins']
  const sources = (Array.isArray(listed) ? listed : []).map((each: unknown) => (isObject(each) ? each['source'] : ''))
  const inside = sources.filter(source => typeof source === 'string').map(source => resolve(root, source))
  const own = existsSync(join(root, '.claude-plugin/plugin.json')) ? [root] : []
  return [...new Set([...own, ...inside.filter(folder => isPlugin(folder) && staysInProject(folder, root))])]
}

/** Paths in the manifest must stay within the plugin. A plugin that is not installed has no id. */
export function loadPlugin(given: string | undefined, root: string, { ownHome }: Where): LoadedPlugin {
  const manifest = readDocument(join(root, '.claude-plugin/plugin.json'))
  const usual = join(root, 'hooks/hooks.json')
  const maps: HookMap[] = []
  const findings = [manifest.findings]
  const take = (looked: Looked): void => {
    findings.push(looked.findings)
    if (looked.document !== undefined) maps.push(mapIn(looked.document, [], looked.document.value))
  }
  const lost = whyNoPlugin(root, manifest.document, given ?? basename(root))
  if (lost !== undefined) findings.push(objection(startOf(root), ...lost))
  take(readDocument(usual))
  for (const { part, path } of partsOf(manifest.document)) {
    if (typeof part !== 'string') maps.push(mapIn(manifest.document!, path, part))
    else if (resolve(root, part) !== usual) take(within(root, part, manifest.findings.place(path)))
  }
  const called = manifest.document?.value['name']
  const name = typeof called === 'string' && called !== '' ? called : (given?.replace(/@[^@]*$/, '') ?? basename(root))
  // Only what is installed has a marketplace behind its name.
  const data = join(ownHome, 'plugins', folderName(given ?? name.replaceAll('@', ' ')))
  return { name, id: given ?? name, root, data, maps, findings }
}

const PARTS = `.claude-plugin/plugin.json hooks/hooks.json commands agents skills SKILL.md .mcp.json .lsp.json
  output-styles themes monitors bin settings.json`.split(/\s+/)

function whyNoPlugin(root: string, manifest: Document | undefined, name: string): FindingWords | undefined {
  if (!existsSync(root)) return ['plugin-missing', `the plugin ${name} is not at ${root}`]
  const has = (part: string): boolean => existsSync(join(root, part))
  if (!PARTS.some(has))
    return has('.claude-plugin/marketplace.json')
      ? ['plugin-marketplace', `${root} is a marketplace, and not one of its plugins`]
      : ['plugin-none', `there is no plugin in ${root}`]
  const stray = ['hooks.json', ...namesIn(join(root, 'hooks'), '.json').map(each => `hooks/${each}`)].find(has)
  if (stray === undefined || has('hooks/hooks.json') || manifest?.value['hooks'] !== undefined) return undefined
  return ['hooks-missing', `${stray} in the plugin ${name} is not read`]
}

/** Characters that a path cannot hold are replaced; a hash then keeps similar names apart. */
function folderName(name: string): string {
  const plain = name.replaceAll(/^\.+|[^\w.@-]/g, '_')
  return plain === name ? name : `${plain}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
}

/** Only this user may read the folder. A failure is left to the hooks that use it. */
export const makeDataFolder = ({ data }: Pick<EnabledPlugin, 'data'>): void => attempt(() => makeFolders(data))

function partsOf(manifest: Document | undefined): readonly { readonly part: unknown; readonly path: KeyPath }[] {
  const hooks = manifest?.value['hooks']
  if (Array.isArray(hooks)) return hooks.map((part: unknown, place) => ({ part, path: ['hooks', place] }))
  return hooks === undefined ? [] : [{ part: hooks, path: ['hooks'] }]
}

function within(root: string, path: string, place: Place): Looked {
  const file = resolve(root, path)
  if (!staysInProject(file, root))
    return { document: undefined, findings: objection(place, 'outside-plugin', `${path} is not within the plugin`) }
  if (existsSync(file)) return readDocument(file)
  return { document: undefined, findings: objection(place, 'hooks-missing', `there is no ${path} in the plugin`) }
}

function objection(place: Place, ...words: FindingWords): Findings {
  const findings = new Findings(() => place)
  findings.gate('error', [], ...words)
  return findings
}

function mapIn(document: Document, path: KeyPath, value: unknown): HookMap {
  if (!isObject(value)) return { document, path, map: value }
  if (value['hooks'] !== undefined) return { document, path: [...path, 'hooks'], map: value['hooks'] }
  const { description: _, ...map }: PlainObject = value
  return { document, path, map }
}
