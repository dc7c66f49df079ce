/** A hook that is a server on this machine, in a process of its own, against requests written by hand. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { httpHook } from '../../../dist/external.js'
import { firing, newPlace, PAYLOAD, programPath } from '../common.ts'
import { atLeast, inBatches, takeTurns, type Contender, type Row } from '../measure.ts'
import { rateRow } from '../table.ts'

const EVENTS = 200
const GOAL = 2500

export async function run(rounds: number): Promise<readonly Row[]> {
  const server = spawn(process.execPath, [programPath('server.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [port] = (await once(server.stdout, 'data')) as [Buffer]
  const url = `http://127.0.0.1:${String(port).trim()}/hook`
  const place = newPlace()
  const agent = new Agent({ keepAlive: true })
  const ways = {
    'node:http by hand': () => postByHand(url, agent),
    'fetch by hand': () => fetchByHand(url),
    'HTTP hook': firing([httpHook({ events: 'PreToolUse', url }, place)], 'allow')
  }
  const contenders: Record<string, Contender> = {}
  for (const [name, ask] of Object.entries(ways)) {
    contenders[`${name}, one by one`] = () => inBatches(ask, EVENTS, 1)
    contenders[`${name}, 16 at once`] = () => inBatches(ask, EVENTS, 16)
  }
  const taken = await takeTurns(contenders, rounds)
  await place.close()
  agent.destroy()
  server.stdin.end()
  return Object.keys(contenders).map(name => {
    const floor = taken[name.replace(/^.*,/, 'node:http by hand,')]!
    const ours = name.startsWith('HTTP hook')
    const goal = (rate: number) => (ours ? atLeast(rate, GOAL, `≥ ${GOAL} /s`) : undefined)
    return rateRow({ scene: 'http', name, events: EVENTS, taken: taken[name]!, floor, goal })
  })
}

function postByHand(url: string, agent: Agent): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asking = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      response => {
        let text = ''
        response.on('data', chunk => (text += String(chunk)))
        response.once('end', () => resolve(JSON.parse(text)))
      }
    )
    asking.once('error', reject)
    asking.end(PAYLOAD)
  })
}

async function fetchByHand(url: string): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', body: PAYLOAD, headers: { 'content-type': 'application/json' } })
  return response.json()
}
