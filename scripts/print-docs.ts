/** Prints docs/hooks.md from the event table. `--check` only says whether the file is what would be printed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { HookRegistry, type Dialect, type EventName } from '../src/hooks.ts'
import { answerRules, FIELDS, STRENGTH, type Family, type SpecificField } from '../src/lib/hooks/events/answers.ts'
import { baseFields, EVENT_NAMES, rowOf, snakeName } from '../src/lib/hooks/events/event-table.ts'
import { listFields } from '../src/lib/hooks/events/fields.ts'

/** What a deny, a block or exit code 2 does, by the family of answers. */
const DENY_WORDS: Record<Family, string> = {
  gate: 'the call does not run; the reason goes to the model',
  permission: 'permission is refused without a prompt',
  prompt: 'the prompt is dropped; the reason goes to the caller',
  expansion: 'the command is not expanded; the reason goes to the caller',
  session: 'the session does not start',
  create: 'the task is not created',
  start: 'the agent does not run',
  block: 'the run ends before the next model call',
  stop: 'the agent continues instead of ending, with the reason',
  veto: 'no compaction, unless it is forced; requires an explicit `decision: "block"`',
  switch: 'the model stays; the reason goes to the caller',
  change: 'the change is ignored; not possible for managed policy',
  result: 'the result is kept; the reason goes to the model as well',
  feedback: 'the error is kept; the reason goes to the model as well',
  request: 'the request is not sent; the turn ends with the reason',
  response: 'no one sees the answer; the model gets the reason and tries again, at most 3 times',
  elicitation: 'the request of the server is declined',
  retry: 'nothing: the call is already refused',
  inform: 'nothing',
  display: 'nothing',
  news: 'nothing',
  watch: 'nothing'
}

/** What each field that only some events take is for. */
const FIELD_WORDS: Record<SpecificField, string> = {
  additionalContext: 'text for the next model call; all are kept, in order',
  updatedInput:
    'the input to use instead; on PreModelRequest and PostModelResponse the keys of `request` or `response` to replace',
  updatedToolOutput: 'replaces the result of the tool: text, content blocks, or its own format',
  updatedMCPToolOutput: 'the same, for tools of MCP servers only',
  updatedPermissions: 'rule and mode changes to apply with the permission',
  interrupt: 'end the turn together with the refusal',
  retry: 'inform the model that it may retry',
  initialUserMessage: 'a first prompt, for non-interactive runs',
  sessionTitle: 'a title for the session',
  watchPaths: 'files to watch for changes',
  reloadSkills: 'search for skills again',
  action: 'the answer to the server; no one else is asked',
  content: 'the submitted values; used with `accept`',
  suppressOriginalPrompt: 'do not show the refused prompt',
  displayContent: 'the text to display instead; the conversation and the transcript keep the original',
  classifierContext: 'a note for the classifier of an auto mode, which this agent does not have'
}

const PAGE = new URL('../docs/hooks.md', import.meta.url)

const INTRODUCTION = `# Hook reference

<!-- Printed by \`npm run docs\` from src/lib/hooks/events/event-table.ts and answers.ts. Change those, not this page. -->

This page is printed from the tables that the engine uses, with \`npm run docs\`.

- [All events](#all-events)
- [Input of a hook](#input-of-a-hook)
- [Replies](#replies)
- [Events in detail](#events-in-detail)
`

const MATCHERS = `Event names are accepted in three spellings: \`PreToolUse\`, \`preToolUse\` and \`pre_tool_use\` are one event.

**Matcher.** The field that is compared with the hook's matcher. \`Bash\` matches exactly that name; \`Edit|Write\` and
\`Edit, Write\` match either; \`mcp__*\` is a glob over the whole name; anything else is a regular expression that may
match anywhere. No matcher, \`''\` and \`*\` match everything. Matchers are case-sensitive. Events with a dash ignore the
matcher.

**A hook fails** when it throws, times out, or returns an invalid reply. On a *gate* the action is then refused; on any other
event it continues, with a warning in the outcome. \`onFailure: 'block' | 'continue'\` on a hook overrides this. A PostToolUse hook with
\`onFailure: 'block'\` that fails hides the output of the tool: use it for hooks that remove secrets.

**Timeout.** The default timeout in seconds: for hooks of this library / for hooks with \`dialect: 'contract'\`, such as the
callbacks passed to \`hooks.callbacks()\`.
`

const REPLIES = `A hook returns nothing, which has no effect, or a reply. These functions build one:

| | |
|---|---|
| \`allow()\` | allow without a prompt |
| \`deny(reason)\` | refuse, whatever other hooks reply |
| \`ask(reason)\` | a person must approve |
| \`defer()\` | postpone the decision |
| \`block(reason)\` | refuse and continue the run, on every event where a deny stops something |
| \`transform(input)\` | continue with this input |
| \`later(promise, { asyncTimeout })\` | the reply follows later |

All but \`later\` take options as their last argument: \`context\` (text for the next model call),
\`systemMessage\`, \`updatedInput\`, \`suppressOutput\`, \`suppressLogging\`.

They return a plain object, and a hook may return such an object itself:

| key | type | |
|---|---|---|
| \`decision\` | \`"allow"\`, \`"deny"\`, \`"ask"\`, \`"defer"\` | \`"approve"\` and \`"block"\` are read as allow and deny |
| \`reason\` | string | why |
| \`continue\` | boolean | \`false\` ends the run after this step (not on MessageDisplay), and refuses on a gate; \`true\` on the events that end something makes the agent continue |
| \`continueExecution\` | boolean | \`false\` refuses this step; the run continues |
| \`stopReason\` | string | the reason for the two keys above |
| \`systemMessage\` | string | goes to the next model call; shown as it is, also from a PostModelResponse hook |
| \`terminalSequence\` | string | sent to the terminal of \`carabiner run\`, not with \`-p\`, not with \`TERM=dumb\` and not from PostModelResponse hooks: titles (OSC 0, 1, 2), notifications (9, 99, 777) and at most five bells, in at most 2000 characters; with anything else in it, nothing is sent, and a warning names the part that is refused |
| \`suppressOutput\` | boolean | on PostToolUse: hides the output of the tool |
| \`suppressLogging\` | boolean | excludes this call from logs |
| \`hookSpecificOutput\` | object | the fields of the event, with \`hookEventName\` beside them |

The fields that an event accepts are listed below. They may be in the reply itself or in \`hookSpecificOutput\`;
\`stop_reason\` and \`stopReason\` are the same key. Unknown keys are ignored and listed in the report. A value of the wrong
type is a failure of the hook, and so is \`ask\` or \`defer\` on an event that does not list it.

Replies of hooks with \`dialect: 'contract'\` have the meaning that they have in hook files: \`continue: true\` is
neutral, \`suppressOutput\` hides only what the hook itself printed, and \`systemMessage\` is shown to the user.
`

/** What the engine's own list of base fields says, in words. */
const BASE_WORDS: Readonly<Record<string, string>> = {
  session_id: 'the session',
  transcript_path: 'the path of its transcript; may be empty',
  cwd: 'the working directory; may be empty',
  prompt_id: 'the current prompt; may be missing',
  permission_mode: 'the current permission mode (default: `default`)',
  agent_id: 'the agent; may be missing',
  agent_type: 'its type; may be missing',
  effort: 'the effort level of the model, `{ level }`; may be missing'
}

/** Words for the types of the table that are more than a word of JSON. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  object: 'object',
  list: 'list',
  unknown: 'anything',
  'tool calls': 'list of `{ tool_name, tool_input, tool_use_id, tool_response? }`',
  'agent result': '`{ id, content, tool_uses, iterations, usage: { input_tokens, output_tokens } }`',
  'model request':
    '`{ model, system, tools, append, effort?, max_tokens? }`: `tools` are names, `append` are messages to add',
  'model response':
    '`{ content, stop_reason, server_calls? }`: `content` is a list of blocks; only their texts can be changed',
  'token usage': '`{ input_tokens, output_tokens, cache_creation_input_tokens?, cache_read_input_tokens? }`'
}

/** The whole page. */
export function hooksPage(): string {
  return [
    INTRODUCTION,
    '## All events\n',
    table(['event', 'fires when', 'matcher', 'a deny', 'a failing hook', 'timeout'], EVENT_NAMES.map(summaryOf)),
    MATCHERS,
    '## Input of a hook\n',
    givenWords(),
    '## Replies\n',
    REPLIES,
    foldingWords(),
    '## Events in detail\n',
    ...EVENT_NAMES.map(sectionOf)
  ].join('\n')
}

function summaryOf(event: EventName): readonly string[] {
  const row = rowOf(event)
  return [
    `[${event}](#${event.toLowerCase()})<br>\`${snakeName(event)}\``,
    row.when,
    row.target === undefined ? '–' : `\`${row.target}\``,
    DENY_WORDS[row.answer],
    row.failure === 'closed' ? '**refuses**' : 'is a warning',
    `${timeoutOf(event, 'library')} / ${timeoutOf(event, 'contract')}`
  ]
}

/** Asked of the engine, so that it is what happens. */
function timeoutOf(event: EventName, dialect: Dialect): number {
  const hooks = new HookRegistry().register({ name: 'any', events: event, dialect, run: () => {} })
  return hooks.describe('any').timeout
}

function givenWords(): string {
  const rows = baseFields.map(name => [`\`${name}\``, wordsFor(BASE_WORDS, name)])
  return `\`ctx.input\` is the event as one frozen object. It starts with these fields, all strings:

${table(['field', ''], rows)}
They are followed by \`hook_event_name\` and the fields of the event itself, and at the end \`event\` (the name in snake case) and
\`timestamp\`. The most common fields have their own names on \`ctx\`: \`toolName\`, \`toolInput\`, \`toolUseId\`,
\`toolResponse\`, \`error\`, \`prompt\`, \`request\`, \`response\`, \`subagentId\`, \`sessionId\`, \`cwd\`. They are undefined on events that do not have them.
`
}

function foldingWords(): string {
  const order = Object.entries(STRENGTH)
    .toSorted(([, a], [, b]) => b - a)
    .map(([decision]) => decision)
    .join(' > ')
  return `If several hooks reply, the strongest decision is used: ${order}. There is one exception: among the hooks of a registry with
\`precedence: 'allow-over-ask'\`, the default of \`new HookRegistry()\`, an allow takes precedence over an ask. In \`query()\`
this applies to the hooks of your registry; hooks from files fold with ask over allow, and between the two ask takes
precedence: no allow from another source overrides it. Order and speed do not matter. All contexts and system messages are
kept, in order; of any other field the last value in declared order is used.
`
}

function sectionOf(event: EventName): string {
  const row = rowOf(event)
  return [
    `### ${event}\n`,
    `Fires when ${row.when}. In snake case: \`${snakeName(event)}\`.\n`,
    table(['field', 'type', 'optional', ''], fieldRows(event)),
    answerWords(event),
    '```json',
    JSON.stringify(row.sample, null, 2),
    '```\n'
  ].join('\n')
}

function fieldRows(event: EventName): readonly (readonly string[])[] {
  const { fields, target, draft } = rowOf(event)
  return listFields(fields).map(({ name, type, optional }) => {
    const notes = [
      ...(name === target ? ['matchers compare it'] : []),
      ...(name === draft ? [`hooks may change it, as \`ctx.${camel(name)}\``] : [])
    ]
    return [`\`${name}\``, typeWords(type), optional ? 'yes' : '', notes.join('; ')]
  })
}

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** `manual | auto` → `"manual"` or `"auto"`; `string | null` → string or null. */
function typeWords(type: string): string {
  const words = type.split(' | ').map(word => TYPE_WORDS[word] ?? `\`"${word}"\``)
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function answerWords(event: EventName): string {
  const row = rowOf(event)
  const { decisions, fields } = answerRules(row.answer)
  if (decisions.length + fields.length === 0)
    return 'Hooks only observe: decisions have no effect, and there is no field to set.\n'
  const decided = decisions.map(decision => `\`${decision}\``).join(', ')
  const failing = row.failure === 'closed' ? 'This is a gate: a failing hook refuses as well.' : ''
  return [
    decisions.length === 0
      ? 'Accepts no decision.\n'
      : `Accepts ${decided}. A deny: ${DENY_WORDS[row.answer]}. ${failing}`.trimEnd() + '\n',
    fields.length === 0 ? '' : table(['answer field', 'type', ''], fields.map(answerRow))
  ]
    .filter(part => part !== '')
    .join('\n')
}

const answerRow = (field: SpecificField): readonly string[] => {
  const [type, words] = [FIELDS[field], FIELD_WORDS[field]]
  return [`\`${field}\``, typeWords(type), words]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const lines = [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)]
  return `${lines.map(text => text.replaceAll(/ +\|/g, ' |')).join('\n')}\n`
}

function wordsFor(words: Readonly<Record<string, string>>, name: string): string {
  const found = words[name]
  if (found === undefined) throw new Error(`scripts/print-docs.ts has no words for ${name}: add them`)
  return found
}

if (import.meta.main) {
  const page = hooksPage()
  if (!process.argv.includes('--check')) {
    writeFileSync(PAGE, page)
    console.log(`docs/hooks.md: ${EVENT_NAMES.length} events`)
  } else if (readFileSync(PAGE, 'utf8') === page) {
    console.log('docs/hooks.md is fresh')
  } else {
    console.error('docs/hooks.md is not what the tables say: run `npm run docs`')
    process.exitCode = 1
  }
}
