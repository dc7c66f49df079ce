import type { FireInput } from '../../hooks/events/event-table.ts'
import type { HookDescription, HookFunction } from '../../hooks/hook.ts'
import { decide } from '../../permissions/decide.ts'
import { MODES, type Mode } from '../../permissions/modes.ts'
import type { Ruling } from '../../permissions/policy.ts'
import { sourceOf } from '../../settings/files/finding.ts'
import { AGENT_TYPES } from '../../settings/files/handlers.ts'
import { isWithinPolicy } from '../../settings/permissions/tightness.ts'
import { TOOL_NAMES } from '../../tool-table.ts'
import { attempt } from '../../util/attempt.ts'
import { same, type PlainObject } from '../../util/plain.ts'
import { isFolder, isThere } from '../../world/files/paths.ts'
import type { ProjectState } from '../common.ts'
import type { ReplayFlags } from '../flags.ts'
import { countedAnswer, openGate, type FolderGate } from '../gate.ts'
import { withAbsolutePaths } from '../host/plain-input.ts'
import { factsHere } from '../rules/policy.ts'
import type { RecordedCall } from './recorded.ts'

/** What is decided now. `none`: no hook or rule decides, and what the agent or the tool would do is not known. */
export interface Now {
  readonly decision: 'allow' | 'ask' | 'defer' | 'deny' | 'none' | 'unknown'
  readonly by?: string | undefined
  readonly reason?: string | undefined
  /** The input that would be used, and whether hooks have changed it. */
  readonly input?: PlainObject
  readonly isRewritten: boolean
  readonly skipped?: readonly string[]
  /** What cannot be judged as past. */
  readonly doubts: readonly string[]
}

/** A hook outside this process that was not asked. */
export interface SkippedHook {
  readonly name: string
  readonly source: string
  /** Why it cannot be marked as safe. */
  readonly why?: string | undefined
  calls: number
}

/** The fields of its session that hooks see, and whether that is one of Claude Code. */
export interface CallSite {
  readonly common: PlainObject
  readonly isForeign: boolean
}

const DOUBTS = {
  file: 'about a file that is not there any more: links and contents are not judged as then',
  folder: 'made in a folder that is not there any more: links and repositories are not judged as then',
  prompt: 'with a prompt that hooks would change: it is recorded as hooks left it, and not compared'
}

/** The hooks and rules of a folder as they are today. Hooks outside this process are asked only if they are marked as safe. */
export class Today {
  readonly #state: ProjectState
  readonly #flags: ReplayFlags
  readonly skipped = new Map<string, SkippedHook>()
  /** The marks that have found a hook. */
  readonly matched = new Set<string>()
  /** The hooks that were not asked about the present call. */
  readonly #missing = new Set<string>()
  #gate!: FolderGate

  constructor(state: ProjectState, flags: ReplayFlags) {
    this.#state = state
    this.#flags = flags
  }

  /** What keeps every call from being judged, if anything. */
  async open(trusted: boolean): Promise<string | undefined> {
    const { loaded } = this.#state
    // To open one starts programs, and without hooks that run there is nothing to confine.
    const sandbox = { ...loaded.sandbox, enabled: loaded.sandbox.enabled && this.#flags.safeHook !== undefined }
    const standIn = (hook: Described): HookFunction | undefined => this.#standIn(hook)
    this.#gate = await openGate(this.#state, this.#flags, trusted, { loaded: { ...loaded, sandbox }, standIn })
    return this.#gate.problem
  }

  close(): Promise<void> {
    return this.#gate.armed.close()
  }

  #standIn({ name, source, observe }: Described): HookFunction | undefined {
    const { type, spec } = this.#state.loaded.hooks.find(({ place }) => sourceOf(place) === source) ?? {}
    const why = AGENT_TYPES.some(each => each === type) ? `a hook of type ${type} needs a running agent` : undefined
    const marks = (this.#flags.safeHook ?? []).filter(mark => mark === '*' || `${name} (`.startsWith(`${mark} (`))
    for (const mark of marks) this.matched.add(mark)
    if (why === undefined && marks.length > 0) return undefined
    const hook = { name, source, why, calls: 0 }
    this.skipped.set(name, hook)
    const decidesNothing = observe || spec?.['async'] === true || spec?.['asyncRewake'] === true
    return () => {
      hook.calls++
      if (!decidesNothing) this.#missing.add(name)
    }
  }

  /** Judges with the hooks of a subagent as well, until the result is called. */
  enter(agent: string): () => void {
    const gate = this.#gate
    const { hooks, leave } = gate.armed.enter(agent, gate.armed.hooks)
    this.#gate = { ...gate, armed: { ...gate.armed, hooks } }
    return () => {
      this.#gate = gate
      leave()
    }
  }

  async judge(call: RecordedCall, site: CallSite): Promise<Now> {
    this.#missing.clear()
    const { cwd = this.#state.where.cwd } = call
    const common = { ...site.common, cwd, permission_mode: this.#modeOf(call) }
    const now = call.tool === '' ? await this.#prompt(call, common) : await this.#call(call, common, site)
    const doubts = isFolder(cwd) ? now.doubts : [...now.doubts, DOUBTS.folder]
    if (this.#missing.size === 0) return { ...now, doubts }
    // Whatever the hooks that were not asked would say, a refusal stays.
    const decided = now.decision === 'deny' ? now : ({ decision: 'unknown', isRewritten: false } as const)
    return { ...decided, doubts, skipped: [...this.#missing] }
  }

  #modeOf({ mode: recorded }: RecordedCall): Mode {
    const { managedMode, locks } = this.#state.loaded
    const then = this.#flags.permissionMode === undefined ? MODES.find(each => each === recorded) : undefined
    const isBarred = then === 'bypassPermissions' && locks.noBypass
    return then === undefined || isBarred || !isWithinPolicy(then, managedMode) ? this.#gate.policy.mode : then
  }

  async #prompt({ input }: RecordedCall, common: PlainObject): Promise<Now> {
    const event = { ...common, ...input } as FireInput<'UserPromptSubmit'>
    const outcome = await this.#gate.armed.hooks.fire('UserPromptSubmit', event)
    const { blocked, by, reason, updatedPrompt = input['prompt'] } = outcome
    const doubts = updatedPrompt === input['prompt'] ? [] : [DOUBTS.prompt]
    return { decision: blocked ? 'deny' : 'allow', ...(blocked && { by, reason }), isRewritten: false, doubts }
  }

  async #call(call: RecordedCall, common: PlainObject, { isForeign }: CallSite): Promise<Now> {
    const { id: tool_use_id, tool } = call
    const { policy, armed } = this.#gate
    const cwd = String(common['cwd'])
    const { input } = withAbsolutePaths({ name: tool, input: call.input }, cwd)
    const subject = { ...common, tool_name: tool, tool_input: input }
    const event = { ...subject, tool_use_id } as FireInput<'PreToolUse'>
    const { decision, by = '', reason, updatedInput: used = input } = await armed.hooks.fire('PreToolUse', event)
    const known = factsHere(tool, used, policy, cwd)
    const facts = tool.startsWith('mcp__') ? { ...known, subject: undefined } : known
    const isGone = facts.subject?.kind === 'file' && tool !== 'Write' && !isThere(facts.subject.path)
    const about = { input: used, isRewritten: !same(used, input), doubts: isGone ? [DOUBTS.file] : [] }
    if (decision === 'deny' || decision === 'defer') return { decision, by, reason, ...about }
    const { enabled, autoAllow } = this.#state.loaded.sandbox
    const ruling = decide(facts, {
      ...policy,
      mode: common['permission_mode'] as Mode,
      hook: decision && { decision, by, reason },
      autoAllow: enabled && autoAllow && !isForeign
    })
    if (tool === 'Skill') attempt(() => armed.activate(String(input['skill'])))
    const now = { ...usual(ruling, tool, isForeign), ...about }
    return now.decision === 'ask' ? { ...now, ...(await this.#answerTo(ruling, subject)) } : now
  }

  async #answerTo({ kind, ofProject }: Ruling, subject: PlainObject): Promise<Partial<Now>> {
    const fired = await this.#gate.armed.hooks.fire('PermissionRequest', subject as FireInput<'PermissionRequest'>)
    const { decision, by, reason } = countedAnswer(this.#gate, kind === 'default' || ofProject === true)(fired)
    return decision === 'deny' || decision === 'allow' ? { decision, by, reason } : {}
  }
}

type Described = Pick<HookDescription, 'name' | 'source' | 'observe'>

/** As in a session. Where nothing decides, other agents and tools that are not ours have their own ways. */
function usual(
  { kind, decision, by, reason }: Ruling,
  tool: string,
  isForeign: boolean
): Pick<Now, 'decision' | 'by' | 'reason'> {
  const who = { by: by.replace(/^hook /, ''), reason }
  if (kind === 'default' && (isForeign || !TOOL_NAMES.includes(tool))) return { decision: 'none', ...who }
  const isQuestion = tool === 'AskUserQuestion' && kind !== 'hook' && decision === 'allow'
  return { decision: isQuestion ? 'ask' : decision, ...who }
}
