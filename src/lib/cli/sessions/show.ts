import { EXIT } from '../common.ts'
import { inOneLine, safeJson, say, styled } from '../print.ts'
import { cut } from '../terminal/width.ts'
import { loadSession, type Session } from './load.ts'
import { block, columns } from './paper.ts'
import { Pen } from './pen.ts'
import { findSession, type SessionFlags } from './places.ts'
import { stateOf, wordsOfState, type State } from './state.ts'

export interface ShowFlags extends SessionFlags {
  full?: boolean
  agent?: string
}

/** `carabiner sessions show`: the conversation, with hooks and decisions at their places. */
export async function show(name: string, flags: ShowFlags): Promise<number> {
  const found = findSession(name, flags)
  const session = loadSession(found, flags.agent)
  const state = await stateOf(found.path, session.entries, session.isForeign)
  if (flags.json === true) say(safeJson(asJson(session, state), 2))
  else print(session, state, flags)
  return EXIT.done
}

function asJson({ id, path, isForeign, cwd, title, abandoned, agents, gaps, items }: Session, state: State): object {
  const format = isForeign ? 'claude-code' : 'carabiner'
  return { id, path, format, cwd, title: title ?? null, state, agents, abandoned, gaps, items }
}

function print(session: Session, state: State, flags: ShowFlags): void {
  const width = columns()
  say(styled('bold', cut(inOneLine(session.title ?? `session ${session.id}`), width)))
  say(styled('dim', cut(inOneLine(session.cwd === '' ? session.path : session.cwd), width)))
  const pen = new Pen(width, session.cwd, flags.full === true)
  for (const item of session.items) for (const line of pen.linesOf(item)) say(line)
  if (session.abandoned > 0) say(styled('dim', `left out: ${session.abandoned} lines of branches that were given up`))
  if (flags.agent === undefined) for (const line of ending(session, state, width)) say(line)
}

/** How it was left, and how to go on. */
function ending({ id, isForeign }: Session, state: State, width: number): readonly string[] {
  const words = block(inOneLine(wordsOfState(state)), '', width)
  if (state.kind === 'running') return ['', ...words.map(line => styled('green', line))]
  const how = `carabiner run --resume ${inOneLine(id)}${isForeign ? ' --fork-session' : ''}`
  return ['', ...words, ...(state.kind === 'empty' ? [] : [styled('dim', `go on: ${how}`)])]
}
