import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { anthropicServer } from '../../test/support/anthropic-server.ts'
import { runNode, type Taken } from '../process.ts'
import { median, type Dist } from '../report.ts'

export const CALLS = 20

export interface Run extends Taken {
  /** Milliseconds from the start to the first request; 0 for a process that sends none. */
  readonly first: number
  /** The median, in milliseconds, from an answer to the next request. */
  readonly call: number
}

const folder = mkdtempSync(join(tmpdir(), 'bench-run-'))
writeFileSync(join(folder, 'a.txt'), 'a line\n'.repeat(200))

export const removeFolder = (): void => rmSync(folder, { recursive: true })

interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Starts a process that sends as many requests, and takes its times. `atLast` is called with the last one. */
async function serve(requests: number, start: (place: Place) => Promise<Taken>, atLast?: () => void): Promise<Run> {
  const times: number[] = []
  const answer = (index: number) => () => {
    times.push(performance.now())
    if (index < requests - 1) {
      const input = { file_path: join(folder, 'a.txt') }
      return { blocks: [{ type: 'tool_use', id: `toolu_${index}`, name: 'Read', input } as const] }
    }
    atLast?.()
    return { blocks: [{ type: 'text', text: 'done' } as const] }
  }
  const server = await anthropicServer(...Array.from({ length: requests }, (_, index) => answer(index)))
  const begun = performance.now()
  const taken = await start({
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: join(folder, 'home'),
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: server.url,
      // For the peer: no requests but those that are counted.
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1'
    }
  })
  await server.close()
  if (times.length !== requests) throw new Error(`there were ${times.length} requests instead of ${requests}`)
  const calls = times.slice(1).map((at, index) => at - times[index]!)
  return { ...taken, first: times[0]! - begun, call: median(calls) }
}

const serveNode = (requests: number, args: readonly string[]): Promise<Run> =>
  serve(requests, place => runNode(args, { ...place, prints: 'done\n' }))

export const runCarabiner = (dist: Dist): Promise<Run> =>
  serveNode(CALLS + 1, [fileURLToPath(`${dist.url}cli.js`), 'run', '-p', 'Read it'])

export const runFloor = (): Promise<Run> => serveNode(1, [fileURLToPath(new URL('floor.mjs', import.meta.url))])

export const bareStart = async (): Promise<Run> => ({
  ...(await runNode(['-e', '0'], { cwd: folder })),
  first: 0,
  call: 0
})

const PEER = fileURLToPath(
  new URL(`peer/node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`, import.meta.url)
)

/** `npm ci --ignore-scripts` in bench/run/peer installs it. */
export const hasPeer = existsSync(PEER)

/** Its CPU time and memory are those of its main process, when it sends its last request. */
export function runPeer(...flags: readonly string[]): Promise<Run> {
  let pid = 0
  let seen: Pick<Taken, 'cpu' | 'memory'> = { cpu: Number.NaN, memory: Number.NaN }
  const start = async (place: Place): Promise<Taken> => {
    const begun = performance.now()
    const child = spawn(PEER, [...flags, '-p', 'Read it'], { ...place, stdio: ['ignore', 'pipe', 'inherit'] })
    pid = child.pid ?? 0
    let printed = ''
    child.stdout.on('data', piece => (printed += String(piece)))
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0 || printed !== 'done\n') throw new Error(`it ended with ${String(code)} and printed: ${printed}`)
    return { wall: performance.now() - begun, ...seen }
  }
  return serve(CALLS + 1, start, () => (seen = readUsage(pid)))
}

function readUsage(pid: number): Pick<Taken, 'cpu' | 'memory'> {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // Behind the name, which may have blanks: the 14th and 15th field of all, in ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [, peak] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { cpu: (Number(fields[11]) + Number(fields[12])) * 10, memory: Number(peak) / 1024 }
}
