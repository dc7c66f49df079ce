/**
 * What one event of another agent takes: the line that `carabiner hooks install` writes, run as agents run it, with and
 * without the process that stays, beside a shell that does nothing and a bare start of Node. They take turns.
 *
 *     npm run build && node bench/hook/bench.ts [--rounds 60] [--json]
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { ownLine } from '../../src/lib/settings/files/own-line.ts'
import { takeTurns } from '../command-hooks/measure.ts'
import { BARE, over } from '../process.ts'
import { benchOptions, digits, median, printReport, quantile } from '../report.ts'

const { rounds, json } = benchOptions(60)

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
const [settings, project] = [join(folder, 'home/.claude'), join(folder, 'project')]
for (const each of [settings, project]) mkdirSync(each, { recursive: true })
const env = { PATH: process.env['PATH'], HOME: join(folder, 'home') }

const POLICY = { permissions: { allow: ['Bash(git status:*)'], deny: ['Bash(rm:*)', 'Read(**/.env)'] } }
writeFileSync(join(settings, 'settings.json'), JSON.stringify(POLICY))
const event = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'rm -rf build' } }
const about = { session_id: 'one', turn_id: 'two', transcript_path: null, cwd: project, model: 'any' }
const payload = JSON.stringify({ ...about, permission_mode: 'default', ...event, tool_use_id: 'three' })

/** As agents start hooks. */
async function run(line: string, prints = ''): Promise<number> {
  const begun = performance.now()
  const child = spawn('/bin/sh', ['-c', line], { cwd: project, env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => undefined).end(payload)
  const [printed] = await Promise.all([text(child.stdout), new Promise(resolve => child.once('close', resolve))])
  const taken = performance.now() - begun
  if (!printed.includes(prints)) throw new Error(`${line} printed: ${printed}`)
  return taken
}

const client = join(root, 'hosts/client.sh')
const lineWith = (ownHome: string): string =>
  ownLine({
    bash: '/bin/bash',
    client,
    host: 'codex',
    event: 'PreToolUse',
    isClosed: true,
    deadline: 50,
    node: process.execPath,
    env: { HOME: env.HOME, PATH: env.PATH ?? '', CARABINER_HOME: ownHome }
  })
const line = lineWith(join(env.HOME, '.carabiner'))
const REFUSED = 'Bash(rm:*)'
const hook = `${join(root, 'dist/cli.js')} hook --for codex --event PreToolUse`
const NOTHING = '`sh -c true`'
const [WARM, COLD] = ['the line, with the process that stays', 'the line, without it']

/** What the client reads; without it, it starts Node. */
const state = join(env.HOME, '.carabiner/warm', root.slice(0, -1).replaceAll('/', '%'))
await run(line, REFUSED)
const limit = performance.now() + 20_000
while (!existsSync(state)) {
  if (performance.now() > limit) throw new Error('no process stays')
  await new Promise(resolve => setImmediate(resolve))
}
const stays = Number(readFileSync(state, 'utf8').split(' ')[3])

/** Starts of Node beside them would leave a shell with other caches than an agent does. */
const shells = { [NOTHING]: () => run('true'), [WARM]: () => run(line, REFUSED) }
const starts = {
  [BARE]: () => run(`exec ${process.execPath} -e 0`),
  '`carabiner hook`': () => run(`exec ${process.execPath} ${hook}`, REFUSED),
  [COLD]: () => run(lineWith('/dev/null/none'), REFUSED)
}
const taken: Readonly<Record<string, readonly number[]>> = {
  ...(await takeTurns(shells, rounds)),
  ...(await takeTurns(starts, rounds))
}
if (Number(readFileSync(state, 'utf8').split(' ')[3]) !== stays) throw new Error('the process did not stay')
process.kill(stays)
rmSync(folder, { recursive: true, force: true })

const ms = (value: number): string => `${digits(value)} ms`
const least = (all: readonly number[]): string => ms(quantile(all, 0))
const row = (name: string, base: string, goal = ''): readonly string[] => {
  const [all, added] = [taken[name] ?? [], over(taken[name] ?? [], taken[base] ?? [])]
  const isBase = name === base
  const overBase = quantile(all, 0) - quantile(taken[base] ?? [], 0)
  return [
    name,
    least(all),
    ms(median(all)),
    ms(quantile(all, 0.95)),
    ...(isBase ? ['', ''] : [ms(overBase), ms(median(added))]),
    goal
  ]
}
const head = (base: string): readonly string[] => ['', 'least', 'median', 'p95', `least over ${base}`, 'median', 'goal']
printReport(
  {
    about: `Wall time of one event, ${rounds} rounds`,
    tables: [
      { head: head('`sh`'), rows: [row(NOTHING, NOTHING), row(WARM, NOTHING, '10 ms, 4 ms over `sh`')] },
      {
        head: head('Node'),
        rows: [row(BARE, BARE), row('`carabiner hook`', BARE, '120 ms over Node'), row(COLD, BARE, '120 ms over Node')]
      }
    ],
    scenes: []
  },
  json
)
