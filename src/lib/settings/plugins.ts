import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isObject, type PlainObject } from '../util/plain.ts'
import { parseDocument, readDocument, type Document, type Looked } from './document.ts'
import { Findings, keyOf, type Finding } from './finding.ts'
import { isWithin, type Where } from './sources.ts'

/** A plugin that is enabled, and the documents in which it declares hooks. */
export interface LoadedPlugin {
  readonly name: string
  readonly root: string
  readonly data: string
  readonly documents: readonly Document[]
  readonly findings: readonly Finding[]
}

/** Where installed plugins are, by their full name (`name@marketplace`). */
export function installedPlugins({ home }: Where): ReadonlyMap<string, string> {
  const { document } = readDocument(join(home, '.claude/plugins/installed_plugins.json'))
  const plugins = document?.value['plugins']
  const found = new Map<string, string>()
  for (const [name, value] of Object.entries(isObject(plugins) ? plugins : {})) {
    const installs: readonly unknown[] = Array.isArray(value) ? value : [value]
    const path = installs
      .map(install => (isObject(install) ? install['installPath'] : undefined))
      .find(each => typeof each === 'string')
    if (typeof path === 'string') found.set(name, path)
  }
  return found
}

/** Reads what a plugin says about hooks. Paths in its manifest stay within it. */
export function loadPlugin(name: string, root: string, where: Where): LoadedPlugin {
  const manifest = readDocument(join(root, '.claude-plugin/plugin.json'))
  const looked = [manifest, ...hookDocuments(root, manifest.document)]
  const documents = looked.slice(1).flatMap(({ document }) => (document === undefined ? [] : [document]))
  const missing = existsSync(root) ? [] : [nowhere(root, `the plugin ${name} is not at ${root}`)]
  return {
    name,
    root,
    data: join(where.ownHome, 'plugins', name.replaceAll(/[^\w.@-]/g, '_')),
    documents,
    findings: [...missing, ...looked.flatMap(({ findings }) => findings.all)]
  }
}

function hookDocuments(root: string, manifest: Document | undefined): readonly Looked[] {
  const declared = manifest?.value['hooks']
  const usual = readDocument(join(root, 'hooks/hooks.json'))
  if (declared === undefined) return [usual]
  const parts: readonly unknown[] = Array.isArray(declared) ? declared : [declared]
  return [usual, ...parts.map(part => (typeof part === 'string' ? within(root, part) : inline(manifest!, part)))]
}

function within(root: string, path: string): Looked {
  const file = resolve(root, path)
  if (isWithin(file, root)) return readDocument(file)
  const findings = new Findings(at => ({ file, line: 1, column: 1, key: keyOf(at) }))
  findings.add(
    'error',
    'outside-plugin',
    [],
    `${path} is not within the plugin`,
    'keep the hooks of a plugin inside it',
    true
  )
  return { document: undefined, findings }
}

const inline = ({ file }: Document, part: unknown): Looked => parseDocument(file, JSON.stringify(part))

const nowhere = (file: string, message: string): Finding => ({
  level: 'error',
  code: 'plugin-missing',
  place: { file, line: 1, column: 1, key: '' },
  message,
  fix: 'install it again, or disable it',
  gate: false
})

/** The map of events in a plugin's document: under `hooks`, or the document itself. */
export const eventMapOf = ({ value }: Document): { readonly path: readonly string[]; readonly map: unknown } => {
  if (value['hooks'] !== undefined) return { path: ['hooks'], map: value['hooks'] }
  const { description: _, ...map }: PlainObject = value
  return { path: [], map }
}
