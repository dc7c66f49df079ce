/** A running agent whose events are all recorded, as a command hook received them. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EVENT_NAMES, query, type AgentMessage, type QueryOptions } from '../../src/index.ts'
import { scriptedModel, type TurnOrMaker } from '../../src/testing.ts'

/** A payload, its fields in the order in which they came. */
export type Payload = Readonly<Record<string, unknown>>

/**
 * Runs an agent in a folder of its own, with a hook on every event that keeps what it is given. The folder holds
 * `a.txt`, `CLAUDE.md` and the folder `sub`. `then`: the session continues with these turns, one script after the other.
 */
export async function record(
  turns: readonly TurnOrMaker[],
  { prompt = 'go', ...more }: QueryOptions & { readonly prompt?: string } = {},
  hear: (message: AgentMessage) => void = () => {},
  then: readonly (readonly TurnOrMaker[])[] = []
): Promise<readonly Payload[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-')))
  const [home, project, kept] = [join(folder, 'home'), join(folder, 'project'), join(folder, 'kept')]
  mkdirSync(home)
  mkdirSync(join(project, 'sub'), { recursive: true })
  writeFileSync(join(project, 'a.txt'), 'alpha\n')
  writeFileSync(join(project, 'CLAUDE.md'), 'Be kind.\n')
  writeFileSync(kept, '')
  const keep = [{ hooks: [{ type: 'command', command: `cat >> '${kept}'` }] }]
  try {
    let session: string | undefined
    for (const script of [turns, ...then]) {
      const messages = query({
        prompt: session === undefined ? prompt : 'and on',
        options: {
          cwd: project,
          env: { PATH: process.env['PATH'], HOME: home, ANTHROPIC_API_KEY: 'key-of-a-test' },
          effort: 'medium',
          model: scriptedModel(script, { price: { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 } }),
          ...more,
          ...(session !== undefined && { resume: session }),
          settings: { hooks: Object.fromEntries(EVENT_NAMES.map(event => [event, keep])) }
        }
      })
      for await (const message of messages) {
        session = message.session_id
        hear(message)
      }
    }
    const lines = readFileSync(kept, 'utf8').trimEnd().split('\n')
    return lines.map(line => JSON.parse(line) as Payload)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
