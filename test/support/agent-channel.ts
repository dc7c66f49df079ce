/** Prompts that a test sends when it wants, and a tool that ends only when it is aborted. */
import type { PromptMessage } from '../../src/index.ts'
import { gate, ownTool, prompted } from './agent-scene.ts'

/** Prompts that are given one at a time. */
export function channel(): { readonly prompts: AsyncIterable<PromptMessage>; say(text: string): void; end(): void } {
  const waiting: PromptMessage[] = []
  let over = false
  let wake = gate()
  const tell = (): void => {
    wake.open()
    wake = gate()
  }
  return {
    prompts: (async function* () {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else if (over) return
        else await wake.opened
      }
    })(),
    say(text) {
      waiting.push(prompted(text))
      tell()
    },
    end() {
      over = true
      tell()
    }
  }
}

export const HANG_TOOL = ownTool(
  'hang',
  ({ signal }) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(new Error('ended'))))
)
export const HANG_TURN = { calls: [{ name: 'hang', input: {} }] }
