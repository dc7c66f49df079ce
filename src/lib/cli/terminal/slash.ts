import { pathFrom } from '../../world/files/paths.ts'
import { errorMessage } from '../../errors.ts'
import { MODES, type Mode } from '../../permissions/modes.ts'
import type { Query } from '../../query/query-interface.ts'
import type { ProjectState } from '../common.ts'
import { escapeLine, alignColumns } from '../print.ts'
import { resume } from './resume.ts'
import type { Screen } from './screen.ts'
import type { MessageView } from './message-view.ts'
import { hangIndent } from './width.ts'

export interface SlashContext {
  readonly screen: Screen
  readonly show: MessageView
  readonly scene: ProjectState
  readonly running: Query
  exit(): void
  readonly current: string
  switchTo(id: string): void
  isOver(): boolean
}

interface Slash {
  readonly words: string
  run(rest: string, desk: SlashContext): void | Promise<void>
}

const SLASHES: Readonly<Record<string, Slash>> = {
  help: { words: 'list these commands', run: (_, { screen }) => screen.print(helpText()) },
  hooks: { words: 'list the hooks that are active', run: showHooks },
  cost: {
    words: 'show tokens and dollars so far, by model',
    run: (_, { screen, show }) => screen.print(costText(show))
  },
  mode: { words: 'show the permission mode; with a name: change it', run: changeMode },
  compact: { words: 'replace the conversation with a summary', run: compact },
  clear: { words: 'start a new conversation', run: clear },
  resume: { words: 'list earlier sessions of this folder; with a number or an id: resume it', run: resume },
  exit: { words: 'end the session (also Ctrl-D)', run: (_, desk) => desk.exit() }
}

/** Commands of the session itself, which gets them like prompts. */
const OF_SESSION: Readonly<Record<string, string>> = {
  model: 'show the model; with a name: switch to it',
  'add-dir': 'add a folder to the workspace'
}

/** Runs `/name rest`. False: it is a prompt, since it is not a command, or one of the agent's own. */
export async function runSlashCommand(line: string, desk: SlashContext, ofAgent: readonly string[]): Promise<boolean> {
  const [, name, rest = ''] = /^\/([\w:-]*)(?:\s+(.*))?$/s.exec(line.trim()) ?? []
  if (name === undefined || ofAgent.includes(name) || Object.hasOwn(OF_SESSION, name)) return false
  const command = Object.hasOwn(SLASHES, name) ? SLASHES[name] : undefined
  if (command !== undefined) await runSlash(command, rest.trim(), desk)
  else {
    const there = [...Object.keys({ ...SLASHES, ...OF_SESSION }), ...ofAgent].map(each => `/${each}`).join(', ')
    const words = `There is no /${name}. Use one of ${escapeLine(there)}.`
    desk.screen.print(hangIndent('  ', words, desk.screen.columns))
  }
  return true
}

async function runSlash({ run }: Slash, rest: string, desk: SlashContext): Promise<void> {
  try {
    await run(rest, desk)
  } catch (error) {
    desk.show.warn(errorMessage(error))
  } finally {
    if (!desk.isOver()) desk.screen.status()
  }
}

const helpText = (): string =>
  [
    ...alignColumns([
      ...Object.entries(SLASHES).map(([name, { words }]) => [`  /${name}`, words]),
      ...Object.entries(OF_SESSION).map(([name, words]) => [`  /${name}`, words])
    ]),
    '  End a line with \\ to continue on the next. Pasted lines are one prompt.',
    '  The arrow keys bring back earlier prompts.',
    '  Ctrl-C interrupts; twice ends the session.'
  ].join('\n')

async function showHooks(_: string, { screen, scene: { loaded, where }, running }: SlashContext): Promise<void> {
  const hooks = await running.hooks()
  const near = (source: string): string => {
    const [, file, line] = /^(\/.*?):(\d+)(?::\d+)?$/.exec(source) ?? []
    if (file === undefined) return source
    return `${pathFrom(loaded.root, file) ?? file.replace(`${where.home}/`, '~/')}:${line}`
  }
  const lines = hooks.flatMap(({ events, matcher, name, source, enabled }) => [
    escapeLine(`  ${events.join(', ')}${matcher === 'everything' ? '' : ` ${matcher}`}${enabled ? '' : ' (off)'}`),
    // A hook without a name is named after what it runs and where it was declared; that follows anyway.
    hangIndent('    ', escapeLine(`${name.replace(/ \([^()]*:\d+\)$/, '')}  (${near(source)})`), screen.columns)
  ])
  screen.print(lines.length === 0 ? '  no hooks are active' : lines.join('\n'))
}

function costText({ usage }: MessageView): string {
  const models = Object.entries(usage)
  if (models.length === 0) return '  no tokens used so far'
  const dollars = models.reduce((sum, [, { costUSD }]) => sum + costUSD, 0)
  const rows = models.map(([model, used]) => [
    `  ${escapeLine(model)}`,
    `${used.inputTokens} in`,
    `${used.outputTokens} out`,
    `${used.cacheReadInputTokens} cached`,
    used.costUSD > 0 ? priced(used.costUSD) : 'no price known'
  ])
  return [...alignColumns(rows), ...(models.length > 1 ? [`  ${priced(dollars)} in all`] : [])].join('\n')
}

const priced = (dollars: number): string => `$${dollars.toFixed(4)}`

async function changeMode(name: string, { screen, show, running }: SlashContext): Promise<void> {
  if (name === '') return screen.print(`  mode ${show.mode}; available: ${MODES.join(', ')}`)
  await running.setPermissionMode(name as Mode)
  show.mode = name
  screen.print(`  mode ${escapeLine(name)}`)
}

async function compact(instructions: string, { screen, running }: SlashContext): Promise<void> {
  screen.status('compacting the conversation')
  const done = await running.compact(instructions === '' ? undefined : instructions)
  if (!done) screen.print('  The conversation was not compacted.')
}

async function clear(_: string, { screen, running }: SlashContext): Promise<void> {
  screen.status('starting a new conversation')
  await running.clear()
  screen.print('  Started a new conversation.')
}
