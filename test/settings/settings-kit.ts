/** A person's home, a project and a folder of managed policy, all in a folder of their own that goes with the test. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { EventName, Reported } from '../../src/hooks.ts'
import {
  armHooks,
  lint,
  loadSettings,
  type ArmedHooks,
  type ArmOptions,
  type Circumstances,
  type Finding,
  type Loaded,
  type LoadedHook,
  type LoadOptions,
  type Where
} from '../../src/settings.ts'
import { harness } from '../../src/testing.ts'

/** Settings as a test writes them: as the file says them, or what it says. */
export type Settings = object | string

export interface SettingsScene {
  readonly home: string
  readonly project: string
  readonly where: Where
  /** Where a file of the scene is: `home/…`, `project/…`, `managed/…`. */
  path(name: string): string
  write(name: string, content: Settings): string
  /** Puts programs of these names into PATH. */
  programs(...names: readonly string[]): void
  read(name: string): string
  user(settings: Settings): string
  ofProject(settings: Settings): string
  local(settings: Settings): string
  managed(settings: Settings): string
  load(options?: LoadOptions): Loaded
  /** What is wrong here, in the files and with the hooks. */
  findings(options?: LoadOptions): readonly Finding[]
  /** The active hooks; the project is trusted unless stated otherwise. Closed when the test is over. */
  arm(circumstances?: Partial<Circumstances>, load?: LoadOptions, options?: ArmOptions): Promise<ArmedHooks>
}

export function settingsScene(): SettingsScene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-')))
  const armed: ArmedHooks[] = []
  onTestFinished(async () => {
    for (const each of armed) await each.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const path = (name: string): string => join(folder, name)
  for (const name of ['home', 'project', 'managed']) mkdirSync(path(name))
  const where: Where = {
    cwd: path('project'),
    home: path('home'),
    ownHome: path('home/.carabiner'),
    managed: [path('managed')]
  }
  const write = (name: string, content: Settings): string => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), typeof content === 'string' ? content : JSON.stringify(content, null, 2), { mode: 0o755 })
    return path(name)
  }
  const load = (options?: LoadOptions): Loaded => loadSettings(where, options)
  return {
    ...{ home: path('home'), project: path('project'), where, path, write, load },
    programs(...names) {
      for (const name of names) write(`bin/${name}`, '#!/bin/sh\n')
    },
    read: name => readFileSync(path(name), 'utf8'),
    user: settings => write('home/.claude/settings.json', settings),
    ofProject: settings => write('project/.claude/settings.json', settings),
    local: settings => write('project/.claude/settings.local.json', settings),
    managed: settings => write('managed/managed-settings.json', settings),
    findings(options) {
      const loaded = load(options)
      const env = { HOME: path('home'), PATH: `${path('bin')}:${process.env['PATH']}` }
      return [...loaded.findings, ...lint(loaded, env)]
    },
    async arm(circumstances, options, arming) {
      const look = () => ({ projectTrusted: true, ...circumstances, loaded: load(options) })
      const hooks = await armHooks(look, arming)
      armed.push(hooks)
      return hooks
    }
  }
}

/** Fires an event with its sample, and what is given on top. */
export const fireArmed = (
  { hooks }: Pick<ArmedHooks, 'hooks'>,
  event: EventName = 'PreToolUse',
  part: object = {}
): Promise<Reported> => harness(hooks).fire(event, part)

/** The context for the model from the hooks that ran, in declared order. None may have failed. */
export async function told(armed: Pick<ArmedHooks, 'hooks'>, event?: EventName, part?: object): Promise<string[]> {
  const { contexts, failures } = await fireArmed(armed, event, part)
  expect(failures).toEqual([])
  return contexts.map(({ text }) => text)
}

/** The commands of hooks. */
export const commandsOf = (hooks: readonly LoadedHook[]): readonly unknown[] => hooks.map(({ spec }) => spec['command'])

/** A finding as a test says it: what it is about, where, and what it is. */
export const brief = ({ level, code, place: { key, line } }: Finding): string => `${level} ${code} ${key}:${line}`
