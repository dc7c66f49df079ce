import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nearest, errorMessage } from '../../errors.ts'
import { isOfProvider } from '../../model/names.ts'
import { builtInTool, type ToolInput } from '../../tools/built-in.ts'
import { failed, type BackgroundTask, type Tool, type ToolCall, type ToolResult } from '../../tools/tool.ts'
import { taskNotification } from '../../tools/tasks/tasks.ts'
import { makeFolders } from '../../world/files/own-file.ts'
import type { Session } from '../session/session.ts'
import { Mailbox } from './teammate.ts'
import { runSubagent, type AgentPorts, type Errand, type SubagentRun } from './subagent.ts'
import { attempt } from '../../util/attempt.ts'
import { randomUuid } from '../../transcript/log.ts'

type Input = ToolInput<'Agent'>

const MOST_AT_ONCE = 10

/** Lets an agent call subagents. Formerly named `Task`. */
export function agentTool(ports: AgentPorts, parent: Session): Tool {
  const types = [...ports.definitions.keys()]
  return builtInTool('Agent', {
    description: `Gives a task to another agent, which works on it by itself and answers once.

${[...ports.definitions].map(([name, { description }]) => `- ${name}: ${description}`).join('\n')}`,
    check(input) {
      const { resume, resume_agent_id, model, subagent_type: type } = input
      if (model !== undefined && !isOfProvider(model, parent.model.provider))
        return { problem: `model: ${model} is not a model of the provider in use; leave model out` }
      if (resume !== undefined && resume_agent_id !== undefined && resume !== resume_agent_id)
        return { problem: 'resume and resume_agent_id name two agents; give one of them' }
      if (ports.definitions.has(type)) return { input }
      const near = nearest(type, types)
      return {
        problem: `there is no agent ${type}${near === undefined ? '' : `; did you mean ${near}?`}; there are ${types.join(', ')}`
      }
    },
    delegates: true,
    async run(input, call) {
      if (ports.running.size >= MOST_AT_ONCE) return failed(`${MOST_AT_ONCE} agents are running already; wait for one`)
      const { name } = input
      if (name !== undefined && ports.teammates.has(name)) return failed(`The teammate ${name} already exists`)
      const errand = errandOf(input, call)
      const { teammate, id } = errand
      const same = ports.running.get(id)
      if (same !== undefined) return failed(`Agent ${id} is already running (${same.type}: ${same.description})`)
      if (teammate !== undefined) ports.teammates.set(teammate.name, teammate.mailbox)
      const work = async (signal: AbortSignal): Promise<SubagentRun | { readonly refused: string }> => {
        ports.running.set(id, errand)
        try {
          return await runSubagent(errand, parent, ports, signal)
        } finally {
          ports.running.delete(id)
          if (teammate !== undefined) ports.teammates.delete(teammate.name)
        }
      }
      if (input.run_in_background) return inBackground(errand, call, work)
      const done = await work(call.signal)
      if ('refused' in done) return failed(done.refused)
      return done.isUndecided ? { content: '', output: undefined, undecided: done.id } : resultOf(done, input)
    }
  })
}

const errandOf = (
  { description, prompt, subagent_type, model, run_in_background, name, resume, resume_agent_id }: Input,
  { id, agentId, session }: ToolCall
): Errand => ({
  id: agentId ?? resume ?? resume_agent_id ?? `a${randomUuid().replaceAll('-', '').slice(0, 16)}`,
  isResumed: (agentId ?? resume ?? resume_agent_id) !== undefined,
  goesOn: agentId !== undefined,
  teammate:
    run_in_background && name !== undefined
      ? { name, mailbox: new Mailbox(coming => session.expect?.(coming)) }
      : undefined,
  type: subagent_type,
  description,
  prompt,
  model,
  toolUseId: id,
  unattended: run_in_background
})

function resultOf({ id, type, model, ending, usage, tools, ms }: SubagentRun, { prompt }: Input): ToolResult {
  const said = ending.text === '' ? '(It said nothing.)' : ending.text
  const content = `${said}\n\nagentId: ${id}`
  const output = {
    status: ending.isError ? 'failed' : 'completed',
    prompt,
    agentId: id,
    agentType: type,
    toolsUsed: [...new Set(tools)],
    content: [{ type: 'text', text: ending.text }],
    resolvedModel: model,
    totalDurationMs: Math.round(ms),
    totalTokens: tokensIn(usage),
    totalToolUseCount: tools.length,
    usage,
    toolStats: statsOf(tools)
  }
  return ending.isError ? { content, output, error: content } : { content, output }
}

function statsOf(tools: readonly string[]): Readonly<Record<string, number>> {
  const count = (...names: readonly string[]): number => tools.filter(name => names.includes(name)).length
  const kinds = { readCount: count('Read'), searchCount: count('Glob', 'Grep'), bashCount: count('Bash') }
  const editFileCount = count('Write', 'Edit')
  const known = Object.values(kinds).reduce((sum, each) => sum + each, editFileCount)
  return { ...kinds, editFileCount, otherToolCount: tools.length - known }
}

const tokensIn = ({ input_tokens, output_tokens }: SubagentRun['usage']): number => input_tokens + output_tokens

/** Runs in the background, ends with the session, and notifies its parent of its end. */
function inBackground(
  { id, description, type, prompt, toolUseId, teammate }: Errand,
  { session: place }: ToolCall,
  work: (signal: AbortSignal) => Promise<SubagentRun | { readonly refused: string }>
): ToolResult {
  const abort = new AbortController()
  const outputFile = place.outputFolder === undefined ? undefined : join(place.outputFolder, `${id}.output`)
  let status: BackgroundTask['status'] = 'running'
  let text = ''
  let usage: string | undefined
  const settle = (how: BackgroundTask['status'], words: string): void => {
    if (status === 'running') status = how
    text = words
    // Losing the file does no harm: the parent gets the same text.
    if (outputFile !== undefined)
      attempt(() => {
        makeFolders(dirname(outputFile))
        writeFileSync(outputFile, words)
      })
  }
  const done = work(abort.signal).then(
    made => {
      if ('refused' in made) return settle('failed', made.refused)
      usage = `<subagent_tokens>${tokensIn(made.usage)}</subagent_tokens><tool_uses>${made.tools.length}</tool_uses><duration_ms>${Math.round(made.ms)}</duration_ms>`
      settle(made.ending.isError ? 'failed' : 'completed', made.ending.text)
    },
    (error: unknown) => settle('failed', errorMessage(error))
  )
  const task: BackgroundTask = {
    id,
    type: 'local_agent',
    agentType: type,
    description,
    command: undefined,
    get status() {
      return status
    },
    exitCode: undefined,
    done,
    read() {
      const news = text
      text = ''
      return news
    },
    end() {
      if (status === 'running') status = 'killed'
      abort.abort(new Error('ended'))
    }
  }
  place.background.set(id, task)
  const word = (): string | undefined =>
    task.isReported === true ? undefined : taskNotification(task, { toolUseId, outputFile, ...(usage && { usage }) })
  // A teammate waits for messages: the session waits for its rest, not for its end.
  if (teammate === undefined) place.expect?.(done.then(() => word))
  else void done.then(() => teammate.mailbox.rest(word))
  place.onClose(async () => {
    abort.abort(new Error('the session has ended'))
    await done
  })
  const words = `The agent ${type} works in the background as ${id}. You get a notification when it ends. TaskOutput shows its output, TaskStop ends it.`
  const launched = { isAsync: true, status: 'async_launched', agentId: id, description, prompt }
  return { content: words, output: outputFile === undefined ? launched : { ...launched, outputFile } }
}
