/** A project with a hook, a script and a file beside it, and what is known of its trust. */
import { expect } from 'vitest'
import { giveTrust, trustOf, type Trust, type TrustOptions } from '../../../src/settings.ts'
import { settingsScene, type SettingsScene } from '../settings-kit.ts'
import { commandOn } from '../../support/command-settings.ts'

/** The hook of the project: a script of its own, which reads the file beside it. */
export const COMMAND = '.claude/hooks/check.sh'
export const TRUST_SETTINGS = commandOn('PreToolUse', COMMAND, 'Bash')

export interface Trusting extends SettingsScene {
  /** What is known of trust, the files read anew. */
  trust(options?: TrustOptions): Trust
  give(folder?: boolean): Trust
}

export function trustScene(settings: object = TRUST_SETTINGS): Trusting {
  const here = settingsScene()
  here.ofProject(settings)
  here.write('project/.claude/hooks/check.sh', '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n')
  here.write('project/.claude/hooks/lib.sh', 'exit 0\n')
  return {
    ...here,
    trust: options => trustOf(here.load(), here.where, options),
    give: folder => giveTrust(here.load(), here.where, folder)
  }
}

/** The same with its trust given. */
export function trusted(settings?: object): Trusting {
  const here = trustScene(settings)
  expect(here.give()).toMatchObject({ state: 'trusted', by: 'store' })
  expect(here.trust()).toMatchObject({ state: 'trusted', by: 'store', changes: [] })
  return here
}
