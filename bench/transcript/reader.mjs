/** Reads a transcript in one of many ways, once, and prints what it took. A process of its own for each. */
import { readFileSync } from 'node:fs'

const [way, cwd, home, projectKey, sessionId] = process.argv.slice(2)
const root = `${home}/.carabiner/projects`
const file = `${root}/${projectKey}/${sessionId}.jsonl`

/** Each gets everything ready, and gives what is to be measured. That gives how many messages there are. */
const WAYS = {
  async bytes() {
    return () => Math.sign(readFileSync(file).length)
  },
  async parse() {
    return () => {
      const lines = readFileSync(file, 'utf8').split('\n')
      return lines.flatMap(line => (line === '' ? [] : [JSON.parse(line)])).length
    }
  },
  async verify() {
    const { verifyFile } = await import('../../src/lib/transcript/verify.ts')
    return () => {
      const { entries, gaps } = verifyFile(file, { projectKey, sessionId })
      return gaps.length === 0 ? entries : 0
    }
  },
  async replay() {
    const { JsonlStore } = await import('../../src/lib/transcript/jsonl.ts')
    const { replay } = await import('../../src/lib/agent/session/replay.ts')
    return async () => {
      const { entries, gaps } = await new JsonlStore(root).load({ projectKey, sessionId })
      return gaps.length === 0 ? replay(entries).conversation.messages.length : 0
    }
  },
  /** Only until the model call: what follows is not part of resuming. */
  async query() {
    const { goOn } = await import('./go-on.mjs')
    const id = sessionId === 'none' ? undefined : sessionId
    return () =>
      new Promise((resolve, reject) => {
        goOn({ cwd, home }, id, { calls: 0, text: '' }, (_, messages) => resolve(messages)).catch(reject)
      })
  },
  async peer() {
    const { readPeer } = await import('./peer.ts')
    return () => readPeer(`${home}/peer.db`)
  }
}

const run = await WAYS[way]()
const used = process.cpuUsage()
const begun = performance.now()
const messages = await run()
const ended = performance.now()
const { user, system } = process.cpuUsage(used)
const taken = {
  ms: ended - begun,
  cpuMs: (user + system) / 1000,
  peakMb: process.resourceUsage().maxRSS / 1024,
  at: performance.timeOrigin + ended,
  messages
}
process.stdout.write(JSON.stringify(taken))
