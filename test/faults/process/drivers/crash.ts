/**
 * `crash.ts <how>`: what a hook leaves on purpose, and what still runs, when this process ends.
 * `at once`: kills itself right after it has started hooks. `soon`, `exit`: a hook leaves a helper and ends; this process
 * is killed after another hook has run for a while, or ends by itself at once. `helper`: kills the helper process that
 * has started one hook, while another hook runs that this process has started.
 */
import { HookEnvironment } from '../../../../src/external.ts'
import { appears, fireBash, endOf, helpers, place, reapers, registryWith, tell } from './support.ts'

const [how] = process.argv.slice(2)
const HELPER = 'setsid sleep 300 </dev/null >/dev/null 2>&1 &'

if (how === 'at once') {
  const commands = ['sleep 300', 'setsid sleep 300 & sleep 300', "setsid sh -c 'sleep 300 & exit'; sleep 300"]
  for (const command of commands) void fireBash(registryWith({ command, timeout: 60 }))
  process.kill(process.pid, 'SIGKILL')
}

if (how === 'helper') {
  const aside = new HookEnvironment({ projectDir: place.projectDir, starter: 'helper' })
  void fireBash(registryWith({ command: 'touch mine; exec sleep 300', timeout: 60 }))
  const theirs = fireBash(registryWith({ command: 'touch theirs; sleep 300', timeout: 60 }, aside))
  await Promise.all([appears('mine'), appears('theirs')])
  const [helper] = helpers()
  const shells = reapers(helper)
  process.kill(helper!, 'SIGKILL')
  tell({ end: endOf(await theirs), shells })
  await appears('go')
  process.kill(process.pid, 'SIGKILL')
}

const left = endOf(await fireBash(registryWith({ command: HELPER, timeout: 60 })))
if (how === 'soon') {
  void fireBash(registryWith({ command: 'sleep 1; setsid sleep 300 & touch up; sleep 300', timeout: 60 }))
  await appears('up')
}
tell({ left, reapers: reapers() })
if (how === 'soon') process.kill(process.pid, 'SIGKILL')
process.exit(0)
