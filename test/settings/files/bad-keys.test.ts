/** Keys and values that are not what they should be: each is one finding, and nothing is disarmed in silence. */
import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { brief, fireArmed, settingsScene, type Settings, told } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides, rule, tells } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const findingsOf = (settings: Settings): readonly string[] => {
  const { user, load } = settingsScene()
  user(settings)
  return load().findings.map(brief)
}

const handler = (more: string): string =>
  `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true", ${more}}]}]}}`

// S22
describe('names that reach prototypes elsewhere are names like any other', () => {
  const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']
  const innocent = (): void => {
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Object.keys(Object.prototype)).toEqual([])
  }

  test.each(NAMES)('%s as a key, everywhere', key => {
    const { user, load } = settingsScene()
    user(
      `{"${key}": {"polluted": 1}, "permissions": {"${key}": {"polluted": 1}}, "carabiner": {"${key}": {"polluted": 1}},
        "env": {"${key}": {"polluted": 1}}, "enabledPlugins": {"${key}": true},
        "hooks": {"${key}": {"polluted": 1}, "Stop": [{"${key}": {"polluted": 1}, "hooks": [
          {"type": "command", "command": "x", "${key}": {"polluted": 1}, "env": {"${key}": "polluted"}}]}]}}`
    )
    const { hooks, findings } = load()
    innocent()
    expect(hooks.map(({ spec }) => spec['command'])).toEqual(['x'])
    expect(findings.map(brief).toSorted()).toEqual(
      [
        `warning key-type env.${key}:2`,
        `error event-unknown hooks.${key}:3`,
        // One that begins so is a comment.
        ...(key === '__proto__'
          ? []
          : ['', 'carabiner.', 'permissions.'].map(of => `warning key-unknown ${of}${key}:1`)),
        `warning key-unknown hooks.Stop[0].hooks[0].${key}:4`,
        `error plugin-missing enabledPlugins.${key}:2`,
        `warning rule-key hooks.Stop[0].${key}:3`
      ].toSorted()
    )
  })

  test.each(NAMES)('%s as the name of a hook, of an event of names, and of a tool', async name => {
    const { user, arm } = settingsScene()
    user(`{"hooks": {"PreToolUse": {"${name}": {"command": ${JSON.stringify(tells('seen'))}, "matcher": "${name}"}}}}`)
    const armed = await arm()
    expect(armed.hooks.list().map(hook => hook.name)).toEqual([name])
    expect(await told(armed, 'PreToolUse', { tool_name: name })).toEqual(['seen'])
    expect(await told(armed, 'PreToolUse', { tool_name: 'Bash' })).toEqual([])
    innocent()
  })

  test('"__proto__" does not stand in for a key that is missing', () => {
    const { user, load } = settingsScene()
    user('{"hooks": {"PreToolUse": [{"__proto__": {"hooks": [{"type": "command", "command": "x"}]}}]}}')
    expect(load()).toMatchObject({ hooks: [], findings: [{ code: 'rule-empty' }] })
    user(
      '{"__proto__": {"disableAllHooks": true}, "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "__proto__": {"onFailure": "continue"}}]}]}}'
    )
    expect(load()).toMatchObject({ disabled: new Set(), hooks: [{}] })
    expect(load().hooks[0]!.spec['onFailure']).toBeUndefined()
  })

  test('in frontmatter as well', () => {
    const { write, load } = settingsScene()
    const keys = '__proto__:\n  polluted: 1\nconstructor:\n  prototype:\n    polluted: 1'
    write('home/.claude/agents/a.md', `---\n${keys}\nhooks:\n  Stop:\n    __proto__: "x"\n---\n`)
    expect(load().hooks).toMatchObject([{ name: '__proto__', spec: { command: 'x' } }])
    innocent()
  })
})

// S24, FM8
test.each(['-1', '0', '-0', '1e999', '-1e999', '2147483648', '2147483', '"60"', '"5s"', 'null', '[5]', '{}', 'true'])(
  'timeout: %s is an error, and everything else stays armed',
  async value => {
    const { user, load, arm } = settingsScene()
    user(
      `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true", "timeout": ${value}},
        {"type": "command", "command": ${JSON.stringify(decides('deny', 'no'))}}]}]}}`
    )
    expect(load().findings).toMatchObject([
      { level: 'error', code: 'key-type', gate: true, place: { key: 'hooks.PreToolUse[0].hooks[0].timeout', line: 1 } }
    ])
    expect(load().findings[0]!.fix).toContain('seconds')
    expect(await fireArmed(await arm())).toMatchObject({ blocked: true })
  }
)

// S24
test.each(['0.5', '1', '600', '86400', '2147482'])('timeout: %s is in order', value => {
  expect(findingsOf(handler(`"timeout": ${value}`))).toEqual([])
})

// S25
describe('a key that no one reads', () => {
  test.each([
    ['at the top, near one of ours', { hoks: {} }, 'error key-unknown hoks:2'],
    ['at the top, near another', { enabledPlugin: {} }, 'error key-unknown enabledPlugin:2'],
    ['of permissions', { permissions: { denny: ['Bash'] } }, 'error key-unknown permissions.denny:3'],
    ['of carabiner', { carabiner: { profil: 'strict' } }, 'error key-unknown carabiner.profil:3'],
    [
      'of a rule',
      { hooks: { Stop: [{ timeout: 5, hooks: [{ type: 'command', command: 'x' }] }] } },
      'warning rule-key hooks.Stop[0].timeout:5'
    ],
    [
      'of a hook',
      commandOn('Stop', 'x', undefined, { tiemout: 5 }),
      'warning key-unknown hooks.Stop[0].hooks[0].tiemout:9'
    ],
    [
      'of another kind of hook',
      commandOn('Stop', 'x', undefined, { url: 'x' }),
      'warning key-unknown hooks.Stop[0].hooks[0].url:9'
    ]
  ])('%s', (_, settings, finding) => {
    expect(findingsOf(settings)).toEqual([finding])
  })

  test('a typing mistake is told what was meant', () => {
    const { user, load } = settingsScene()
    user({ permissions: { denny: ['Bash'] }, hooks: { PreToolUs: [], Stop: [rule('x', undefined, { tiemout: 5 })] } })
    expect(
      load()
        .findings.map(({ fix }) => fix)
        .toSorted()
    ).toEqual(['did you mean PreToolUse?', 'did you mean deny?', 'did you mean timeout?'])
  })

  test('what belongs to others is no one’s business', () => {
    const others = {
      model: 'x',
      statusLine: {},
      apiKeyHelper: 'y',
      cleanupPeriodDays: 3,
      $schema: 'z',
      outputStyle: 'w'
    }
    expect(
      findingsOf({ ...others, env: { A: 'b' }, permissions: { allow: ['Bash(ls)'], defaultMode: 'plan' } })
    ).toEqual([])
  })

  test('events of Claude Code that are not fired here are worth knowing, and no mistake', () => {
    const { user, load } = settingsScene()
    user({ hooks: { WorktreeRemove: [rule('x')], WorktreeCreate: [rule('y')] } })
    const { findings } = load()
    expect(findings.map(brief)).toEqual([
      'info event-not-here hooks.WorktreeRemove:3',
      'info event-not-here hooks.WorktreeCreate:13'
    ])
    expect(findings[0]!.message).toBe('WorktreeRemove is an event of Claude Code, and this agent has no worktrees')
  })
})

// S26
test.each([
  ['permissions.deny', { permissions: { deny: 'Bash' } }],
  ['permissions.allow', { permissions: { allow: { Bash: true } } }],
  ['permissions.ask[0]', { permissions: { ask: [7] } }],
  ['permissions.defaultMode', { permissions: { defaultMode: 7 } }],
  ['permissions', { permissions: ['Bash'] }],
  ['carabiner', { carabiner: true }],
  ['carabiner.hooks', { carabiner: { hooks: [] } }],
  ['carabiner.modules', { carabiner: { modules: './hooks.ts' } }],
  ['carabiner.profile', { carabiner: { profile: 'lenient' } }],
  ['disableAllHooks', { disableAllHooks: 'false' }],
  ['enabledPlugins', { enabledPlugins: ['a'] }],
  ['allowedHttpHookUrls', { allowedHttpHookUrls: '*' }],
  ['httpHookAllowedEnvVars', { httpHookAllowedEnvVars: 'HOME' }],
  ['hooks', { hooks: [] }]
])('%s of the wrong type is an error, and is not wrapped', (key, settings) => {
  const { user, load } = settingsScene()
  user(settings)
  const { findings, rules, disabled, allowedUrls } = load()
  expect(findings).toMatchObject([{ level: 'error', gate: true, place: { key } }])
  expect([rules, disabled.size, allowedUrls]).toEqual([[], 0, undefined])
})

// S26
test.each([
  ['args', '"args": "x"'],
  ['args[0]', '"args": [1]'],
  ['env.A', '"env": {"A": 1}'],
  ['env', '"env": ["A=1"]'],
  ['if', '"if": ["Bash(git *)"]'],
  ['async', '"async": "true"'],
  ['once', '"once": 1'],
  ['onFailure', '"onFailure": "deny"'],
  ['shell', '"shell": "zsh"'],
  ['priority', '"priority": "high"'],
  ['name', '"name": 7'],
  ['statusMessage', '"statusMessage": null']
])('%s of the wrong type: %s', (key, text) => {
  expect(findingsOf(handler(text))).toEqual([`error key-type hooks.PreToolUse[0].hooks[0].${key}:1`])
})

// S26
test.each(['allowManagedHooksOnly', 'strictPluginOnlyCustomization'])(
  'managed %s of the wrong type is an error',
  key => {
    const { managed, load } = settingsScene()
    managed({ [key]: 'true' })
    expect(load().findings).toMatchObject([{ level: 'error', gate: true, place: { key } }])
  }
)

// S28
describe('a key in other letters', () => {
  test.each(['Hooks', 'HOOKS', 'hOOks', 'Permissions', 'DisableAllHooks', 'disableallhooks', 'Carabiner'])(
    '%s',
    key => {
      const { user, load } = settingsScene()
      user({ [key]: {} })
      expect(load().findings).toMatchObject([
        { level: 'error', code: 'key-case', gate: true, place: { key }, fix: expect.stringMatching(/^write \w+$/) }
      ])
    }
  )

  test('does not count, beside the right one or alone', () => {
    const { user, load } = settingsScene()
    user({ Hooks: { Stop: [rule('a')] }, DisableAllHooks: true, hooks: { Stop: [rule('b')] } })
    expect(load()).toMatchObject({ hooks: [{ spec: { command: 'b' } }], disabled: new Set() })
  })

  test.each([
    ['Deny', { permissions: { Deny: ['Bash'] } }, 'write deny'],
    [
      'Matcher',
      { hooks: { PreToolUse: [{ Matcher: 'Bash', hooks: [{ type: 'command', command: 'x' }] }] } },
      'did you mean matcher?'
    ],
    ['Timeout', { hooks: { PreToolUse: [rule('x', 'Bash', { Timeout: 3 })] } }, 'did you mean timeout?']
  ])('%s, further down, is told what was meant', (_, settings, fix) => {
    const { user, load } = settingsScene()
    user(settings)
    expect(load().findings).toMatchObject([{ fix }])
  })
})

// S3
describe('a project cannot switch permissions off', () => {
  test.each(['bypassPermissions', 'bypass'])('%s is ignored, and it is said', defaultMode => {
    const { ofProject, local, load } = settingsScene()
    const files = [ofProject({ permissions: { defaultMode } }), local({ permissions: { defaultMode } })]
    expect(load().findings).toMatchObject(
      files.map(file => ({
        level: 'warning',
        code: 'project-bypass',
        place: { file, key: 'permissions.defaultMode', line: 3 },
        message: expect.stringContaining('ignored')
      }))
    )
  })

  test('nor choose a mode that lets more pass; a stricter one counts', () => {
    const { ofProject, user, load } = settingsScene()
    user({ permissions: { defaultMode: 'dontAsk' }, env: { LEVEL: 3 } })
    ofProject({ permissions: { defaultMode: 'acceptEdits', additionalDirectories: ['/'] }, env: { PATH: '.' } })
    expect(load()).toMatchObject({ mode: 'dontAsk', directories: [], env: { LEVEL: '3' } })
    expect(load().findings.map(brief)).toEqual([
      'info project-mode permissions.defaultMode:3',
      'info project-env env:8',
      'info project-directories permissions.additionalDirectories:4'
    ])
    user({ permissions: { defaultMode: 'acceptEdits' } })
    ofProject({ permissions: { defaultMode: 'plan' } })
    expect(load()).toMatchObject({ mode: 'plan', findings: [] })
  })

  test('nor loosen the sandbox', () => {
    const { ofProject, load } = settingsScene()
    ofProject({ sandbox: { enabled: true, autoAllow: true, network: 'on', allowWrite: ['/x'], denyRead: ['/y'] } })
    expect(load().sandbox).toMatchObject({ enabled: true, autoAllow: false, network: false, allowWrite: [] })
    expect(load().findings.map(brief)).toEqual([
      'info project-mode sandbox.autoAllow:4',
      'info project-mode sandbox.network:5',
      'info project-mode sandbox.allowWrite:6'
    ])
  })

  const LIFTED = [
    ['plan', 'default'],
    ['plan', 'acceptEdits'],
    ['plan', 'dontAsk'],
    ['dontAsk', 'default'],
    ['dontAsk', 'plan']
  ] as const

  test.each(LIFTED)('nor lift %s of the user or of managed policy by %s', (chosen, defaultMode) => {
    for (const whose of ['user', 'managed'] as const) {
      const it = settingsScene()
      it[whose]({ permissions: { defaultMode: chosen } })
      it.local({ permissions: { defaultMode } })
      expect(it.load()).toMatchObject({ mode: chosen, findings: [{ level: 'info', code: 'project-mode' }] })
    }
  })

  test.each(LIFTED)('a user does not lift %s of managed policy by %s, be it for one run', (chosen, defaultMode) => {
    const { managed, user, load } = settingsScene()
    managed({ permissions: { defaultMode: chosen } })
    const settings = { permissions: { defaultMode } }
    expect(load({ settings: JSON.stringify(settings) })).toMatchObject({ mode: chosen, managedMode: chosen })
    user(settings)
    expect(load()).toMatchObject({ mode: chosen, findings: [{ level: 'warning', code: 'managed-mode' }] })
  })

  test('a user may tighten what managed policy has chosen, and take that back for one run', () => {
    const { managed, user, load } = settingsScene()
    managed({ permissions: { defaultMode: 'acceptEdits' } })
    user({ permissions: { defaultMode: 'plan' } })
    expect(load()).toMatchObject({ mode: 'plan', findings: [] })
    const settings = JSON.stringify({ permissions: { defaultMode: 'acceptEdits' } })
    expect(load({ settings })).toMatchObject({ mode: 'acceptEdits', findings: [] })
  })

  test('a user may', () => {
    expect(findingsOf({ permissions: { defaultMode: 'bypassPermissions' } })).toEqual([])
  })
})

test('A1: a comment among events is no event, and rules under a name like one are an error', () => {
  expect(findingsOf({ hooks: { _comment: 'ours', '//': 'also', Stop: [] } })).toEqual([])
  expect(findingsOf({ hooks: { _PreToolUse: [{ hooks: [] }] } })).toEqual(['error event-unknown hooks._PreToolUse:3'])
})

// S5
describe('a project cannot loosen', () => {
  test('A1: a lock that only managed policy has is a notice in other files; every file may forbid to bypass permissions', () => {
    const { user, ofProject, load } = settingsScene()
    const locks = {
      allowManagedHooksOnly: true,
      strictPluginOnlyCustomization: true,
      permissions: { disableBypassPermissionsMode: 'disable' },
      carabiner: { trust: 'digest', disableBypass: true }
    }
    for (const write of [user, ofProject]) write(locks)
    expect(load().locks).toEqual({
      profile: undefined,
      trustByDigest: false,
      noBypass: true,
      managedHooksOnly: false,
      pluginHooksOnly: false
    })
    const said = load().findings.filter(({ code, gate }) => code === 'key-idle' && gate)
    expect(said.map(({ place }) => place.key)).toEqual(
      [1, 2].flatMap(() => ['carabiner.trust', 'allowManagedHooksOnly', 'strictPluginOnlyCustomization'])
    )
  })

  test('rules of all levels are kept, each with its level', () => {
    const { user, ofProject, managed, load } = settingsScene()
    managed({ permissions: { deny: ['Bash(rm *)'] } })
    user({ permissions: { deny: ['Read(./secrets/**)'], ask: ['Bash(git push *)'] } })
    ofProject({ permissions: { allow: ['Bash(rm *)', 'Read(./secrets/**)'] } })
    expect(load().rules.map(({ behaviour, rule: text, scope }) => `${scope} ${behaviour} ${text}`)).toEqual([
      'managed deny Bash(rm *)',
      'user deny Read(./secrets/**)',
      'user ask Bash(git push *)',
      'project allow Bash(rm *)',
      'project allow Read(./secrets/**)'
    ])
  })

  test('the list of URLs of a project neither opens what is closed nor closes what is open', () => {
    const { user, ofProject, load } = settingsScene()
    ofProject({ allowedHttpHookUrls: [], httpHookAllowedEnvVars: [] })
    expect(load()).toMatchObject({ allowedUrls: undefined, allowedEnvVars: undefined })
    user({ allowedHttpHookUrls: ['https://hooks.example/*'], httpHookAllowedEnvVars: ['TOKEN'] })
    ofProject({ allowedHttpHookUrls: ['*'], httpHookAllowedEnvVars: ['SECRET'] })
    expect(load()).toMatchObject({ allowedUrls: ['https://hooks.example/*'], allowedEnvVars: ['TOKEN'] })
  })
})

describe('the dialect of a handler', () => {
  test('S2: is a key that check knows, and the schema has', () => {
    for (const value of ['library', 'contract']) expect(findingsOf(handler(`"dialect": "${value}"`))).toEqual([])
    const schema = JSON.stringify(JSON.parse(readFileSync('schemas/settings.schema.json', 'utf8')))
    expect(schema).toContain('"dialect":{"type":"string","enum":["contract","library"]')
  })

  test('S2: misspelt it is an error of its own, with the two words that there are', () => {
    const { user, load } = settingsScene()
    user(handler('"dialect": "libary"'))
    const [finding] = load().findings
    expect(finding).toMatchObject({ level: 'error', code: 'key-type' })
    expect(`${finding?.message} ${finding?.fix}`).toContain('"contract" or "library"')
  })

  test('S2: library holds a gate with the words of the library: Stop continues with continue', async () => {
    const { user, arm } = settingsScene()
    const hook = (dialect: string) => ({ type: 'command', command: `echo '{"continue":true}'`, dialect })
    user({ hooks: { Stop: [{ hooks: [hook('library')] }] } })
    const armed = await arm()
    expect(await fireArmed(armed, 'Stop')).toMatchObject({ continue: true })
    expect(armed.hooks.list('Stop')).toMatchObject([{ dialect: 'library' }])
  })

  test('S2: every kind of handler takes it', () => {
    const kinds = [
      { type: 'worker', command: 'w' },
      { type: 'http', url: 'https://example.com/h' },
      { type: 'prompt', prompt: 'p' },
      { type: 'mcp_tool', server: 's', tool: 't' }
    ]
    for (const kind of kinds) {
      const found = findingsOf({ hooks: { PostToolUse: [{ hooks: [{ ...kind, dialect: 'library' }] }] } })
      expect(found.filter(each => each.includes('dialect'))).toEqual([])
    }
  })
})

// The value of a key that is wrong is quoted in its finding; one that may be a credential is not.
test.each([
  ['env', { env: { GITHUB_TOKEN: ['ghp_SECRETSECRET'] } }],
  [
    'env of a hook',
    { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'x', env: { A: ['SECRETSECRET'] } }] }] } }
  ],
  [
    'headers',
    {
      hooks: {
        Stop: [
          { hooks: [{ type: 'http', url: 'http://127.0.0.1', headers: { Authorization: ['Bearer SECRETSECRET'] } }] }
        ]
      }
    }
  ],
  [
    'headers as a text',
    { hooks: { Stop: [{ hooks: [{ type: 'http', url: 'http://127.0.0.1', headers: 'SECRETSECRET' }] }] } }
  ]
])('B6: a credential under a wrong key is in no finding: %s', (_, settings) => {
  const { user, load } = settingsScene()
  user(settings)
  const { findings } = load()
  expect(findings.filter(({ code }) => code === 'key-type')).toHaveLength(1)
  expect(JSON.stringify(findings)).not.toContain('SECRETSECRET')
})
