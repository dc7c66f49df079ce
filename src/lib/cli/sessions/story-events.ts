import { contextIn } from '../../transcript/claude/claude.ts'
import type { Rec } from '../../transcript/entry.ts'
import type { Gap } from '../../transcript/store.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { StoryItem } from './story.ts'

/** The item of an entry that is no message; nothing where it is not for people. */
export function eventItem(entry: Rec, isForeign: boolean): StoryItem | undefined {
  const { type } = entry
  if (type === 'attachment') return isObject(entry['attachment']) ? attachmentItem(entry['attachment']) : undefined
  if (type === 'system') return SYSTEM[text(entry['subtype'])]?.(entry) ?? (isForeign ? contentItem(entry) : undefined)
  if (type === 'tool-pending') {
    const { toolUseId, toolName, why, by, reason } = entry
    const who = [by, reason].filter(each => typeof each === 'string').join(': ')
    return {
      kind: 'waiting',
      id: text(toolUseId),
      tool: text(toolName),
      why: text(why),
      ...(who !== '' && { by: who })
    }
  }
  return isForeign ? undefined : { kind: 'unknown', type }
}

const SYSTEM: Readonly<Record<string, ((entry: Rec) => StoryItem) | undefined>> = {
  permission_denied: ({ toolUseId, toolName, by, reason }) => ({
    kind: 'denied',
    id: text(toolUseId),
    tool: text(toolName),
    by: text(by),
    reason: text(reason)
  }),
  subagent_started: ({ subagentId, agentType, description }) => ({
    kind: 'subagent',
    id: text(subagentId),
    type: text(agentType),
    description: text(description)
  }),
  compact_boundary({ compactMetadata, content, kept }) {
    const { trigger, pre_tokens, preTokens } = isObject(compactMetadata) ? compactMetadata : {}
    const tokens = Number(pre_tokens ?? preTokens) || 0
    // Others have the summary in a line of its own.
    return { kind: 'compacted', trigger: text(trigger), tokens, text: kept === undefined ? '' : text(content) }
  },
  clear: () => ({ kind: 'cleared' }),
  rewound: ({ to }) => ({ kind: 'rewound', to: text(to) }),
  messages_changed({ hookEvent, removed, inserted, appended }) {
    const messages = list(inserted)
      .filter(isObject)
      .flatMap(each => list(each['messages']))
    const added = messages.length + list(appended).length
    return { kind: 'changed', event: text(hookEvent), removed: list(removed).length, added }
  },
  repaired: ({ leftOut, original }) => ({
    kind: 'repaired',
    leftOut: list(leftOut).filter(isObject) as unknown as readonly Gap[],
    original: text(original)
  }),
  ungated_tool: ({ toolName }) => ({ kind: 'ungated', tool: text(toolName) })
}

/** What hooks and others added for the model. */
function attachmentItem(attachment: PlainObject): StoryItem | undefined {
  const { hookName, hookEvent, by, command, rendered, blockingError } = attachment
  const event = text(hookName ?? hookEvent)
  const who = typeof by === 'string' ? by : typeof command === 'string' ? command : undefined
  if (attachment['type'] === 'hook_blocking_error' && isObject(blockingError))
    return { kind: 'context', by: text(blockingError['command']), event, text: text(blockingError['blockingError']) }
  const said = contextIn(attachment) ?? (typeof rendered === 'string' ? rendered : undefined)
  return said === undefined || said === '' ? undefined : { kind: 'context', by: who, event, text: said }
}

/** Other programs write free text. */
const contentItem = ({ content }: Rec): StoryItem | undefined =>
  typeof content === 'string' && content !== '' ? { kind: 'told', text: content } : undefined

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
