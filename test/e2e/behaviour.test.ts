/** Each row of docs/payloads.md about behaviour, tried out. */
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { agent, callReply, streamLines, textReply } from './agent.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, decides, prints, rule } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** The first cells of the table. */
function rows(): readonly string[] {
  const text = readFileSync(new URL('../../docs/payloads.md', import.meta.url), 'utf8')
  const [, rest = ''] = text.split('<!-- behaviour -->\n')
  const lines = rest.split('\n').filter(line => line.startsWith('| ') && !line.startsWith('| where'))
  return lines.map(line => line.split('|')[1]!.trim())
}

/** Whether a hook with these settings has left its mark, after one call of Bash. */
async function marks(hooks: object, ...flags: readonly string[]): Promise<boolean> {
  const run = await agent([callReply(['Bash', { command: 'echo a' }]), textReply('Done.'), textReply('Done.')])
  run.user(hooks)
  await run.ask(['Go', '--allowedTools', 'Bash', ...flags])
  try {
    return run.read('home/mark') !== undefined
  } catch {
    return false
  }
}

const MARK = 'touch "$HOME/mark"'
const ALLOWS = prints({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } })
const asking = (more: object = {}): object => ({
  hooks: { PreToolUse: [rule(decides('ask'), 'Bash')], PermissionRequest: [rule(`${MARK}; ${ALLOWS}`, 'Bash')] },
  ...more
})

const SHOWN = { hookSpecificOutput: { hookEventName: 'MessageDisplay', displayContent: 'Shown instead.' } }

const TRIALS: Readonly<Record<string, () => Promise<void>>> = {
  async 'an `if` that is not a permission rule'() {
    const hooks = commandOn('PreToolUse', MARK, 'Bash', { if: 'Bash(echo *' })
    expect(await marks(hooks, '--profile', 'compat')).toBe(true)
  },
  async 'the shell of a command'() {
    const hooks = commandOn('PreToolUse', `[[ -n "$BASH_VERSION" ]] && ${MARK}; true`, 'Bash')
    expect(await marks(hooks, '--profile', 'compat')).toBe(true)
    const asked = commandOn('PreToolUse', `[ -z "$BASH_VERSION" ] && ${MARK}; true`, 'Bash', { shell: 'sh' })
    expect(await marks(asked)).not.toBe(readFileSync('/bin/sh').equals(readFileSync('/bin/bash')))
  },
  async 'PermissionRequest hooks when a PreToolUse hook asks'() {
    expect(await marks(asking())).toBe(true)
    expect(await marks(asking(), '--profile', 'compat')).toBe(false)
  },
  async '`asyncRewake` without `async`'() {
    const run = await agent([textReply('Done.'), textReply('Again.')])
    run.user(
      commandOn('UserPromptSubmit', 'grep -q reminder || exit 2', '', { asyncRewake: true, rewakeMessage: 'wake up' })
    )
    await run.ask(['Go'])
    expect(JSON.stringify(run.server.requests.at(-1))).toContain('wake up')
  },
  async 'SessionEnd hooks in the stream'() {
    const run = await agent([textReply('Done.')])
    run.user(commandOn('SessionEnd', 'true'))
    const lines = streamLines(await run.ask(['Go', '--output-format', 'stream-json', '--include-hook-events']))
    expect(lines.at(-1)).toMatchObject({ type: 'result' })
    expect(lines.map(({ hook_event }) => hook_event)).toContain('SessionEnd')
  },
  async '`/clear`'() {
    const run = await agent()
    run.user(commandOn('SessionStart', 'cat >> "$HOME/starts"'))
    await run.ask(['/clear'])
    const starts = run.read('home/starts').trim().split('\n')
    const ids = starts.map(line => (JSON.parse(line) as { session_id: string }).session_id)
    expect([starts.length, new Set(ids).size]).toEqual([2, 1])
  },
  async '`/model NAME`'() {
    const run = await agent()
    const log = `sed 's/.*"hook_event_name":"\\([^"]*\\)".*/\\1/' >> "$HOME/events"`
    run.user({ hooks: { PreModelSwitch: [rule(log)], PostModelSwitch: [rule(log)] } })
    const ran = await run.ask(['/model claude-haiku-4-5'])
    expect(ran.stdout).toBe('The model is now claude-haiku-4-5.\n')
    expect(run.read('home/events')).toBe('PreModelSwitch\nPostModelSwitch\n')
  },
  async 'text at a terminal, and MessageDisplay'() {
    const run = await agent([textReply('One.\nTwo.')])
    run.user(commandOn('MessageDisplay', `cat >> "$HOME/shown"; ${prints(SHOWN)}`))
    const ran = await run.ask(['Go'])
    expect(ran.stdout).toBe('Shown instead.\n')
    const shown = run.read('home/shown').trim().split('\n')
    expect(shown.map(line => JSON.parse(line) as object)).toMatchObject([
      { index: 0, final: true, delta: 'One.\nTwo.' }
    ])
  },
  async 'DirectoryAdded, and messages of its hooks'() {
    const run = await agent()
    run.user(commandOn('DirectoryAdded', prints({ systemMessage: 'hello' })))
    const ran = await run.ask(['/add-dir ..', '--verbose'])
    expect(ran.stderr).toContain('DirectoryAdded says: hello')
  },
  async '`AI_AGENT`'() {
    const run = await agent([textReply('Done.')])
    run.user(commandOn('Stop', 'echo "$AI_AGENT" > "$HOME/agent"'))
    await run.ask(['Go'])
    expect(run.read('home/agent')).toMatch(/^carabiner_/)
  }
}

test.each(Object.entries(TRIALS))('C12: as the table says: %s', async (_, trial) => trial())

test('C12: every row about behaviour is tried out, and every trial has a row', () => {
  expect(rows().toSorted()).toEqual(Object.keys(TRIALS).toSorted())
})

test('C12: in compat an ask of a PreToolUse hook stays its own, also where a rule asks as well', async () => {
  expect(await marks(asking({ permissions: { ask: ['Bash'] } }), '--profile', 'compat')).toBe(false)
})

test('C12: in compat PermissionRequest hooks run for an ask of a rule', async () => {
  const hooks = { hooks: { PermissionRequest: [rule(MARK, 'Bash')] }, permissions: { ask: ['Bash'] } }
  expect(await marks(hooks, '--profile', 'compat')).toBe(true)
})
