/**
 * How long `carabiner replay` takes, from start to end, and how much memory: sessions of 2,000 and of 20,000 calls, and
 * three hooks in this process. The goal is one second for 2,000 calls.
 *
 *     npm run build && node bench/replay/bench.ts [--rounds 10] [--json]
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { seal } from '../../src/lib/transcript/seal.ts'
import { runNode, type Taken } from '../process.ts'
import { benchOptions, digits, median, printReport } from '../report.ts'

const { rounds, json, dists } = benchOptions(10)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-bench-')))
const [project, home] = [join(folder, 'project'), join(folder, 'home')]
for (const each of [project, home, join(project, 'src')]) mkdirSync(each)

const NAMES = ['no-push', 'no-secrets', 'log']
const hooks = join(folder, 'hooks.mjs')
writeFileSync(
  hooks,
  `export default hooks => {
    hooks.on('PreToolUse', 'Bash', ctx => ctx.toolInput.command.includes('git push') ? { decision: 'deny', reason: 'no' } : undefined, { name: '${NAMES[0]}' })
    hooks.on('PreToolUse', 'Read|Edit|Write', ctx => ctx.toolInput.file_path.endsWith('.env') ? { decision: 'deny', reason: 'no' } : undefined, { name: '${NAMES[1]}' })
    hooks.on('PreToolUse', async () => undefined, { name: '${NAMES[2]}' })
  }`
)
const settings = join(folder, 'settings.json')
writeFileSync(settings, JSON.stringify({ permissions: { allow: ['Bash(npm *)'], deny: ['Read(./.env)'] } }))

/** A mix of commands, reading and editing, each with its intent and result. */
const callAt = (index: number): { readonly name: string; readonly input: object } => {
  const file_path = join(project, `src/file${index % 50}.ts`)
  if (index % 4 === 0) return { name: 'Bash', input: { command: `npm test -- part${index}` } }
  if (index % 4 === 1) return { name: 'Read', input: { file_path } }
  if (index % 4 === 2)
    return { name: 'Edit', input: { file_path, old_string: `a${index}`, new_string: 'b'.repeat(500) } }
  return { name: 'Bash', input: { command: `git log --oneline | grep fix${index}; git push origin part${index}` } }
}

function transcriptOf(calls: number): string {
  const path = join(folder, `${calls}.jsonl`)
  const common = { isSidechain: false, sessionId: String(calls), cwd: project, version: '1', userType: 'external' }
  const lines: Buffer[] = []
  const add = (entry: object): void =>
    void lines.push(
      seal({ ...common, uuid: `u${lines.length}`, parentUuid: null, ...entry } as never, lines.length + 1)
    )
  add({ type: 'user', promptId: 'p', permissionMode: 'default', message: { role: 'user', content: 'Work' } })
  for (let index = 0; index < calls; index++) {
    const { name, input } = callAt(index)
    const id = `toolu_${index}`
    add({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] } })
    if (name !== 'Read') add({ type: 'tool-intent', toolUseId: id, toolName: name, input })
    const result = { type: 'tool_result', tool_use_id: id, content: 'output\n'.repeat(100) }
    add({ type: 'user', message: { role: 'user', content: [result] } })
  }
  writeFileSync(path, Buffer.concat(lines))
  return path
}

const cli = fileURLToPath(`${dists[0].url}cli.js`)

const replay = (path: string, calls: number): Promise<Taken> =>
  runNode([cli, 'replay', path, '--cwd', project, '--settings', settings, '--hooks', hooks], {
    cwd: project,
    env: { PATH: process.env['PATH'], HOME: home },
    prints: `${calls} calls and 1 prompt: `
  })

const rows: (readonly string[])[] = []
for (const calls of [2_000, 20_000]) {
  const path = transcriptOf(calls)
  await replay(path, calls)
  const taken: Taken[] = []
  for (let round = 0; round < rounds; round++) taken.push(await replay(path, calls))
  const seconds = taken.map(({ wall }) => wall / 1000)
  const memory = digits(median(taken.map(each => each.memory)))
  const goal = calls === 2_000 ? '1 s' : ''
  rows.push([
    `${calls.toLocaleString('en')} calls`,
    digits(median(seconds)),
    digits(Math.min(...seconds)),
    memory,
    goal
  ])
}
rmSync(folder, { recursive: true })
const head = ['replay of a session', 'median, s', 'least, s', 'peak memory, MB', 'goal']
printReport({ about: `Medians of ${rounds} rounds, whole processes`, tables: [{ head, rows }], scenes: [] }, json)
