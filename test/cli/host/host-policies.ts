/** Ten policies, as modules of hooks, and what they come to in each host. */
import type { HostName } from '../../../src/lib/cli/host/hosts.ts'
import type { HostReading } from './host-readings.ts'

export interface HostPolicy {
  readonly name: string
  /** The body of a function of `hooks`. */
  readonly module: string
  readonly after?: true
  /** The call is one of a subagent. */
  readonly inSubagent?: true
  /** What the host does, as a sentence of the table: undefined if it is none of those. */
  readonly outcome: (
    read: HostReading,
    notes: { readonly stderr: string; readonly written: string }
  ) => string | undefined
}

const refused = ({ call, reason = '' }: HostReading, why: string): string | undefined =>
  call === 'refused' && reason.includes(why) ? 'refused' : undefined

export const FORCED_PUSH = 'git push --force'
const OTHER = 'git push --force-with-lease'

export const HOST_POLICIES: readonly HostPolicy[] = [
  {
    name: 'deny',
    module: `hooks.on('PreToolUse', 'Bash', ctx => { if (/--force/.test(ctx.toolInput.command)) return deny('not by force') }, { name: 'no-force' })`,
    outcome: read => refused(read, 'refused by no-force: not by force')
  },
  {
    name: 'rewrite',
    module: `hooks.on('PreToolUse', 'Bash', ctx => { ctx.toolInput.command = '${OTHER}' }, { name: 'with-lease' })`,
    outcome: read =>
      JSON.stringify(read.input ?? {}).includes(`"command":"${OTHER}"`)
        ? 'rewritten'
        : refused(read, OTHER) && 'refused with the corrected input'
  },
  {
    name: 'ask',
    module: `hooks.on('PreToolUse', 'Bash', () => ask('a person decides'), { name: 'asks' })`,
    outcome: read =>
      read.call === 'asks' ? 'asked' : refused(read, 'cannot ask') && 'refused, with what would allow it'
  },
  {
    name: 'context',
    module: `hooks.on('PreToolUse', 'Bash', () => ({ additionalContext: 'main is protected' }), { name: 'adds' })`,
    outcome: (read, { stderr }) =>
      read.context === 'main is protected'
        ? 'context reaches the model'
        : read.call === 'host' && /cannot do that/.test(stderr)
          ? 'the host cannot'
          : undefined
  },
  {
    name: 'crash',
    module: `hooks.on('PreToolUse', 'Bash', () => { throw new Error('broken') }, { name: 'crashes' })`,
    outcome: read => refused(read, 'crashes')
  },
  {
    name: 'timeout',
    module: `hooks.on('PreToolUse', 'Bash', () => new Promise(() => {}), { name: 'hangs', timeout: 0.2 })`,
    outcome: read => refused(read, 'hangs')
  },
  {
    name: 'redact output',
    after: true,
    module: `hooks.on('PostToolUse', '*', () => ({ updatedToolOutput: '[redacted]' }), { name: 'redacts' })`,
    outcome: (read, { stderr }) =>
      JSON.stringify(read.output ?? '').includes('[redacted]')
        ? 'redacted'
        : /replaces this output.*cannot do that/.test(stderr)
          ? 'the host cannot'
          : undefined
  },
  {
    name: 'priority',
    module: `hooks.on('PreToolUse', 'Bash', () => allow('first'), { name: 'first', priority: 10 })
      hooks.on('PreToolUse', 'Bash', () => deny('last'), { name: 'last', priority: -10 })`,
    outcome: read => refused(read, 'refused by last: last')
  },
  {
    name: 'subagent',
    inSubagent: true,
    module: `hooks.on('PreToolUse', 'Bash', ctx => { if (ctx.input.agent_id !== undefined) return deny('not in a subagent') }, { name: 'main-only' })`,
    outcome: read => refused(read, 'not in a subagent') ?? (read.call === 'host' ? 'the host cannot' : undefined)
  },
  {
    name: 'audit',
    module: `hooks.on('PreToolUse', '*', ctx => { appendFileSync(process.env.AUDIT, JSON.stringify(ctx.input) + '\\n') }, { name: 'audit', observe: true })`,
    outcome: (read, { written }) =>
      read.call === 'host' && written.includes(`"command":"${FORCED_PUSH}"`) && written.includes('"tool_name":"Bash"')
        ? 'recorded'
        : undefined
  }
]

/** The outcome in most hosts, and in those where it is another. */
const OUTCOMES: Readonly<Record<string, { readonly usual: string } & Partial<Record<HostName, string>>>> = {
  deny: { usual: 'refused' },
  rewrite: {
    usual: 'rewritten',
    codex: 'refused with the corrected input',
    qwen: 'refused with the corrected input'
  },
  ask: {
    usual: 'asked',
    codex: 'refused, with what would allow it',
    gemini: 'refused, with what would allow it'
  },
  context: { usual: 'context reaches the model', gemini: 'the host cannot', qwen: 'the host cannot' },
  crash: { usual: 'refused' },
  timeout: { usual: 'refused' },
  'redact output': { usual: 'redacted' },
  priority: { usual: 'refused' },
  subagent: { usual: 'refused', gemini: 'the host cannot', pi: 'the host cannot' },
  audit: { usual: 'recorded' }
}

export const EXPECTED_OUTCOMES = (policy: string, host: HostName): string | undefined =>
  OUTCOMES[policy]?.[host] ?? OUTCOMES[policy]?.usual
