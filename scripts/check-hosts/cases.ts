/** What can become of a policy while a host works. In all cases but the first, the command must not run. */
import { renameSync, rmSync } from 'node:fs'
import type { Trial } from './trial.ts'

export interface Case {
  readonly name: string
  /** The settings of the person. */
  readonly policy: object
  /** What happens when the prompt has passed, and before the model asks for the command. */
  readonly during?: (trial: Trial) => void
  readonly runs?: true
  /** What the model must be told. Copilot CLI does not tell it what the installed line says. */
  readonly told?: string
}

const hook = (command: string): object => ({
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command, timeout: 600 }] }] }
})
const DENY = { permissions: { deny: ['Bash(touch *)'] } }
const RULE = 'the rule Bash(touch *)'

export const CASES: readonly Case[] = [
  { name: 'no policy', policy: {}, runs: true },
  { name: 'deny', policy: DENY, told: RULE },
  { name: 'the hook crashes', policy: hook('kill -KILL $$'), told: 'was ended by SIGKILL' },
  { name: 'the hook never ends', policy: hook('exec sleep 600'), told: 'refused by exec sleep 600' },
  { name: 'its interpreter is missing', policy: hook('no-such-interpreter policy.x'), told: 'command not found' },
  {
    name: 'the policy file is broken',
    policy: {},
    during: trial => trial.policy('{ "permissions": '),
    told: 'not valid JSON'
  },
  { name: 'the warm process was killed', policy: DENY, during: trial => trial.signalWarm('SIGKILL'), told: RULE },
  { name: 'the warm process hangs', policy: DENY, during: trial => trial.signalWarm('SIGSTOP'), told: RULE },
  { name: 'the process that judges is killed', policy: hook('kill -KILL $PPID; exec sleep 60') },
  {
    name: 'Node is missing',
    policy: {},
    during(trial) {
      rmSync(trial.node)
      trial.signalWarm('SIGKILL')
    }
  },
  { name: 'Carabiner is missing', policy: {}, during: trial => renameSync(trial.package, `${trial.package}-away`) }
]
