/** `carabiner rules check`, and rules with examples, through the command line. */
import { describe, expect, test } from 'vitest'
import { cliStage } from '../support/cli-stage.ts'

interface Answer {
  readonly decision: string
  readonly by: string
  readonly leaves: readonly {
    readonly text: string
    readonly decision: string
    readonly by: string
    readonly why: string
  }[]
}

describe('rules check', () => {
  test('a built-in tool that only reads needs no rule', async () => {
    const stage = cliStage()
    for (const [tool, decision] of [
      ['TodoWrite', 'allow'],
      ['Agent', 'allow'],
      ['WebFetch', 'ask'],
      ['toString', 'ask']
    ])
      expect(await stage.json<Answer>(['rules', 'check', tool!, '{"x":1}'])).toMatchObject({ decision })
  })

  test('a call: the decision, who decided, and each command with its reason', async () => {
    const stage = cliStage()
    const answer = await stage.json<Answer>([
      ...['rules', 'check', 'Bash', 'cat f | git add f && rm x', '--json'],
      ...['--allow', 'Bash(git *)', '--deny', 'Bash(rm *)']
    ])
    expect(answer).toMatchObject({
      decision: 'deny',
      by: 'Bash(rm *) (--deny)',
      leaves: [
        { text: 'cat f', decision: 'allow', by: 'default', why: 'it only reads in the project' },
        { text: 'git add f', decision: 'allow', by: 'Bash(git *) (--allow)' },
        { text: 'rm x', decision: 'deny', by: 'Bash(rm *) (--deny)' }
      ]
    })
    const { stdout, code } = await stage.run(['rules', 'check', 'Bash', 'git -c a=b log', '--allow', 'Bash(git *)'])
    expect(stdout).toContain('ask, by default: nothing allows it: only a rule that contains -c and its value covers it')
    expect(stdout).toContain('to allow it, add Bash(git -c a=b log) to permissions.allow\n')
    expect(code).toBe(0)
    const asked = await stage.json<Answer>([
      'rules',
      'check',
      'Bash',
      'touch a && rm b',
      '--ask',
      'Bash(rm *)',
      '--json'
    ])
    expect(asked).not.toHaveProperty('add')
    const open = await stage.json<Answer>([
      'rules',
      'check',
      'Bash',
      'touch a && rm b',
      '--allow',
      'Bash(rm *)',
      '--json'
    ])
    expect(open).toMatchObject({ decision: 'ask', add: ['Bash(touch a)'] })
  })

  test('the folder in front of a pattern of Glob counts, as in a session', async () => {
    const stage = cliStage()
    const decisionOn = async (input: object): Promise<string> =>
      (
        await stage.json<Answer>([
          'rules',
          'check',
          'Glob',
          JSON.stringify(input),
          '--json',
          '--deny',
          'Read(./secrets/**)'
        ])
      ).decision
    for (const pattern of ['/etc/*', '../*', 'src/../../*', '/etc/passwd'])
      expect(await decisionOn({ pattern }), pattern).toBe('ask')
    expect(await decisionOn({ pattern: '../*', path: 'src' })).toBe('allow')
    expect(await decisionOn({ pattern: 'secrets/*' })).toBe('deny')
    expect(await decisionOn({ pattern: '**/*.ts' })).toBe('allow')
  })

  test('answers that were saved count as in a session', async () => {
    const stage = cliStage()
    const saved = { user: [{ behavior: 'deny', rule: 'Bash(make *)' }] }
    stage.write('home/.carabiner/remembered.json', saved)
    expect(await stage.json<Answer>(['rules', 'check', 'Bash', 'make all'])).toMatchObject({ decision: 'deny' })
  })

  test('lines: one answer per line, in order, and a line that is no call does not stop it', async () => {
    const stage = cliStage()
    stage.user({ permissions: { allow: ['Bash(make *)'], deny: ['Read(.env)'] } })
    const bash = (command: string) => JSON.stringify({ tool: 'Bash', input: { command } })
    const stdin = [
      bash('ls'),
      bash('make all'),
      'x',
      bash('make -f x'),
      bash('cat .env'),
      '{"tool":"Read","input":{"file_path":".env"}}'
    ]
    const { stdout } = await stage.run(['rules', 'check'], { stdin: `${stdin.join('\n')}\n` })
    const answers = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Partial<Answer>)
    expect(answers.map(({ decision = 'error' }) => decision)).toEqual([
      'allow',
      'allow',
      'error',
      'ask',
      'deny',
      'deny'
    ])
  })

  test('settings alone: the rules that allowed more in 0.1.0', async () => {
    const stage = cliStage()
    const allow = [
      'Bash(cat *)',
      'Bash(npm test)',
      'Bash(git log *)',
      'Bash(python3 -c *)',
      'Bash(mytool *)',
      'Bash(sudo *)',
      'Bash(wc *)',
      'Edit'
    ]
    const { stdout } = await stage.run(['rules', 'check', '--settings', JSON.stringify({ permissions: { allow } })])
    const [, head, ...lines] = stdout.trim().split('\n')
    expect(head).toContain('These rules allowed more in 0.1.0')
    expect(lines.map(line => line.trim().replace(/ \(inline.*?\)| \(--settings.*?\)/, ''))).toEqual([
      'Bash(git log *): needs a prompt for --show-signature, -O, --ext-diff, --textconv, --output, --submodule, --no-index',
      'Bash(python3 -c *): covers nothing: the value of -c must be written out in the rule',
      'Bash(mytool *): covers plain words; options of mytool need a prompt, because it is not in the table',
      'Bash(sudo *): covers nothing: sudo runs other programs. Write each command out',
      'and Bash(wc *)'
    ])
  })

  test('modes and other tools', async () => {
    const stage = cliStage()
    const decided = async (...args: readonly string[]) =>
      (await stage.json<Answer>(['rules', 'check', ...args, '--json'])).decision
    expect(await decided('Write', 'a.txt')).toBe('ask')
    expect(await decided('Write', 'a.txt', '--mode', 'acceptEdits')).toBe('allow')
    expect(await decided('Write', '{"file_path":".git/config","content":""}', '--mode', 'bypassPermissions')).toBe(
      'deny'
    )
    expect(await decided('Bash', 'touch a', '--mode', 'plan')).toBe('deny')
    expect(await decided('WebFetch', 'https://example.com', '--allow', 'WebFetch(domain:example.com)')).toBe('allow')
    expect((await stage.run(['rules', 'check', 'Bash', 'ls', '--mode', 'x'])).code).toBe(4)
  })
})

describe('rules with examples', () => {
  const GOOD = { rule: 'Bash(git log *)', match: ['git log --oneline'], not_match: ['git push', 'git log --output=x'] }

  test('a rule that agrees with its examples is a rule like any other', async () => {
    const stage = cliStage()
    stage.user({
      permissions: { allow: [GOOD], deny: [{ rule: 'Read(.env)', match: ['.env', 'a/.env'], not_match: ['a.env'] }] }
    })
    expect(await stage.run(['hooks', 'check'])).toMatchObject({ code: 0 })
    expect((await stage.json<Answer>(['rules', 'check', 'Bash', 'git log -3', '--json'])).by).toContain(
      'Bash(git log *)'
    )
  })

  test.each([
    ['allow', { ...GOOD, match: ['git push'] }, 'does not match "git push"'],
    ['allow', { ...GOOD, not_match: ['git log -3'] }, 'matches "git log -3"'],
    ['deny', { rule: 'Bash(rm -rf *)', match: ['rmdir x'] }, 'does not match "rmdir x"'],
    ['deny', { rule: 'Read(secrets/**)', not_match: ['secrets/k'] }, 'matches "secrets/k"']
  ] as const)('%s %j contradicts an example: nothing starts', async (behavior, rule, words) => {
    const stage = cliStage()
    stage.user({ permissions: { [behavior]: [rule] } })
    const { code, stdout } = await stage.run(['hooks', 'check'])
    expect(stdout).toContain(words)
    expect(code).toBe(4)
    expect((await stage.run(['run', '-p', 'x', '--model', 'script:none.yaml'])).code).toBe(4)
  })

  test('risky rules warn', async () => {
    const stage = cliStage()
    const allow = [
      'Bash(bash *)',
      'Bash(git *)',
      'Bash(GOOS=linux go build *)',
      'Bash(GOOS=linux *)',
      'Bash(rm /tmp/*)'
    ]
    stage.user({ permissions: { allow, deny: ['Bash(rm -rf *)'] } })
    const { stdout, code } = await stage.run(['hooks', 'check'])
    expect(stdout.match(/rule-risky/g)).toHaveLength(5)
    expect(stdout).toContain('write Bash(go build *)')
    expect(stdout).toContain('does not cover options of rm')
    expect(stdout).toContain('which runs other programs')
    expect(stdout).toContain('depends on the order and spelling of -rf')
    expect(code).toBe(0)
  })
})

test('allow rules of a project that is not trusted do not apply, and it says so', async () => {
  const stage = cliStage()
  stage.settings({ permissions: { allow: ['Bash(npm test)'] } })
  const { stdout, stderr } = await stage.run(['rules', 'check', 'Bash', 'npm test'])
  expect(stdout).toMatch(/^ask/)
  expect(stderr).toBe(
    'carabiner: the project is not trusted, so its allow rules do not apply; run carabiner hooks trust\n'
  )
})
