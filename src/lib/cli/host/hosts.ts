import { CLAUDE } from './dialects/claude.ts'
import { CODEX } from './dialects/codex.ts'
import { COPILOT } from './dialects/copilot.ts'
import { GEMINI } from './dialects/gemini.ts'
import { PI } from './dialects/pi.ts'
import { QWEN } from './dialects/qwen.ts'
import type { HostDialect } from './dialect.ts'

/** The agents in front of whose tools Carabiner can stand, one dialect each. */
export const HOSTS = { claude: CLAUDE, codex: CODEX, gemini: GEMINI, qwen: QWEN, copilot: COPILOT, pi: PI } as const

export type HostName = keyof typeof HOSTS

export const HOST_NAMES = Object.keys(HOSTS) as readonly HostName[]

export const isHost = (name: string): name is HostName => Object.hasOwn(HOSTS, name)

export const dialectOf = (host: HostName): HostDialect => HOSTS[host]
