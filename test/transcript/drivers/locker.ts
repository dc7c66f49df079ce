/** Does with locks what it is told, one message after the other, and answers each. */
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { lockByFile } from '../../../src/lib/transcript/lock-file.ts'
import { lockBySocket } from '../../../src/lib/transcript/lock-socket.ts'

export type Order =
  | { readonly order: 'take'; readonly way: Way; readonly file: string; readonly title?: string }
  /** Writes to the shared file while it has the lock. */
  | {
      readonly order: 'race'
      readonly way: Way
      readonly file: string
      readonly shared: string
      readonly round: number
    }
  /** Takes both and lets them go until it is killed; answers when it is at it. */
  | { readonly order: 'churn'; readonly file: string }
  /** Starts something that lives on. */
  | { readonly order: 'spawn' }
  /** Listens no longer: nothing but what it holds could keep it alive. */
  | { readonly order: 'leave' }

type Way = keyof typeof WAYS
const WAYS = { socket: lockBySocket, file: lockByFile }

async function race({ way, file, shared, round }: Order & { readonly order: 'race' }): Promise<unknown> {
  const locked = await WAYS[way](file, () => `round ${round}`)
  if ('holder' in locked) return locked
  appendFileSync(shared, `begin ${process.pid} ${round}\n`)
  await setImmediate()
  appendFileSync(shared, `end ${process.pid} ${round}\n`)
  await locked.release()
  return { won: true }
}

async function churn(file: string): Promise<void> {
  for (let turn = 0; ; turn++) {
    for (const way of [lockBySocket, lockByFile]) {
      const locked = await way(file, () => 'churning')
      if ('release' in locked) await locked.release()
    }
    if (turn === 10) process.send!({ turns: turn })
  }
}

async function obey(message: Order): Promise<unknown> {
  switch (message.order) {
    case 'take': {
      if (message.title !== undefined) process.title = message.title
      const locked = await WAYS[message.way](message.file, () => 'what it was told')
      return 'holder' in locked ? locked : { held: true }
    }
    case 'race':
      return race(message)
    case 'churn':
      return churn(message.file)
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
