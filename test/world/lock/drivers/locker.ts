/** Takes and releases locks on request, one message after the other, and answers each. */
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { JsonlStore, type TranscriptWriter } from '../../../../src/index.ts'
import { lock, type Lock, type Machine } from '../../../../src/lib/world/lock/lock.ts'

export type Order =
  | { readonly order: 'take'; readonly file: string; readonly machine?: Machine }
  /** Writes to the shared file while it has the lock. */
  | {
      readonly order: 'race'
      readonly file: string
      readonly shared: string
      readonly round: number
    }
  /** Takes it and lets it go until it is killed; answers when it is at it. */
  | { readonly order: 'churn'; readonly file: string }
  /** Whether it may still write. */
  | { readonly order: 'check' }
  /** Opens a transcript, and adds entries to it. */
  | { readonly order: 'open'; readonly root: string; readonly subpath?: string }
  | { readonly order: 'write'; readonly text: string }
  /** Starts something that lives on. */
  | { readonly order: 'spawn' }
  /** Stops listening: only what it holds could keep it alive. */
  | { readonly order: 'leave' }

let own: Lock | undefined
const stores: Record<string, JsonlStore> = {}
let writer: TranscriptWriter | undefined

async function saying(act: () => unknown): Promise<unknown> {
  try {
    await act()
    return { done: true }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

async function race({ file, shared, round }: Order & { readonly order: 'race' }): Promise<unknown> {
  const locked = await lock(file, () => `round ${round}`)
  if ('holder' in locked) return locked
  appendFileSync(shared, `begin ${process.pid} ${round}\n`)
  await setImmediate()
  appendFileSync(shared, `end ${process.pid} ${round}\n`)
  await locked.release()
  return { won: true }
}

async function churn(file: string): Promise<void> {
  for (let turn = 0; ; turn++) {
    const locked = await lock(file, () => 'churning')
    if ('release' in locked) await locked.release()
    if (turn === 10) process.send!({ turns: turn })
  }
}

async function obey(message: Order): Promise<unknown> {
  switch (message.order) {
    case 'take': {
      const locked = await lock(message.file, () => 'what it was told', message.machine)
      if ('holder' in locked) return locked
      own = locked
      return { held: true }
    }
    case 'race':
      return race(message)
    case 'churn':
      return churn(message.file)
    case 'check':
      return saying(() => own!.check())
    case 'open': {
      const key = { projectKey: 'p', sessionId: 's' }
      const store = (stores[message.root] ??= new JsonlStore(message.root))
      const opened = await store.open({ ...key, subpath: message.subpath }, () => 'testing')
      if ('holder' in opened) return opened
      writer = opened
      return { held: true, last: opened.last }
    }
    case 'write':
      return saying(async () => {
        writer!.write({ type: 'system', uuid: message.text, sessionId: 's' })
        await writer!.flush()
      })
    case 'spawn':
      return { pid: spawn('sleep', ['600'], { stdio: 'ignore' }).pid }
    case 'leave':
      process.removeAllListeners('message').removeAllListeners('disconnect')
      return { left: true }
  }
}

process.on('message', (message: Order) => void obey(message).then(answer => process.send!(answer)))
process.on('disconnect', () => process.exit())
// Those that are started later begin faster: this one may be killed, and then would not do it.
flushCompileCache()
process.send!({ ready: true })
