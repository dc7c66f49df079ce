import { wordsOfGap } from '../../transcript/load.ts'
import type { StoredSession } from './load.ts'
import type { StoryItem } from './story.ts'

export function* renderMarkdown(
  { id, title, cwd }: Pick<StoredSession, 'id' | 'title' | 'cwd'>,
  items: Iterable<StoryItem>
): Generator<string> {
  yield `# ${oneLine(title ?? `Session ${id}`)}`
  if (cwd !== '') yield `\n${code(cwd)}`
  for (const item of items) {
    const text = renderPart(item)
    if (text !== '') yield `\n${text}`
  }
}

const renderPart = (item: StoryItem): string => (PARTS[item.kind] as (item: StoryItem) => string)(item)

const PARTS: { readonly [K in StoryItem['kind']]: (item: StoryItem & { readonly kind: K }) => string } = {
  prompt: ({ text }) => `## Prompt\n\n${text}`,
  answer: ({ text }) => text,
  thought: () => '',
  told: ({ text }) => quote(text),
  summary: ({ text }) => `**What was before, in short**\n\n${quote(text)}`,
  call: ({ tool, input }) => `**Call** ${code(tool)}\n\n${fenced(JSON.stringify(input, null, 2) ?? '', 'json')}`,
  result({ text, isUnknown, isError, isRefused }) {
    const kind = isUnknown ? 'Outcome unknown' : isError ? 'Failed' : 'Result'
    return isRefused ? '' : `**${kind}**\n\n${fenced(text)}`
  },
  context: ({ event, by, text }) => `**Hook** ${code(event)}${from(by)}\n\n${quote(text)}`,
  denied: ({ tool, by, reason }) => `**Refused** ${code(tool)}${from(by)}\n\n${quote(reason)}`,
  waiting: ({ tool, by }) => `**Waits for a decision** ${code(tool)}${from(by)}`,
  subagent: ({ id, type, description }) =>
    `**Subagent** ${code(id)} ${oneLine([type, description].filter(Boolean).join(': '))}`.trimEnd(),
  compacted: ({ trigger, text }) =>
    `---\n\n*Compacted (${oneLine(trigger)})*${text === '' ? '' : `\n\n${quote(text)}`}`,
  cleared: () => '---\n\n*Cleared*',
  rewound: ({ to }) => `---\n\n*Went back to ${code(to)}*`,
  forked: ({ from: origin }) => `---\n\n*Up to here a copy of session ${code(origin)}*`,
  changed: ({ event }) => `*${oneLine(event)} changed the conversation*`,
  repaired: ({ leftOut }) => `---\n\n*Repaired: ${leftOut.length} places were left out*`,
  ungated: ({ tool }) => `*${code(tool)} was run by the model’s provider*`,
  gap: ({ gap }) => `**Gap** ${wordsOfGap(gap)}`,
  unknown: ({ type }) => `*An entry of the type ${code(type)}*`
}

const from = (who: string | undefined): string => (who === undefined || who === '' ? '' : ` by ${code(who)}`)

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const quote = (text: string): string => text.replaceAll(/^/gm, '> ').replaceAll(/^> $/gm, '>')

/** Enough backticks that none in the text ends it. */
const marks = (text: string, fewest: number): string =>
  '`'.repeat(Math.max(fewest, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length + 1)))

const fenced = (text: string, kind = ''): string => {
  const fence = marks(text, 3)
  return `${fence}${kind}\n${text}\n${fence}`
}

const code = (text: string): string => {
  const mark = marks(text, 1)
  return mark.length === 1 ? `${mark}${oneLine(text)}${mark}` : `${mark} ${oneLine(text)} ${mark}`
}
