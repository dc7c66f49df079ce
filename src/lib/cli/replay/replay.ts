import { resolve } from 'node:path'
import { CarabinerError } from '../../errors.ts'
import { fault } from '../../faults.ts'
import { gapText } from '../../transcript/load.ts'
import { isFolder } from '../../world/files/paths.ts'
import { decideProjectHooks, EXIT, loadProjectState, reportUntrusted, type ProjectState } from '../common.ts'
import type { ReplayFlags } from '../flags.ts'
import { needsNoTrust } from '../gate.ts'
import { escapeLine, printError, printLine, safeOutput } from '../print.ts'
import { openSession, type StoredSession } from '../sessions/load.ts'
import { agentFiles, findSession } from '../sessions/session-lookup.ts'
import { reserveOutput, writeSlowly } from '../standard-streams.ts'
import { printProse } from '../terminal/width.ts'
import { movedTo, recordedIn, type RecordedCall } from './recorded.ts'
import { compare, printGroups, skippedLine, DecisionTally } from './report.ts'
import { Today, type Now, type SkippedHook } from './today.ts'

/** `carabiner replay`: what today's hooks and rules would decide about recorded calls. No tool runs. */
export async function replaySessions(names: readonly string[], given: ReplayFlags): Promise<number> {
  const flags = fromHere(given)
  if (names.length === 0) throw fault('E_USAGE', 'name a session or a transcript')
  reserveOutput()
  const replay = new Replay(flags)
  const policies: (readonly [StoredSession, ProjectState, boolean])[] = []
  // All of them are looked at before anything is judged.
  for (const name of names) {
    const found = findSession(/[./\\]/.test(name) ? resolve(name) : name, flags)
    const session = replay.attempt(name, () => openSession(found))
    const folder = flags.cwd ?? session?.cwd ?? ''
    if (session !== undefined && !isFolder(folder))
      replay.problems.push(`${name}: its folder ${folder} is not there: name one with --cwd`)
    if (session === undefined || !isFolder(folder)) continue
    const state = loadProjectState({ ...flags, cwd: folder })
    const trusted = needsNoTrust(state) || decideProjectHooks(state, flags)
    if (trusted === undefined) return reportUntrusted(state)
    policies.push([session, state, trusted])
  }
  replay.ids = new Set(policies.map(([{ id }]) => id))
  const ofOthers = new Set(policies.flatMap(([session]) => agentFiles(session).map(({ path }) => path)))
  for (const [session, state, trusted] of policies)
    if (!ofOthers.has(session.path)) await replay.session(session, state, trusted)
  return replay.end()
}

/** Sessions have folders of their own: paths on the command line are those of the folder it was started in. */
const fromHere = ({ hooks, pluginDir, settings, ...flags }: ReplayFlags): ReplayFlags => ({
  ...flags,
  ...(hooks && { hooks: hooks.map(file => resolve(file)) }),
  ...(pluginDir && { pluginDir: pluginDir.map(folder => resolve(folder)) }),
  ...(settings !== undefined && { settings: /^\s*\{/.test(settings) ? settings : resolve(settings) })
})

interface Walk {
  readonly today: Today
  readonly main: StoredSession
  /** The subagents of the session, and their types. */
  readonly agents: Map<string, string | undefined>
  moved<T>(value: T): T
  /** That of the last prompt: lines of subagents do not have it. */
  mode?: string | undefined
}

const MOST_GAPS = 5

class Replay {
  ids: ReadonlySet<string> = new Set()
  readonly problems: string[] = []
  readonly #flags: ReplayFlags
  readonly #tally = new DecisionTally()
  readonly #skipped = new Map<string, SkippedHook>()
  readonly #unmatched: Set<string>
  readonly #notes = new Set<string>()
  readonly #sessions: object[] = []
  #code: number | undefined
  #separator = '{\n  "version": 1,\n  "calls": ['

  constructor(flags: ReplayFlags) {
    this.#flags = flags
    this.#unmatched = new Set(flags.safeHook)
  }

  /** One file that cannot be read does not hide the others. */
  attempt<T>(name: string, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof CarabinerError)) throw error
      this.problems.push(`${name}: ${error.forCommandLine ?? error.message}`)
      return undefined
    }
  }

  async session(session: StoredSession, state: ProjectState, trusted: boolean): Promise<void> {
    const today = new Today(state, this.#flags)
    const problem = await today.open(trusted)
    try {
      if (problem === undefined) await this.#judge(session, state, today)
      else {
        this.problems.push(`no call of ${session.id} can be judged: ${problem}`)
        this.#code = EXIT.badSettings
      }
    } finally {
      await today.close()
    }
    for (const mark of today.matched) this.#unmatched.delete(mark)
    for (const [name, { calls, ...hook }] of today.skipped)
      this.#skipped.set(name, { ...hook, calls: calls + (this.#skipped.get(name)?.calls ?? 0) })
  }

  async #judge(session: StoredSession, { where, loaded }: ProjectState, today: Today): Promise<void> {
    const { id, path, isForeign, cwd } = session
    const isMoved = cwd !== '' && cwd !== where.cwd && this.#flags.cwd !== undefined
    if (isMoved) this.#notes.add(`paths in ${cwd} are judged as if they were in ${where.cwd}`)
    const agents = new Map(agentFiles(session).map(file => [file.id, file.type]))
    const walk: Walk = {
      today,
      main: session,
      agents,
      moved: value => (isMoved ? movedTo(value, cwd, where.cwd) : value)
    }
    await this.#walk(session, undefined, walk)
    // More are found on the way.
    for (const [agent, type] of agents) {
      const own = this.attempt(agent, () => openSession(session, agent))
      // Without its hooks, more might be allowed.
      const leave = own && this.attempt(agent, () => today.enter(type ?? ''))
      if (own !== undefined && leave !== undefined) await this.#walk(own, agent, walk)
      leave?.()
    }
    this.#sessions.push({ id, path, format: isForeign ? 'claude-code' : 'carabiner', cwd, folder: loaded.root })
  }

  async #walk(session: StoredSession, agent: string | undefined, walk: Walk): Promise<void> {
    const { today, agents, moved, main } = walk
    const ofAgent = agent !== undefined && { agent_id: agent, agent_type: agents.get(agent) ?? 'unknown' }
    const common = { session_id: main.id, transcript_path: main.path, ...ofAgent }
    const site = { common, isForeign: session.isForeign }
    const open = new Map<string, readonly [RecordedCall, Now]>()
    for (const item of recordedIn(session, this.ids)) {
      if ('agent' in item) {
        agents.set(item.agent, agents.get(item.agent) ?? item.type)
        continue
      }
      const call = 'call' in item ? moved({ ...item.call, mode: (walk.mode = item.call.mode ?? walk.mode) }) : undefined
      const judged = call === undefined ? open.get(item.id) : ([call, await today.judge(call, site)] as const)
      if (judged === undefined) continue
      open.delete(item.id)
      if (item.past === undefined) open.set(item.id, judged)
      else await this.#add({ session: main.id, agent, ...compare(judged[0], moved(item.past), judged[1]) })
    }
    const { gaps, path } = session
    for (const gap of gaps.slice(0, MOST_GAPS)) this.#notes.add(`${path}: ${gapText(gap)}`)
    if (gaps.length > MOST_GAPS) this.#notes.add(`${path}: ${gaps.length - MOST_GAPS} more gaps`)
  }

  async #add(call: Parameters<DecisionTally['add']>[0]): Promise<void> {
    this.#tally.add(call)
    if (this.#flags.json !== true) return
    await writeSlowly(safeOutput(`${this.#separator}\n    ${JSON.stringify(call)}`))
    this.#separator = ','
  }

  async end(): Promise<number> {
    const names = [...this.#skipped.keys()].join(', ') || 'none'
    for (const name of this.#unmatched)
      this.problems.push(`--safe-hook: no hook is called ${name} (there are: ${names})`)
    if (this.#unmatched.size > 0) this.#code ??= EXIT.usage
    const { totals } = this.#tally
    const skipped = [...this.#skipped.values()].filter(({ calls }) => calls > 0)
    const groups = this.#tally.groups(this.#flags.all)
    const notes = [...this.#notes, ...this.#tally.notes]
    if (this.#flags.json === true) {
      const rest = { sessions: this.#sessions, groups, skipped, notes, problems: this.problems, totals }
      const start = this.#separator === ',' ? '' : this.#separator
      await writeSlowly(safeOutput(`${start}\n  ],\n  ${JSON.stringify(rest, null, 2).slice(4)}\n`))
    } else {
      printGroups(groups)
      if (groups.length > 0) printLine()
      for (const line of [...skipped.map(skippedLine), ...notes.map(escapeLine)]) printProse(line)
      for (const problem of this.problems) printError(`carabiner: ${escapeLine(problem)}`)
      if (this.#sessions.length > 0) printLine(this.#tally.summary)
    }
    const isOtherwise = this.#flags.failOnChange === true && totals.changed + totals.unknown > 0
    return this.#code ?? (this.problems.length > 0 || isOtherwise ? EXIT.failed : EXIT.done)
  }
}
