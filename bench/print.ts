/**
 * Runs benches and writes their tables into bench/README.md, with date and machine.
 *
 *     npm run bench:print                                   # all of them
 *     npm run bench:print -- dispatch turns                 # only these
 *     npm run bench:print -- cli --rounds 20                # with another number of rounds
 *     npm run bench:print -- --beside 0.1.0=../old/dist     # with another build, which takes turns with this one
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadWords, machineWords } from './machine.ts'
import { runBench } from './program.ts'
import { markdown } from './report.ts'

/** Each section of the README, and whether other builds can take part. */
const BENCHES: Readonly<Record<string, boolean>> = {
  dispatch: true,
  turns: true,
  startup: true,
  run: true,
  cli: true,
  'command-hooks': false,
  rules: false,
  replay: false,
  edit: false,
  sandbox: false,
  transcript: false,
  'ai-sdk': false,
  mcp: false,
  hook: false
}

const root = process.cwd()
const file = join(root, 'bench/README.md')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { beside: { type: 'string', multiple: true, default: [] }, rounds: { type: 'string' } }
})

async function section(name: string, signal: AbortSignal): Promise<string> {
  const dists = [`carabiner=${join(root, 'dist')}`, ...values.beside]
  const flags = [
    ...(BENCHES[name] === true ? dists.flatMap(dist => ['--dist', dist]) : []),
    ...(values.rounds === undefined ? [] : ['--rounds', values.rounds])
  ]
  const load = loadWords()
  const { about, tables } = await runBench(root, name, flags, signal)
  const day = new Date().toISOString().slice(0, 10)
  return [
    `One run on ${day}: ${machineWords()}, load ${load} before and ${loadWords()} after. ${about}.`,
    ...tables.map(markdown)
  ].join('\n\n')
}

/** The text between the marks of the bench. */
function replaced(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name}: printed by npm run bench:print -->`, `<!-- end of ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`bench/README.md must have the lines ${begin} and ${end}`)
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`
}

/** Ctrl-C ends the bench that is running. */
const stop = new AbortController()
process.once('SIGINT', () => stop.abort(new Error('stopped by SIGINT')))

const names = positionals.length > 0 ? positionals : Object.keys(BENCHES)
const unknown = names.filter(name => !Object.hasOwn(BENCHES, name))
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}.`)
  process.exitCode = 64
} else
  for (const name of names) {
    console.error(`${name}: running`)
    const content = await section(name, stop.signal)
    console.log(`## ${name}\n\n${content}\n`)
    writeFileSync(file, replaced(readFileSync(file, 'utf8'), name, content))
  }
