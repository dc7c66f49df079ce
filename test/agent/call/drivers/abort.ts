/**
 * Plays one scenario again and again, and aborts it at its first step, its second, its third, … until it ends before
 * the abort comes. Between two steps the abort also comes some microtasks later, because not all awaits are
 * visible. Prints what was found; its parent checks that it ends by itself.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askIn, ofType, projectIn, resultsIn, type Asked } from '../../../support/agent-scene.ts'
import { ABORT_SCENARIOS, turnsOf } from './abort-scenarios.ts'

/** A run that takes longer than this hangs, in milliseconds. */
const HANG = 300_000
/** How long what was ended may be seen, in milliseconds: less than any timer of a session would keep it alive. */
const GONE = 4000
const MICROTASKS = [0, 1, 2, 3, 5, 8, 13]

// Node looks at these when a socket is closed, and from then on they are there.
void [process.stdout, process.stderr]
const STANDARD = new Set(process.getActiveResourcesInfo())
const scenario = ABORT_SCENARIOS[process.argv[2] ?? '']!
const base = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-abort-')))
const problems: string[] = []
let points = 0

for (let at = 1, isOver = false; !isOver; at++) {
  for (const microtasks of MICROTASKS) {
    const { aborted, wrong } = await play(at, microtasks)
    problems.push(...wrong.map(problem => `step ${at}, ${microtasks} microtasks later: ${problem}`))
    if (aborted) points++
    else isOver = true
  }
}
problems.push(...(await stillThere(handles)).map(name => `left open: ${name}`))
rmSync(base, { recursive: true })
console.log(JSON.stringify({ points, problems }))

async function play(at: number, microtasks: number): Promise<{ aborted: boolean; wrong: readonly string[] }> {
  const place = projectIn(join(base, 'place'))
  for (const [name, text] of Object.entries(scenario.files ?? {})) place.write(name, text)
  const abortController = new AbortController()
  let steps = 0
  const step = (): void => {
    if (++steps === at) void abortSoon(abortController, microtasks)
  }
  const mark = randomUUID()
  const hung = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => hung.resolve(undefined), HANG)
  const env = { ...place.env, CARABINER_TEST_MARK: mark }
  const asking = { ...scenario.asking(step, place, abortController.signal), env, abortController }
  const asked = await Promise.race([askIn(place, turnsOf(scenario, step), asking), hung.promise])
  clearTimeout(timer)
  const wrong = asked === undefined ? ['it hangs'] : problemsOf(asked, abortController.signal.aborted)
  const left = await stillThere(() => processesWith(mark).map(name => `left running: ${name}`))
  rmSync(join(base, 'place'), { recursive: true, force: true })
  return { aborted: abortController.signal.aborted, wrong: [...wrong, ...left] }
}

async function abortSoon(abortController: AbortController, microtasks: number): Promise<void> {
  for (let tick = 0; tick < microtasks; tick++) await undefined
  abortController.abort()
}

/** What should hold for every run, regardless of how it ended. */
function problemsOf(asked: Asked, aborted: boolean): readonly string[] {
  const count = (name: string): number => asked.names.filter(each => each === name).length
  const calls = ofType(asked, 'assistant').flatMap(({ message }) =>
    message.content.flatMap(block => (block.type === 'tool_use' ? [block.id] : []))
  )
  const results = ofType(asked, 'user').flatMap(({ message }) => resultsIn([message]).map(({ id }) => id))
  return [
    ...(asked.messages.at(-1)?.type === 'result' ? [] : ['its last message is no result']),
    ...(count('SessionEnd') === 1 ? [] : [`SessionEnd was fired ${count('SessionEnd')} times`]),
    ...(count('AgentStart') - count('AgentStop') <= (aborted ? 1 : 0) ? [] : ['an agent did not stop']),
    ...(calls.join() === results.join() ? [] : [`calls ${calls.join()} have results ${results.join()}`])
  ]
}

/** What was ended may take a moment to be gone. */
async function stillThere(look: () => readonly string[]): Promise<readonly string[]> {
  const end = performance.now() + GONE
  let left = look()
  while (left.length > 0 && performance.now() < end) {
    await new Promise(resolve => setTimeout(resolve, 10))
    left = look()
  }
  return left
}

/** What keeps this process alive, but for the pipes that it was started with. */
function handles(): readonly string[] {
  return process.getActiveResourcesInfo().filter(name => !STANDARD.has(name))
}

/** The names of processes that were started with this mark in their environment, and are still there. */
function processesWith(mark: string): readonly string[] {
  return readdirSync('/proc').flatMap(id => {
    if (!/^\d+$/.test(id) || Number(id) === process.pid) return []
    try {
      return readFileSync(`/proc/${id}/environ`, 'latin1').includes(mark)
        ? [readFileSync(`/proc/${id}/cmdline`, 'latin1').replaceAll('\0', ' ')]
        : []
    } catch {
      return []
    }
  })
}
