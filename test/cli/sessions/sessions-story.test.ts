/** Every entry of a transcript can be shown. */
import * as fc from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../src/lib/cli/sessions/export.ts'
import { SessionRenderer } from '../../../src/lib/cli/sessions/render.ts'
import { storyItems } from '../../../src/lib/cli/sessions/story.ts'
import { readState, stateLabel } from '../../../src/lib/cli/sessions/state.ts'
import { asTheirs } from '../../../src/lib/transcript/claude/claude-lines.ts'
import type { TranscriptEntry, Gap } from '../../../src/index.ts'
import { repetitions } from '../../support/seed.ts'

/** Ours. */
const STYLE = new RegExp(String.raw`\u001B\[\d+m`, 'g')

const id = fc.constantFrom('a', 'b', 'c', 'd')
const anything = fc.anything({ maxDepth: 2 }).map(value => {
  try {
    return (JSON.parse(JSON.stringify(value) ?? 'null') as unknown) ?? null
  } catch {
    return null
  }
})
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'binary' }) }),
  fc.record({ type: fc.constant('thinking'), thinking: anything }),
  fc.record({ type: fc.constant('tool_use'), id, name: fc.string(), input: anything }),
  fc.record({ type: fc.constant('tool_result'), tool_use_id: id, content: fc.oneof(fc.string(), anything) }),
  anything
)
const message = fc.record({
  id,
  content: fc.oneof(fc.string({ unit: 'binary' }), fc.array(block, { maxLength: 4 }), anything)
})
const SUBTYPES = ['permission_denied', 'subagent_started', 'compact_boundary', 'clear', 'rewound', 'messages_changed']

const entry = fc.record(
  {
    type: fc.constantFrom(
      'user',
      'assistant',
      'system',
      'attachment',
      'tool-intent',
      'tool-outcome',
      'tool-pending',
      'x'
    ),
    subtype: fc.constantFrom(...SUBTYPES, 'repaired', 'ungated_tool', 'metadata', 'other'),
    uuid: fc.oneof(id, anything),
    to: fc.oneof(id, anything),
    toolUseId: fc.oneof(id, anything),
    message: fc.oneof(message, anything),
    attachment: fc.oneof(
      fc.record({
        type: fc.constantFrom('hook_additional_context', 'notes', 'hook_blocking_error'),
        content: anything
      }),
      anything
    ),
    ...Object.fromEntries(
      [
        'promptId',
        'isMeta',
        'forkedFrom',
        'kept',
        'state',
        'leftOut',
        'inserted',
        'removed',
        'compactMetadata',
        'why',
        'by'
      ].map(key => [key, anything])
    )
  },
  { requiredKeys: ['type'] }
) as unknown as fc.Arbitrary<TranscriptEntry>

const gap: fc.Arbitrary<Gap> = fc.record({
  at: fc.nat(100),
  length: fc.nat(100),
  why: fc.constantFrom('torn', 'damaged', 'missing', 'moved')
})

test('what only looks like an id is not asked for its words', () => {
  const odd = { type: 'tool-intent', toolUseId: { toString: false } } as never
  expect([...storyItems([{ entry: odd, at: 0, length: 1 }], { isForeign: false, isAgent: false })]).toEqual([])
})

test(
  'to people, as a page, as lines: nothing throws, and nothing reaches a terminal as it is',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 12 }),
        fc.array(gap, { maxLength: 3 }),
        fc.boolean(),
        async (entries, gaps, flag) => {
          const met = [
            ...gaps.map(each => ({ gap: each })),
            ...entries.map((each, at) => ({ entry: each, at, length: 1 }))
          ]
          const items = [...storyItems(met, { isForeign: flag, isAgent: false })]
          const told = items.filter(item => item.kind === 'gap' && item.gap.uuid === undefined)
          expect(told).toHaveLength(gaps.length)
          const pen = new SessionRenderer(60, '/', flag)
          const lines = items.flatMap(item => pen.render(item))
          expect(lines.join('\n').replaceAll(STYLE, '')).not.toMatch(/\p{Cf}|(?![\n\t])\p{Cc}/u)
          expect([...renderMarkdown({ id: 's', cwd: '', title: undefined }, items)].length).toBeGreaterThan(0)
          expect(stateLabel(await readState('/nowhere/s.jsonl', entries, flag))).not.toBe('')
          expect([...asTheirs(entries)].length).toBeGreaterThanOrEqual(0)
        }
      ),
      { numRuns: repetitions(1_000) }
    )
  }
)
