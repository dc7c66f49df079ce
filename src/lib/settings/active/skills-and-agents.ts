import { readdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { errorMessage } from '../../errors.ts'
import type { Document } from '../files/document.ts'
import { gateError, startOf, type Finding } from '../files/finding.ts'
import { readFrontmatter } from '../files/frontmatter.ts'
import { checkOwnerKeys } from '../files/keys.ts'
import type { EnabledPlugin, LoadedGrant, LoadedOwner } from '../files/loaded-hooks.ts'
import { closed, closedFolder, mayBeThere, namesIn } from '../files/sources.ts'

/** Between a plugin and what it brings, and between a folder of slash commands and its files. */
const SEPARATOR = ':'

export interface OwnerFolder {
  readonly folder: string
  readonly ofProject: boolean
  readonly plugin: EnabledPlugin | undefined
}

export interface FoundOwner {
  readonly owner: LoadedOwner | undefined
  readonly findings: readonly Finding[]
}

/** Skills, slash commands and subagents of a folder, from Markdown files. Of two with one name, the later is used. */
export function* findOwners({ folder, ofProject, plugin }: OwnerFolder): Generator<FoundOwner> {
  yield { owner: undefined, findings: closedFolder(join(folder, 'skills')) }
  const [commands, agents] = [join(folder, 'commands'), join(folder, 'agents')]
  for (const file of yield* filesIn(commands)) {
    const parts = relative(commands, file).replace(/\.md$/, '').split(/[/\\]/)
    yield found('command', file, parts)
  }
  for (const name of namesIn(join(folder, 'skills'), '')) {
    const file = join(folder, 'skills', name, 'SKILL.md')
    if (mayBeThere(file)) yield found('skill', file, [name])
  }
  for (const file of yield* filesIn(agents)) yield found('agent', file, [basename(file, '.md')])

  function found(kind: LoadedOwner['kind'], file: string, parts: readonly string[]): FoundOwner {
    const { document, findings: said } = readFrontmatter(file)
    if (document !== undefined) checkOwnerKeys(kind, document)
    const findings = said.all
    // Beside agents there may be a README.
    if (kind === 'agent' && document === undefined && findings.length === 0) return { owner: undefined, findings }
    const given = kind === 'command' ? undefined : document?.value['name']
    const named = typeof given === 'string' ? [given] : parts
    const stray = named.find(part => part.includes(SEPARATOR))
    if (stray !== undefined) return { owner: undefined, findings: [...findings, separatorIn(stray, kind, file)] }
    const name = [...(plugin === undefined ? [] : [plugin.name]), ...named].join(SEPARATOR)
    return { owner: { kind, name, file, document, ofProject, plugin }, findings }
  }
}

/** A link may lead to a whole disk. */
const MOST_ENTRIES = 10_000

/** Sorted by name. Links to folders are not followed. */
function* filesIn(folder: string): Generator<FoundOwner, readonly string[]> {
  const [files, folders]: [string[], string[]] = [[], [folder]]
  let seen = 0
  for (const each of mayBeThere(folder) ? folders : [])
    try {
      for (const entry of readdirSync(each, { withFileTypes: true })) {
        const path = join(each, entry.name)
        if (entry.isDirectory()) folders.push(path)
        else if (entry.name.endsWith('.md')) files.push(path)
        if (++seen > MOST_ENTRIES) return yield* notRead(folder, `there are more than ${MOST_ENTRIES} files in it`)
      }
    } catch (error) {
      yield* notRead(each, errorMessage(error))
    }
  return files.toSorted()
}

function* notRead(folder: string, why: string): Generator<FoundOwner, readonly string[]> {
  yield { owner: undefined, findings: [closed(folder, why)] }
  return []
}

function separatorIn(name: string, what: string, file: string): Finding {
  const message = `the ${what} ${JSON.stringify(name)} has a ${SEPARATOR} in its name, which is reserved for plugin prefixes`
  return gateError(startOf(file, 'name'), 'name-separator', message)
}

/** Why a plugin cannot have its name, so that nothing of it can be called; `undefined` if it can. */
export function pluginNameProblem(plugin: EnabledPlugin, others: readonly EnabledPlugin[]): Finding | undefined {
  const { name, root } = plugin
  if (name.includes(SEPARATOR)) return separatorIn(name, 'plugin', root)
  const other = others.find(each => each.name === name && each.root !== root)
  if (other === undefined) return undefined
  const message = `two plugins are called ${name}: ${other.root} and ${root}`
  return gateError(startOf(root, 'name'), 'plugin-name-taken', message)
}

/** The `allowed-tools` of a skill or a slash command: allowed without a question while it is active. */
export function ownerGrants({ kind, name, document, ofProject, plugin }: LoadedOwner): readonly LoadedGrant[] {
  if (kind === 'agent' || document === undefined) return []
  const place = document.findings.place(['allowed-tools'])
  return rulesIn(document).map(rule => ({
    owner: name,
    rule: withPluginPaths(rule, plugin),
    place,
    ofProject
  }))
}

/** A list, or rules with commas or blanks between; within parentheses these belong to the rule. */
function rulesIn({ value }: Document): readonly string[] {
  const given = value['allowed-tools']
  if (Array.isArray(given)) return given.filter((rule): rule is string => typeof rule === 'string')
  return typeof given === 'string' ? (given.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []) : []
}

export const withPluginPaths = (text: string, plugin: EnabledPlugin | undefined): string =>
  plugin === undefined
    ? text
    : text.replaceAll('${CLAUDE_PLUGIN_ROOT}', () => plugin.root).replaceAll('${CLAUDE_PLUGIN_DATA}', () => plugin.data)
