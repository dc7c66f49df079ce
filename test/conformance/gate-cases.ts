/** The events that something hangs on: PreToolUse, UserPromptSubmit, PermissionRequest. */
import { exit, json, specific, text, the } from './build.ts'
import type { Case } from './cases.ts'
import { allowed, closed, context, marked, nothing, opened, refused, type Expected } from './expected.ts'
import type { Behaviour } from '../support/external-kit.ts'

const pre = (name: string, gives: Behaviour, strict: Expected, compat = strict): Case =>
  the('PreToolUse', name, gives, strict, compat)
const prompt = (name: string, gives: Behaviour, strict: Expected, compat = strict): Case =>
  the('UserPromptSubmit', name, gives, strict, compat)
const permission = (name: string, gives: Behaviour, strict: Expected, compat = strict): Case =>
  the('PermissionRequest', name, gives, strict, compat)

const decides = (permissionDecision: string, more: object = {}): object =>
  specific('PreToolUse', { permissionDecision, ...more })
const WHY = { permissionDecisionReason: 'because' }
const SAFER = { command: 'git status --short' }
const ALLOW = decides('allow')
const DENY = decides('deny', WHY)

const DECISIONS: readonly Case[] = [
  pre('allows', json(ALLOW), allowed()),
  pre('allows, and says why', json(decides('allow', WHY)), allowed('because')),
  pre('denies', json(DENY), refused('because')),
  pre('denies without a reason', json(decides('deny')), refused('refused by hook')),
  pre('asks', json(decides('ask', WHY)), { decision: 'ask', reason: 'because' }),
  pre('defers', json(decides('defer')), { decision: 'defer' }),
  pre('decision: approve', json({ decision: 'approve', reason: 'fine' }), allowed('fine')),
  pre('the specific decision beats the older one', json({ ...DENY, decision: 'approve' }), refused('because')),
  pre('an unknown decision', json(decides('perhaps')), closed('reply'), opened('reply')),
  pre('a decision of the wrong type', json(decides('x', { permissionDecision: 7 })), closed('reply'), opened('reply')),
  pre('permissionDecision in the wrong place', json({ permissionDecision: 'deny' }), closed('reply'), marked(nothing)),
  pre(
    'denies and stops',
    json({ ...DENY, continue: false, stopReason: 'enough' }),
    { ...refused('because'), continue: false, stopReason: 'enough' },
    { ...refused('because'), continue: false, stopReason: 'enough' }
  ),
  pre(
    'continue: false',
    json({ continue: false, stopReason: 'enough' }),
    { ...refused('enough'), continue: false, stopReason: 'enough' },
    marked({ continue: false, stopReason: 'enough' })
  ),
  pre('continue_execution: false', json({ continue_execution: false, stop_reason: 'not now' }), {
    ...refused('not now'),
    stopReason: 'not now'
  }),
  pre('async: true, and nothing else', json({ async: true }), nothing),
  pre('a message for the user', json({ systemMessage: 'look out' }), { systemMessages: ['look out (user)'] }),
  pre('a message that is not a string', json({ systemMessage: ['look out'] }), closed('reply'), opened('reply')),
  pre('all at once', json({ ...decides('ask', { ...WHY, additionalContext: 'note' }), systemMessage: 'hm' }), {
    decision: 'ask',
    reason: 'because',
    contexts: ['note'],
    systemMessages: ['hm (user)']
  })
]

const REWRITES: readonly Case[] = [
  pre('rewrites the input', json(decides('allow', { updatedInput: SAFER })), { ...allowed(), updatedInput: SAFER }),
  pre('rewrites and decides nothing', json(specific('PreToolUse', { updatedInput: SAFER })), { updatedInput: SAFER }),
  pre('updatedInput: null keeps it', json(specific('PreToolUse', { updatedInput: null })), nothing),
  pre('updated_input: null keeps it', json({ updated_input: null }), nothing),
  pre('updated_input, outside', json({ updated_input: SAFER }), { updatedInput: SAFER }, nothing),
  pre('rewrites and asks', json(decides('ask', { updatedInput: SAFER })), { decision: 'ask', updatedInput: SAFER }),
  pre('rewrites and denies', json(decides('deny', { ...WHY, updatedInput: SAFER })), refused('because')),
  pre('rewrites and defers', json(decides('defer', { updatedInput: SAFER })), { decision: 'defer' }),
  pre('an invalid input', json(specific('PreToolUse', { updatedInput: 'ls' })), closed('reply'), opened('reply')),
  pre('context outside', json({ additionalContext: 'note' }), context('note'), nothing)
]

const SPELLING: readonly Case[] = [
  pre(
    'snake case',
    json({ hook_specific_output: { hook_event_name: 'PreToolUse', permission_decision: 'deny' } }),
    refused('refused by hook')
  ),
  pre(
    'both spellings: camel case wins',
    json({ hookSpecificOutput: { permissionDecision: 'allow', permission_decision: 'deny' } }),
    allowed()
  ),
  pre('the event in snake case', json({ hookSpecificOutput: { hookEventName: 'pre_tool_use' } }), nothing),
  pre('no name of the event', json({ hookSpecificOutput: { permissionDecision: 'deny', ...WHY } }), refused('because')),
  pre('a field of another event', json(specific('PreToolUse', { retry: true })), nothing),
  pre('blanks around', text(`\n  ${JSON.stringify(DENY, null, 2)}\n\n`), refused('because')),
  pre('a byte order mark', text(`\uFEFF${JSON.stringify(DENY)}`), refused('because')),
  pre('the same key twice', text('{"decision":"block","decision":"approve"}'), closed('reply'), opened('reply'))
]

const CODES: readonly Case[] = [
  pre('exit 2 with allow', json(ALLOW, 2, 'no'), refused('no')),
  pre('exit 2 with a deny that says why', json(DENY, 2, 'no'), refused('because')),
  pre('exit 2 with a deny that does not', json(decides('deny'), 2, 'no'), refused('no')),
  pre('exit 2 with broken JSON', { ...text('{"decision":'), code: 2, stderr: 'no' }, refused('no')),
  pre('exit 2 with text', { ...text('hello'), code: 2, stderr: 'no' }, refused('no')),
  pre('exit 2 with context', json(specific('PreToolUse', { additionalContext: 'note' }), 2, 'no'), {
    ...refused('no'),
    contexts: ['note']
  }),
  pre('exit 2 with an input', json(specific('PreToolUse', { updatedInput: SAFER }), 2, 'no'), refused('no')),
  pre('exit 2 with a message', json({ systemMessage: 'look out' }, 2, 'no'), {
    ...refused('no'),
    systemMessages: ['look out (user)']
  }),
  pre('exit 2 with colours on stderr', exit(2, '\u001B[31mno\u001B[0m\n'), refused('no')),
  pre('exit 0, text on stderr', { ...text('{}'), stderr: 'not read' }, nothing),
  pre('exit 1 with allow', json(ALLOW, 1), closed('exit'), marked(allowed())),
  pre('exit 1 with an input', json(specific('PreToolUse', { updatedInput: SAFER }), 1), closed('exit'), {
    ...marked(nothing),
    updatedInput: SAFER
  }),
  pre('exit 1 with a deny', json(DENY, 1, 'oops'), refused('because')),
  pre('exit 1 with broken JSON', { ...text('{"decision":'), code: 1 }, closed('exit'), opened('exit')),
  pre('exit 1 with text', { ...text('fine'), code: 1 }, closed('exit'), opened('exit')),
  pre('exit 1 with continue_execution: false', json({ continue_execution: false, stop_reason: 'not now' }, 1), {
    ...refused('not now'),
    stopReason: 'not now'
  }),
  pre('exit 126, not executable', exit(126, 'sh: ./x: Permission denied'), closed('spawn'), opened('spawn')),
  pre('exit 127 for another reason', exit(127), closed('exit'), opened('exit')),
  pre('exit 255 with allow', json(ALLOW, 255), closed('exit'), marked(allowed())),
  pre(
    'python cannot open the script: exit 2',
    exit(2, "python3: can't open file '/x/check.py': [Errno 2] No such file or directory\n"),
    closed('spawn'),
    refused("python3: can't open file '/x/check.py': [Errno 2] No such file or directory")
  ),
  pre(
    'sh cannot open the script: exit 2',
    exit(2, 'sh: 0: cannot open /x/check.sh: No such file\n'),
    closed('spawn'),
    refused('sh: 0: cannot open /x/check.sh: No such file')
  ),
  pre(
    'a refusal that is only about such files',
    exit(2, "do not touch what python can't open\n"),
    refused("do not touch what python can't open")
  )
]

const LIST = '[{"a": 1}]'
const BEFORE = 'checking ...\n{"decision": "block"}'
const AFTER = '{"decision": "block"}\ndone'
const PROSE = 'I would say "decision": "block" here'

const OUTPUTS: readonly Case[] = [
  pre('a JSON list', text(LIST), nothing),
  pre('a JSON list with a decision in it', text('[{"decision": "block"}]'), closed('reply'), marked(nothing)),
  pre('a JSON string', text('"deny"'), nothing),
  pre('text before the JSON', text(BEFORE), closed('reply'), marked(nothing)),
  pre('text after the JSON', text(AFTER), closed('reply'), opened('reply')),
  pre('text with a decision in it', text(PROSE), closed('reply'), marked(nothing)),
  pre('text with braces', text('done {ok}'), nothing),
  prompt('a JSON list', text(LIST), context(LIST)),
  prompt('text before the JSON', text(BEFORE), closed('reply'), marked(context(BEFORE))),
  prompt('text after the JSON', text(AFTER), closed('reply'), marked(context(AFTER))),
  prompt('exit 1 with text', { ...text('fine'), code: 1 }, closed('exit'), opened('exit')),
  the('SessionStart', 'text before the JSON', text(BEFORE), { failure: 'reply' }, context(BEFORE))
]

const PROMPTS: readonly Case[] = [
  prompt('continue: false', json({ continue: false, stopReason: 'enough' }), {
    ...refused('enough'),
    continue: false,
    stopReason: 'enough'
  }),
  prompt(
    'a refused prompt that is not shown',
    json({ decision: 'block', ...specific('UserPromptSubmit', { suppressOriginalPrompt: true }) }),
    {
      ...refused('refused by hook'),
      fields: { suppressOriginalPrompt: true }
    }
  ),
  prompt('a title', json(specific('UserPromptSubmit', { sessionTitle: 'Tidying' })), {
    fields: { sessionTitle: 'Tidying' }
  }),
  prompt('an allow has no meaning', json({ decision: 'approve' }), nothing),
  prompt('an ask cannot be answered', json({ decision: 'ask' }), closed('decision'), opened('decision')),
  prompt('exit 1 with approve', json({ decision: 'approve' }, 1), closed('exit'), marked(nothing)),
  prompt('exit 2 with context', json(specific('UserPromptSubmit', { additionalContext: 'note' }), 2, 'no'), {
    ...refused('no'),
    contexts: ['note']
  })
]

const behaves = (decision: object): object => specific('PermissionRequest', { decision })
const RULES = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]

const PERMISSIONS: readonly Case[] = [
  permission('allows', json(behaves({ behavior: 'allow' })), allowed()),
  permission('allows with another input', json(behaves({ behavior: 'allow', updatedInput: SAFER })), {
    ...allowed(),
    updatedInput: SAFER
  }),
  permission('allows with rules', json(behaves({ behavior: 'allow', updatedPermissions: RULES })), {
    ...allowed(),
    fields: { updatedPermissions: RULES }
  }),
  permission('denies', json(behaves({ behavior: 'deny', message: 'no' })), refused('no')),
  permission('denies and interrupts', json(behaves({ behavior: 'deny', message: 'no', interrupt: true })), {
    ...refused('no'),
    fields: { interrupt: true }
  }),
  permission('an unknown behaviour', json(behaves({ behavior: 'ask' })), closed('reply'), opened('reply')),
  permission('a decision that is not an object', json(behaves(['deny'])), closed('reply'), opened('reply')),
  permission('continue: false', json({ continue: false, stopReason: 'enough' }), {
    ...refused('enough'),
    continue: false,
    stopReason: 'enough',
    fields: { interrupt: true }
  }),
  permission('exit 1 with a deny', json(behaves({ behavior: 'deny', message: 'no' }), 1), refused('no')),
  permission('exit 1 with an allow', json(behaves({ behavior: 'allow' }), 1), closed('exit'), marked(allowed()))
]

export const GATE_CASES: readonly Case[] = [
  ...DECISIONS,
  ...REWRITES,
  ...SPELLING,
  ...CODES,
  ...OUTPUTS,
  ...PROMPTS,
  ...PERMISSIONS
]
