/** Posts one event to a server, prints the outcome, and has to end by itself: nothing here calls exit(). */
import { httpHook, HookEnvironment } from '../../../../../src/external.ts'
import { HookRegistry } from '../../../../../src/hooks.ts'
import { harness } from '../../../../../src/testing.ts'

const [how = 'ask', url = ''] = process.argv.slice(2)

const place = new HookEnvironment()
const given = new AbortController()
const hooks = new HookRegistry()
hooks.register(httpHook({ name: 'hook', events: 'PreToolUse', url }, place))

const base = Math.round(process.memoryUsage.rss() / 1024)
const fired = harness(hooks).fire('PreToolUse', {}, { signal: given.signal })
process.stdin.once('data', () => {
  if (how === 'abort') given.abort()
  if (how === 'close') void place.close()
})
const { decision, reason, failures } = await fired
const peak = process.resourceUsage().maxRSS
if (how === 'again') await harness(hooks).fire('PreToolUse')

process.stdout.write(JSON.stringify({ outcome: { decision, reason, failures }, base, peak }))
