/** `carabiner run -p` as a process, in a home and a project of its own, with a provider on loopback. */
import type { ChildProcess } from 'node:child_process'
import { onTestFinished } from 'vitest'
import {
  anthropicServer,
  type AnthropicBlock,
  type AnthropicReply,
  type AnthropicScript,
  type AnthropicServer
} from '../support/anthropic-server.ts'
import { ended, cliStage, type Ran, type CliStage } from '../support/cli-stage.ts'

export interface Agent extends CliStage {
  readonly server: AnthropicServer
  /** `carabiner run -p` with these arguments, to its end. */
  ask(args: readonly string[], stdin?: string): Promise<Ran>
  /** The same without waiting for its end. */
  begin(args: readonly string[]): ChildProcess
}

type Variables = Readonly<Record<string, string>>

/** A stage with a provider that gives these answers, one a request. */
export async function agent(replies: readonly AnthropicScript[] = [], more: Variables = {}): Promise<Agent> {
  const server = await anthropicServer(...replies)
  onTestFinished(() => server.close())
  const set = cliStage()
  const env = { ANTHROPIC_API_KEY: 'key-of-a-test', ANTHROPIC_BASE_URL: server.url, ...more }
  const begin = (args: readonly string[]): ChildProcess => set.start(['run', '-p', ...args], { env })
  return { ...set, server, begin, ask: (args, stdin) => ended(begin(args), stdin) }
}

export const textReply = (text: string): AnthropicReply => ({ blocks: [{ type: 'text', text }] })

let called = 0

/** An answer that calls tools. Every call has an id of its own. */
export const callReply = (...uses: readonly (readonly [name: string, input: object])[]): AnthropicReply => ({
  blocks: uses.map(([name, input]): AnthropicBlock => ({ type: 'tool_use', id: `toolu_e2e_${called++}`, name, input }))
})

/** The messages of `--output-format stream-json`. */
export interface StreamLine {
  readonly type: string
  readonly subtype?: string
  readonly [more: string]: unknown
}

export const streamLines = ({ stdout }: Ran): readonly StreamLine[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as StreamLine)
