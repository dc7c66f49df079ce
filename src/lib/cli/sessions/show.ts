import type { FlagValues, SHOW_FLAGS } from '../flags.ts'
import { EXIT } from '../common.ts'
import { escapeLine, safeJson, withStyle } from '../print.ts'
import { truncateText, wrapBlock, outputColumns } from '../terminal/width.ts'
import { sessionItems, openSession, type StoredSession } from './load.ts'
import { writePaged } from './pager.ts'
import { SessionRenderer } from './render.ts'
import { findSession } from './session-lookup.ts'
import { stateLabel, type StoredState } from './state.ts'

type ShowFlags = FlagValues<typeof SHOW_FLAGS>

export async function showSession(name: string, flags: ShowFlags): Promise<number> {
  const session = openSession(findSession(name, flags), flags.agent)
  const state = await session.state()
  if (flags.json === true) await writePaged(asJson(session, state), false)
  else await writePaged(asText(session, state, flags), flags.pager !== false)
  return EXIT.done
}

/** Known only after reading, so printed last. */
function* asJson(session: StoredSession, state: StoredState): Generator<string> {
  const { id, path, isForeign, cwd, title, agents, gaps } = session
  const format = isForeign ? 'claude-code' : 'carabiner'
  yield* jsonWithList({ id, path, format, cwd, title: title ?? null, state }, 'items', sessionItems(session))
  yield `,\n  "agents": ${safeJson([...agents])},\n  "gaps": ${safeJson(gaps)}\n}\n`
}

export function* jsonWithList<T>(
  head: object,
  name: string,
  items: Iterable<T>,
  shape: (item: T) => unknown = item => item
): Generator<string> {
  yield `${safeJson(head, 2).slice(0, -2)},\n  "${name}": [`
  let isFirst = true
  for (const item of items) {
    yield `${isFirst ? '' : ','}\n    ${safeJson(shape(item), 2).replaceAll('\n', '\n    ')}`
    isFirst = false
  }
  yield '\n  ]'
}

function* asText(session: StoredSession, state: StoredState, { full, agent }: ShowFlags): Generator<string> {
  const width = outputColumns()
  yield `${withStyle('bold', truncateText(escapeLine(session.title ?? `session ${session.id}`), width))}\n`
  yield `${withStyle('dim', truncateText(escapeLine(session.cwd === '' ? session.path : session.cwd), width))}\n`
  const pen = new SessionRenderer(width, session.cwd, full === true)
  for (const item of sessionItems(session)) for (const line of pen.render(item)) yield `${line}\n`
  if (agent === undefined) for (const line of ending(session, state, width)) yield `${line}\n`
}

function ending(session: StoredSession, state: StoredState, width: number): readonly string[] {
  const { isForeign, id, name = id } = session
  const words = wrapBlock(escapeLine(stateLabel(state)), '', width)
  if (state.kind === 'running') return ['', ...words.map(line => withStyle('green', line))]
  const how = `carabiner run --resume ${escapeLine(name)}${isForeign && name === id ? ' --fork-session' : ''}`
  return ['', ...words, ...(state.kind === 'empty' ? [] : [withStyle('dim', `go on: ${how}`)])]
}
