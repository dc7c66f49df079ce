/** Custom tools with a schema, and a permission prompt before one of them runs. */
import { createSdkMcpServer, query, tool } from 'carabiner'
import { scriptedModel } from 'carabiner/testing'
import { z } from 'zod'

const stock = new Map([['rope', 3]])

const shop = createSdkMcpServer({
  name: 'shop',
  tools: [
    tool(
      'stock',
      'Returns how many items are in stock.',
      { thing: z.string() },
      ({ thing }) => ({ content: [{ type: 'text', text: `${stock.get(thing) ?? 0}` }] }),
      { annotations: { readOnlyHint: true } }
    ),
    tool('sell', 'Sells items.', { thing: z.string(), count: z.int().positive() }, ({ thing, count }) => {
      const left = (stock.get(thing) ?? 0) - count
      if (left < 0) throw new Error(`there are fewer than ${count}`)
      stock.set(thing, left)
      return { content: [{ type: 'text', text: `sold; ${left} left` }] }
    })
  ]
})

const sell = (count: number) => ({ calls: [{ name: 'mcp__shop__sell', input: { thing: 'rope', count } }] })
const model = scriptedModel([
  { calls: [{ name: 'mcp__shop__stock', input: { thing: 'rope' } }] },
  sell(-1),
  sell(5),
  sell(2),
  sell(100),
  'Two were sold.'
])

const running = query({
  prompt: 'Sell some rope',
  options: {
    model,
    tools: [],
    mcpServers: { shop },
    canUseTool: async (name, input) => {
      const yes = Number(input['count']) < 100
      console.log(`asked: ${name} ${JSON.stringify(input)}? ${yes ? 'yes' : 'no'}`)
      return yes ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: 'that is too many' }
    },
    persistSession: false,
    settingSources: []
  }
})
for await (const message of running) {
  if (message.type !== 'user' || typeof message.message.content === 'string') continue
  for (const block of message.message.content) {
    if (block.type !== 'tool_result') continue
    const text =
      typeof block.content === 'string' ? block.content : block.content.map(part => 'text' in part && part.text).join()
    console.log(`${block.is_error === true ? 'error' : 'result'}: ${text}`)
  }
}
