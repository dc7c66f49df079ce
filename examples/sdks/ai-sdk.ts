/** AI SDK: the gate in front of all tools of a run. `node examples/sdks/ai-sdk.ts` */
import { generateText, isStepCount, tool } from 'ai'
import { deny, HookRegistry, transform } from 'carabiner'
import { guardTools } from 'carabiner/ai-sdk'
import { z } from 'zod'
import { scriptedModel } from './models/ai-sdk.ts'

const writeNote = tool({
  description: 'Writes a note',
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  execute: ({ path, text }) => `wrote ${text} to ${path}`
})

const hooks = new HookRegistry()
hooks.on('PreToolUse', 'write_note', ctx => {
  const path = String(ctx.toolInput['path'])
  if (path.startsWith('/etc')) return deny('notes do not belong in /etc')
  return transform({ ...ctx.toolInput, path: path.replace('/tmp/', '/home/agent/') })
})

const { tools, toolApproval, isStopped } = guardTools({ write_note: writeNote }, hooks)
const { steps, text } = await generateText({
  model: scriptedModel([
    { id: 'call_1', name: 'write_note', input: { path: '/tmp/a', text: 'hello' } },
    { id: 'call_2', name: 'write_note', input: { path: '/etc/passwd', text: 'hello' } }
  ]),
  prompt: 'Write two notes',
  tools,
  toolApproval,
  stopWhen: [isStopped, isStepCount(20)]
})
for (const part of steps.flatMap(step => step.content)) {
  if (part.type === 'tool-result') console.log(part.output)
  if (part.type === 'tool-approval-response') console.log(part.reason)
}
console.log(text)
