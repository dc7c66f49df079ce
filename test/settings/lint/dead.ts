/** Configurations that look right and do nothing: each is one finding that says where it is and what to do. */
import { expect } from 'vitest'
import type { Level } from '../../../src/settings.ts'
import { settingsScene, type SettingsScene, type Settings } from '../settings-kit.ts'

/** A configuration that does nothing, and the one finding that says so. */
export interface Dead {
  readonly what: string
  readonly settings: Settings
  readonly code: string
  readonly key: string
  /** Part of what to do about it. */
  readonly fix: string
  readonly level?: Level
  readonly setUp?: (it: SettingsScene) => unknown
}

/** The line of a key of the file, found by the words around it. */
const lineOf = (text: string, words: string): number => text.slice(0, text.indexOf(words)).split('\n').length

export function check({ what, settings, code, key, fix, level = 'warning', setUp }: Dead): void {
  const it = settingsScene()
  it.programs('prettier', 'log', 'python3')
  setUp?.(it)
  const file = it.ofProject(settings)
  const found = it.findings()
  expect(found, what).toMatchObject([{ level, code, place: { file, key }, fix: expect.stringContaining(fix) }])
  const [last = ''] = key.split('.').slice(-1)
  const name = last.replace(/\[\d+\]$/, '')
  if (name === last) expect(found[0]!.place.line).toBe(lineOf(it.read('project/.claude/settings.json'), `"${name}":`))
  expect(found[0]!.message).not.toBe('')
}

/** The first hook on PreToolUse, and the matcher of its rule. */
export const HANDLER = 'hooks.PreToolUse[0].hooks[0]'
export const MATCHER = 'hooks.PreToolUse[0].matcher'
