/** What only some of the other events take. */
import { exit, json, specific, the } from './build.ts'
import type { Case } from './cases.ts'
import { allowed, closed, feedback, marked, nothing, opened, refused, warned } from './expected.ts'

const OUTPUT = { stdout: 'clean', stderr: '', interrupted: false }
const MISSING = "python3: can't open file 'check.py': [Errno 2] No such file or directory"
const BESIDE = { additionalContext: 'note' }

const switches = (permissionDecision: string): object =>
  specific('PreModelSwitch', { permissionDecision, permissionDecisionReason: 'because' })

export const OTHER_CASES: readonly Case[] = [
  the('PostToolUse', 'another output', json(specific('PostToolUse', { updatedToolOutput: OUTPUT })), {
    fields: { updatedToolOutput: OUTPUT }
  }),
  the('PostToolUse', 'another output of an MCP tool', json(specific('PostToolUse', { updatedMCPToolOutput: 'x' })), {
    fields: { updatedMCPToolOutput: 'x' }
  }),
  the(
    'PostToolUse',
    'blocks, with context',
    json({ decision: 'block', reason: 'no', ...specific('PostToolUse', BESIDE) }),
    {
      ...feedback('no'),
      contexts: ['note']
    }
  ),
  the('PostToolUse', 'continue_execution: false', json({ continue_execution: false, stop_reason: 'no' }), {
    ...feedback('no'),
    stopReason: 'no'
  }),
  the('PostToolUse', 'updatedInput has no effect', json(specific('PostToolUse', { updatedInput: { a: 1 } })), nothing),
  the('PostToolUse', 'exit 1 with context', json(specific('PostToolUse', BESIDE), 1), warned('exit'), {
    contexts: ['note']
  }),
  the('PostToolUseFailure', 'exit 2 with context', json(specific('PostToolUseFailure', BESIDE), 2, 'no'), {
    ...feedback('no'),
    contexts: ['note']
  }),
  the('PostToolBatch', 'exit 2 with a reason in JSON', json({ decision: 'block', reason: 'stop here' }, 2, 'no'), {
    ...refused('stop here')
  }),
  the('PermissionDenied', 'retry', json(specific('PermissionDenied', { retry: true })), { fields: { retry: true } }),
  the(
    'SessionStart',
    'all its fields',
    json(
      specific('SessionStart', { initialUserMessage: 'go', sessionTitle: 't', watchPaths: ['a'], reloadSkills: true })
    ),
    { fields: { initialUserMessage: 'go', sessionTitle: 't', watchPaths: ['a'], reloadSkills: true } }
  ),
  the(
    'SessionStart',
    'a field of the wrong type',
    json(specific('SessionStart', { sessionTitle: 7 })),
    warned('reply')
  ),
  ...(['PreModelRequest', 'PostModelResponse'] as const).flatMap(event => [
    the(event, 'another one', json(specific(event, { updatedInput: { model: 'small' } })), {
      updatedInput: { model: 'small' }
    }),
    the(event, 'allow', json({ decision: 'allow' }), allowed()),
    the(event, 'ask', json({ decision: 'ask' }), closed('decision'), opened('decision')),
    the(event, 'continue: false', json({ continue: false, stopReason: 'enough' }), {
      ...refused('enough'),
      continue: false,
      stopReason: 'enough'
    })
  ]),
  the('Elicitation', 'an answer', json(specific('Elicitation', { action: 'accept', content: { day: 'Monday' } })), {
    fields: { action: 'accept', content: { day: 'Monday' } }
  }),
  the('Elicitation', 'exit 2, the reason on stderr', exit(2, 'no answer'), refused('no answer')),
  the(
    'Elicitation',
    'an unknown answer',
    json(specific('Elicitation', { action: 'perhaps' })),
    closed('reply'),
    opened('reply')
  ),
  the('ElicitationResult', 'another answer', json(specific('ElicitationResult', { action: 'cancel' })), {
    fields: { action: 'cancel' }
  }),
  the(
    'ElicitationResult',
    'an invalid content',
    json(specific('ElicitationResult', { content: 7 })),
    closed('reply'),
    opened('reply')
  ),
  the('Stop', 'context makes it continue', json(specific('Stop', { additionalContext: 'run the tests' })), {
    contexts: ['run the tests']
  }),
  the('Stop', 'continue: false beside a block', json({ continue: false, decision: 'block', reason: 'no' }), {
    ...refused('no'),
    continue: false
  }),
  the('Stop', 'a block with a message', json({ decision: 'block', reason: 'no', systemMessage: 'hm' }), {
    ...refused('no'),
    systemMessages: ['hm (user)']
  }),
  the('Stop', 'python cannot open the script: exit 2', exit(2, MISSING), warned('spawn')),
  the('SubagentStop', 'python cannot open the script: exit 2', exit(2, MISSING), warned('spawn')),
  the('TaskCompleted', 'python cannot open the script: exit 2', exit(2, MISSING), warned('spawn')),
  the('TeammateIdle', 'exit 2, the reason on stderr', exit(2, 'keep going'), refused('keep going')),
  the('PreCompact', 'only an explicit block counts', json({ continue_execution: false, stop_reason: 'no' }), {
    stopReason: 'no'
  }),
  the('PreModelSwitch', 'allows', json(switches('allow')), allowed('because')),
  the('PreModelSwitch', 'denies', json(switches('deny')), refused('because')),
  the('PreModelSwitch', 'asks', json(switches('ask')), { decision: 'ask', reason: 'because' }),
  the('PreModelSwitch', 'cannot be deferred', json(switches('defer')), closed('decision'), opened('decision')),
  the('PreModelSwitch', 'an unknown decision', json(switches('perhaps')), closed('reply'), opened('reply')),
  the('PreModelSwitch', 'exit 1 with an allow', json(switches('allow'), 1), closed('exit'), marked(allowed('because'))),
  the('PreModelSwitch', 'updatedInput has no effect', json(specific('PreModelSwitch', { updatedInput: {} })), nothing),
  the('MessageDisplay', 'another text', json(specific('MessageDisplay', { displayContent: 'x' })), {
    fields: { displayContent: 'x' }
  }),
  the('MessageDisplay', 'an invalid text', json(specific('MessageDisplay', { displayContent: 7 })), warned('reply')),
  the('PostToolUse', 'a note for a classifier', json(specific('PostToolUse', { classifierContext: 'harmless' })), {
    fields: { classifierContext: 'harmless' }
  }),
  the('Notification', 'something for the terminal', json({ terminalSequence: '\u0007' }), nothing),
  the('Notification', 'something for the terminal that is no text', json({ terminalSequence: 7 }), warned('reply')),
  the('Setup', 'adds context', json(specific('Setup', BESIDE)), { contexts: ['note'] }),
  the('PostCompact', 'cannot be refused', json({ decision: 'block', reason: 'no' }), nothing),
  the('Iteration', 'cannot be refused', exit(2, 'no'), nothing)
]
