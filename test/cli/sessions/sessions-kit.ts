/** Real sessions, and the command line that looks at them. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TurnOrMaker } from '../../../src/testing.ts'
import { projectKeyOf } from '../../../src/lib/query/session-choice.ts'
import { askIn, type Asked, type Asking, type Project } from '../../support/agent-scene.ts'
import { cliStage, type CliStage } from '../../support/cli-stage.ts'

type Line = Readonly<Record<string, unknown>>

/** A stage on which agents work, and the transcripts that they leave. */
export interface Desk extends CliStage {
  /** An agent in the project whose model says these turns; its session has this id, or continues. */
  agent(id: string, turns: readonly TurnOrMaker[], asking?: Omit<Asking, 'in'>): Promise<Asked>
  /** The transcript of a session; of one of its subagents. */
  file(id: string, agent?: string): string
  lines(id: string): readonly Line[]
  /** Keeps only the lines up to the first that fits, as if everything had ended there. */
  cut(id: string, fits: (line: Line) => boolean): void
  /** Puts bytes behind a transcript. */
  append(id: string, bytes: string): void
}

export function desk(): Desk {
  const base = cliStage()
  const place: Project = {
    cwd: base.project,
    home: base.home,
    env: base.env,
    path: name => join(base.project, name),
    write: (name, text) => base.write(`project/${name}`, text),
    text: name => base.read(`project/${name}`),
    has: name => existsSync(join(base.project, name))
  }
  const folder = join(base.home, '.carabiner', 'projects', projectKeyOf(base.project))
  const file = (id: string, agent?: string): string =>
    agent === undefined ? join(folder, `${id}.jsonl`) : join(folder, id, 'subagents', `agent-${agent}.jsonl`)
  const texts = (id: string): readonly string[] => readFileSync(file(id), 'utf8').trimEnd().split('\n')
  const lines = (id: string): readonly Line[] => texts(id).map(text => JSON.parse(text) as Line)
  return {
    ...base,
    file,
    lines,
    agent: (id, turns, asking = {}) =>
      askIn(place, turns, {
        persistSession: true,
        ...(existsSync(file(id)) ? { resume: id } : { sessionId: id }),
        ...asking
      }),
    cut(id, fits) {
      const at = lines(id).findIndex(fits)
      writeFileSync(
        file(id),
        `${texts(id)
          .slice(0, at + 1)
          .join('\n')}\n`
      )
    },
    append: (id, bytes) => appendFileSync(file(id), bytes)
  }
}

/** The same without the bytes that one finds there. */
export function overwrite(path: string, change: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, change(readFileSync(path)))
}
