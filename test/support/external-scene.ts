/** A project in a temporary folder, with hooks that run in it. Everything is removed when the test is over. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { commandHook, HookEnvironment, type CommandSpec, type HookEnvironmentOptions } from '../../src/external.ts'
import { HookRegistry, type HookMessage, type LateAnswer, type RegistryOptions } from '../../src/hooks.ts'
import { HANG } from './waiting.ts'

export interface HookScene {
  /** The root of the project, without symbolic links. */
  readonly folder: string
  readonly place: HookEnvironment
  readonly hooks: HookRegistry
  readonly notices: readonly string[]
  readonly messages: readonly HookMessage[]
  readonly late: readonly LateAnswer[]
  /** Writes a file of the project; returns its path. */
  write(name: string, text: string): string
  read(name: string): string
  has(name: string): boolean
  path(name: string): string
  /** Registers a command, by default on PreToolUse and with the name `hook`. */
  command(spec: CommandSpec): HookScene
}

export function hookScene(registry: RegistryOptions = {}, outside: HookEnvironmentOptions = {}): HookScene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-')))
  const notices: string[] = []
  const messages: HookMessage[] = []
  const late: LateAnswer[] = []
  const place = new HookEnvironment({ projectDir: folder, onNotice: text => void notices.push(text), ...outside })
  const hooks = new HookRegistry({
    sessionId: 'session-1',
    cwd: folder,
    sink: message => void messages.push(message),
    onLate: answer => void late.push(answer),
    ...registry
  })
  onTestFinished(async () => {
    await place.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const path = (name: string): string => join(folder, name)
  const it: HookScene = {
    ...{ folder, place, hooks, notices, messages, late, path },
    write(name, text) {
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), text, { mode: 0o755 })
      return path(name)
    },
    read: name => readFileSync(path(name), 'utf8'),
    has: name => existsSync(path(name)),
    command(spec) {
      hooks.register(commandHook({ name: 'hook', events: 'PreToolUse', ...spec }, place))
      return it
    }
  }
  return it
}

/** Prints context for the model, on PreToolUse; `words` are expanded by the shell. */
export const contextOf = (words: string): string =>
  `printf '{"hookSpecificOutput":{"additionalContext":"%s"}}' "${words}"`

/** What the words of a line of numbers are. */
export const numbersIn = (text: string): readonly number[] => text.split(/\s+/).filter(Boolean).map(Number)

/** Waits until the file is there and has as many words; gives them back as numbers. */
export async function pidsIn(where: HookScene, name: string, count = 1): Promise<readonly number[]> {
  await vi.waitFor(() => expect(where.has(name) ? numbersIn(where.read(name)).length : 0).toBe(count), HANG)
  return numbersIn(where.read(name))
}
