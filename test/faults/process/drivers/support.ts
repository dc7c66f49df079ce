/** What the drivers share. They run in a process of their own, since their end or their size is what is looked at. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HookEnvironment, commandHook, type CommandSpec } from '../../../../src/external.ts'
import { HookRegistry, type Reported } from '../../../../src/hooks.ts'

const folder = process.env['FAULT_FOLDER'] ?? process.cwd()

/** The test hands a mark over; all that the driver starts inherits it. */
export const place = new HookEnvironment({ projectDir: folder })

/** Waits until there is a file of this name in the folder that the test created. */
export async function appears(name: string): Promise<void> {
  while (!existsSync(join(folder, name))) await new Promise(resolve => setTimeout(resolve, 10))
}

export function registryWith(spec: Omit<CommandSpec, 'name' | 'events'>, where = place): HookRegistry {
  return new HookRegistry().register(commandHook({ ...spec, name: 'gate', events: 'PreToolUse' }, where))
}

export const fireBash = async (hooks: HookRegistry, command = 'ls', signal?: AbortSignal): Promise<Reported> =>
  hooks.fire(
    'PreToolUse',
    { tool_name: 'Bash', tool_input: { command }, tool_use_id: 'toolu_1' },
    { report: true, signal }
  )

/** How an event ended: the kind of its failure, or what was decided. */
export const endOf = ({ failures, decision, blocked }: Reported): string =>
  `${blocked ? 'closed' : 'open'} ${failures[0]?.kind ?? decision ?? 'silent'}`

export const tell = (news: object): void => void process.stdout.write(`${JSON.stringify(news)}\n`)

/** Makes this process too large to start others itself. */
export function grow(megabytes: number): readonly Buffer[] {
  return Array.from({ length: megabytes }, (_, index) => Buffer.alloc(1024 * 1024, 1 + (index % 250)))
}

/** The small process that starts others for a large one, if there is one. */
export const helpers = (): readonly number[] => childrenWith('helper-main')

/** The shell that ends what is left when this process, or another, dies. */
export const reapers = (parent = process.pid): readonly number[] => childrenWith("trap '' INT TERM HUP QUIT", parent)

const childrenWith = (words: string, parent = process.pid): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && parentOf(pid) === parent && commandLineOf(pid).includes(words))

const parentOf = (pid: number): number => Number(/\) \w (\d+) /.exec(fileOf(pid, 'stat'))?.[1] ?? 0)

const commandLineOf = (pid: number): string => fileOf(pid, 'cmdline')

/** The most memory that a process ever had, in megabytes. */
export const peakOf = (pid: number): number => Number(/VmHWM:\s+(\d+) kB/.exec(fileOf(pid, 'status'))?.[1] ?? 0) / 1024

function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}
