#!/usr/bin/env node
/** The command line: `carabiner --help`. */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { main } = await import('./lib/cli/main.ts')
const code = await main(process.argv.slice(2))
// A module of hooks may have left a timer or a server behind.
process.stdout.write('', () => process.exit(code))
