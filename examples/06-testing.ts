/** Hooks are tested without an agent or a model, and a timeout of a minute takes no time. */
import { HookRegistry, deny } from 'carabiner'
import { harness, manualClock } from 'carabiner/testing'

const clock = manualClock()
const hooks = new HookRegistry({ clock })
hooks.on(
  'PreToolUse',
  'Bash',
  ctx => (ctx.toolInput.command.includes('--force') ? deny('history must not be rewritten') : undefined),
  { name: 'no-force-push' }
)

const test = harness(hooks)
await test.tool('Bash', { command: 'git push --force' }).toDeny('history')
await test.tool('Bash', { command: 'git push' }).toBeSilent()
await test.expect('Stop').toBeSilent()
console.log('three expectations pass')

// One that fails: the error shows the actual outcome and the reply of each hook.
try {
  await test.tool('Bash', { command: 'git push -f' }).toDeny()
} catch (error) {
  console.log(`one fails: ${error instanceof Error ? error.message : String(error)}`)
}

// A hook that never replies closes the gate after one minute.
hooks.on('PreToolUse', 'WebFetch', () => new Promise<undefined>(() => undefined), { name: 'slow-scanner' })
const waiting = test.tool('WebFetch', { url: 'https://example.com', prompt: 'summary' }).toDeny(/slow-scanner/)
await clock.advance(60)
const { failures } = await waiting
console.log(`after a minute: ${failures[0]?.by} ${failures[0]?.message}`)
