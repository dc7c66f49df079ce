/** Lines as Claude Code writes them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Project } from '../../support/agent-scene.ts'

export type ClaudeLine = Readonly<Record<string, unknown>> & { readonly type: string }

const COMMON = { isSidechain: false, userType: 'external', cwd: '/home/you/x', sessionId: 'theirs', version: '2.1.190' }
const at = { timestamp: '2026-05-04T10:00:00.000Z' }

export const line = (uuid: string, parentUuid: string | null, more: ClaudeLine): ClaudeLine => ({
  parentUuid,
  ...COMMON,
  ...at,
  ...more,
  uuid
})

export const user = (uuid: string, parent: string | null, content: unknown, more: object = {}): ClaudeLine =>
  line(uuid, parent, { type: 'user', message: { role: 'user', content }, ...more })

export const answerLine = (
  uuid: string,
  parent: string | null,
  block: unknown,
  id = `msg_${uuid}`,
  more: object = {}
): ClaudeLine =>
  line(uuid, parent, {
    type: 'assistant',
    requestId: `req_${id}`,
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus',
      content: [typeof block === 'string' ? { type: 'text', text: block } : block],
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
    },
    ...more
  })

export const readUse = (id: string): object => ({
  type: 'tool_use',
  id,
  name: 'Read',
  input: { file_path: `/x/${id}` }
})
export const resultOf = (id: string, text: string): object => ({ type: 'tool_result', tool_use_id: id, content: text })

export const textOf = (lines: readonly object[]): string => lines.map(each => `${JSON.stringify(each)}\n`).join('')

/** A file with these lines in the folder of a project. */
export function fileOf(lines: readonly object[] | string, place: Pick<Project, 'cwd'>, name = 'theirs.jsonl'): string {
  const path = join(place.cwd, name)
  writeFileSync(path, typeof lines === 'string' ? lines : textOf(lines))
  return path
}
