/** Hook scripts: one that denies, one that cannot be started, and one that is started in advance. */
import { HookRegistry } from 'carabiner'
import { commandHook, LatencyLedger, HookEnvironment } from 'carabiner/external'

const place = new HookEnvironment()
const ledger = new LatencyLedger()
const hooks = new HookRegistry({ precedence: 'ask-over-allow', sink: ledger.sink })

const noForce = `grep -q 'push --force' && { echo 'force-pushing needs approval' >&2; exit 2; }; exit 0`
hooks.register(commandHook({ name: 'no-force', events: 'PreToolUse', matcher: 'Bash', command: noForce }, place))

const fire = (command: string) =>
  hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: 'call-1' })

for (const command of ['git status', 'git push --force']) {
  const { decision = 'no objection', reason = '' } = await fire(command)
  console.log(`${command}: ${decision} ${reason}`.trim())
}

// A scanner that is not installed: its gate closes and gives the reason.
hooks.register(commandHook({ name: 'scanner', events: 'PreToolUse', command: 'no-such-scanner', args: [] }, place))
const { decision, failures } = await fire('git status')
console.log(`git status: ${decision}, because scanner failed (${failures[0]?.kind})`)
hooks.remove('scanner')

// The same contract, with the next process already waiting for its event.
const script = `read -r event; echo '{"systemMessage":"seen"}'`
hooks.register(commandHook({ name: 'ahead', events: 'PreToolUse', command: script, prewarm: true }, place))
for (let call = 0; call < 3; call++) await fire('git status')

await place.close()
const { runs, success } = ledger.of('ahead')!
console.log(`ahead ran ${runs} times, ${success} successfully`)
