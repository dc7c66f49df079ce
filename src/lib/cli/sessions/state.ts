import { replayAll } from '../../agent/session/replay.ts'
import { asOurs, readClaude } from '../../transcript/claude/claude.ts'
import type { Rec } from '../../transcript/entry.ts'
import { holderOf, type Holder } from '../../world/lock/lock.ts'

type OpenCall = { readonly toolUseId: string; readonly toolName: string; readonly started: boolean }

export type StoredState =
  | ({ readonly kind: 'running' } & Holder)
  | { readonly kind: 'waiting'; readonly calls: readonly OpenCall[] }
  | { readonly kind: 'interrupted'; readonly calls: readonly OpenCall[] }
  | { readonly kind: 'ended' }
  | { readonly kind: 'empty' | 'unreadable' }

export async function readState(path: string, tail: readonly Rec[], isForeign: boolean): Promise<StoredState> {
  const holder = isForeign ? undefined : await holderOf(path)
  if (holder !== undefined) return { kind: 'running', ...holder }
  const left = isForeign ? asOurs(readClaude(tail).main) : tail.filter(({ subtype }) => subtype !== 'rewound')
  const { open = [], conversation } = replayAll(left)
  const calls = open
    .filter(({ result }) => result === undefined)
    .map(({ use, started, outcome }) => ({
      toolUseId: use.id,
      toolName: use.name,
      started: started === true && outcome === undefined
    }))
  if (open.some(({ result, pending }) => result === undefined && pending !== undefined))
    return { kind: 'waiting', calls }
  if (calls.length > 0) return { kind: 'interrupted', calls }
  const last = conversation.messages.at(-1)
  if (last === undefined) return { kind: 'empty' }
  return last.role === 'assistant' ? { kind: 'ended' } : { kind: 'interrupted', calls }
}

export function stateLabel(state: StoredState): string {
  if (state.kind === 'running') {
    const what = state.doing === undefined || state.doing === '' ? '' : `, ${state.doing}`
    return `running: process ${state.pid} since ${state.since}${what}`
  }
  if (state.kind === 'waiting') return `waiting for a decision about ${callNames(state.calls)}`
  if (state.kind === 'unreadable') return 'unreadable: it is not a transcript, or you may not read it'
  if (state.kind !== 'interrupted') return state.kind
  if (state.calls.length === 0) return 'interrupted before the model had answered'
  return state.calls.some(({ started }) => started)
    ? `interrupted while ${callNames(state.calls)} was running; its effect is not known`
    : `interrupted before ${callNames(state.calls)} had a result`
}

const callNames = (calls: readonly OpenCall[]): string => [...new Set(calls.map(({ toolName }) => toolName))].join(', ')
