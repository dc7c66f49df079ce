import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { AgentMessage } from '../../agent/output/agent-messages.ts'
import type { Block } from '../../message.ts'
import type { ScriptedTurn } from '../../model/scripted.ts'
import { callLabel } from '../terminal/call-label.ts'
import { heading, line } from './demo-lines.ts'

const send = (invoice: string): ScriptedTurn => ({
  calls: [{ name: 'Bash', id: `send-${invoice}`, input: { command: `./send.sh ${invoice}` } }]
})

/** The answers of the model, before and after the kill. */
export const INVOICE_SCRIPTS: Readonly<Record<string, readonly ScriptedTurn[]>> = {
  'before.json': [send('invoice-1'), send('invoice-2')],
  'after.json': [
    { calls: [{ name: 'Bash', id: 'look', input: { command: 'cat outbox.txt' } }] },
    send('invoice-3'),
    { text: 'All three invoices are sent.' }
  ]
}

const SESSION = '0b5e1f0c-7a51-4c1e-9d1b-3f1f6a1c2d3e'
const TOOLS = ['--allowedTools', 'Bash(./send.sh *)', 'Bash(cat outbox.txt)', '--output-format', 'stream-json']
const FIRST_RUN = ['--session-id', SESSION, '--model', 'script:before.json', ...TOOLS]
const SECOND_RUN = ['--model', 'script:after.json', ...TOOLS]

export interface RunPlace {
  /** The folder of the invoices: `send.sh`, the scripts of the model, and the outbox once there is one. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/** Kills an agent in the middle of a call and resumes its session in another process. Returns what went wrong. */
export async function killAndResume(place: RunPlace): Promise<string | undefined> {
  heading('6. The process is killed during a call: nothing is lost, nothing runs twice')
  const prompt = 'Send the three invoices.'
  const print = messagePrinter()
  const first = startRun(place, ['run', '-p', prompt, ...FIRST_RUN], print)
  line('starts', `process ${first.pid}: carabiner run -p "${prompt}" …`, 'dim')
  while (first.isRunning() && !readOutbox(place).includes('invoice-2')) await pause(10)
  first.kill()
  if ((await first.ended) !== 'SIGKILL') return `the first run was not killed: ${first.errors()}`
  line('killed', `process ${first.pid} by SIGKILL, right after invoice-2 was sent`, 'red')

  const second = startRun(place, ['run', '-p', '--resume', SESSION, ...SECOND_RUN], print)
  line('starts', `process ${second.pid}: carabiner run -p --resume ${SESSION.slice(0, 8)} …`, 'dim')
  if ((await second.ended) !== 0) return `the session could not be resumed: ${second.errors()}`
  const sent = readOutbox(place)
  const counts = [...new Set(sent)].map(name => `${name} ${timesIn(sent, name)}`).join(', ')
  line('on disk', `outbox.txt: ${counts}`, 'dim')

  const check = startRun(place, ['sessions', 'verify', SESSION], print)
  if ((await check.ended) !== 0) return `the transcript has gaps: ${check.errors()}`
  line('verified', `the transcript is whole: carabiner sessions verify ${SESSION.slice(0, 8)}`, 'green')
  return sent.join() === 'invoice-1,invoice-2,invoice-3' ? undefined : `the outbox has ${counts}`
}

function timesIn(sent: readonly string[], name: string): string {
  const count = sent.filter(each => each === name).length
  return count === 1 ? 'once' : `${count} times`
}

interface StartedRun {
  readonly pid: number | undefined
  /** The exit code or the signal that ended it; null if the tour was interrupted. */
  readonly ended: Promise<number | NodeJS.Signals | null>
  isRunning(): boolean
  kill(): void
  errors(): string
}

/** This same command line, in a process of its own that ends with the tour. */
function startRun({ folder, env, signal }: RunPlace, args: readonly string[], print: MessagePrinter): StartedRun {
  const [, program = ''] = process.argv
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env,
    signal,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (errors += piece))
  createInterface(child.stdout).on('line', text => {
    if (text.startsWith('{')) print(JSON.parse(text) as AgentMessage)
  })
  child.on('error', error => (errors += error.message))
  return {
    pid: child.pid,
    ended: new Promise(resolve => child.on('close', (code, name) => resolve(signal.aborted ? null : (code ?? name)))),
    isRunning: () => child.exitCode === null && child.signalCode === null && !signal.aborted,
    kill: () => child.kill('SIGKILL'),
    errors: () => errors.trim()
  }
}

type MessagePrinter = (message: AgentMessage) => void

/** A resumed session yields the call without a result again; it is not a second call, and is printed once. */
function messagePrinter(): MessagePrinter {
  const calls = new Set<string>()
  return message => {
    if (message.type !== 'assistant' && message.type !== 'user') return
    const { content } = message.message
    for (const block of typeof content === 'string' ? [] : content) {
      if (block.type !== 'tool_use' || !calls.has(block.id)) printBlock(block)
      if (block.type === 'tool_use') calls.add(block.id)
    }
  }
}

function printBlock(block: Block): void {
  if (block.type === 'text') line('agent says', `“${block.text}”`, 'cyan')
  if (block.type === 'tool_use') line('agent calls', callLabel(block.name, block.input, ''), 'cyan')
  if (block.type === 'tool_result' && typeof block.content === 'string')
    line('agent reads', `“${block.content.replaceAll(/^\[|\]$/g, '')}”`, 'cyan')
}

function readOutbox({ folder }: RunPlace): readonly string[] {
  const file = join(folder, 'outbox.txt')
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}
