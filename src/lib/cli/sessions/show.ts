import { EXIT } from '../common.ts'
import { inOneLine, safeJson, styled } from '../print.ts'
import { cut } from '../terminal/width.ts'
import { itemsOf, openSession, type Session } from './load.ts'
import { pageOut } from './pager.ts'
import { block, columns } from './page-width.ts'
import { Pen } from './render.ts'
import { findSession, type SessionFlags } from './session-lookup.ts'
import { wordsOfState } from './state.ts'

export interface ShowFlags extends SessionFlags {
  full?: boolean
  agent?: string
  /** `--no-pager` makes it false. */
  pager?: boolean
}

/** `carabiner sessions show`: the conversation, with hooks and decisions at their places. */
export async function show(name: string, flags: ShowFlags): Promise<number> {
  const session = await openSession(findSession(name, flags), flags.agent)
  if (flags.json === true) await pageOut(asJson(session), false)
  else await pageOut(asText(session, flags), flags.pager !== false)
  return EXIT.done
}

/** What is known only when all was read comes last. */
function* asJson(session: Session): Generator<string> {
  const { id, path, isForeign, cwd, title, state, agents, gaps } = session
  const format = isForeign ? 'claude-code' : 'carabiner'
  yield* jsonOf({ id, path, format, cwd, title: title ?? null, state }, 'items', itemsOf(session))
  yield `,\n  "agents": ${safeJson([...agents])},\n  "gaps": ${safeJson(gaps)}\n}\n`
}

/** An object whose last property is a list of any length, without its end. */
export function* jsonOf<T>(
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

function* asText(session: Session, { full, agent }: ShowFlags): Generator<string> {
  const width = columns()
  yield `${styled('bold', cut(inOneLine(session.title ?? `session ${session.id}`), width))}\n`
  yield `${styled('dim', cut(inOneLine(session.cwd === '' ? session.path : session.cwd), width))}\n`
  const pen = new Pen(width, session.cwd, full === true)
  for (const item of itemsOf(session)) for (const line of pen.linesOf(item)) yield `${line}\n`
  if (agent === undefined) for (const line of ending(session, width)) yield `${line}\n`
}

/** How it was left, and how to go on. */
function ending(session: Session, width: number): readonly string[] {
  const { state, isForeign, id, name = id } = session
  const words = block(inOneLine(wordsOfState(state)), '', width)
  if (state.kind === 'running') return ['', ...words.map(line => styled('green', line))]
  const how = `carabiner run --resume ${inOneLine(name)}${isForeign && name === id ? ' --fork-session' : ''}`
  return ['', ...words, ...(state.kind === 'empty' ? [] : [styled('dim', `go on: ${how}`)])]
}
