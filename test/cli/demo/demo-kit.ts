/** The guided tour in a place of its own, and its end by a signal. */
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { expect, vi } from 'vitest'
import { cliStage, ended, type CliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'

/** A stage whose folder for temporary files is its own. */
export function tour(): CliStage & { readonly temp: Readonly<Record<string, string>>; left(): readonly string[] } {
  const scene = cliStage()
  const folder = scene.path('temp')
  mkdirSync(folder)
  return {
    ...scene,
    // Compiled code is kept with temporary files, unless Node is told where.
    temp: { TMPDIR: folder, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' },
    left: () => [...readdirSync(folder).filter(name => name.startsWith('carabiner-demo-')), ...processesIn(folder)]
  }
}

/** The processes that still run in a folder. */
function processesIn(folder: string): readonly string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter(pid => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
    } catch {
      return false
    }
  })
}

/** Waits until it has printed this. */
export const untilPrinted = (child: ChildProcess, words: string): Promise<void> =>
  new Promise(resolve => {
    let text = ''
    child.stdout?.on('data', (piece: Buffer) => (text += String(piece)).includes(words) && resolve())
  })

/** It ends with this code, and leaves neither process nor file. */
export async function endsBy(signal: NodeJS.Signals, words: string, code: number): Promise<void> {
  const { start, temp, left } = tour()
  const child = start(['demo'], { env: temp })
  const end = ended(child)
  await untilPrinted(child, words)
  child.kill(signal)
  expect((await end).code).toBe(code)
  await vi.waitUntil(() => left().length === 0, { timeout: HANG / 2, interval: 20 })
}
