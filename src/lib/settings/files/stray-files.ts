import { join } from 'node:path'
import { nearMiss } from '../../util/near.ts'
import { isObject } from '../../util/plain.ts'
import { isFolder } from '../../world/files/paths.ts'
import { readDocument } from './document.ts'
import { findingOf, gateError, startOf, type Finding } from './finding.ts'
import { closedFolder, mayBeThere, namesIn, USUAL_MANAGED, type Where } from './sources.ts'

const ENDING = /\.(?:json[5c]?|ya?ml|toml)(?:\.txt)?$/i

/** Files and folders that seem to hold settings, and are not read. */
export function strayFindings({ home, ownHome, managed }: Where, root: string): readonly Finding[] {
  const claude = new Set([home, root].map(base => join(base, '.claude')))
  const names = new Map(Array.from(claude, folder => [folder, ['settings.json', 'settings.local.json']]))
  names.set(ownHome, ['settings.json'])
  for (const folder of managed) names.set(folder, ['managed-settings.json', 'managed-settings.d'])
  return [
    ...Array.from(names).flatMap(([folder, known]) => misnamedIn(folder, known)),
    ...unreadLocal(join(home, '.claude/settings.local.json')),
    ...managed.flatMap(managedStrays),
    ...Array.from(claude).flatMap(folder => (isFolder(folder) ? [] : closedFolder(folder)))
  ]
}

const stray = (file: string, fix: string): Finding => gateError(startOf(file), 'not-read', `${file} is not read`, fix)

const misnamedIn = (folder: string, known: readonly string[]): readonly Finding[] =>
  namesIn(folder, '').flatMap(name => {
    const meant = meantBy(name, known)
    return meant === undefined ? [] : [stray(join(folder, name), `call it ${meant}, or something else`)]
  })

/** The name under which a file would be read; `undefined` if it has that name already, or is something else. */
function meantBy(name: string, known: readonly string[]): string | undefined {
  const ofManaged = known.includes('managed-settings.json')
  if (known.includes(name) || !/^[a-z][\w.-]*$/i.test(name) || !(ofManaged || ENDING.test(name))) return undefined
  const plain = name.replace(ENDING, '.json').replace(/^(?=settings\.)/i, ofManaged ? 'managed-' : '')
  return known.includes(plain) ? plain : nearMiss(plain, known)
}

/** Claude Code writes this file when it runs in the home directory, and reads it only there. */
function unreadLocal(file: string): readonly Finding[] {
  if (!mayBeThere(file)) return []
  const { hooks, permissions } = readDocument(file).document?.value ?? {}
  const restricts = hooks !== undefined || (isObject(permissions) && ('deny' in permissions || 'ask' in permissions))
  const level = restricts ? 'warning' : 'info'
  return [findingOf(level, startOf(file), restricts, ['home-local', `${file} is not read`])]
}

function managedStrays(folder: string): readonly Finding[] {
  if (USUAL_MANAGED.includes(folder) && !mayBeThere(folder)) return []
  const more = join(folder, 'managed-settings.d')
  const servers = join(folder, 'managed-mcp.json')
  const others = namesIn(more, '').filter(name => !name.endsWith('.json') && ENDING.test(name))
  return [
    ...others.map(name => stray(join(more, name), 'rename it to end in .json')),
    ...closedFolder(more),
    ...(mayBeThere(servers)
      ? [findingOf('warning', startOf(servers), true, ['managed-mcp', `${servers} is not read`])]
      : []),
    ...(USUAL_MANAGED.includes(folder) || isFolder(folder)
      ? []
      : [stray(folder, 'it is not a folder: correct CARABINER_MANAGED_DIR')])
  ]
}
