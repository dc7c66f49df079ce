/** Helpers for tests of resumed sessions. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { tool } from '../../../src/index.ts'
import { projectKeyOf, signaturesIn } from '../../../src/lib/query/session-choice.ts'
import { signedPart } from '../../../src/lib/transcript/seal.ts'
import type { TurnOrMaker } from '../../../src/testing.ts'
import { ask, type Asked, type Asking, type Project } from '../../support/agent-kit.ts'

/** A session with an id. */
export const first = (place: Project, turns: readonly TurnOrMaker[], options: Asking = {}): Promise<Asked> =>
  ask(turns, { in: place, persistSession: true, sessionId: 'known', ...options })

/** Another run that continues with it. */
export const again = (place: Project, turns: readonly TurnOrMaker[], options: Asking = {}): Promise<Asked> =>
  ask(turns, { in: place, persistSession: true, resume: 'known', prompt: 'and now', ...options })

export const logOf = ({ home, cwd }: Project, id = 'known'): string =>
  join(home, '.carabiner', 'projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`)

export type LogLine = Readonly<Record<string, unknown>>

export const logLines = (place: Project, id?: string): readonly LogLine[] =>
  readFileSync(logOf(place, id), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as LogLine)

/** Cuts the log behind the first line that fits, as if we had been ended there. */
export function cutBehind(place: Project, fits: (line: LogLine) => boolean, id?: string): void {
  const at = logLines(place, id).findIndex(fits)
  expect(at).toBeGreaterThanOrEqual(0)
  const lines = readFileSync(logOf(place, id), 'utf8').split('\n')
  writeFileSync(logOf(place, id), `${lines.slice(0, at + 1).join('\n')}\n`)
  endAt(place, lines.slice(0, at + 1), id)
}

/** The head of the signatures as it was when the last of these lines was acknowledged. */
function endAt({ home, cwd }: Project, lines: readonly string[], sessionId = 'known'): void {
  const key = { projectKey: projectKeyOf(cwd), sessionId }
  const signatures = signaturesIn(join(home, '.carabiner'))
  const [before, last] = [lines.at(-2) ?? '{}', lines.at(-1)!]
  signatures.forget(key)
  const { mac } = JSON.parse(before) as { mac?: string }
  const chain = signatures.chainFor(key, { last: lines.length, ...(mac !== undefined && { mac }) })
  const part = signedPart(Buffer.from(last))
  if (part !== undefined) chain.sign(part)
  if (part !== undefined) chain.writeHead(chain.headAt((JSON.parse(last) as { seq: number }).seq))
  chain.close()
}

export const isOf =
  (type: string) =>
  (line: LogLine): boolean =>
    line['type'] === type

/** Tools that count how often they were begun: one that has effects, and one that has none. */
export function counting() {
  const begun: string[] = []
  const make = (name: string, readOnlyHint = false) =>
    tool(
      name,
      name,
      {},
      async () => {
        begun.push(name)
        return { content: [{ type: 'text', text: `${name} done` }] }
      },
      { annotations: { readOnlyHint } }
    )
  return { begun, tools: [make('write'), make('look', true)] }
}
