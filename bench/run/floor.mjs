/** The floor of bench/run: one model call with the same provider package, and no agent. */
import { createAnthropic } from '@ai-sdk/anthropic'

const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: url } = process.env
const model = createAnthropic({ apiKey, baseURL: `${url}/v1` }).languageModel('claude-sonnet-4-5')
const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Read it' }] }] })
for await (const part of stream) if (part.type === 'text-delta') process.stdout.write(part.delta)
process.stdout.write('\n')
