/** A model for Strands that needs no network: it makes the given calls, then answers with text. */
import { Model, type BaseModelConfig, type Message, type ModelStreamEvent } from '@strands-agents/sdk'

export interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly input: object
}

export class ScriptedModel extends Model {
  readonly requests: (readonly Message[])[] = []
  readonly #calls: readonly ScriptedCall[]

  constructor(calls: readonly ScriptedCall[]) {
    super()
    this.#calls = calls
  }

  updateConfig(): void {}
  getConfig(): BaseModelConfig {
    return { modelId: 'scripted' }
  }

  async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent, void> {
    this.requests.push([...messages])
    const isFirst = this.requests.length === 1
    yield { type: 'modelMessageStartEvent', role: 'assistant' }
    if (!isFirst) yield* block({ type: 'textDelta', text: 'Done.' })
    else
      for (const { id, name, input } of this.#calls) {
        yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name, toolUseId: id } }
        yield* block({ type: 'toolUseInputDelta', input: JSON.stringify(input) })
      }
    yield { type: 'modelMessageStopEvent', stopReason: isFirst ? 'toolUse' : 'endTurn' }
  }
}

type Delta = Extract<ModelStreamEvent, { type: 'modelContentBlockDeltaEvent' }>['delta']

function* block(delta: Delta): Generator<ModelStreamEvent, void> {
  if (delta.type === 'textDelta') yield { type: 'modelContentBlockStartEvent' }
  yield { type: 'modelContentBlockDeltaEvent', delta }
  yield { type: 'modelContentBlockStopEvent' }
}
