import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { ResultMessage } from '../../agent/output/agent-messages.ts'
import { HookRegistry } from '../../hooks/registry.ts'
import { allow, deny } from '../../hooks/reply.ts'
import { scriptedModel } from '../../model/scripted.ts'
import { query } from '../../query/query.ts'
import { EXIT } from '../common.ts'
import { writeProject } from './demo-project.ts'
import { TOUR, heading, line, paragraph, TourView, type CallDecision } from './tour-view.ts'
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
    writeProject(join(folder, 'project'))
    const result = await play(folder, abort)
    if (isAsExpected(result, join(folder, 'project'))) return EXIT.done
    if (signalCode() !== undefined) return EXIT.failed
    printError(`The tour did not end as expected: ${result.result}`)
    return EXIT.failed
  } finally {
    clean()
    process.off('exit', clean)
  }
}

const GREETING = [
  'A carabiner is a hook with a gate. This one clips onto every step that an agent takes.',
  'Here an agent works on a small program, in a folder that is removed afterwards. Its model reads from a script. ' +
    'The agent, its tools, the hooks and the tests are real.'
]

async function play(folder: string, abortController: AbortController): Promise<ResultMessage> {
  const judged = new Map<string, CallDecision>()
  const project = join(folder, 'project')
  const running = query({
    prompt: 'The totals are wrong. Correct them, and tidy up.',
    options: {
      abortController,
      cwd: project,
      model: scriptedModel(TOUR.flatMap(({ turns }) => turns)),
      hooks: hooksOf(judged),
      canUseTool: async (_name, input, { toolUseID }) => {
        judged.get(toolUseID)!.asked = 'canUseTool; in this tour, a function that allows everything'
        return { behavior: 'allow', updatedInput: input }
      },
      env: { ...process.env, HOME: join(folder, 'home'), CARABINER_HOME: undefined, PATH: withThisNode() },
      trust: true,
      includeHookEvents: true,
      persistSession: false
    }
  })
  GREETING.forEach(paragraph)
  const show = new TourView(project, judged)
  for await (const message of running) show.message(message)
  const result = await running.result()
  if (!result.is_error) farewell(result)
  return result
}

/** The hook scripts of the project are started by `#!/usr/bin/env node`. */
const withThisNode = (): string => [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)

function hooksOf(judged: Map<string, CallDecision>): HookRegistry {
  return new HookRegistry()
    .register({
      name: 'no-rm-rf',
      events: 'PreToolUse',
      matcher: 'Bash',
      run: ctx => (/\brm\s+-rf\b/.test(ctx.toolInput.command) ? deny('a person has to do that') : undefined)
    })
    .register({ name: 'reading-is-fine', events: 'PreToolUse', matcher: 'Read|Glob|Grep', run: () => allow() })
    .register({
      name: 'witness',
      events: 'PreToolUse',
      observe: true,
      run: ({ toolUseId, outcome }) => void judged.set(toolUseId, { outcome: outcome! })
    })
}

function farewell({ num_turns, permission_denials, duration_ms }: ResultMessage): void {
  heading('Done')
  const seconds = (duration_ms / 1000).toFixed(1)
  line('in all', `${num_turns} turns, ${permission_denials.length} calls refused, ${seconds} s`, 'dim')
  line('next', 'the README; docs/agent.md and examples/ in the repository', 'dim')
}

const isAsExpected = (result: ResultMessage, project: string): boolean =>
  result.terminal_reason === 'completed' &&
  TOUR.every(({ look = {} }) =>
    Object.entries(look).every(([file, there]) => existsSync(join(project, file)) === there)
  )
