/** Hooks are tested without an agent and without a model; a minute passes in no time. */
import { HookRegistry, deny } from 'carabiner'
import { harness, manualClock } from 'carabiner/testing'

const clock = manualClock()
const hooks = new HookRegistry({ clock })
hooks.on(
  'PreToolUse',
  'Bash',
  ctx => (ctx.toolInput.command.includes('--force') ? deny('history is not to be rewritten') : undefined),
  { name: 'no-force-push' }
)

const test = harness(hooks)
await test.tool('Bash', { command: 'git push --force' }).toDeny('history')
await test.tool('Bash', { command: 'git push' }).toBeSilent()
await test.expect('Stop').toBeSilent()
console.log('three expectations hold')

// One that does not: the error says what happened instead, and who said what.
try {
  await test.tool('Bash', { command: 'git push -f' }).toDeny()
} catch (error) {
  console.log(`one does not: ${error instanceof Error ? error.message : String(error)}`)
}

// A hook that never answers closes the gate after its minute.
hooks.on('PreToolUse', 'WebFetch', () => new Promise<undefined>(() => undefined), { name: 'slow-scanner' })
const waiting = test.tool('WebFetch', { url: 'https://example.com', prompt: 'summary' }).toDeny(/slow-scanner/)
await clock.advance(60)
const { failures } = await waiting
console.log(`after a minute: ${failures[0]?.by} ${failures[0]?.message}`)
