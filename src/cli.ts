#!/usr/bin/env node
/** The command line: `carabiner --help`. */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { main } = await import('./lib/cli/main.ts')
process.exitCode = await main(process.argv.slice(2))
