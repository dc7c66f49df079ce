import type { FlagValues, TEST_FLAGS } from '../flags.ts'
import { firedAlone } from '../../agent/model-drafts.ts'
import { errorMessage } from '../../errors.ts'
import type { EventName, FireInput } from '../../hooks/events/event-table.ts'
import type { HookRegistry } from '../../hooks/registry.ts'
import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import { patternIn, readTests, testFilesOf, type HookTest } from '../../settings/files/hook-tests.ts'
import { same, type PlainObject } from '../../util/plain.ts'
import { hooksHere, type HooksHere } from './hooks-here.ts'
import { EXIT, loadProjectState, decideProjectHooks, reportUntrusted, unusableFindings } from '../common.ts'
import { printError, indentLines, escapeLine, findingText, printLine, withStyle } from '../print.ts'
import type { Failure } from '../../hooks/dispatch/hook-failure.ts'

type TestFlags = FlagValues<typeof TEST_FLAGS>

type Result = Awaited<ReturnType<typeof run>>

export async function runTests(files: readonly string[], flags: TestFlags): Promise<number> {
  const scene = loadProjectState(flags)
  const tests = (files.length > 0 ? files : testFilesOf(scene.loaded.root)).flatMap(readTests)
  if (tests.length === 0) {
    printError(`no tests found: write ${scene.loaded.root}/.claude/hooks/name.hooktest.yaml`)
    return EXIT.usage
  }
  const counts = decideProjectHooks(scene, flags)
  if (counts === undefined) return reportUntrusted(scene)
  // Hooks that need an agent are added, too: one that cannot be asked has not agreed.
  const situation = { loaded: scene.loaded, projectTrusted: counts, hasAgent: true }
  const armed = await hooksHere(situation, { cwd: scene.where.cwd, profile: flags.profile })
  const findings = [...scene.loaded.findings, ...armed.findings].filter(({ level }) => level === 'error')
  for (const finding of findings) printError(findingText(finding))
  let failed = 0
  try {
    if (unusableFindings(scene, flags, findings).length > 0) return EXIT.badSettings
    if (flags.tap === true) printLine(`TAP version 14\n1..${tests.length}`)
    for (const [place, each] of tests.entries()) {
      const result = await run(each, armed)
      if (result.problems.length > 0) failed++
      for (const line of flags.tap === true ? tapLines(result, place + 1) : prettyLines(result)) printLine(line)
    }
  } finally {
    await armed.close()
  }
  if (flags.tap !== true)
    printLine(withStyle(failed === 0 ? 'green' : 'red', `${tests.length - failed} passed, ${failed} failed`))
  return failed === 0 ? EXIT.done : EXIT.failed
}

/** Fires only the hooks that the test is about. */
async function run(test: HookTest, armed: HooksHere) {
  const { hooks } = armed
  const isMeant = ({ name }: { name: string }): boolean => test.hook === undefined || fits(test.hook, name)
  if (test.hook !== undefined && !hooks.list(test.event).some(isMeant))
    return { test, problems: [`no hook on ${test.event} has the name ${JSON.stringify(test.hook)}`], ms: 0 }
  const others = hooks.list().filter(each => each.enabled && !isMeant(each))
  for (const { name } of others) hooks.disable(name)
  try {
    return await resultOf(test, armed)
  } finally {
    for (const { name } of others) hooks.enable(name)
  }
}

async function resultOf(test: HookTest, armed: HooksHere) {
  const { hooks } = armed
  const { input, rules } = firedAlone(test.event, test.input, armed)
  const begun = performance.now()
  const outcome = await hooks.fire(test.event, input as FireInput<EventName>, rules)
  const ms = performance.now() - begun
  const problems = [...differences(test.expect, outcome)]
  if (problems.length > 0 && outcome.by !== undefined && !('by' in test.expect))
    problems.push(`decided by ${outcome.by}`)
  if (problems.length > 0) problems.push(...outcome.failures.map(failureLabel))
  if (test.within !== undefined && ms > test.within * 1000)
    problems.push(`took ${(ms / 1000).toFixed(2)} s, more than ${test.within} s`)
  if (test.fuzz) problems.push(...(await fuzz(test, hooks)))
  return { test, problems, ms }
}

const failureLabel = ({ by, kind, message }: Failure): string => `${by} failed (${kind}): ${message.split('\n')[0]}`

function* differences(expect: HookTest['expect'], outcome: Outcome): Generator<string> {
  for (const [key, wanted] of Object.entries(expect)) {
    const got = (outcome as unknown as Record<string, unknown>)[key]
    if (!fits(wanted, got))
      yield `${key} should be ${JSON.stringify(wanted)}, but is ${got === undefined ? 'nothing' : JSON.stringify(got)}`
  }
}

function fits(wanted: unknown, got: unknown): boolean {
  if (wanted === null) return got === undefined
  const pattern = patternIn(wanted)
  return pattern === undefined ? same(wanted, got) : typeof got === 'string' && pattern.test(got)
}

/** A hook must answer any input: it must neither fail nor allow an input that it cannot read. */
async function fuzz(test: HookTest, hooks: HookRegistry): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { how, input } of brokenInputs(test.input)) {
    try {
      const outcome = await hooks.fire(test.event, input as FireInput<EventName>)
      problems.push(...outcome.failures.map(failure => `${how}: ${failureLabel(failure)}`))
      if (outcome.decision === 'allow') problems.push(`${how}: was allowed, by ${outcome.by}`)
    } catch (error) {
      problems.push(`${how}: ${errorMessage(error)}`)
    }
  }
  return problems
}

function* prettyLines({ test: { name }, problems, ms }: Result): Generator<string> {
  const ok = problems.length === 0
  yield `${ok ? withStyle('green', '✓') : withStyle('red', '✗')} ${escapeLine(name)} ${withStyle('dim', `${ms.toFixed(0)} ms`)}`
  for (const problem of problems) yield `    ${indentLines(problem)}`
}

function* tapLines({ test: { name, file }, problems, ms }: Result, number: number): Generator<string> {
  yield `${problems.length === 0 ? 'ok' : 'not ok'} ${number} - ${escapeLine(name).replaceAll(/[\\#]/g, String.raw`\$&`)}`
  yield `  ---\n  duration_ms: ${ms.toFixed(1)}\n  file: ${JSON.stringify(file)}`
  if (problems.length > 0)
    yield `  problems:\n${problems.map(problem => `    - ${JSON.stringify(problem)}`).join('\n')}`
  yield '  ...'
}

export interface BrokenInput {
  readonly how: string
  readonly input: PlainObject
}

const HUGE = 100_000
const ODD: readonly unknown[] = [null, [], 7, 'x'.repeat(HUGE), 'a\u0000b', '\uD800', { a: { b: { c: {} } } }]

export function brokenInputs(input: PlainObject): readonly BrokenInput[] {
  const keys = Object.keys(input)
  return [
    ...keys.map(key => ({
      how: `without ${key}`,
      input: Object.fromEntries(Object.entries(input).filter(([each]) => each !== key))
    })),
    ...keys.flatMap(key =>
      ODD.map(value => ({ how: `with ${key}: ${valueText(value)}`, input: { ...input, [key]: value } }))
    )
  ]
}

const valueText = (value: unknown): string =>
  typeof value === 'string' && value.length === HUGE
    ? `${JSON.stringify(value[0])} ${HUGE.toLocaleString('en')} times over`
    : JSON.stringify(value)
