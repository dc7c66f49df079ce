import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fault } from '../errors.ts'
import { Outside } from '../hooks/kinds/outside.ts'
import type { Loaded } from '../settings/loaded.ts'
import type { Where } from '../settings/sources.ts'
import type { ToolSession } from '../tools/tool.ts'
import type { Log } from '../transcript/entry.ts'
import { JsonlLog } from '../transcript/jsonl.ts'
import { MemoryLog } from '../transcript/memory.ts'
import { VERSION } from '../version.ts'
import { makeFolders } from '../world/make-folders.ts'
import type { QueryOptions } from './options.ts'

/** Where a session works, and what ends with it. */
export interface Place {
  readonly tools: ToolSession
  /** Hooks write variables there, and commands get them. */
  readonly envFile: string
  close(): Promise<void>
}

const SESSION_ID = /^[\w-]{1,128}$/

export function placeOf(ground: {
  readonly options: QueryOptions
  readonly where: Where
  readonly loaded: Loaded
  readonly env: Readonly<Record<string, string | undefined>>
}): Place {
  const { options, where, loaded, env } = ground
  const id = options.sessionId ?? randomUUID()
  if (!SESSION_ID.test(id)) throw fault('E_OPTION_INVALID', 'sessionId', JSON.stringify(id), 'letters, digits, _ and -')
  const folder = join(where.ownHome, 'sessions', id)
  const envFile = join(folder, 'env.sh')
  const closing: (() => void | Promise<void>)[] = []
  const given = [...loaded.directories, ...(options.additionalDirectories ?? [])]
  return {
    envFile,
    tools: {
      id,
      root: loaded.root,
      cwd: where.cwd,
      directories: given.map(each => real(resolve(where.cwd, each))),
      env: new Outside({ projectDir: loaded.root, env }).inherited(),
      envFile,
      outputFolder: join(folder, 'tool-results'),
      seen: new Map(),
      background: new Map(),
      onClose: close => void closing.push(close)
    },
    async close() {
      await Promise.allSettled(closing.map(async close => close()))
    }
  }
}

function real(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** The transcript, where others look for one: a folder a project, a file a session. */
export function logOf(
  { persistSession }: QueryOptions,
  where: Where,
  { tools, envFile }: Place,
  agentId?: string
): Log {
  if (persistSession === false) return new MemoryLog()
  makeFolders(dirname(envFile))
  const folder = join(where.ownHome, 'projects', where.cwd.replaceAll(/[^A-Za-z0-9]/g, '-'))
  const file = agentId === undefined ? `${tools.id}.jsonl` : join(tools.id, 'subagents', `agent-${agentId}.jsonl`)
  return new JsonlLog({
    path: join(folder, file),
    agentId,
    sessionId: tools.id,
    version: VERSION,
    entrypoint: 'carabiner',
    cwd: () => tools.cwd
  })
}
