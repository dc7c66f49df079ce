/** The guided tour: five short scenes, played by the engine itself. Offline; `npm run demo`. */
import { styleText } from 'node:util'
import { commandHook, Outside } from '../src/external.ts'
import { HookRegistry, allow, deny, type HookReport, type Reported } from '../src/index.ts'

const WIDTH = 18

const title = (text: string): void => console.log(`\n${styleText('bold', text)}`)
const line = (left: string, right: string): void => console.log(`  ${left.padEnd(WIDTH)}${right}`)

/** Fires one call of Bash, and shows what every hook said and what came of it. */
async function play(hooks: HookRegistry, command: string): Promise<void> {
  line('the agent calls', styleText('cyan', `Bash ${command}`))
  const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: 'call-1' }
  const outcome = await hooks.fire('PreToolUse', call, { report: true })
  for (const report of outcome.report) line(report.name, said(report))
  const now = outcome.updatedInput?.['command']
  if (typeof now === 'string') line('it has become', styleText('cyan', `Bash ${now}`))
  line('outcome', verdict(outcome))
}

function said({ ran, why, reply, failure, rewrote, rejudged }: HookReport): string {
  if (!ran) return styleText('dim', `did not run: ${why}`)
  if (failure !== undefined) return styleText('yellow', `failed: ${failure.message}`)
  if (rewrote) return 'changed the command'
  const { decision = 'nothing', reason } = (reply ?? {}) as { decision?: string; reason?: string }
  const again = rejudged ? ', asked again about the new command' : ''
  return `said ${decision}${reason === undefined ? '' : `, “${reason}”`}${styleText('dim', again)}`
}

function verdict({ blocked, decision, by, reason }: Reported): string {
  if (!blocked) return styleText('green', decision === 'allow' ? 'allowed' : 'nobody objects')
  return styleText('red', `refused by ${by}: ${reason}`)
}

console.log('A carabiner is a hook with a gate. This one clips onto every step that an agent takes.')

title('1. A gate says no, and everybody learns who said it')
const gate = new HookRegistry().register({
  name: 'no-rm-rf',
  events: 'PreToolUse',
  matcher: 'Bash',
  run: ctx => (ctx.toolInput.command.includes('rm -rf') ? deny('ask a person first') : undefined)
})
gate.on('PreToolUse', () => allow(), { name: 'trusting' })
await play(gate, 'ls build')
await play(gate, 'rm -rf build')

title('2. A rewrite is judged again, by those who had judged before it')
const rewriting = new HookRegistry()
  .register({
    name: 'no-sudo',
    events: 'PreToolUse',
    matcher: 'Bash',
    run: ctx => (ctx.toolInput.command.includes('sudo') ? deny('no sudo') : allow())
  })
  .register({
    name: 'polite',
    events: 'PreToolUse',
    matcher: 'Bash',
    run: ctx => void (ctx.toolInput.command = ctx.toolInput.command.replace('please', 'sudo'))
  })
await play(rewriting, 'please make install')

title('3. A hook that breaks closes the gate: silence is never a yes')
const broken = new HookRegistry()
broken.on('PreToolUse', 'Bash', () => Promise.reject(new Error('cannot reach the policy server')), { name: 'policy' })
await play(broken, 'git push')

title('4. “Why did my hook not run?” has an answer')
const puzzling = new HookRegistry()
puzzling.on('PreToolUse', 'bash', () => deny('never'), { name: 'lower-case' })
puzzling.on('PostToolUse', 'Bash', () => deny('too late'), { name: 'wrong-event' })
puzzling.on('PreToolUse', 'Bash', () => deny('not today'), { name: 'switched-off' })
puzzling.disable('switched-off')
await play(puzzling, 'git push --force')

title('5. Hook scripts run as they are, and one that crashes lets nothing pass')
const place = new Outside()
const scripts = new HookRegistry({ precedence: 'ask-over-allow' })
const noForce = `grep -q 'push --force' && { echo 'force-pushing needs a person' >&2; exit 2; }; exit 0`
scripts.register(commandHook({ name: 'no-force.sh', events: 'PreToolUse', command: noForce }, place))
await play(scripts, 'git push --force')
scripts.register(commandHook({ name: 'scan.py', events: 'PreToolUse', command: 'echo Traceback >&2; exit 1' }, place))
await play(scripts, 'git push')
await place.close()

console.log('\nNext: README.md for the first dozen lines, docs/guide.md for the rest, examples/ to play with.')
