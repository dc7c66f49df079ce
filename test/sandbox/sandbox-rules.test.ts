/** A rule says where its commands run: in the sandbox, or outside of it. */
import { describe, expect, test } from 'vitest'
import { ask, bashTurn, informed, resultsIn, type Asking } from '../support/agent-kit.ts'
import { noSandbox } from '../support/host.ts'
import { neighbourhood, SECRET, type Neighbourhood } from './sandbox-kit.ts'

/** Commands that say whether they see the secret of the user, and run a script of the project. */
const LOOK = 'sh look.sh'
const COMMANDS = [LOOK, `${LOOK} b`, `cd . && ${LOOK}`, `${LOOK} && ${LOOK} b`, `true; bash -c '${LOOK}'`]

function place(): Neighbourhood {
  const made = neighbourhood()
  made.write('look.sh', 'cat "$HOME/.netrc" 2>/dev/null | grep -q THE && echo open || echo closed\n')
  return made
}

interface Permissions {
  readonly allow?: readonly (string | object)[]
  readonly ask?: readonly (string | object)[]
}

async function whereRun(made: Neighbourhood, permissions: Permissions, more: Asking = {}): Promise<readonly string[]> {
  const allow = [...(permissions.allow ?? []), ...COMMANDS.map(command => `Bash(${command})`)]
  const settings = { permissions: { ...permissions, allow } }
  const canUseTool = async () => ({ behavior: 'allow' }) as const
  const { sent } = await ask([...COMMANDS.map(command => bashTurn(command)), 'done'], {
    in: made,
    settings,
    canUseTool,
    ...more
  })
  return resultsIn(sent.at(-1)!).map(({ text }) => [...new Set(text.split('\n'))].join(' '))
}

describe.skipIf(noSandbox !== undefined)('sandbox of a rule', () => {
  test('false: what a confined hook writes for commands does not run outside', async () => {
    const made = place()
    made.write('hook.sh', 'echo "touch $HOME/escaped; export GREETING=hello" >> "$CLAUDE_ENV_FILE"\n')
    const settings = {
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'sh hook.sh' }] }] },
      permissions: { allow: [{ rule: 'Bash(sh look.sh)', sandbox: false }, 'Bash(env)'] }
    }
    const { sent } = await ask([bashTurn(LOOK), bashTurn('env'), 'done'], { in: made, settings, sandbox: true })
    const [outside, inside] = resultsIn(sent.at(-1)!)
    expect(outside?.text).toBe('open')
    expect(inside?.text).toContain('GREETING=hello')
    expect(Object.keys(made.neighbours()).filter(path => path.endsWith('escaped'))).toEqual([])
  })

  test('true: its command runs in the sandbox wherever it occurs, all others as before', async () => {
    const exact = { allow: [{ rule: `Bash(${LOOK})`, sandbox: true }] }
    expect(await whereRun(place(), exact)).toEqual(['closed', 'open', 'closed', 'closed', 'closed'])
    const asked = { ask: [{ rule: 'Bash(sh *)', sandbox: true }] }
    expect(await whereRun(place(), asked)).toEqual(COMMANDS.map(() => 'closed'))
    expect(await whereRun(place(), {})).toEqual(COMMANDS.map(() => 'open'))
  })

  test('false: a text runs outside only if such rules cover each command in it', async () => {
    const rules = { allow: [{ rule: `Bash(${LOOK})`, sandbox: false }] }
    expect(await whereRun(place(), rules, { sandbox: true })).toEqual([
      'open',
      ...COMMANDS.slice(1).map(() => 'closed')
    ])
    const both = { allow: [...rules.allow, { rule: 'Bash(sh look.sh *)', sandbox: false }] }
    const [one, two, , list] = await whereRun(place(), both, { sandbox: true })
    expect([one, two, list]).toEqual(['open', 'open', 'open'])
    const contrary = { ...rules, ask: [{ rule: 'Bash(sh *)', sandbox: true }] }
    expect(await whereRun(place(), contrary, { sandbox: true })).toEqual(COMMANDS.map(() => 'closed'))
  })

  test('a project can confine, and cannot exempt: that is a notice', async () => {
    const made = place()
    const permissions = {
      ask: [
        { rule: `Bash(${LOOK})`, sandbox: true },
        { rule: 'Bash(sh look.sh b)', sandbox: false }
      ]
    }
    made.write('.claude/settings.json', JSON.stringify({ permissions }))
    expect((await whereRun(made, {})).slice(0, 2)).toEqual(['closed', 'open'])
    expect(await whereRun(made, {}, { sandbox: true })).toEqual(COMMANDS.map(() => 'closed'))
    expect(informed(await ask(['done'], { in: made })).join('\n')).toContain('cannot take a command out of the sandbox')
  })

  test('hooks and other commands are not confined by such a rule; the sandbox ends with the session', async () => {
    const made = place()
    const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'cat "$HOME/.netrc" > seen' }] }] }
    await whereRun(made, { allow: [{ rule: `Bash(${LOOK})`, sandbox: true }] }, {
      settings: { hooks, permissions: { allow: [{ rule: `Bash(${LOOK})`, sandbox: true }] } }
    } as Asking)
    expect(made.text('seen')).toContain(SECRET)
    expect(made.has('.mcp.json')).toBe(false)
  })
})

test.each([{ deny: [{ rule: 'Bash(rm *)', sandbox: true }] }, { allow: [{ rule: 'Edit(src/**)', sandbox: true }] }])(
  'where it could have no effect it is an error: %j',
  async permissions => {
    const { result } = await ask(['done'], { in: neighbourhood(), settings: { permissions } })
    expect(result.result).toContain('only rules for Bash that allow or ask may have "sandbox"')
  }
)
