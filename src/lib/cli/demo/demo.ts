import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { ResultMessage } from '../../agent/output/agent-messages.ts'
import { HookRegistry } from '../../hooks/registry.ts'
import { allow, deny } from '../../hooks/reply.ts'
import { scriptedModel } from '../../model/scripted.ts'
import { query } from '../../query/query.ts'
import { EXIT } from '../common.ts'
import { command, heading, paragraph } from './demo-lines.ts'
import { writeInvoices, writeProject } from './demo-project.ts'
import { killAndResume } from './killed-run.ts'
import { TOUR, TourView, type CallDecision } from './tour-view.ts'
import { printError } from '../print.ts'
import { abortOnSignal } from '../run/run.ts'
import { signalCode } from '../signals.ts'

export async function demo(): Promise<number> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-demo-')))
  const clean = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', clean)
  const abort = new AbortController()
  abortOnSignal(abort)
  try {
    const problem = await play(folder, abort)
    if (problem === undefined) return EXIT.done
    if (signalCode() === undefined) printError(`The tour did not end as expected: ${problem}`)
    return EXIT.failed
  } finally {
    clean()
    process.off('exit', clean)
  }
}

const GREETING =
  'Carabiner runs your hooks at every step of an agent. This tour works in a folder that is removed afterwards. ' +
  'The model is scripted; the agent, its tools, the hooks, the tests and the processes are real.'

/** Returns what went wrong. */
async function play(folder: string, abort: AbortController): Promise<string | undefined> {
  const [project, invoices] = [join(folder, 'project'), join(folder, 'invoices')]
  const env = { ...process.env, HOME: join(folder, 'home'), CARABINER_HOME: undefined, PATH: withThisNode() }
  writeProject(project)
  writeInvoices(invoices)
  paragraph(GREETING)
  const result = await correctTotals(project, env, abort)
  if (!isAsExpected(result, project)) return result.result
  const problem = await killAndResume({ folder: invoices, env, signal: abort.signal })
  if (problem === undefined) printNextSteps()
  return problem
}

async function correctTotals(
  project: string,
  env: NodeJS.ProcessEnv,
  abortController: AbortController
): Promise<ResultMessage> {
  const judged = new Map<string, CallDecision>()
  const running = query({
    prompt: 'The totals are wrong. Correct them, and tidy up.',
    options: {
      abortController,
      cwd: project,
      env,
      model: scriptedModel(TOUR.flatMap(({ turns }) => turns)),
      hooks: hooksOf(judged),
      canUseTool: async (_name, input, { toolUseID }) => {
        judged.get(toolUseID)!.asked = 'canUseTool, which allows everything in this tour'
        return { behavior: 'allow', updatedInput: input }
      },
      trust: true,
      includeHookEvents: true,
      persistSession: false
    }
  })
  const show = new TourView(project, judged)
  for await (const message of running) show.message(message)
  return running.result()
}

/** The hook scripts of the project are started by `#!/usr/bin/env node`. */
const withThisNode = (): string => [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)

function hooksOf(judged: Map<string, CallDecision>): HookRegistry {
  return new HookRegistry()
    .register({
      name: 'no-rm-rf',
      events: 'PreToolUse',
      matcher: 'Bash',
      run: ctx => (/\brm\s+-rf\b/.test(ctx.toolInput.command) ? deny('ask a person first') : undefined)
    })
    .register({ name: 'reading-is-fine', events: 'PreToolUse', matcher: 'Read|Glob|Grep', run: () => allow() })
    .register({
      name: 'witness',
      events: 'PreToolUse',
      observe: true,
      run: ({ toolUseId, outcome }) => void judged.set(toolUseId, { outcome: outcome! })
    })
}

/** Commands to try next, as they are typed where the tour was started: in the repository, or with the package installed. */
function printNextSteps(): void {
  const inRepository = process.argv[1]?.endsWith('.ts') === true
  const [program, place] = inRepository ? ['npm run -s carabiner --', ' --cwd ../your-project'] : ['npx carabiner', '']
  heading('Try next, in a project of yours')
  for (const [args, words] of NEXT_STEPS) command(`${program} ${args}${place}`, words)
}

const NEXT_STEPS = [
  ['hooks check', 'find hooks that never run or do not do what they seem to'],
  ['hooks init --dry-run', 'show a starter policy with tests; without --dry-run, write it'],
  ['fire PreToolUse --tool Bash', 'what would the hooks answer to a call?']
] as const

const isAsExpected = (result: ResultMessage, project: string): boolean =>
  result.terminal_reason === 'completed' &&
  TOUR.every(({ look = {} }) =>
    Object.entries(look).every(([file, there]) => existsSync(join(project, file)) === there)
  )
