#!/usr/bin/env node
/** The command line: `carabiner --help`. */
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { handleSignals, signalCode } from './lib/cli/signals.ts'
import { nameSourceLines } from './lib/cli/source-lines.ts'

// Older versions fail somewhere inside, with messages that do not help.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(`carabiner: this is Node ${process.versions.node}; install Node 22.12 or newer\n`)
  process.exit(1)
}

handleSignals()
nameSourceLines(new URL('.', import.meta.url).href)

/**
 * Compiled code is cached where no other user can write. The first process decides which functions of a file are in the
 * cache: those that it called. An agent calls others than all other commands. Node never removes anything from a cache,
 * so each month has a folder of its own, and the first command of a month removes the others.
 */
function keepCompiled(user: number): void {
  const base = join(tmpdir(), `carabiner-cache-${user}`)
  const month = new Date().toISOString().slice(0, 7)
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 })
    const stat = lstatSync(base)
    if (!stat.isDirectory() || stat.uid !== user || (stat.mode & 0o077) !== 0) return
    const isFirst = mkdirSync(join(base, month), { recursive: true }) !== undefined
    const others = isFirst ? readdirSync(base).filter(name => name !== month) : []
    for (const name of others) rmSync(join(base, name), { recursive: true, force: true })
    nodeModule.enableCompileCache(join(base, month, process.argv[2] === 'run' ? 'run' : 'other'))
  } catch {
    // Then it is compiled each time.
  }
}

if (process.getuid !== undefined) keepCompiled(process.getuid())
const { main } = await import('./lib/cli/main.ts')
const code = await main(process.argv.slice(2))
// A module of hooks may have left a timer or a server running.
process.stdout.write('', () => process.exit(signalCode() ?? code))
