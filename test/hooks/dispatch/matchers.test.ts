import { describe, expect, test } from 'vitest'
import {
  deny,
  EVENTS,
  EVENT_NAMES,
  HookRegistry,
  type FireInput,
  type Matcher,
  type Outcome
} from '../../../src/hooks.ts'
import { fireSample, sampleOf } from '../../support/hook-kit.ts'
import { bash, callOf } from '../../support/hook-inputs.ts'

const TOOLS = [
  'Read',
  'Write',
  'Edit',
  'NotebookEdit',
  'Bash',
  'BashOutput',
  'bash',
  'Agent',
  'Task',
  'TaskStop',
  'Glob',
  'Grep',
  'my-tool',
  'mcp__fs__read',
  'mcp__git__log',
  'xmcp__fs',
  'a.b',
  'axb',
  ''
] as const

/** Which of the tools a matcher takes, asked twice. */
const taken = (matcher: Matcher): readonly string[] => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', matcher, () => deny('seen'))
  const matches = (tool: string): boolean => (hooks.fire('PreToolUse', callOf(tool)) as { blocked: boolean }).blocked
  const once = TOOLS.filter(matches)
  // F91
  expect(TOOLS.filter(matches)).toEqual(once)
  hooks.on('Stop', () => undefined)
  expect(TOOLS.filter(matches)).toEqual(once)
  return once
}

const MCP = ['mcp__fs__read', 'mcp__git__log']
const TABLE: readonly (readonly [string, Matcher, readonly string[]])[] = [
  // F89, F65
  ['empty: all', '', TOOLS],
  ['a star: all', '*', TOOLS],
  // F85
  ['a name: exactly that tool', 'Bash', ['Bash']],
  ['a name with a dash', 'my-tool', ['my-tool']],
  ['a name nobody has', 'Nobody', []],
  // F91
  ['a name in another case', 'BASH', []],
  // F86
  ['names joined by bars', 'Read|Write|Edit', ['Read', 'Write', 'Edit']],
  ['names joined by commas', 'Read,Write,Edit', ['Read', 'Write', 'Edit']],
  ['blanks around names', ' Read | Write , Edit ', ['Read', 'Write', 'Edit']],
  ['an empty place among names', 'Read||Write|', ['Read', 'Write']],
  ['names that begin alike', 'Task|Edit', ['Edit', 'Agent', 'Task']],
  // F88
  ['a glob by prefix', 'mcp__*', MCP],
  ['a glob by suffix', '*__read', ['mcp__fs__read']],
  ['a glob in the middle', 'mcp__*__log', ['mcp__git__log']],
  ['a glob with two stars', '*__git__*', ['mcp__git__log']],
  ['a glob is anchored', 'Ba*', ['Bash', 'BashOutput']],
  ['a glob for the whole name', 'Bash*', ['Bash', 'BashOutput']],
  ['only stars', '**', TOOLS],
  // F87
  ['an anchored pattern', '^(Read|Glob|Grep)$', ['Read', 'Glob', 'Grep']],
  ['a pattern is not anchored', 'Edit.?', ['Edit', 'NotebookEdit']],
  ['a dot is a pattern', 'a.b', ['a.b', 'axb']],
  ['a pattern over MCP tools', 'mcp__.*', [...MCP, 'xmcp__fs']],
  [
    'a pattern that says what not',
    '^(?!mcp__|Bash)',
    TOOLS.filter(tool => !tool.startsWith('mcp__') && !tool.startsWith('Bash'))
  ],
  ['a pattern that ignores case', /^bash$/i, ['Bash', 'bash']],
  ['a RegExp', /^(Read|Write)$/, ['Read', 'Write']],
  // F91
  ['a RegExp with g', /Edit/g, ['Edit', 'NotebookEdit']],
  ['a RegExp with g and y', /Bash/gy, ['Bash', 'BashOutput']],
  ['a list of names', ['Read', 'Write'], ['Read', 'Write']],
  [
    'a list of all kinds',
    ['Read|Glob', 'mcp__*', '^Not', /Stop$/g],
    ['Read', 'NotebookEdit', 'TaskStop', 'Glob', ...MCP]
  ],
  ['a list that holds everything', ['Read', ''], TOOLS],
  // The names that tools had before.
  ['an old name: both', 'Task', ['Agent', 'Task']],
  ['an old name in a list', ['Task', 'Grep'], ['Agent', 'Task', 'Grep']],
  ['an old name of another tool', 'KillShell', ['TaskStop']],
  ['a new name: only that', 'Agent', ['Agent']]
]

describe('a matcher', () => {
  test.each(TABLE)('%s', (_, matcher, tools) => {
    expect(taken(matcher)).toEqual(TOOLS.filter(tool => tools.includes(tool)))
  })

  test.each<[string, Matcher, readonly string[]]>([
    ['one character', 'Ba?h', ['Bash']],
    ['one character, not none', 'Bash?', []],
    ['one of several, over the whole name', '[BT]ash', ['Bash']],
    ['one of a range', 'Gre[a-z]', ['Grep']],
    ['none of several', '[!B]ash', ['bash']],
    ['beside a star', 'mcp__?*__[a-l]*', ['mcp__git__log']],
    ['in a list', ['Ba?h', 'Rea[a-e]'], ['Read', 'Bash']]
  ])('S8: a glob of a library hook: %s', (_, matcher, tools) => {
    expect(taken(matcher)).toEqual(tools)
  })

  test('S8: a question mark in the name of a server stands for one character', () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'mcp__?__x', () => deny('seen'))
    const isTaken = (tool: string): boolean => (hooks.fire('PreToolUse', callOf(tool)) as Outcome).blocked
    expect(['mcp__a__x', 'mcp____x', 'mcp__ab__x', 'xmcp__a__x'].map(isTaken)).toEqual([true, false, false, false])
  })

  test('S8: the same texts are regular expressions in hooks that speak the contract', () => {
    const seen: string[] = []
    const hooks = new HookRegistry()
    for (const matcher of ['Ba?sh', '[BR]a', 'Bash(Output)?'])
      hooks.callbacks({ PreToolUse: [{ matcher, hooks: [input => void seen.push(`${matcher} ${input.tool_name}`)] }] })
    for (const tool of ['Bash', 'BashOutput', 'Read']) void hooks.fire('PreToolUse', callOf(tool))
    expect(seen.toSorted()).toEqual([
      'Ba?sh Bash',
      'Ba?sh BashOutput',
      'Bash(Output)? Bash',
      'Bash(Output)? BashOutput',
      '[BR]a Bash',
      '[BR]a BashOutput'
    ])
  })

  test('S8: with anything else that patterns have, a text stays a regular expression, and a bad class is an error', () => {
    expect(taken('^Ba?sh$')).toEqual(['Bash'])
    expect(taken('Reads?|Globs?')).toEqual(['Read', 'Glob'])
    expect(() => new HookRegistry().on('PreToolUse', '[z-a]sh', () => undefined)).toThrow(/\[z-a\]sh/)
  })

  // F65, F89
  test('that is missing takes all', () => {
    const hooks = new HookRegistry()
    const seen: string[] = []
    hooks.on('PreToolUse', ctx => void seen.push(ctx.toolName))
    hooks.register({ events: 'PreToolUse', matcher: undefined, run: ctx => void seen.push(ctx.toolName) })
    for (const tool of TOOLS) void hooks.fire('PreToolUse', callOf(tool))
    expect(seen).toEqual(TOOLS.flatMap(tool => [tool, tool]))
  })

  test('whose RegExp is used elsewhere keeps its answer', () => {
    const pattern = /Bash/g
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', pattern, () => deny('no'))
    pattern.lastIndex = 4
    expect(hooks.fire('PreToolUse', bash())).toMatchObject({ blocked: true })
    expect(pattern.lastIndex).toBe(4)
  })

  test('answers alike for more tools than are remembered', () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', '^tool_\\d*7$', () => deny('seven'))
    const blocked = (): number =>
      Array.from(
        { length: 2500 },
        (_, index) => hooks.fire('PreToolUse', callOf(`tool_${index}`)) as { blocked: boolean }
      ).filter(outcome => outcome.blocked).length
    expect([blocked(), blocked()]).toEqual([250, 250])
  })
})

const INVALID: readonly (readonly [string, unknown])[] = [
  ['an open bracket', '('],
  ['an open class', '[a-'],
  ['a dangling quantifier', '+Bash'],
  ['stars among bars', '*|Read'],
  ['only blanks', '  '],
  ['only bars', '|'],
  ['an empty list', []],
  ['a list with a bad pattern', ['Read', '(']],
  ['a list with a number', ['Read', 5]],
  ['a list in a list', [['Read']]],
  ['a number', 5],
  ['null', null],
  ['a function', (name: string) => name === 'Bash'],
  ['an object', { tool: 'Bash' }]
]

// F62
describe('an invalid matcher is an error at once, and the registry stays as it was', () => {
  test.each(INVALID)('%s', (_, matcher) => {
    const hooks = new HookRegistry()
    hooks.register({ name: 'first', events: 'PreToolUse', run: () => deny('first') })
    const register = (): unknown =>
      hooks.register({ name: 'bad', events: 'PreToolUse', matcher: matcher as string, run: () => undefined })
    expect(register).toThrow(expect.objectContaining({ code: 'E_MATCHER_INVALID' }))
    expect(register).toThrow(/matcher .* is not valid: .*; use a name/)
    expect(hooks.list().map(hook => hook.name)).toEqual(['first'])
    expect(hooks.fire('PreToolUse', bash())).toMatchObject({ reason: 'first', reasons: { length: 1 } })
  })

  test('for a hook on several events as well', () => {
    const hooks = new HookRegistry()
    expect(() => hooks.register({ events: ['Stop', 'PreToolUse'], matcher: '(', run: () => undefined })).toThrow(
      /matcher "\("/
    )
    expect(hooks.list()).toEqual([])
  })
})

describe('what a matcher tests', () => {
  const targets = EVENT_NAMES.map(event => [event, (EVENTS[event] as { target?: string }).target] as const)

  // F90
  test.each(targets.filter(([, target]) => target === undefined))(
    '%s has no target: the matcher is ignored',
    async event => {
      const hooks = new HookRegistry()
      let ran = 0
      hooks.register({ events: event, matcher: 'Nobody', run: () => void ran++ })
      await fireSample(hooks, event)
      expect(ran).toBe(1)
    }
  )

  test.each(targets.filter(([, target]) => target !== undefined))('%s: its %s', async (event, target) => {
    const hooks = new HookRegistry()
    const ran: string[] = []
    const value = (EVENTS[event].sample as unknown as Record<string, string>)[target!]!
    hooks.register({ events: event, matcher: value, run: () => void ran.push('exact') })
    hooks.register({ events: event, matcher: `${value}x`, run: () => void ran.push('other') })
    hooks.register({ events: event, matcher: new RegExp(`^${value}$`), run: () => void ran.push('pattern') })
    await fireSample(hooks, event)
    expect(ran).toEqual(['exact', 'pattern'])
  })

  test('an input without a tool name is everyone’s', () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', () => deny('seen'))
    for (const tool_name of [undefined, null, 7]) {
      const input = { ...sampleOf('PreToolUse'), tool_name } as unknown as FireInput<'PreToolUse'>
      expect(hooks.fire('PreToolUse', input)).toMatchObject({ reason: 'seen' })
    }
  })
})

describe('the engine for text patterns', () => {
  test('can be handed in, and gets patterns only: no names, no globs, no RegExps', () => {
    const compiled: string[] = []
    const hooks = new HookRegistry({
      compilePattern: source => {
        compiled.push(source)
        return { test: text => text.endsWith('!') }
      }
    })
    for (const matcher of ['Bash', 'A|B', 'mcp__*', '', /x/, 'ends with .*', ['Read', '^list']] as const) {
      hooks.on('PreToolUse', matcher, () => undefined)
    }
    expect(compiled).toEqual(['ends with .*', '^list'])
    hooks.on('PreToolUse', 'y.*', () => deny('engine'))
    expect(hooks.fire('PreToolUse', callOf('Hey!'))).toMatchObject({ reason: 'engine' })
    expect(hooks.fire('PreToolUse', callOf('yes'))).toMatchObject({ decision: undefined })
  })

  test('that refuses a pattern makes it an error, with its words', () => {
    const hooks = new HookRegistry({
      compilePattern: () => {
        throw new Error('backreferences are not supported')
      }
    })
    expect(() => hooks.on('PreToolUse', '(a)\\1', () => undefined)).toThrow(/backreferences are not supported/)
    expect(hooks.list()).toEqual([])
  })

  test('that gives up on a target lets the hook run, for silence is no yes', async () => {
    const hooks = new HookRegistry({
      compilePattern: () => ({
        test: () => {
          throw new Error('over the limit')
        }
      })
    })
    hooks.on('PreToolUse', '^(a+)+$', () => deny('ran'))
    expect(await hooks.fire('PreToolUse', callOf('aaaa'))).toMatchObject({ reason: 'ran' })
  })

  test('that fires the same event gets the hooks of its target, not those of the target before', async () => {
    const seen: unknown[] = []
    const hooks = new HookRegistry({
      compilePattern: () => ({
        test: target => {
          if (target === 'Bash' && seen.length === 0) {
            seen.push('fired')
            seen.push(hooks.fire('PreToolUse', callOf('Bash')))
          }
          return target === 'Bash'
        }
      })
    })
    hooks.on('PreToolUse', '^B.sh$', () => deny('the gate'))
    await hooks.fire('PreToolUse', callOf('Read'))
    expect(await hooks.fire('PreToolUse', callOf('Bash'))).toMatchObject({ reason: 'the gate' })
    expect(seen).toMatchObject(['fired', { reason: 'the gate' }])
  })
})
