import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { errorMessage } from '../../errors.ts'
import { fault } from '../../faults.ts'
import { rootOf, staysInProject } from '../../settings/files/sources.ts'
import { readText } from '../../settings/files/text.ts'
import { jsonIn } from '../../util/attempt.ts'
import { isObject } from '../../util/plain.ts'
import { explained } from '../../world/files/files.ts'
import { isThere } from '../../world/files/paths.ts'
import { EXIT, settingsPlaces } from '../common.ts'
import type { FlagValues, INIT_FLAGS } from '../flags.ts'
import { alignColumns, escapeLine, printLine, safeJson, withStyle } from '../print.ts'
import { printProse } from '../terminal/width.ts'
import { withItems } from '../host/config-edit.ts'
import { writeText } from '../write-text.ts'
import { missingLines, NOTHING, policyLines, PROTECT, TESTS, type PolicyLine } from './starter-settings.ts'

type InitFlags = FlagValues<typeof INIT_FLAGS>

/** A file of the policy. `old`: what is there now. */
interface PolicyFile {
  readonly path: string
  readonly words: string
  readonly old: string | undefined
  readonly content: string
}

interface Plan {
  readonly root: string
  readonly tests: string | undefined
  /** In the order in which they are written: settings name scripts, so they come last. */
  readonly files: readonly PolicyFile[]
  readonly lines: readonly PolicyLine[]
}

const SETTINGS = '.claude/settings.json'

/** `carabiner hooks init`: writes a starter policy. It adds to what is there, and overwrites nothing. */
export async function initHooks(flags: InitFlags): Promise<number> {
  const plan = planFor(flags)
  if (flags.dryRun !== true) await writeFiles(plan)
  if (flags.json === true) printLine(safeJson(asJson(plan, flags.dryRun === true), 2))
  else for (const line of report(plan, flags.dryRun === true)) printProse(line)
  return EXIT.done
}

function planFor({ cwd, test }: InitFlags): Plan {
  const where = settingsPlaces(cwd)
  const root = rootOf(where)
  if (root === where.home)
    throw fault('E_USAGE', 'your home directory is not a project: change to a project, or name one with --cwd')
  const tests = test?.trim() === '' ? undefined : (test ?? testCommand(root))
  const old = textAt(root, SETTINGS)
  const lines = missingLines(SETTINGS, old, policyLines(tests))
  const scripts = [
    starterFile(root, `.claude/hooks/${PROTECT}`, 'refuses deletes, lost git history and secrets in commands'),
    starterFile(root, '.claude/tests/starter-policy.hooktest.yaml', 'tests of it'),
    ...(tests === undefined
      ? []
      : [starterFile(root, `.claude/hooks/${TESTS}`, 'holds the agent until the tests pass')])
  ]
  for (const { path, old: before, content } of scripts)
    if (before !== undefined && before !== content && lines.some(({ value }) => commandIn(value).includes(path)))
      throw fault('E_INIT', `${path} is another file of that name`, 'the policy would run it', NOTHING)
  // A script that is there stays as it is: it is meant to be changed.
  const files = scripts.map(file => ({ ...file, content: file.old ?? file.content }))
  const settings = { path: SETTINGS, words: 'names them, and denies reading secrets', old, content: old ?? '' }
  return {
    root,
    tests,
    lines,
    files: [...files, { ...settings, content: lines.length === 0 ? settings.content : withItems(old ?? '', lines) }]
  }
}

const commandIn = (value: unknown): string => (isObject(value) ? JSON.stringify(value) : '')

function starterFile(root: string, path: string, words: string): PolicyFile {
  const starter = join(dirname(createRequire(import.meta.url).resolve('carabiner/package.json')), 'starter')
  return {
    path,
    words,
    old: textAt(root, path),
    content: readFileSync(join(starter, path.replace(/^.*\//, '')), 'utf8')
  }
}

function textAt(root: string, path: string): string | undefined {
  const file = join(root, path)
  if (!staysInProject(file, root))
    throw fault('E_INIT', `${path} is not written`, 'it leads out of the project', NOTHING)
  const read = readText(file)
  if ('fault' in read) throw fault('E_INIT', `${path} cannot be read`, read.fault, NOTHING)
  return 'text' in read ? read.text : undefined
}

/** How the tests of a project are usually run; undefined if it cannot be told. */
function testCommand(root: string): string | undefined {
  const has = (name: string): boolean => isThere(join(root, name))
  const text = (name: string): string => {
    const read = readText(join(root, name))
    return 'text' in read ? read.text : ''
  }
  const manifest = jsonIn(text('package.json'))
  const scripts = isObject(manifest) ? manifest['scripts'] : undefined
  const script = isObject(scripts) ? scripts['test'] : undefined
  if (typeof script === 'string' && !script.includes('no test specified'))
    return `${has('pnpm-lock.yaml') ? 'pnpm' : has('yarn.lock') ? 'yarn' : has('bun.lock') ? 'bun run' : 'npm'} test`
  if (/^test:/m.test(text('Makefile'))) return 'make test'
  if (has('Cargo.toml')) return 'cargo test'
  if (has('go.mod')) return 'go test ./...'
  if (has('pytest.ini') || /\bpytest\b/.test(text('pyproject.toml'))) return 'python3 -m pytest'
  return undefined
}

async function writeFiles({ root, files }: Plan): Promise<void> {
  const written: string[] = []
  for (const file of files.filter(each => stateOf(each) !== 'unchanged')) {
    try {
      await writeText(join(root, file.path), file.old, file.content)
    } catch (error) {
      const why = errorMessage(explained(error, join(root, file.path)))
      throw fault(
        'E_INIT',
        `${file.path} is not written`,
        why,
        written.length === 0 ? NOTHING : `only ${written.join(' and ')}`
      )
    }
    written.push(file.path)
  }
}

const stateOf = ({ old, content }: PolicyFile): 'created' | 'changed' | 'unchanged' =>
  old === content ? 'unchanged' : old === undefined ? 'created' : 'changed'

const NEXT: readonly (readonly [string, string])[] = [
  ['carabiner hooks trust', 'look at what the project brings, and trust it as it is'],
  ['carabiner hooks test', 'run the tests of the policy'],
  ['carabiner hooks list', 'see what is in force']
]

const asJson = ({ root, tests, files, lines }: Plan, dryRun: boolean): object => ({
  root,
  dryRun,
  tests: tests ?? null,
  files: files.map(file => ({ path: file.path, state: stateOf(file), ...(dryRun && { content: file.content }) })),
  added: lines.map(({ path, value, words }) => ({ key: path.join('.'), value, words })),
  next: NEXT.map(([command]) => command)
})

function* report(plan: Plan, dryRun: boolean): Generator<string> {
  const { root, files, lines, tests } = plan
  if (files.every(file => stateOf(file) === 'unchanged'))
    yield `The starter policy is there already; nothing was written in ${escapeLine(root)}.`
  else {
    yield dryRun ? `Would be written in ${escapeLine(root)}:` : `Written in ${escapeLine(root)}:`
    yield* alignColumns(files.map(file => [`  ${stateOf(file)}`, file.path, file.words]))
  }
  if (lines.length > 0) {
    yield ''
    yield `What each line that was added to ${SETTINGS} does:`
    yield* alignColumns(lines.map(line => [`  ${lineLabel(line)}`, escapeLine(line.words)]))
  }
  if (tests === undefined)
    yield `\nNo test command was found, so the agent is not held until tests pass. Name one: carabiner hooks init --test "make check"`
  if (dryRun) for (const file of files) if (stateOf(file) !== 'unchanged') yield* contentOf(file)
  yield ''
  yield 'Next:'
  yield* alignColumns(NEXT.map(([command, words]) => [`  ${command}`, words]))
}

const lineLabel = ({ path, value }: PolicyLine): string =>
  typeof value === 'string' ? `${path.at(-1)} ${value}` : `${path.at(-1)} hook`

function* contentOf({ path, content }: PolicyFile): Generator<string> {
  yield `\n${withStyle('bold', path)}`
  yield content.trimEnd()
}
