/** `carabiner replay`: what today's hooks and rules would decide about recorded calls. */
import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ownTool, registry } from '../support/agent-scene.ts'
import { REPOSITORY } from '../support/built-package.ts'
import { HANG } from '../support/waiting.ts'
import { answerLine, line, resultOf, textOf, user } from '../transcript/claude/claude-kit.ts'
import { desk, type Desk } from './sessions/sessions-kit.ts'

vi.setConfig({ testTimeout: HANG })

interface Decided {
  readonly decision: string
  readonly by?: string
  readonly reason?: string
  readonly input?: object
}

interface Replayed {
  readonly version: number
  readonly calls: readonly {
    readonly session: string
    readonly agent?: string
    readonly id: string
    readonly tool: string
    readonly call: string
    readonly change: string
    readonly past: Decided
    readonly now: Decided
    readonly skipped?: readonly string[]
    readonly doubts: readonly string[]
  }[]
  readonly sessions: readonly object[]
  readonly groups: readonly { readonly like: string; readonly count: number; readonly change: string }[]
  readonly skipped: readonly { readonly name: string; readonly calls: number; readonly why?: string }[]
  readonly notes: readonly string[]
  readonly problems: readonly string[]
  readonly totals: Readonly<Record<string, number>>
}

const replayed = ({ json }: Desk, ...args: readonly string[]): Promise<Replayed> => json(['replay', ...args])

const changesIn = ({ calls }: Replayed): readonly string[] =>
  calls.map(({ tool, past, now, change }) => `${tool || 'prompt'}: ${past.decision} → ${now.decision} (${change})`)

const bash = (command: string) => ({ name: 'Bash', input: { command } })

/** A session in which each command was the only call of its answer. */
async function worked(at: Desk, commands: readonly string[], id = 'then'): Promise<void> {
  await at.agent(id, [...commands.map(command => ({ calls: [bash(command)] })), 'Done.'], {
    prompt: 'Work',
    tools: ['Bash'],
    allowedTools: ['Bash']
  })
}

const ALLOW = { permissions: { allow: ['Bash'] } }
const withDeny = (rule: string) => ({ permissions: { allow: ['Bash'], deny: [rule] } })

/** Settings of the user with hooks in a module, which run in this process. */
function useModule(at: Desk, code: string, name = 'policy.mjs'): void {
  const file = at.write(`home/${name}`, code)
  at.user({ ...ALLOW, carabiner: { modules: [file] } })
}

const DENIES_PUSH = `export default hooks => hooks.on('PreToolUse', 'Bash',
  ctx => ctx.toolInput.command.includes('push') ? { decision: 'deny', reason: 'no pushes' } : undefined, { name: 'no-push' })`

test('a session under the policy of then: nothing would be decided otherwise', async () => {
  const at = desk()
  await worked(at, ['echo one', 'echo two'])
  at.user(ALLOW)
  const { code, stdout, stderr } = await at.run(['replay', 'then', '--fail-on-change'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe('2 calls and 1 prompt: 0 would be decided otherwise, 3 the same, 0 unknown\n')
})

test('a new rule: like calls are one line, with who and why', async () => {
  const at = desk()
  await worked(at, ['echo push 1', 'echo push 2', 'true', 'echo push 3'])
  at.user(withDeny('Bash(echo push *)'))
  const { code, stdout } = await at.run(['replay', 'then'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {4}3 {2}ran {8}refused {6}Bash echo push …$/m)
  expect(stdout).toMatch(/now: the rule Bash\(echo push \*\) in\s[^]* refuses it/)
  expect(stdout).toMatch(/first \S+ in then$/m)
  expect(stdout).toContain('4 calls and 1 prompt: 3 would be decided otherwise, 2 the same, 0 unknown')
  expect((await at.run(['replay', 'then', '--fail-on-change'])).code).toBe(1)
})

test('what the rule refused then, and nothing refuses any more', async () => {
  const at = desk()
  at.user(withDeny('Bash(echo push *)'))
  await worked(at, ['echo push 1'])
  expect(changesIn(await replayed(at, 'then'))).toEqual(['prompt: allow → allow (same)', 'Bash: deny → deny (same)'])
  at.user(ALLOW)
  const now = await replayed(at, 'then')
  expect(changesIn(now)[1]).toBe('Bash: deny → allow (allowed)')
  expect(now.calls[1]?.past).toMatchObject({ by: expect.stringContaining('Bash(echo push *)') })
})

test('a hook of a module refuses; another one rewrites, now and then', async () => {
  const at = desk()
  const rewriting = `export default hooks => hooks.on('PreToolUse', 'Bash', ctx => {
    ctx.toolInput.command = ctx.toolInput.command.replace('one', 'uno') }, { name: 'spanish' })`
  useModule(at, DENIES_PUSH)
  await worked(at, ['touch one', 'git push'])
  expect(changesIn(await replayed(at, 'then')).slice(1)).toEqual([
    'Bash: allow → allow (same)',
    'Bash: deny → deny (same)'
  ])
  useModule(at, rewriting, 'other.mjs')
  const now = await replayed(at, 'then')
  expect(changesIn(now).slice(1)).toEqual(['Bash: allow → allow (rewritten)', 'Bash: deny → allow (allowed)'])
  expect(now.calls[1]?.now.input).toEqual({ command: 'touch uno' })
  await worked(at, ['touch one'], 'later')
  expect(changesIn(await replayed(at, 'later')).slice(1)).toEqual(['Bash: allow → allow (same)'])
  at.user(ALLOW)
  expect(changesIn(await replayed(at, 'later')).slice(1)).toEqual(['Bash: allow → allow (rewritten)'])
})

const SCRIPT = 'touch "$HOME/ran"; echo no >&2; exit 2'

test('a command hook is not run, which is said, and its calls are unknown; marked as safe, it runs', async () => {
  const at = desk()
  await worked(at, ['echo one', 'rm -f x'])
  const hook = { matcher: 'Bash', hooks: [{ type: 'command', name: 'gate', if: 'Bash(rm *)', command: SCRIPT }] }
  at.user({ ...ALLOW, hooks: { PreToolUse: [hook] } })
  const skipping = await replayed(at, 'then')
  expect(changesIn(skipping).slice(1)).toEqual(['Bash: allow → allow (same)', 'Bash: allow → unknown (unknown)'])
  expect(skipping.calls[2]?.skipped).toEqual(['gate'])
  expect(skipping.skipped).toMatchObject([{ name: 'gate', calls: 1 }])
  const text = await at.run(['replay', 'then', '--fail-on-change'])
  expect(text.code).toBe(1)
  expect(text.stdout).toContain('not asked: gate')
  expect(text.stdout).toMatch(/not asked about 1 call: gate \(.*settings\.json:\d+:\d+\); run it with --safe-hook gate/)
  expect(() => at.read('home/ran')).toThrow('ENOENT')
  const running = await replayed(at, 'then', '--safe-hook', 'gate')
  expect(changesIn(running)[2]).toBe('Bash: allow → deny (refused)')
  expect(running.calls[2]?.now).toMatchObject({ by: 'gate', reason: 'no' })
  expect(running.skipped).toEqual([])
  expect(at.read('home/ran')).toBe('')
  const wrong = await at.run(['replay', 'then', '--safe-hook', 'gaet'])
  expect([wrong.code, wrong.stderr]).toEqual([64, 'carabiner: --safe-hook: no hook is called gaet (there are: gate)\n'])
})

test('a refusal is certain although a hook was not asked; hooks that decide nothing leave nothing unknown', async () => {
  const at = desk()
  await worked(at, ['echo one', 'git push'])
  const hooks = [
    { type: 'command', name: 'gate', command: SCRIPT, if: 'Bash(git *)' },
    { type: 'command', name: 'log', command: 'exit 2', observe: true },
    { type: 'command', name: 'later', command: 'exit 2;', async: true }
  ]
  at.user({ ...withDeny('Bash(git push *)'), hooks: { PreToolUse: [{ hooks }] } })
  const now = await replayed(at, 'then')
  expect(changesIn(now).slice(1)).toEqual(['Bash: allow → allow (same)', 'Bash: allow → deny (refused)'])
  expect(now.skipped.map(({ name, calls }) => `${name} ${calls}`)).toEqual(['gate 1', 'log 2', 'later 2'])
})

test('hooks that need a model are never asked, whatever is marked', async () => {
  const at = desk()
  await worked(at, ['echo one'])
  at.user({ ...ALLOW, hooks: { PreToolUse: [{ hooks: [{ type: 'prompt', name: 'ask', prompt: 'Is it fine?' }] }] } })
  const now = await replayed(at, 'then', '--safe-hook', '*')
  expect(changesIn(now)[1]).toBe('Bash: allow → unknown (unknown)')
  expect(now.skipped).toMatchObject([{ name: 'ask', why: 'a hook of type prompt needs a running agent' }])
})

test('questions: asked and answered then is asked now; a rule that allows is a change, and so is one that asks', async () => {
  const at = desk()
  await at.agent('then', [{ calls: [bash('touch a')] }, { calls: [bash('touch b')] }, 'Done.'], {
    tools: ['Bash'],
    canUseTool: async (_, { command }) =>
      command === 'touch a' ? { behavior: 'allow' } : { behavior: 'deny', message: 'not that' }
  })
  expect(changesIn(await replayed(at, 'then')).slice(1)).toEqual(['Bash: ask → ask (same)', 'Bash: ask → ask (same)'])
  at.user(ALLOW)
  expect(changesIn(await replayed(at, 'then')).slice(1)).toEqual([
    'Bash: ask → allow (allowed)',
    'Bash: ask → allow (allowed)'
  ])
  await worked(at, ['touch c'], 'later')
  at.user({ permissions: { allow: ['Bash'], ask: ['Bash(touch *)'] } })
  expect(changesIn(await replayed(at, 'later'))[1]).toBe('Bash: allow → ask (asked)')
  at.user({})
  const now = await replayed(at, 'later')
  expect(now.notes).toEqual([expect.stringContaining('1 call would be asked about because nothing allows it')])
  expect(changesIn(await replayed(at, 'later', '--permission-mode', 'bypassPermissions'))[1]).toContain('(same)')
})

test('the mode that is recorded applies, and tools that only read or are not ours need no rule', async () => {
  const at = desk()
  const tools = ['Write', 'TodoWrite', 'Read', ownTool('work', () => 'fine')]
  const calls = [
    { name: 'Write', input: { file_path: at.path('project/x.txt'), content: 'x' } },
    { name: 'Read', input: { file_path: 'x.txt' } },
    { name: 'TodoWrite', input: { todos: [] } },
    { name: 'work', input: {} },
    { name: 'Write', input: { wrong: 1 } }
  ]
  await at.agent('then', [...calls.map(call => ({ calls: [call] })), 'Done.'], {
    tools,
    permissionMode: 'acceptEdits',
    allowedTools: ['work']
  })
  const now = await replayed(at, 'then')
  expect(changesIn(now).slice(1)).toEqual([
    'Write: allow → allow (same)',
    'Read: allow → allow (same)',
    'TodoWrite: allow → allow (same)',
    'work: allow → none (same)',
    expect.stringContaining('Write: unknown →')
  ])
  expect(now.totals).toMatchObject({ notCompared: 1, changed: 0 })
})

test('prompts, when hooks for them exist', async () => {
  const at = desk()
  await worked(at, [])
  useModule(
    at,
    `export default hooks => hooks.on('UserPromptSubmit', () => ({ decision: 'block', reason: 'not today' }))`
  )
  const now = await replayed(at, 'then')
  expect(changesIn(now)).toEqual(['prompt: allow → deny (refused)'])
  expect(now.calls[0]?.now.reason).toBe('not today')
})

test('calls of subagents, with their type, in the mode of the session', async () => {
  const at = desk()
  const errand = { name: 'Agent', input: { description: 'd', prompt: 'Push it', subagent_type: 'general-purpose' } }
  const write = { name: 'Write', input: { file_path: at.path('project/x.txt'), content: 'x' } }
  await at.agent('then', [{ calls: [errand] }, { calls: [bash('git push'), write] }, 'Pushed.', 'Done.'], {
    tools: ['Agent', 'Bash', 'Write'],
    permissionMode: 'acceptEdits',
    allowedTools: ['Bash', 'Agent']
  })
  useModule(
    at,
    `export default hooks => hooks.on('PreToolUse', 'Bash', ({ input }) =>
      input.agent_type === 'general-purpose' ? { decision: 'deny', reason: 'not there' } : undefined)`
  )
  const now = await replayed(at, 'then')
  expect(changesIn(now).slice(1)).toEqual([
    'Agent: allow → allow (same)',
    'Bash: allow → deny (refused)',
    'Write: allow → allow (same)'
  ])
  expect(now.calls[2]).toMatchObject({ session: 'then', agent: expect.stringMatching(/^\w+/) })
})

const rejection = "The user doesn't want to proceed with this tool use. The tool use was rejected."

/** Calls of Claude Code with what it recorded as their results. */
function claudeFile(at: Desk, results: readonly (readonly [string, string, object?])[]): string {
  const lines = results.flatMap(([command, text, more = { is_error: true }], index) => {
    const [a, r] = [`a${index}`, `r${index}`]
    const use = { type: 'tool_use', id: `t${index}`, name: 'Bash', input: { command } }
    const { toolDenialKind, ...block } = more as { toolDenialKind?: string }
    return [
      answerLine(a, index === 0 ? 'u' : `r${index - 1}`, use, `msg_${index}`, { cwd: at.project }),
      user(r, a, [{ ...resultOf(`t${index}`, text), ...block }], { cwd: at.project, toolDenialKind })
    ]
  })
  return at.write('project/theirs.jsonl', textOf([user('u', null, 'Work', { cwd: at.project }), ...lines]))
}

test('a transcript of Claude Code: what ran, and who refused what', async () => {
  const at = desk()
  const path = claudeFile(at, [
    ['make', 'fine', {}],
    ['git push', 'fine', {}],
    ['make x', rejection],
    ['make y', 'PreToolUse:Bash hook error: [./gate.sh]: never y'],
    ['make z', 'Permission to use Bash with command make z has been denied.'],
    ['make w', "Claude requested permissions to use Bash, but you haven't granted it yet."],
    ['make v', '<tool_use_error>InputValidationError: no</tool_use_error>'],
    ['make u', 'never u', { is_error: true, toolDenialKind: 'permission-rule' }],
    ['make t', 'Exit code 2']
  ])
  at.user(withDeny('Bash(git push *)'))
  const strict = await replayed(at, path)
  expect(changesIn(strict).slice(1)).toEqual([
    'Bash: ran → allow (same)',
    'Bash: ran → deny (refused)',
    'Bash: ask → allow (allowed)',
    'Bash: deny → allow (allowed)',
    'Bash: deny → allow (allowed)',
    'Bash: ask → allow (allowed)',
    'Bash: unknown → allow (not compared)',
    'Bash: deny → allow (allowed)',
    'Bash: ran → allow (same)'
  ])
  expect(strict.calls[4]?.past).toEqual({ decision: 'deny', by: './gate.sh', reason: 'never y' })
  expect(strict.sessions).toMatchObject([{ format: 'claude-code', folder: at.project }])
  at.user({})
  // Whether Claude Code would ask is up to it.
  expect(changesIn(await replayed(at, path)).slice(1, 4)).toEqual([
    'Bash: ran → none (same)',
    'Bash: ran → none (same)',
    'Bash: ask → none (same)'
  ])
})

test('another folder stands for that of the session; one that is gone has to be named', async () => {
  const at = desk()
  const lines = [
    user('u', null, 'Work'),
    answerLine('a', 'u', { type: 'tool_use', id: 't', name: 'Read', input: { file_path: '/home/you/x/.env' } }),
    user('r', 'a', [resultOf('t', 'SECRET')])
  ]
  const path = at.write('theirs.jsonl', textOf(lines))
  at.settings({ permissions: { deny: ['Read(./.env)'] } })
  const gone = await at.run(['replay', path])
  expect([gone.code, gone.stderr]).toEqual([
    1,
    `carabiner: ${path}: its folder /home/you/x is not there: name one with --cwd\n`
  ])
  const now = await replayed(at, path, '--cwd', at.project)
  expect(changesIn(now)[1]).toBe('Read: ran → deny (refused)')
  expect(now.notes).toEqual([
    `paths in /home/you/x are judged as if they were in ${at.project}`,
    '1 call about a file that is not there any more: links and contents are not judged as then'
  ])
})

test('paths on the command line are those of the folder where it is started', async () => {
  const at = desk()
  await worked(at, ['git push'])
  at.write('home/new.mjs', DENIES_PUSH)
  at.write('home/new.json', { permissions: { allow: ['Bash(git push)'] } })
  const from = { cwd: at.home }
  const args = [at.file('then'), '--hooks', 'new.mjs', '--settings', 'new.json', '--json']
  const own = JSON.parse((await at.run(['replay', ...args], from)).stdout) as Replayed
  expect(changesIn(own)[1]).toBe('Bash: allow → deny (refused)')
  const moved = JSON.parse((await at.run(['replay', ...args, '--cwd', '../project'], from)).stdout) as Replayed
  expect([changesIn(moved)[1], moved.notes]).toEqual(['Bash: allow → deny (refused)', []])
})

test('an untrusted project: nothing is judged', async () => {
  const at = desk()
  await worked(at, ['echo one'])
  at.settings({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } })
  const { code, stdout, stderr } = await at.run(['replay', 'then'])
  expect([code, stdout]).toEqual([3, ''])
  expect(stderr).toContain('is not trusted')
  expect((await at.run(['replay', 'then', '--trust-project-hooks'])).code).toBe(0)
})

test('broken lines are said, and the rest is judged; a file that is no transcript does not hide the others', async () => {
  const at = desk()
  await worked(at, ['echo one', 'git push'])
  appendFileSync(at.file('then'), '{"type":"user","mess')
  const other = at.write('notes.jsonl', 'hello\nworld\n')
  at.user(withDeny('Bash(git push *)'))
  const { code, stdout, stderr } = await at.run(['replay', 'then', other])
  expect([code, stderr]).toEqual([1, expect.stringContaining('notes.jsonl')])
  expect(stdout).toMatch(/then\.jsonl: .*torn/)
  expect(stdout).toContain('1 would be decided otherwise')
})

test('a call that waits, or has no result, and a fork of a session that is replayed as well', async () => {
  const at = desk()
  const hooks = registry(all => all.on('PreToolUse', 'Bash', () => ({ decision: 'defer' })))
  await at.agent('then', [{ calls: [bash('echo one')] }], { tools: ['Bash'], hooks })
  at.user(ALLOW)
  expect(changesIn(await replayed(at, 'then'))[1]).toBe('Bash: defer → allow (allowed)')
  await worked(at, ['echo one'], 'cut')
  at.cut('cut', ({ type }) => type === 'assistant')
  expect(changesIn(await replayed(at, 'cut'))[1]).toBe('Bash: unknown → allow (not compared)')
  await worked(at, ['echo one'], 'origin')
  await at.agent('fork', ['Done.'], { resume: 'origin', sessionId: 'fork', forkSession: true, tools: ['Bash'] })
  expect((await replayed(at, 'fork')).totals).toMatchObject({ calls: 1 })
  expect((await replayed(at, 'origin', 'fork')).totals).toMatchObject({ calls: 1 })
})

test('what hooks print is not in the JSON, and unknown keys of lines do no harm', async () => {
  const at = desk()
  await worked(at, ['echo one'])
  at.append('then', `${JSON.stringify(line('x', null, { type: 'novelty' }))}\n`)
  useModule(at, `export default hooks => hooks.on('PreToolUse', () => console.log('a hook prints'))`)
  const { stdout, stderr } = await at.run(['replay', 'then', '--json'])
  expect((JSON.parse(stdout) as Replayed).version).toBe(1)
  expect(stderr).toContain('a hook prints')
})

test('settings that restrict and cannot be used: nothing is judged', async () => {
  const at = desk()
  await worked(at, ['echo one'])
  at.user({ permissions: { deny: ['Bash('] } })
  const { code, stderr } = await at.run(['replay', 'then'])
  expect(code).toBe(4)
  expect(stderr).toContain('can be judged')
  expect((await at.run(['replay'])).code).toBe(64)
})

test('hooks without a name are marked by what they run, and settings of a subagent apply to its calls', async () => {
  const at = desk()
  const errand = { name: 'Agent', input: { description: 'd', prompt: 'Push it', subagent_type: 'pusher' } }
  const frontmatter = (more: string): string => `---\nname: pusher\ndescription: pushes\n${more}---\nPush.\n`
  at.write('home/.claude/agents/pusher.md', frontmatter(''))
  await at.agent('then', [{ calls: [errand, bash('true')] }, { calls: [bash('git push')] }, 'Pushed.', 'Done.'], {
    tools: ['Agent', 'Bash'],
    allowedTools: ['Bash', 'Agent']
  })
  at.user(ALLOW)
  const hook =
    'hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: exit 2\n'
  at.write('home/.claude/agents/pusher.md', frontmatter(hook))
  expect(changesIn(await replayed(at, 'then')).filter(each => each.startsWith('Bash'))).toEqual([
    'Bash: allow → allow (same)',
    'Bash: allow → unknown (unknown)'
  ])
  const marked = await replayed(at, 'then', '--safe-hook', 'exit 2')
  expect(changesIn(marked).at(-1)).toBe('Bash: allow → deny (refused)')
})

test('a session that is running is read up to now; PermissionRequest hooks answer what is asked', async () => {
  const at = desk()
  let live: Replayed | undefined
  await at.agent('then', [{ calls: [bash('touch a')] }, 'Done.'], {
    tools: ['Bash'],
    canUseTool: async () => {
      live = await replayed(at, 'then')
      return { behavior: 'allow' }
    }
  })
  expect(live && changesIn(live)[1]).toBe('Bash: ask → ask (same)')
  useModule(at, `export default hooks => hooks.on('PermissionRequest', () => ({ decision: 'deny', reason: 'never' }))`)
  at.user({ carabiner: { modules: [at.path('home/policy.mjs')] } })
  const now = await replayed(at, 'then')
  expect(changesIn(now)[1]).toBe('Bash: ask → deny (refused)')
  expect(now.calls[1]?.now.reason).toBe('never')
})

test('transcripts of Claude Code as they are found: each call once, also of subagents with files of their own', async () => {
  const at = desk()
  const folder = join(REPOSITORY, 'test/fixtures/claude-transcripts/projects')
  const files = ['-home-you-shop', '-home-you-orchard'].flatMap(project =>
    readdirSync(join(folder, project), { withFileTypes: true }).flatMap(file =>
      file.isFile() ? [join(folder, project, file.name)] : []
    )
  )
  const { calls, problems } = await replayed(at, ...files, '--cwd', at.project)
  const ids = calls.map(({ session, agent, id }) => `${session} ${agent} ${id}`)
  expect(problems).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
  expect(calls.filter(({ tool }) => tool !== '').map(({ tool, agent }) => `${tool} ${agent ?? ''}`.trim())).toContain(
    'Grep a1b2c3d'
  )
})
