/**
 * Responses of a model, and the expected outcomes: hooks that ask a model or an agent reply only yes or no. What
 * they have in common with other kinds is among the cases of all.
 */
import type { EventName, Profile } from '../../src/hooks.ts'
import type { Turn } from '../../src/testing.ts'
import { closed, feedback, nothing, opened, refused, warned, type Expected } from './expected.ts'

/** The ways in which a model is asked: by a hook that ends the turn, by one that continues, by an agent. */
export const MANNERS = ['prompt', 'prompt, continueOnBlock', 'agent'] as const
type Manner = (typeof MANNERS)[number]

export interface VerdictCase extends Readonly<Record<Profile, Expected>> {
  readonly name: string
  readonly event: EventName
  readonly says: Turn
  readonly manners: readonly Manner[]
}

const [ENDS, GOES_ON, AGENT] = MANNERS

const by =
  (...manners: readonly Manner[]) =>
  (event: EventName, name: string, says: Turn, strict: Expected, compat = strict): VerdictCase => ({
    event,
    name,
    says,
    manners,
    strict,
    compat
  })
const all = by(...MANNERS)
const ending = by(ENDS)
const goingOn = by(GOES_ON, AGENT)
const agent = by(AGENT)
const model = by(ENDS, GOES_ON)

const YES = '{"ok": true}'
const NO = '{"ok": false, "reason": "not today"}'
const NEVER = '{"ok": false, "reason": "not today", "impossible": true}'

const STOPS: Expected = { continue: false, stopReason: 'not today' }

/** Events on which a no is what it is for every kind of hook. */
const ORDINARY = ['UserPromptSubmit', 'UserPromptExpansion', 'PostToolBatch', 'TaskCreated', 'TaskCompleted'] as const

const REFUSALS: readonly VerdictCase[] = [
  ending('PreToolUse', 'says no', NO, { ...refused('not today'), ...STOPS }),
  goingOn('PreToolUse', 'says no', NO, refused('not today')),
  ending('PostToolUse', 'says no', NO, STOPS),
  goingOn('PostToolUse', 'says no', NO, feedback('not today')),
  ending('TeammateIdle', 'says no', NO, STOPS),
  goingOn('TeammateIdle', 'says no', NO, refused('not today')),
  ...ORDINARY.map(event => all(event, 'says no', NO, refused('not today'))),
  all('PostToolUseFailure', 'says no', NO, feedback('not today')),
  all('PermissionRequest', 'says no, which it cannot decide', NO, nothing),
  all('PermissionDenied', 'says no, which it cannot decide', NO, nothing),
  goingOn('PreToolUse', 'says no, and not why', '{"ok": false}', refused('it is not ok')),
  goingOn('PreToolUse', 'says no, with a reason that is none', '{"ok": false, "reason": 7}', refused('it is not ok')),
  goingOn('PreToolUse', 'says that it cannot be done', NEVER, refused('not today')),
  model('Stop', 'says that it cannot be done', NEVER, nothing),
  agent('Stop', 'says that it cannot be done', NEVER, refused('not today')),
  model('SubagentStop', 'says that it cannot be done', NEVER, nothing),
  agent('SubagentStop', 'says that it cannot be done', NEVER, refused('not today'))
]

const YESES: readonly VerdictCase[] = [
  all('PreToolUse', 'says yes', YES, nothing),
  all('PreToolUse', 'says yes, with blanks around', `\n  ${YES}\n`, nothing),
  all('PreToolUse', 'says yes, between fences', `\`\`\`json\n${YES}\n\`\`\``, nothing),
  all(
    'PreToolUse',
    'says yes, with keys that are not read',
    '{"ok": true, "decision": "block", "mood": "good"}',
    nothing
  ),
  goingOn('PreToolUse', 'says no, between fences', `\`\`\`\n${NO}\n\`\`\``, refused('not today'))
]

/** A response that is not a verdict is never a yes. */
const FAILURES: readonly (readonly [string, Turn, 'reply' | 'threw'])[] = [
  ['says nothing', '', 'reply'],
  ['says so in words', 'I think that is fine.', 'reply'],
  ['says words before a yes', `The command holds ${YES}`, 'reply'],
  ['says words after a yes', `${YES} as far as I can see`, 'reply'],
  ['says yes and then no', `${YES}\n${NO}`, 'reply'],
  ['says yes and no at once', '{"ok": true, "ok": false}', 'reply'],
  ['says yes in a list', `[${YES}]`, 'reply'],
  ['says a word for yes', '{"ok": "yes"}', 'reply'],
  ['says {}', '{}', 'reply'],
  ['says a decision of other hooks', '{"decision": "approve"}', 'reply'],
  ['breaks off in its JSON', '{"ok": tr', 'reply'],
  ['fails', { fail: { status: 400, message: 'broken' } }, 'threw'],
  ['is cut off', { text: YES, cutAfter: 3 }, 'threw']
]

const GATES = ['PreToolUse', 'PermissionRequest', 'UserPromptSubmit', 'UserPromptExpansion'] as const
const OTHERS = ['PostToolUse', 'Stop', 'SessionStart'] as const

export const VERDICT_CASES: readonly VerdictCase[] = [
  ...YESES,
  ...REFUSALS,
  ...FAILURES.flatMap(([name, says, kind]) => [
    ...GATES.map(event => all(event, name, says, closed(kind), opened(kind))),
    ...OTHERS.map(event => all(event, name, says, warned(kind)))
  ])
]
