/** A conversation: several prompts in one session, with hook messages and partial responses as they arrive. */
import { query, type PromptMessage } from 'carabiner'
import { scriptedModel } from 'carabiner/testing'

const model = scriptedModel(['Hello.', 'A hook with a gate.'])

/** Yields the next prompt when the previous one has its result. */
let next = (): void => undefined
async function* prompts(): AsyncGenerator<PromptMessage> {
  for (const content of ['Hi!', 'What is a carabiner?']) {
    console.log(`you: ${content}`)
    const answered = new Promise<void>(resolve => (next = resolve))
    yield { type: 'user', message: { role: 'user', content } }
    await answered
  }
}

const running = query({
  prompt: prompts(),
  options: {
    model,
    includePartialMessages: true,
    // The Claude Agent SDK's format: an object of matchers and callbacks.
    hooks: {
      UserPromptSubmit: [{ hooks: [async input => ({ systemMessage: `${input.prompt.length} characters` })] }],
      SessionEnd: [{ hooks: [input => console.log(`the session ends: ${input.reason}`)] }]
    },
    persistSession: false,
    settingSources: []
  }
})
for await (const message of running) {
  if (message.type === 'stream_event' && message.event.type === 'content_block_delta') {
    const { delta } = message.event
    if (delta.type === 'text_delta') console.log(`agent: ${delta.text}`)
  }
  if (message.type === 'system' && message.subtype === 'informational') console.log(`  ${message.content}`)
  if (message.type === 'result') next()
}
