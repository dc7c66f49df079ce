// Carabiner: `carabiner hooks install --for pi` wrote this file. It asks Carabiner about every step of pi.
import { spawn } from 'node:child_process'

/** The command for each event, and the seconds that it may take. The installation fills them in. */
const INSTALLED = { lines: {}, seconds: 65 }

const MOST = 16 * 1024 * 1024

/** What Carabiner answers. Rejects if there is no answer: nothing runs then. */
function ask(event, ctx, fields) {
  const payload = JSON.stringify({
    hook_event_name: event,
    session_id: ctx.sessionManager.getSessionId(),
    transcript_path: ctx.sessionManager.getSessionFile() ?? '',
    cwd: ctx.cwd,
    ...fields
  })
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', INSTALLED.lines[event]], { cwd: ctx.cwd })
    const printed = { stdout: '', stderr: '' }
    const fail = why => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new Error(`carabiner could not answer: ${why}`))
    }
    const timer = setTimeout(() => fail(`it took more than ${INSTALLED.seconds} seconds`), INSTALLED.seconds * 1000)
    for (const stream of ['stdout', 'stderr'])
      child[stream].setEncoding('utf8').on('data', text => {
        printed[stream] += text
        if (printed[stream].length > MOST) fail('its answer is too long')
      })
    child.on('error', error => fail(error.message))
    child.on('close', code => {
      clearTimeout(timer)
      const said = printed.stderr.trim()
      if (code !== 0) reject(new Error(said || `carabiner could not answer: it ended with ${code}`))
      else resolve(printed.stdout)
    })
    // It may answer before it has read everything.
    child.stdin.on('error', () => {}).end(payload)
  }).then(text => {
    const answer = parsed(text)
    if (typeof answer.systemMessage === 'string') tell(ctx, answer.systemMessage)
    return answer
  })
}

function parsed(text) {
  const answer = JSON.parse(text)
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw new Error('it is not an answer')
  return answer
}

function tell(ctx, text) {
  if (ctx.hasUI) ctx.ui.notify(text, 'warning')
  else process.stderr.write(`${text}\n`)
}

const specific = answer => answer.hookSpecificOutput ?? {}
const isRefused = ({ decision, continue: goesOn }) => decision === 'block' || goesOn === false
const textOf = content => content.map(block => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')

export default function carabiner(pi) {
  /** Context that waits for the next prompt, and for the result of a call. */
  let contexts = []
  const ofCalls = new Map()
  let isKept = false

  const contextOf = answer => {
    const { additionalContext: text } = specific(answer)
    return typeof text === 'string' && text !== '' ? [text] : []
  }

  // What it throws refuses the call.
  pi.on('tool_call', async (event, ctx) => {
    const { toolName, toolCallId, input } = event
    const answer = await ask('PreToolUse', ctx, { tool_name: toolName, tool_input: input, tool_use_id: toolCallId })
    const { permissionDecision: decision, permissionDecisionReason: why, updatedInput } = specific(answer)
    const contexts = contextOf(answer)
    const refusal = why || answer.reason || answer.stopReason || 'refused by Carabiner'
    const reason = [refusal, ...contexts].join('\n')
    if (answer.continue === false) ctx.abort()
    if (isRefused(answer)) return { block: true, reason }
    const isAllowed =
      decision === undefined ||
      decision === 'allow' ||
      (decision === 'ask' && ctx.hasUI && (await ctx.ui.confirm(`Carabiner: allow ${toolName}?`, refusal)) === true)
    if (!isAllowed) return { block: true, reason }
    if (updatedInput !== undefined) {
      for (const key of Object.keys(input)) delete input[key]
      Object.assign(input, updatedInput)
    }
    ofCalls.set(toolCallId, contexts)
    return undefined
  })

  pi.on('tool_result', async (event, ctx) => {
    const { toolName, toolCallId, input, content } = event
    try {
      const answer = await ask('PostToolUse', ctx, {
        tool_name: toolName,
        tool_input: input,
        tool_use_id: toolCallId,
        tool_response: textOf(content)
      })
      const { updatedToolOutput: output } = specific(answer)
      const refusal = isRefused(answer) ? [answer.reason ?? answer.stopReason ?? 'refused by Carabiner'] : []
      const texts = [...refusal, ...(ofCalls.get(toolCallId) ?? []), ...contextOf(answer)]
      const added = texts.map(text => ({ type: 'text', text }))
      if (answer.continue === false) ctx.abort()
      if (output === undefined) return added.length === 0 ? undefined : { content: [...content, ...added] }
      const text = typeof output === 'string' ? output : JSON.stringify(output)
      // The details hold the output, too.
      return { content: [{ type: 'text', text }, ...added], details: null }
    } catch (error) {
      return {
        content: [{ type: 'text', text: `The output is hidden: ${error.message}` }],
        details: null,
        isError: true
      }
    } finally {
      ofCalls.delete(toolCallId)
    }
  })

  pi.on('input', async (event, ctx) => {
    try {
      const answer = await ask('UserPromptSubmit', ctx, { prompt: event.text })
      if (isRefused(answer)) throw new Error(answer.reason ?? answer.stopReason ?? 'refused by Carabiner')
      const added = contextOf(answer)
      // What is typed while the agent works starts no run of its own.
      if (event.streamingBehavior !== undefined && added.length > 0)
        return { action: 'transform', text: [event.text, ...added].join('\n\n') }
      contexts.push(...added)
      return { action: 'continue' }
    } catch (error) {
      tell(ctx, error.message)
      return { action: 'handled' }
    }
  })

  pi.on('before_agent_start', () => {
    isKept = false
    if (contexts.length === 0) return undefined
    const content = contexts.join('\n')
    contexts = []
    return { message: { customType: 'carabiner', content, display: false } }
  })

  pi.on('agent_before_settle', async (event, ctx) => {
    if (event.outcome !== 'completed') return undefined
    try {
      const answer = await ask('Stop', ctx, { stop_hook_active: isKept })
      if (answer.decision !== 'block' || isKept) return undefined
      isKept = true
      const entry = { type: 'custom_message', customType: 'carabiner', content: answer.reason, display: true }
      return { entries: [...event.entries, entry], continue: true }
    } catch (error) {
      return tell(ctx, error.message)
    }
  })

  const SOURCES = { new: 'clear', reload: 'startup', fork: 'resume' }
  const observe = (name, event, fields) =>
    pi.on(name, async (fired, ctx) => {
      try {
        contexts.push(...contextOf(await ask(event, ctx, fields(fired))))
      } catch (error) {
        tell(ctx, error.message)
      }
    })
  observe('session_start', 'SessionStart', ({ reason }) => ({ source: SOURCES[reason] ?? reason }))
  observe('session_shutdown', 'SessionEnd', ({ reason }) => ({
    reason: reason === 'quit' ? 'prompt_input_exit' : 'other'
  }))
}
