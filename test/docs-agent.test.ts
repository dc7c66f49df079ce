/** The pages about the agent and the command line name all that there is, and the commands they show work. */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { COMMANDS, GROUPS } from '../src/lib/cli/commands.ts'
import { SCRIPTED_TURN } from '../src/lib/model/scripted.ts'
import { MODES } from '../src/lib/permissions/modes.ts'
import { CLI, REPOSITORY } from './support/built-package.ts'
import { cliStage } from './support/cli-stage.ts'

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')

/** The part of a page below a heading. */
function section(page: string, heading: string): string {
  const text = read(page)
  const start = text.indexOf(`\n## ${heading}\n`)
  expect(start, `${page} should have a section ${heading}`).toBeGreaterThan(-1)
  const end = text.indexOf('\n## ', start + 1)
  return text.slice(start, end === -1 ? undefined : end)
}

/** The text in backquotes in the first column of the tables. */
const firstColumn = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .flatMap(line => Array.from(line.split(' | ')[0]!.matchAll(/`([^`]+)`/g), ({ 1: name }) => name!))

/** The members of a union or the keys of an object in a source file. */
function namesIn(file: string, from: string, pattern: RegExp): readonly string[] {
  const text = read(file)
  const start = text.indexOf(from)
  expect(start, `${file} should hold ${from}`).toBeGreaterThan(-1)
  const body = text.slice(start + from.length).split(/\n\n/)[0]!
  return Array.from(body.matchAll(pattern), ({ 1: name }) => name!)
}

test('docs/agent.md lists the options of query(), in their order', () => {
  const options = namesIn('src/lib/query/options/options.ts', 'const OPTIONS', /^ {2}(\w+): /gm)
  expect(options.length).toBeGreaterThan(30)
  expect(firstColumn(section('docs/agent.md', 'Options'))).toEqual(options)
})

test('docs/agent.md lists every reason why a run is over', () => {
  const reasons = namesIn('src/lib/agent/output/agent-messages.ts', 'export type TerminalReason', /\| '(\w+)'/g)
  expect(reasons.length).toBeGreaterThan(10)
  expect(firstColumn(section('docs/agent.md', 'The result'))).toEqual(expect.arrayContaining([...reasons]))
})

test('docs/agent.md lists every kind of message', () => {
  const text = section('docs/agent.md', 'Messages')
  const named = read('src/lib/agent/output/agent-messages.ts').matchAll(/readonly (?:sub)?type: '(\w+)'/g)
  const hooks = read('src/lib/hooks/hook-messages.ts').matchAll(/readonly subtype: '(\w+)'/g)
  const names = new Set(
    [...named, ...hooks].map(({ 1: name }) => name!).filter(name => !/^error|^(message|success)$/.test(name))
  )
  expect([...names].filter(name => !text.includes(`\`${name}\``))).toEqual([])
})

test('docs/agent.md lists what a turn of a script may have', () => {
  const keys = Object.keys(SCRIPTED_TURN).map(key => key.replace('?', ''))
  expect(keys.length).toBeGreaterThan(5)
  const documented = firstColumn(section('docs/agent.md', 'Scripts instead of a model'))
  expect(documented.toSorted()).toEqual(keys.toSorted())
})

test('docs/permissions.md lists the modes', () => {
  expect(firstColumn(section('docs/permissions.md', 'Modes'))).toEqual(MODES)
})

/** `--output-format <format>` → `--output-format`. */
const flagsOf = (flags: string): readonly string[] => flags.match(/(?<=^|[\s,])--?[\w-]+/g) ?? []

test('docs/cli.md lists every flag of run', () => {
  const { flags } = COMMANDS.find(({ name }) => name === 'run')!
  const text = section('docs/cli.md', 'run') + section('docs/cli.md', 'Common flags')
  const missing = flags.flatMap(each => flagsOf(each.flags)).filter(flag => !new RegExp(`\`${flag}\\b`).test(text))
  expect(missing).toEqual([])
})

test('docs/cli.md lists every flag of mcp', () => {
  const { flags } = COMMANDS.find(({ name }) => name === 'mcp')!
  const text = section('docs/cli.md', 'mcp') + section('docs/cli.md', 'Common flags')
  const missing = flags.flatMap(each => flagsOf(each.flags)).filter(flag => !new RegExp(`\`${flag}\\b`).test(text))
  expect(missing).toEqual([])
})

test('docs/cli.md lists every flag of the commands about sessions, and every gap', () => {
  const text = section('docs/cli.md', 'sessions')
  const flags = COMMANDS.filter(({ name }) => name.startsWith('sessions ')).flatMap(row => row.flags)
  const missing = flags.flatMap(each => flagsOf(each.flags)).filter(flag => !text.includes(`| \`${flag}`))
  expect(missing).toEqual([])
  const gaps = namesIn('src/lib/transcript/verify.ts', 'const MEANINGS', /^ {2}(\w+): \{/gm)
  expect(gaps).toHaveLength(8)
  expect(gaps.filter(gap => !text.includes(`| \`${gap}\` |`))).toEqual([])
})

/** Commands in blocks: what follows `carabiner`, or `npm run carabiner --`, without the comment. */
const commandsIn = (page: string): readonly string[] =>
  Array.from(read(page).matchAll(/^```sh\n([\s\S]*?)^```/gm), ({ 1: block = '' }) => block)
    .flatMap(block => block.split('\n'))
    .flatMap(line => line.replace(/\s+#.*$/, '').match(COMMAND)?.[1] ?? [])

/** Commands within sentences. */
const mentionsIn = (page: string): readonly string[] =>
  Array.from(read(page).matchAll(/`([^`\n]+)`/g), ({ 1: code = '' }) => code.match(COMMAND)?.[1] ?? '').filter(
    line => line !== '' && !Object.hasOwn(GROUPS, line)
  )

const COMMAND = /(?:^|\s|\()carabiner (?:-- )?(.*)/

test('commands in the pages have names and flags that exist', () => {
  const shown = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md', { cwd: REPOSITORY })].flatMap(page =>
    [...commandsIn(page), ...mentionsIn(page)].map(line => `${page}: ${line}`)
  )
  expect(shown.length).toBeGreaterThan(60)
  const strange = shown.filter(each => {
    const line = each.slice(each.indexOf(': ') + 2)
    const row = COMMANDS.findLast(({ name }) => `${line} `.startsWith(`${name} `))
    if (row === undefined) return !line.startsWith('--')
    const known = new Set(row.flags.flatMap(({ flags }) => flagsOf(flags)))
    const bare = line.replaceAll(/"[^"]*"|'[^']*'| -- .*$/g, '')
    return flagsOf(bare).some(flag => !known.has(flag) && flag !== '--help')
  })
  expect(strange).toEqual([])
})

test('the commands of the README work in a project with hooks, in their order', async () => {
  const scene = cliStage()
  const hooks = [{ type: 'command', command: 'cat > last-call.json' }]
  scene.settings({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] } })
  const outputs: Record<string, string> = {}
  for (const line of commandsIn('README.md')) {
    const args = Array.from(line.matchAll(/(?:[^\s"]|"[^"]*")+/g), ([word]) => word.replaceAll('"', ''))
    const { code, stdout } = await scene.run(args)
    expect([line, code]).toEqual([line, 0])
    outputs[args.slice(0, 2).join(' ')] = stdout
  }
  expect(outputs['hooks check']).toContain('1 hook in 1 file: 0 errors')
  expect(outputs['hooks init']).toContain('created')
  expect(outputs['hooks test']).toMatch(/✓[\s\S]*0 failed/)
  expect(outputs['fire PreToolUse']).toMatch(/protect-repository[\s\S]*deny/)
  expect(Object.keys(outputs).length).toBeGreaterThan(5)
})

test('the script in docs/agent.md runs with the command below it', () => {
  const text = section('docs/agent.md', 'Scripts instead of a model')
  const [, script] = /```yaml\n([\s\S]*?)```/.exec(text)!
  expect(text).toContain('carabiner run -p "What is here?" --model script:hello.yaml')
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'hello.yaml'), script!)
  const args = [CLI, 'run', '-p', 'What is here?', '--model', 'script:hello.yaml']
  const env = { PATH: process.env['PATH'], HOME: join(folder, 'home') }
  const stdout = execFileSync(process.execPath, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore']
  })
  expect(stdout).toBe('There is one script here.\n')
})
