/** Every refusal names the party that decided, in every place that reports it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask as askFirst, defer, deny, guard, HookRegistry, type CanUseTool } from '../../../src/index.ts'
import { project, registry, type Asking } from '../../support/agent-kit.ts'
import { no, touch } from '../../support/one-call.ts'

/** The lines of the only transcript of a user. */
function transcriptIn(home: string): readonly Record<string, unknown>[] {
  const root = join(home, '.carabiner', 'projects')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.jsonl'))
  return files.flatMap(name =>
    readFileSync(join(root, name), 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as Record<string, unknown>)
  )
}

const pre = (reply: Parameters<HookRegistry['on']>[2]): HookRegistry =>
  registry(hooks => hooks.on('PreToolUse', 'Bash', reply as () => undefined, { name: 'hk' }))
const permissionRequest = (hooks = registry()): HookRegistry => {
  hooks.on('PermissionRequest', () => deny('pr no'), { name: 'pr' })
  return hooks
}
const silent = (async () => null) as CanUseTool
const RULE = 'Bash(touch *)'
const asks = { settings: { permissions: { ask: [RULE] } } }

interface Expected {
  readonly kind: string
  readonly by: RegExp
  readonly asked?: RegExp
  readonly words: RegExp
}
const PERSON = /^the user \(canUseTool\)$/

const DECIDERS: readonly (readonly [string, Asking, Expected])[] = [
  ['a PreToolUse hook', { hooks: pre(() => deny('hk no')) }, { kind: 'hook', by: /^hk$/, words: /hk no/ }],
  ['a hook that says nothing more', { hooks: pre(() => deny()) }, { kind: 'hook', by: /^hk$/, words: /hk/ }],
  [
    'a hook that throws',
    { hooks: pre(() => JSON.parse('{')) },
    { kind: 'hook', by: /^hk$/, words: /hook "hk" failed|gate_failed/ }
  ],
  ['a deny rule', { disallowedTools: [RULE] }, { kind: 'rule', by: /^Bash\(touch \*\) \(.+\)$/, words: /the rule/ }],
  ['plan mode', { permissionMode: 'plan' }, { kind: 'mode', by: /^mode plan$/, words: /plan mode/ }],
  ['mode dontAsk', { permissionMode: 'dontAsk' }, { kind: 'mode', by: /^mode dontAsk$/, words: /nothing allows it/ }],
  [
    'the default',
    {},
    { kind: 'default', by: /^default$/, words: /nothing allows it\), and no one was available to approve it/ }
  ],
  [
    'the default, where canUseTool gives nothing',
    { canUseTool: silent },
    { kind: 'default', by: /^default$/, words: /canUseTool gave no answer/ }
  ],
  ['a person', { canUseTool: no }, { kind: 'asked', by: PERSON, words: /not while I look/ }],
  [
    'a person without a word',
    { canUseTool: async () => ({ behavior: 'deny' }) as never },
    { kind: 'asked', by: PERSON, words: /the answer was no/ }
  ],
  [
    'a person, asked for by a hook',
    { hooks: pre(() => askFirst('sure?')), canUseTool: no },
    { kind: 'asked', by: PERSON, asked: /^hook hk$/, words: /not while I look/ }
  ],
  [
    'a person, asked for by a rule',
    { ...asks, canUseTool: no },
    { kind: 'asked', by: PERSON, asked: /^Bash\(touch \*\) \(.+\)$/, words: /not while I look/ }
  ],
  [
    'the default, asked for by a hook',
    { hooks: pre(() => askFirst()) },
    {
      kind: 'default',
      by: /^default$/,
      asked: /^hook hk$/,
      words: /hook hk asks\), and no one was available to approve it/
    }
  ],
  [
    'the default, asked for by a rule',
    asks,
    { kind: 'default', by: /^default$/, asked: /^Bash\(touch/, words: /asks/ }
  ],
  [
    'a PermissionRequest hook',
    { hooks: permissionRequest(), canUseTool: no },
    { kind: 'hook', by: /^pr$/, words: /pr no/ }
  ],
  [
    'a PermissionRequest hook, asked for by another',
    { hooks: permissionRequest(pre(() => askFirst('sure?'))), canUseTool: no },
    { kind: 'hook', by: /^pr$/, asked: /^hook hk$/, words: /pr no/ }
  ],
  [
    'a rule, about input that came with a yes',
    {
      canUseTool: async () => ({ behavior: 'allow', updatedInput: { command: 'touch other' } }),
      disallowedTools: ['Bash(touch other)']
    },
    { kind: 'rule', by: /^Bash\(touch other\) \(disallowedTools\)$/, words: /the rule/ }
  ]
]

describe('a refused call', () => {
  test.each(DECIDERS)('E1: names %s in every channel', async (_, asking, { kind, by, asked, words }) => {
    const place = project()
    const { told, ran, messages, result } = await touch({ in: place, persistSession: true, ...asking })
    expect(ran).toBe(false)
    const reason = expect.stringMatching(words)
    const facts = {
      decision_reason_type: kind,
      decision_reason: reason,
      decided_by: expect.stringMatching(by),
      ...(asked !== undefined && { asked_by: expect.stringMatching(asked) })
    }
    const refused = messages.filter(message => message.type === 'system' && message.subtype === 'permission_denied')
    expect(refused).toMatchObject([{ tool_name: 'Bash', ...facts }])
    const [{ decided_by, asked_by, message } = { decided_by: '', message: '' }] = result.permission_denials.map(
      (denial, at) =>
        ({ ...denial, ...refused[at] }) as never as { decided_by: string; asked_by?: string; message: string }
    )
    expect(result.permission_denials).toMatchObject([{ tool_name: 'Bash', tool_input: expect.anything(), ...facts }])
    expect(asked_by === undefined).toBe(asked === undefined)
    expect(message.startsWith(`Bash was refused by ${decided_by}: `)).toBe(true)
    for (const text of [told, message]) {
      expect(text).toMatch(words)
      expect(text).toContain(decided_by)
      if (asked_by !== undefined) expect(text).toContain(`asked for by ${asked_by}`)
    }
    expect(transcriptIn(place.home)).toContainEqual(
      expect.objectContaining({ subtype: 'permission_denied', kind, by: decided_by, reason })
    )
  })

  test('E1: canUseTool is told in a sentence why it is asked', async () => {
    const heard: string[] = []
    const canUseTool: CanUseTool = async (_tool, _input, { decisionReason }) => {
      heard.push(decisionReason ?? '')
      return { behavior: 'deny', message: 'no' }
    }
    await touch({ canUseTool })
    await touch({ canUseTool, hooks: pre(() => askFirst('sure?')) })
    await touch({ canUseTool, hooks: pre(() => askFirst()) })
    await touch({ canUseTool, ...asks })
    expect(heard).toEqual([
      'nothing allows it',
      'hook hk asks: sure?',
      'hook hk asks',
      expect.stringMatching(/^the rule Bash\(touch \*\) in .+ asks$/)
    ])
  })
})

describe('guard()', () => {
  test.each([
    ['a hook', () => deny('hk no'), {}, 'Bash was refused by hk: hk no'],
    ['a hook that puts it off', () => defer(), {}, 'Bash was refused by hk: its answer is defer'],
    [
      'onAsk',
      () => askFirst('sure?'),
      { onAsk: () => false },
      'Bash was refused by onAsk: the answer was no (asked for by hk: sure?)'
    ],
    ['the default', () => askFirst(), {}, 'Bash was refused by default: there is no onAsk to ask (asked for by hk)'],
    [
      'the signal',
      () => undefined,
      { signal: AbortSignal.abort() },
      'Bash was refused by the signal: the run was aborted before it began'
    ]
  ])('E1: guard() names %s', async (_, reply, options, message) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', reply as () => undefined, { name: 'hk', onFailure: 'continue' })
    const run = guard(hooks, 'Bash', () => 'ran', options)
    await expect(run({ command: 'ls' })).rejects.toMatchObject({ code: 'E_REFUSED', message })
  })
})

test('the messages of the hook that refused come before the refusal', async () => {
  const { messages } = await touch({ hooks: pre(() => deny('no')), includeHookEvents: true })
  const last = messages.findLastIndex(each => 'hook_label' in each && each.hook_label === 'hk')
  const refusal = messages.findIndex(each => each.type === 'system' && each.subtype === 'permission_denied')
  expect(last).toBeGreaterThan(0)
  expect(refusal).toBeGreaterThan(last)
})
