/** The hosts themselves, installed from npm in a folder for caches: each in its own, with the version of its dialect. */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { HOST_PROGRAMS } from '../../src/lib/cli/host/probe/host-program.ts'
import { dialectOf, type HostName } from '../../src/lib/cli/host/hosts.ts'

const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'carabiner-hosts')

/** The program's file. Downloads up to 440 MB for a host that is not there. */
export function installedHost(host: HostName): string {
  const { npm, program } = HOST_PROGRAMS[host]
  const name = `${npm}@${dialectOf(host).verifiedWith}`
  const folder = join(CACHE, name.replaceAll('/', '+'))
  const file = join(folder, 'node_modules/.bin', program)
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', '--loglevel=error', name]
    const { status, stderr, error } = spawnSync('npm', args, { encoding: 'utf8', timeout: 900_000 })
    if (status !== 0) throw new Error(`npm cannot install ${name}: ${error?.message ?? stderr.trim()}`)
  }
  // Where scripts of packages are off, the program for this platform is not linked to its name.
  const own = globSync(`node_modules/${npm}-*/${program}`, { cwd: folder })[0]
  return host === 'claude' && own !== undefined ? join(folder, own) : file
}
