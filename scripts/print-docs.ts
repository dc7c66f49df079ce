/** Prints docs/hooks.md from the event table. `--check` only says whether the file is what would be printed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { HookRegistry, type Dialect, type EventName } from '../src/hooks.ts'
import { answerRules, FIELDS, STRENGTH, type Family, type SpecificField } from '../src/lib/hooks/events/answers.ts'
import { baseFields, EVENT_NAMES, rowOf, snakeName } from '../src/lib/hooks/events/event-table.ts'
import { listFields } from '../src/lib/hooks/events/fields.ts'

/** What a deny, a block or exit code 2 does, by the family of answers. */
const DENY_WORDS: Record<Family, string> = {
  gate: 'the call does not run; the reason goes to the model',
  permission: 'permission is refused; nobody is asked',
  prompt: 'the prompt is dropped; the reason goes to the caller',
  expansion: 'the command is not expanded; the reason goes to the caller',
  session: 'the session does not start',
  create: 'the task is not made',
  start: 'the agent does not run',
  block: 'the run ends before the next model call',
  stop: 'it goes on instead of ending, with the reason',
  veto: 'no compaction, unless it is forced; only an explicit `decision: "block"` counts',
  change: 'the change does not count; managed policy always does',
  result: 'the result stays; the reason goes to the model beside it',
  feedback: 'the error stays; the reason goes to the model beside it',
  elicitation: 'the server is told that nobody wants to answer (decline)',
  retry: 'nothing: it is refused already',
  inform: 'nothing',
  news: 'nothing',
  watch: 'nothing'
}

/** What each field that only some events take is for. */
const FIELD_WORDS: Record<SpecificField, string> = {
  additionalContext: 'text for the next model call; all texts are kept, in order',
  updatedInput: 'the input to use instead',
  updatedToolOutput: 'the result to show instead of the tool’s own: a text, content blocks, or its own shape',
  updatedMCPToolOutput: 'the same, for tools of MCP servers only',
  updatedPermissions: 'rule and mode changes to make with the permission',
  interrupt: 'end the turn together with the refusal',
  retry: 'tell the model that it may try again',
  initialUserMessage: 'a first prompt, where no person is there to give one',
  sessionTitle: 'a title for the session',
  watchPaths: 'files whose changes shall be reported',
  reloadSkills: 'look for skills again',
  action: 'what the server is told: nobody else is asked',
  content: 'what was filled in; counts with `accept`',
  suppressOriginalPrompt: 'leave the refused prompt out of what is shown'
}

const PAGE = new URL('../docs/hooks.md', import.meta.url)

const INTRODUCTION = `# Hooks: every event, and how it may be answered

<!-- Printed by \`npm run docs\` from src/lib/hooks/events/event-table.ts and answers.ts. Change those, not this page. -->

This page is printed from the tables that the engine itself runs on, with \`npm run docs\`.

- [All events](#all-events)
- [What a hook is given](#what-a-hook-is-given)
- [What a hook may answer](#what-a-hook-may-answer)
- [Event by event](#event-by-event)
`

const MATCHERS = `Names are read in any of the usual spellings: \`PreToolUse\`, \`preToolUse\` and \`pre_tool_use\` are one event.

**Matcher.** What stands in this column is compared with the hook's matcher. \`Bash\` is that name and no other;
\`Edit|Write\` and \`Edit, Write\` are either; \`mcp__*\` is a glob over the whole name; anything else is a regular
expression that may match anywhere. Nothing, \`''\` and \`*\` match all. Case counts. Events with a dash have nothing to
compare and ignore the matcher.

**A hook fails** when it throws, takes too long, or answers with something that is not a reply. On a *gate* the action is
then refused; on any other event it goes on, with a warning in the outcome. \`onFailure: 'block' | 'continue'\` on a
hook says otherwise.

**Timeout.** Seconds that a hook has where it sets no \`timeout\`: hooks of this library / hooks with
\`dialect: 'contract'\`, such as the callbacks given to \`hooks.callbacks()\`.
`

const REPLIES = `A hook answers with nothing at all, which changes nothing, or with a reply. These functions build one:

| | |
|---|---|
| \`allow()\` | nobody needs to be asked |
| \`deny(reason)\` | this is refused, whatever other hooks say |
| \`ask(reason)\` | somebody must be asked |
| \`defer()\` | it is put aside to be decided later |
| \`block(reason)\` | this is refused and the run goes on, on every event where a deny stops something |
| \`transform(input)\` | go on with this input instead |
| \`later(promise, { asyncTimeout })\` | the answer is still being worked on |

All but \`later\` take options as their last argument: \`context\` (text for the next model call),
\`systemMessage\`, \`updatedInput\`, \`suppressOutput\`, \`suppressLogging\`.

What they build is a plain object, and a hook may as well return that object itself:

| key | type | |
|---|---|---|
| \`decision\` | \`"allow"\`, \`"deny"\`, \`"ask"\`, \`"defer"\` | \`"approve"\` and \`"block"\` are read as allow and deny |
| \`reason\` | string | why |
| \`continue\` | boolean | \`false\` ends the run after this step, and refuses on a gate; \`true\` on the events that end something makes the agent go on |
| \`continueExecution\` | boolean | \`false\` refuses this; the run goes on |
| \`stopReason\` | string | why, for the two keys above |
| \`systemMessage\` | string | goes to the next model call |
| \`suppressOutput\` | boolean | on PostToolUse: hides the output of the tool |
| \`suppressLogging\` | boolean | asks for this call to be left out of logs |
| \`hookSpecificOutput\` | object | the fields of the event, with \`hookEventName\` beside them |

The fields that an event takes are listed with it below. They may stand in the reply itself or in \`hookSpecificOutput\`;
\`stop_reason\` and \`stopReason\` are the same key. A key that is not known is ignored, and the report says so. A key of
the wrong type is a failure of the hook, and so is \`ask\` or \`defer\` on an event that does not list it.

Hooks with \`dialect: 'contract'\` say the same words with the meaning they have in hook files: \`continue: true\` is
neutral, \`suppressOutput\` hides only what the hook itself printed, and \`systemMessage\` is shown to the user.
`

/** What the engine's own list of base fields says, in words. */
const BASE_WORDS: Readonly<Record<string, string>> = {
  session_id: 'the session',
  transcript_path: 'where its transcript is kept; may be empty',
  cwd: 'the folder the agent works in; may be empty',
  prompt_id: 'the prompt that led here; may be missing',
  permission_mode: 'the permission mode in force, `default` unless set',
  agent_id: 'the agent it happens in; may be missing',
  agent_type: 'its type; may be missing',
  effort: 'how hard the model tries, `{ level }`; may be missing'
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
  'agent result': '`{ id, content, tool_uses, iterations, usage: { input_tokens, output_tokens } }`'
}

/** The whole page. */
export function hooksPage(): string {
  return [
    INTRODUCTION,
    '## All events\n',
    table(['event', 'fires when', 'matcher', 'a deny', 'a failing hook', 'timeout'], EVENT_NAMES.map(summaryOf)),
    MATCHERS,
    '## What a hook is given\n',
    givenWords(),
    '## What a hook may answer\n',
    REPLIES,
    foldingWords(),
    '## Event by event\n',
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
    row.failure === 'closed' ? '**refuses**' : 'goes on',
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
  return `\`ctx.input\` is the event as one frozen object. It begins with these fields, all strings:

${table(['field', ''], rows)}
Then come \`hook_event_name\` and the fields of the event itself, and at its end \`event\` (the name in snake case) and
\`timestamp\`. The fields that hooks work with most have their own names on \`ctx\`: \`toolName\`, \`toolInput\`, \`toolUseId\`,
\`toolResponse\`, \`error\`, \`prompt\`, \`subagentId\`, \`sessionId\`, \`cwd\`. They are undefined on events that do not have them.
`
}

function foldingWords(): string {
  const order = Object.entries(STRENGTH)
    .toSorted(([, a], [, b]) => b - a)
    .map(([decision]) => decision)
    .join(' > ')
  return `When several hooks answer, the strongest decision stands: ${order}. Hooks of a registry with
\`precedence: 'allow-over-ask'\`, the default of \`new HookRegistry()\`, make one exception among themselves: there an allow
wins over an ask. In \`query()\` that holds for the hooks of your registry; hooks from files fold with ask over allow, and
between the two an ask wins: no allow of others silences it. Order and speed do not matter. Contexts and system messages
are all kept, in order; of any other field the last one in declared order stands.
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
      ...(name === target ? ['a matcher tests it'] : []),
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
    return 'Hooks only watch: no decision has an effect here, and there is no field to set.\n'
  const decided = decisions.map(decision => `\`${decision}\``).join(', ')
  const failing = row.failure === 'closed' ? 'This is a gate: a hook that fails refuses too.' : ''
  return [
    decisions.length === 0
      ? 'Takes no decision.\n'
      : `Takes ${decided}. A deny: ${DENY_WORDS[row.answer]}. ${failing}`.trimEnd() + '\n',
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
