/** What any hook may return, on one event of each family. */
import type { EventName } from '../../src/hooks.ts'
import type { Behaviour } from '../support/external-kit.ts'
import { exit, json, specific, text, the } from './build.ts'
import type { Case } from './cases.ts'
import { closed, context, feedback, marked, nothing, opened, refused, warned, type Expected } from './expected.ts'

/** An event, as far as these cases differ by it. Written down here once more, so that the engine's table is tested. */
interface Scene {
  readonly event: EventName
  /** What a refusal comes to. */
  readonly refusal: (reason: string) => Expected
  /** A hook that fails refuses. */
  readonly gate?: true
  /** It takes context for the model. */
  readonly context?: true
  /** What a hook prints is such context. */
  readonly text?: true
  /** In the compat profile it cannot be refused. */
  readonly open?: true
}

const ignored = (): Expected => nothing

const SCENES: readonly Scene[] = [
  { event: 'PreToolUse', refusal: refused, gate: true, context: true },
  { event: 'PermissionRequest', refusal: refused, gate: true },
  { event: 'PreModelRequest', refusal: refused, gate: true },
  { event: 'PostModelResponse', refusal: refused, gate: true },
  { event: 'UserPromptSubmit', refusal: refused, gate: true, context: true, text: true },
  { event: 'UserPromptExpansion', refusal: refused, gate: true, context: true, text: true },
  { event: 'SessionStart', refusal: refused, context: true, text: true, open: true },
  { event: 'SubagentStart', refusal: refused, context: true, open: true },
  { event: 'AgentStart', refusal: refused, context: true },
  { event: 'PostToolUse', refusal: feedback, context: true },
  { event: 'PostToolUseFailure', refusal: feedback, context: true },
  { event: 'PostToolBatch', refusal: refused, context: true },
  { event: 'Stop', refusal: refused, context: true },
  { event: 'SubagentStop', refusal: refused, context: true },
  { event: 'TaskCompleted', refusal: refused, context: true },
  { event: 'TaskCreated', refusal: refused },
  { event: 'PreCompact', refusal: refused },
  { event: 'ConfigChange', refusal: refused },
  { event: 'PreModelSwitch', refusal: refused, gate: true },
  { event: 'PostModelSwitch', refusal: ignored, context: true, text: true },
  { event: 'DirectoryAdded', refusal: ignored },
  { event: 'MessageDisplay', refusal: ignored },
  { event: 'PermissionDenied', refusal: ignored },
  { event: 'Notification', refusal: ignored, context: true },
  { event: 'FileChanged', refusal: ignored },
  { event: 'CwdChanged', refusal: ignored },
  { event: 'InstructionsLoaded', refusal: ignored },
  { event: 'StopFailure', refusal: ignored },
  { event: 'AgentStop', refusal: ignored },
  { event: 'SessionEnd', refusal: ignored }
]

/** The same on every event; the outcome may differ. */
function everywhere(
  name: string,
  gives: Behaviour | ((scene: Scene) => Behaviour),
  strict: (scene: Scene) => Expected,
  compat: (scene: Scene) => Expected = strict
): readonly Case[] {
  return SCENES.map(scene =>
    the(scene.event, name, typeof gives === 'function' ? gives(scene) : gives, strict(scene), compat(scene))
  )
}

const fails = (kind: 'exit' | 'reply' | 'spawn') => ({
  strict: ({ gate }: Scene): Expected => (gate ? closed(kind) : warned(kind)),
  compat: ({ gate }: Scene): Expected => (gate ? opened(kind) : warned(kind))
})
const FAILED_EXIT = fails('exit')
const FAILED_REPLY = fails('reply')
const FAILED_START = fails('spawn')

const isPermission = ({ event }: { readonly event: EventName }): boolean => event === 'PermissionRequest'
const open = ({ refusal, open: isOpen }: Scene, reason: string): Expected =>
  isOpen ? marked(nothing) : refusal(reason)
/** Text that is not a reply: context on events where the output of hooks is context, otherwise nothing. */
const printed =
  (words: string) =>
  ({ text: isContext }: Scene): Expected =>
    isContext ? context(words) : nothing
/** The first host takes broken JSON for text, where it takes text. */
const brokenInCompat =
  (words: string) =>
  (scene: Scene): Expected => {
    if (!scene.text) return FAILED_REPLY.compat(scene)
    return scene.gate ? marked(context(words)) : context(words)
  }

const BLOCK = { decision: 'block', reason: 'not today' }
const BROKEN = '{"decision": "block"'
const NO_WORD = 'exit code 2, without a reason on stderr'
const DOCUMENTS = '{"continue": true}\n{"decision": "block"}'

/** A permission is decided in words of its own: see the cases of gates. */
const withoutPermission = (cases: readonly Case[]): readonly Case[] => cases.filter(each => !isPermission(each))
const onlyOn = (events: readonly EventName[], cases: readonly Case[]): readonly Case[] =>
  cases.filter(({ event }) => events.includes(event))

/** An exit code of 2 decides nothing about a permission there. */
const exitTwo =
  (reason: string) =>
  (scene: Scene): Expected =>
    isPermission(scene) ? opened('exit') : open(scene, reason)

export const COMMON: readonly Case[] = [
  ...everywhere('says nothing', {}, () => nothing),
  ...everywhere('prints blanks', text(' \n\t\n'), () => nothing),
  ...everywhere('prints {}', text('{}\n'), () => nothing),
  ...everywhere('prints plain text', text('all is well\n'), printed('all is well')),
  ...everywhere('prints unknown keys', json({ mood: 'good', hookSpecificOutput: { x: 1 } }), () => nothing),
  ...everywhere('continue: true', json({ continue: true }), () => nothing),
  ...everywhere('suppressOutput', json({ suppressOutput: true }), () => nothing),
  ...everywhere(
    'adds context',
    ({ event }) => json(specific(event, { additionalContext: 'remember' })),
    scene => (scene.context ? context('remember') : nothing)
  ),
  ...withoutPermission(
    everywhere(
      'decision: block',
      json(BLOCK),
      ({ refusal }) => refusal('not today'),
      scene => open(scene, 'not today')
    )
  ),
  ...everywhere(
    'exit 2, the reason on stderr',
    exit(2, 'not today\n'),
    ({ refusal }) => refusal('not today'),
    exitTwo('not today')
  ),
  ...everywhere('exit 2 without output', exit(2), ({ refusal }) => refusal(NO_WORD), exitTwo(NO_WORD)),
  ...everywhere('exit 1', exit(1, 'oops\n'), FAILED_EXIT.strict, FAILED_EXIT.compat),
  ...everywhere(
    'exit 127, the program is missing',
    exit(127, 'sh: 1: check: not found\n'),
    FAILED_START.strict,
    FAILED_START.compat
  ),
  ...withoutPermission(
    everywhere(
      'exit 1 with decision: block',
      json(BLOCK, 1),
      ({ refusal }) => refusal('not today'),
      scene => open(scene, 'not today')
    )
  ),
  ...everywhere('exit 1 with {}', json({}, 1), FAILED_EXIT.strict, ({ gate }) => (gate ? marked(nothing) : nothing)),
  ...everywhere('prints broken JSON', text(BROKEN), FAILED_REPLY.strict, brokenInCompat(BROKEN)),
  ...everywhere('prints two JSON documents', text(DOCUMENTS), FAILED_REPLY.strict, brokenInCompat(DOCUMENTS)),
  ...everywhere('a key of the wrong type', json({ continue: 'no' }), FAILED_REPLY.strict, FAILED_REPLY.compat),
  ...everywhere(
    'answers for another event',
    json({ hookSpecificOutput: { hookEventName: 'Elsewhere' } }),
    FAILED_REPLY.strict,
    FAILED_REPLY.compat
  ),
  ...onlyOn(
    ['PostToolUse', 'PostToolBatch', 'Stop', 'SubagentStop'],
    everywhere('continue: false', json({ continue: false, stopReason: 'enough' }), () => ({
      continue: false,
      stopReason: 'enough'
    }))
  ),
  ...onlyOn(
    ['PostToolUseFailure', 'SessionStart', 'SubagentStart'],
    everywhere(
      'continue: false',
      json({ continue: false }),
      () => ({ continue: false }),
      () => marked(nothing)
    )
  )
]
