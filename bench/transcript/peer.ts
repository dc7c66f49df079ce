import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { saidAt } from './messages.ts'

const THREAD = { configurable: { thread_id: 'bench', checkpoint_ns: '' } }

function messageAt(index: number): BaseMessage {
  const said = saidAt(index)
  if (said.kind === 'prompt') return new HumanMessage(said.text)
  if (said.kind === 'answer') return new AIMessage(said.text)
  if (said.kind === 'result') return new ToolMessage({ content: said.text, tool_call_id: said.id })
  return new AIMessage({ content: '', tool_calls: [{ id: said.id, name: 'look', args: { text: said.text } }] })
}

/**
 * A conversation as LangGraph keeps it: after each message a checkpoint of all that there is, and what was written.
 * Gives how long each took, in microseconds.
 */
export async function fillPeer(file: string, messages: number): Promise<readonly number[]> {
  const saver = SqliteSaver.fromConnString(file)
  const taken: number[] = []
  const all: BaseMessage[] = []
  let config: Parameters<SqliteSaver['put']>[0] = THREAD
  for (let index = 0; index < messages; index++) {
    const message = messageAt(index)
    all.push(message)
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(index),
      channel_values: { messages: all },
      channel_versions: { messages: index + 1 }
    }
    const begun = performance.now()
    config = await saver.put(config, checkpoint, { source: 'loop', step: index, parents: {} })
    await saver.putWrites(config, [['messages', [message]]], `task-${index}`)
    taken.push((performance.now() - begun) * 1000)
  }
  saver.db.close()
  return taken
}

/** The last checkpoint. Gives how many messages there are in it. */
export async function readPeer(file: string): Promise<number> {
  const saver = SqliteSaver.fromConnString(file)
  const tuple = await saver.getTuple(THREAD)
  return (tuple!.checkpoint.channel_values['messages'] as unknown[]).length
}
