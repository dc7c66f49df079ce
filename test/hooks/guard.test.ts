import { describe, expect, test, vi } from 'vitest'
import {
  allow,
  ask,
  block,
  CarabinerError,
  defer,
  deny,
  guard,
  HookRegistry,
  type GuardQuestion
} from '../../src/hooks.ts'
import { shell } from '../support/hook-kit.ts'

interface Input {
  command: string
}

describe('the order of things', () => {
  // F130
  test('PreToolUse, the tool, PostToolUse, about one call', async () => {
    const { hooks, log, run } = shell({ sessionId: 's-1' })
    const ids: unknown[] = []
    hooks.on('PreToolUse', 'Bash', ctx => void (log.push('pre'), ids.push(ctx.toolUseId, ctx.sessionId)))
    hooks.on('PostToolUse', 'Bash', ctx => {
      log.push(`post ${JSON.stringify(ctx.toolInput)} ${JSON.stringify(ctx.toolResponse)}`)
      ids.push(ctx.toolUseId, ctx.sessionId)
    })
    expect(await run({ command: 'ls' })).toBe('ran ls')
    expect(log).toEqual(['pre', 'run ls', 'post {"command":"ls"} "ran ls"'])
    expect(ids).toEqual([expect.stringMatching(/^call_.+/), 's-1', ids[0], 's-1'])
  })

  test('without hooks the tool runs on a copy of the caller’s input', async () => {
    const input = { command: 'ls' }
    const seen: unknown[] = []
    const run = guard(
      new HookRegistry(),
      'Bash',
      (given: Input, ...rest: [string, number]) => (seen.push(given, ...rest), 1)
    )
    expect(await run(input, 'more', 7)).toBe(1)
    expect(seen).toEqual([input, 'more', 7])
    expect(seen[0]).not.toBe(input)
  })

  test('the id of the call is taken from where the agent has it', async () => {
    const hooks = new HookRegistry()
    const ids: unknown[] = []
    hooks.register({ events: ['PreToolUse', 'PostToolUse'], run: ctx => void ids.push(ctx.toolUseId) })
    const run = guard(hooks, 'Bash', (_: Input, _call: { id?: string }) => 'ok', { idOf: call => call.id })
    await run({ command: 'ls' }, { id: 'toolu_7' })
    await run({ command: 'ls' }, {})
    expect(ids).toEqual(['toolu_7', 'toolu_7', expect.stringMatching(/^call_/), ids[2]])
  })

  test('what is no object is no input, and nothing runs', async () => {
    const { log, run } = shell()
    for (const input of [undefined, null, 'ls', 7, []]) {
      await expect(run(input as never)).rejects.toMatchObject({ code: 'E_INPUT_INVALID' })
    }
    expect(log).toEqual([])
  })
})

describe('a refusal', () => {
  // F131
  test('is thrown, names its reason, and the tool does not run', async () => {
    const { hooks, log, run } = shell()
    hooks.on('PreToolUse', 'Bash', () => deny('Dangerous command'))
    hooks.register({ events: ['PostToolUse', 'PostToolUseFailure'], run: ctx => void log.push(ctx.event) })
    const error: unknown = await run({ command: 'rm -rf /' }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(CarabinerError)
    expect(error).toMatchObject({
      code: 'E_REFUSED',
      message: expect.stringMatching(/^Bash was refused by .*: Dangerous command$/)
    })
    expect(log).toEqual([])
  })

  test.each([
    ['deny', () => deny(), /refused by gate/],
    ['block', () => block('no'), /no/],
    ['continue: false', () => ({ continue: false, stopReason: 'stop it' }), /stop it/],
    ['defer', () => defer(), /its answer is defer/],
    ['a broken hook', () => JSON.parse('{'), /gate_failed/]
  ] as const)('comes of %s', async (_, reply, words) => {
    const { hooks, log, run } = shell()
    hooks.on('PreToolUse', reply, { name: 'gate' })
    await expect(run({ command: 'ls' })).rejects.toThrow(words)
    expect(log).toEqual([])
  })

  test('is also a decision that is none of those that exist', async () => {
    const hooks = new HookRegistry()
    const fire = async (...given: Parameters<typeof hooks.fire>): Promise<unknown> => ({
      ...(await hooks.fire(...given)),
      decision: 'block',
      by: 'wrapper'
    })
    const ran: unknown[] = []
    const tool = guard({ fire } as never, 'Write', async (input: object) => ran.push(input))
    await expect(tool({})).rejects.toThrow('Write was refused by wrapper')
    expect(ran).toEqual([])
  })

  test('can be made a result', async () => {
    const { hooks, log, run } = shell({ onDeny: (refusal, outcome) => `${refusal.code}: ${outcome.reason}` })
    hooks.on('PreToolUse', () => deny('no'))
    expect(await run({ command: 'ls' })).toBe('E_REFUSED: no')
    expect(log).toEqual([])
  })

  test('wins over an ask, and no one is asked', async () => {
    const asked: GuardQuestion[] = []
    const { hooks, run } = shell({ onAsk: question => (asked.push(question), true) })
    hooks.on('PreToolUse', () => ask('sure?'))
    hooks.on('PreToolUse', () => deny('no'))
    await expect(run({ command: 'ls' })).rejects.toThrow('no')
    expect(asked).toEqual([])
  })
})

describe('an ask', () => {
  test('that is answered with yes runs the tool on what was shown', async () => {
    const asked: GuardQuestion[] = []
    const { hooks, log, run } = shell({ onAsk: async question => (asked.push(question), true) })
    hooks.on('PreToolUse', 'Bash', ctx => {
      ctx.toolInput.command = 'ls -l'
      return ask('sure?')
    })
    expect(await run({ command: 'ls' })).toBe('ran ls -l')
    expect(asked).toEqual([
      { toolName: 'Bash', toolUseId: expect.any(String), input: { command: 'ls -l' }, reason: 'sure?' }
    ])
    expect(log).toEqual(['run ls -l'])
  })

  test.each([
    ['no', () => false],
    ['no, later', async () => false],
    ['something else', () => 'yes' as never],
    ['nothing', () => undefined as never]
  ])('that is answered with %s is a refusal', async (_, onAsk) => {
    const { hooks, log, run } = shell({ onAsk })
    hooks.on('PreToolUse', () => ask())
    await expect(run({ command: 'ls' })).rejects.toMatchObject({ code: 'E_REFUSED' })
    expect(log).toEqual([])
  })

  test('is a refusal when no one can be asked', async () => {
    const { hooks, log, run } = shell()
    hooks.on('PreToolUse', () => ask())
    await expect(run({ command: 'ls' })).rejects.toThrow(/there is no onAsk to ask/)
    expect(log).toEqual([])
  })

  test('that breaks runs nothing', async () => {
    const { hooks, log, run } = shell({ onAsk: () => Promise.reject(new Error('terminal gone')) })
    hooks.on('PreToolUse', () => ask())
    await expect(run({ command: 'ls' })).rejects.toThrow('terminal gone')
    expect(log).toEqual([])
  })

  test('is not put where a hook allows', async () => {
    const { hooks, run } = shell({ onAsk: () => false })
    hooks.on('PreToolUse', () => ask())
    hooks.on('PreToolUse', () => allow())
    expect(await run({ command: 'ls' })).toBe('ran ls')
  })
})

describe('a rewritten input', () => {
  // F134, FM28
  test('is what runs, as it was judged last; the tool may change it', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    const judged: unknown[] = []
    hooks.on('PreToolUse', 'Bash', ctx => void judged.push(structuredClone(ctx.toolInput)))
    hooks.on('PreToolUse', 'Bash', ctx => void (ctx.toolInput.command = `safe ${ctx.toolInput.command}`))
    hooks.on('PostToolUse', 'Bash', ctx => void seen.push(ctx.toolInput))
    const input = { command: 'ls' }
    await guard(hooks, 'Bash', (given: Input) => {
      seen.push({ ...given })
      given.command = 'other'
    })(input)
    expect(seen).toEqual([{ command: 'safe ls' }, { command: 'safe ls' }])
    expect(judged.at(-1)).toEqual(seen[0])
    expect(input).toEqual({ command: 'ls' })
  })

  test('that the tool cannot take is laid over the input, or refused', async () => {
    const accept = (draft: unknown): string | true =>
      typeof (draft as Input).command === 'string' ? true : 'command is missing'
    const { hooks, log, run } = shell({ accept })
    const off = hooks.on('PreToolUse', () => ({ updatedInput: { timeout: 5 } }))
    await run({ command: 'ls' })
    off()
    hooks.on('PreToolUse', () => ({ updatedInput: { command: 5 } }))
    await expect(run({ command: 'ls' })).rejects.toThrow(/command is missing/)
    expect(log).toEqual(['run ls'])
  })
})

test('many guarded calls at once keep to themselves', async () => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', async ctx => {
    const { id } = ctx.toolInput as { id: number }
    await Promise.resolve()
    if (id % 5 === 0) return deny(`no ${id}`)
    ctx.toolInput = { id: id + 1000 }
  })
  const run = guard(hooks, 'Tool', async ({ id }: { id: number }) => id, { onDeny: () => -1 })
  const results = await Promise.all(Array.from({ length: 100 }, (_, id) => run({ id })))
  expect(results).toEqual(Array.from({ length: 100 }, (_, id) => (id % 5 === 0 ? -1 : id + 1000)))
})

test('a tool that is a method keeps its this, also as a generator', async () => {
  const hooks = new HookRegistry()
  const shelf = {
    books: ['Emma', 'Ulysses'],
    find: guard(hooks, 'Find', function (this: { books: string[] }, { at }: { at: number }) {
      return this.books[at]
    }),
    list: guard(hooks, 'List', function* (this: { books: string[] }, _: object) {
      yield* this.books
    })
  }
  expect(await shelf.find({ at: 1 })).toBe('Ulysses')
  const listed: string[] = []
  for await (const book of shelf.list({})) listed.push(book)
  expect(listed).toEqual(['Emma', 'Ulysses'])
})

describe('what runs is what was judged', () => {
  test('whatever becomes of the caller’s object while hooks look at it', async () => {
    const hooks = new HookRegistry()
    const input = { command: 'ls', options: { deep: true } }
    hooks.on('PreToolUse', async () => void (input.options.deep = false))
    const run = guard(hooks, 'Bash', (given: typeof input) => given)
    expect(await run(input)).toEqual({ command: 'ls', options: { deep: true } })
  })

  test('whoever is asked may change the question, and nothing else', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => ask('sure?'))
    const onAsk = ({ input }: GuardQuestion): boolean => {
      Object.assign(input as object, { command: 'rm -rf /', options: {} })
      return true
    }
    const run = guard(hooks, 'Bash', (given: object) => given, { onAsk })
    expect(await run({ command: 'ls', options: { deep: true } })).toEqual({ command: 'ls', options: { deep: true } })
  })

  test('properties that hooks cannot see, and getters, do not reach the tool', async () => {
    const hooks = new HookRegistry()
    const judged: unknown[] = []
    hooks.on('PreToolUse', 'Bash', ctx => void judged.push(ctx.toolInput.command))
    let isRunning = false
    const input = { command: '', nested: Object.defineProperty({}, 'sudo', { value: true }) }
    Object.defineProperty(input, 'command', { get: () => (isRunning ? 'rm -rf /' : 'ls'), enumerable: true })
    Object.defineProperty(input, 'timeout', { value: 5 })
    const run = guard(hooks, 'Bash', (given: typeof input) => {
      isRunning = true
      return [given.command, 'timeout' in given, 'sudo' in given.nested]
    })
    expect(await run(input)).toEqual(['ls', false, false])
    expect(judged).toEqual(['ls'])
  })

  test('keys that are symbols, and arrays with methods of their own, do not reach the tool', async () => {
    const hooks = new HookRegistry()
    const judged: unknown[] = []
    hooks.on('PreToolUse', ctx => void judged.push(JSON.stringify(ctx.toolInput)))
    let isRunning = false
    const first = { get: () => (isRunning ? 'rm -rf /' : 'ls'), enumerable: true }
    const commands: string[] = Object.defineProperty([''], 0, first)
    for (const method of ['map', 'slice', Symbol.iterator])
      Object.defineProperty(commands, method, { value: () => commands })
    const hidden = Symbol('hidden')
    const input = { commands, nested: { [hidden]: { sudo: true } }, [hidden]: 'rm -rf /' }
    const run = guard(hooks, 'Bash', (given: typeof input) => {
      isRunning = true
      return [given.commands[0], hidden in given, hidden in given.nested]
    })
    expect(await run(input)).toEqual(['ls', false, false])
    expect(judged).toEqual(['{"commands":["ls"],"nested":{}}'])
  })

  test('__proto__ does not reach the tool, which might read all other keys from it', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => (ctx.toolInput.command === undefined ? undefined : deny('no')))
    const run = guard(hooks, 'Bash', (given: object) => [Object.keys(given), { ...given }, Object.assign({}, given)])
    const bad = '{ "__proto__": { "command": "ls" }, "list": [{ "__proto__": { "command": "ls" }, "a": 1 }] }'
    const plain = { list: [{ a: 1 }] }
    const [keys, ...copies] = await run(JSON.parse(bad) as object)
    expect(keys).toEqual(['list'])
    for (const copy of copies) {
      expect(copy).toEqual(plain)
      expect('command' in (copy as object)).toBe(false)
    }
  })

  test('a tool that changes its input changes nothing of what hooks see afterwards', async () => {
    const hooks = new HookRegistry()
    const seen: unknown[] = []
    hooks.on('PostToolUse', ctx => void seen.push(ctx.toolInput))
    const input = { command: 'ls', options: { deep: true } }
    await guard(hooks, 'Bash', (given: typeof input) => {
      given.options.deep = false
      given.command = 'other'
    })(input)
    expect(seen).toEqual([{ command: 'ls', options: { deep: true } }])
    expect(input).toEqual(seen[0])
  })

  test('an instance of a class has no copy, so a hook that looks at it closes the gate', async () => {
    class Command {
      command: string
      constructor(command: string) {
        this.command = command
      }
    }
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => void (ctx.toolInput.command = 'rm -rf /'), { name: 'changes' })
    const run = guard(hooks, 'Bash', (given: Command) => given.command)
    await expect(run(new Command('ls'))).rejects.toThrow(/changes.*an instance of Command/)
    hooks.on('PreToolUse', 'Bash', ctx => void ctx.toolInput.command, { name: 'reads' })
    const call = { tool_name: 'Bash', tool_input: new Command('ls'), tool_use_id: 'call-1' }
    expect((await hooks.fire('PreToolUse', call)).failures.map(failure => failure.by)).toEqual(['changes', 'reads'])
    const nested = guard(hooks, 'Bash', (given: object) => given)
    await expect(nested({ command: 'ls', since: new Date(0) })).rejects.toThrow(/an instance of Date/)
    expect(await guard(new HookRegistry(), 'Bash', (given: Command) => given.command)(new Command('ls'))).toBe('ls')
  })

  test('a function may say something else each time, so a hook that looks at it closes the gate', async () => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => void ctx.toolInput.command)
    const run = guard(hooks, 'Bash', (given: object) => JSON.stringify(given))
    const toJSON = (): object => ({ command: 'rm -rf /' })
    await expect(run({ command: 'ls', toJSON })).rejects.toThrow(/an instance of Function/)
    await expect(run({ command: 'ls', nested: [{ toJSON }] })).rejects.toThrow(/an instance of Function/)
  })

  test.each([
    ['an instance of a class', () => new (class Command extends Map {})()],
    ['a date', () => ({ since: new Date(0) })],
    ['a function', () => ({ toJSON: () => ({}) })]
  ])('no one is asked about %s, which could change meanwhile', async (_, input) => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', () => ask('really?'), { name: 'asks' })
    const onAsk = vi.fn(() => true)
    const run = guard(hooks, 'Bash', () => 'ran', { onAsk })
    await expect(run(input())).rejects.toThrow(/its input holds an instance of \w+ \(asked for by asks: really\?\)/)
    expect(onAsk).not.toHaveBeenCalled()
  })

  test('nothing begins once the run was aborted, whoever was asked', async () => {
    const signal = AbortSignal.abort()
    await expect(guard(new HookRegistry(), 'Bash', () => 'ran', { signal })({})).rejects.toThrow('aborted')
    const asking = new HookRegistry()
    asking.on('PreToolUse', () => ask('really?'))
    const run = new AbortController()
    const onAsk = (): boolean => (run.abort(), true)
    await expect(guard(asking, 'Bash', () => 'ran', { signal: run.signal, onAsk })({})).rejects.toThrow('aborted')
  })
})
