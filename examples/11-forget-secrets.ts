/** A hook that removes messages with a secret from the conversation before the next model call. */
import { HookRegistry, query, type Message } from 'carabiner'
import { scriptedModel } from 'carabiner/testing'

const hooks = new HookRegistry()
const holdsSecret = (message: Message) => JSON.stringify(message.content).includes('hunter2')
hooks.on('PreToolUse', ctx => void (ctx.messages = ctx.messages.filter(message => !holdsSecret(message))), {
  name: 'forget-secrets'
})

/** A turn of a scripted model may be a function of the request: here it only counts. */
const count = (when: string, messages: readonly Message[]) =>
  console.log(`${when}: ${messages.length} messages, ${messages.filter(holdsSecret).length} of them with the password`)

const model = scriptedModel([
  ({ messages }) => {
    count('first', messages)
    return { calls: [{ name: 'Glob', input: { pattern: '*.nothing' } }] }
  },
  ({ messages }) => {
    count('then', messages)
    return 'There are no such files.'
  }
])

const options = { hooks, model, persistSession: false, settingSources: [] }
const result = await query({ prompt: 'My password is hunter2. Which files are there?', options }).result()
console.log(result.result)
