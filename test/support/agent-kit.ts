/** What tests of the agent need: a temporary project with a separate home, and a run of `query()` in it. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Model } from '../../src/index.ts'
import type { TurnOrMaker } from '../../src/testing.ts'
import { askIn, projectIn, type Asked, type Asking, type Project } from './agent-scene.ts'

export * from './agent-scene.ts'

/** Makes a project with these files; it is gone when the test is over. */
export function project(files: Readonly<Record<string, string>> = {}): Project {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-agent-')))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const made = projectIn(base)
  for (const [name, text] of Object.entries(files)) made.write(name, text)
  return made
}

/** Runs an agent with a model that gives these turns, to its end: in a new project unless one is given. */
export const ask = (
  turns: readonly TurnOrMaker[] | Model,
  { in: place = project(), ...asking }: Asking = {}
): Promise<Asked> => askIn(place, turns, asking)
