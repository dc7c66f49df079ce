/** Tools that give their results piece by piece, behind the gate. */
import { describe, expect, test } from 'vitest'
import { CarabinerError, deny, guard, HookRegistry, type GuardOptions } from '../../src/hooks.ts'

interface Input {
  to: number
}

/** A registry that writes down what happens around the tool. */
function scene(): { hooks: HookRegistry; log: string[] } {
  const log: string[] = []
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', ctx => void log.push(`pre ${JSON.stringify(ctx.toolInput)}`))
  hooks.on('PostToolUse', ctx => void log.push(`post ${String(ctx.toolResponse)}`))
  hooks.on('PostToolUseFailure', ctx => void log.push(`failed ${ctx.input.error}`))
  return { hooks, log }
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = []
  for await (const value of values) read.push(value)
  return read
}

const counter = (log: string[]) =>
  async function* ({ to }: Input): AsyncGenerator<number, string> {
    log.push('begun')
    try {
      for (let at = 1; at <= to; at++) yield at
    } finally {
      log.push('cleaned up')
    }
    return 'done'
  }

describe('a generator', () => {
  test('E2: an async generator yields its values behind the gate, and its last value is the result', async () => {
    const { hooks, log } = scene()
    const values = guard(hooks, 'Count', counter(log))({ to: 3 })
    expect(log).toEqual([])
    expect(await all(values)).toEqual([1, 2, 3])
    expect(log).toEqual(['pre {"to":3}', 'begun', 'cleaned up', 'post 3'])
  })

  test('E2: a synchronous generator does as well', async () => {
    const { hooks, log } = scene()
    const run = guard(hooks, 'Count', function* ({ to }: Input): Generator<number, void> {
      log.push('begun')
      for (let at = 1; at <= to; at++) yield at
    })
    expect(await all(run({ to: 2 }))).toEqual([1, 2])
    expect(log).toEqual(['pre {"to":2}', 'begun', 'post 2'])
  })

  test('E2: nothing of its body runs where a hook refuses', async () => {
    const { hooks, log } = scene()
    hooks.on('PreToolUse', () => deny('no'), { name: 'gate' })
    await expect(all(guard(hooks, 'Count', counter(log))({ to: 3 }))).rejects.toThrow('Count was refused by gate: no')
    expect(await all(guard(hooks, 'Count', counter(log), { onDeny: () => -1 })({ to: 3 }))).toEqual([-1])
    expect(log.filter(line => !line.startsWith('pre'))).toEqual([])
  })

  test('E2: it is given the input that hooks have rewritten', async () => {
    const { hooks, log } = scene()
    hooks.on('PreToolUse', ctx => void (ctx.toolInput['to'] = 1))
    expect(await all(guard(hooks, 'Count', counter(log))({ to: 3 }))).toEqual([1])
  })

  test('E2: a reader that stops early ends it, and the failure is told', async () => {
    const { hooks, log } = scene()
    for await (const value of guard(hooks, 'Count', counter(log))({ to: 3 })) if (value === 2) break
    expect(log.slice(1)).toEqual(['begun', 'cleaned up', 'failed its reader stopped before the end'])
    const unread = guard(hooks, 'Count', counter(log))({ to: 3 })
    log.length = 0
    await unread.return()
    expect(log).toEqual([])
  })

  test('E2: one that throws is a failed call, and the reader gets the error', async () => {
    const { hooks, log } = scene()
    const run = guard(hooks, 'Count', async function* ({ to }: Input): AsyncGenerator<number, void> {
      yield to
      throw new Error('out of numbers')
    })
    await expect(all(run({ to: 3 }))).rejects.toThrow('out of numbers')
    expect(log.slice(1)).toEqual(['failed out of numbers'])
  })

  test('E2: a last value that is an error is a failed call; a replaced result is one more value', async () => {
    const { hooks, log } = scene()
    const failing = guard(hooks, 'Count', counter(log), { errorIn: value => (value === 2 ? 'two' : undefined) })
    expect(await all(failing({ to: 2 }))).toEqual([1, 2])
    expect(log.at(-1)).toBe('failed two')
    hooks.on('PostToolUse', () => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 99 } }))
    expect(await all(guard(hooks, 'Count', counter(log))({ to: 2 }))).toEqual([1, 2, 99])
  })
})

describe('a stream', () => {
  test('a promise that is a stream as well, as that of a process, gives what it resolves to', async () => {
    const values = async function* (): AsyncGenerator<string> {
      yield 'line'
    }
    const start = (): Promise<string> & AsyncIterable<string> =>
      Object.assign(Promise.resolve('result'), { [Symbol.asyncIterator]: values })
    expect(await guard(new HookRegistry(), 'Run', start)({})).toBe('result')
    expect(await all(guard(new HookRegistry(), 'Run', start, { stream: true })({}) as never)).toEqual(['line'])
  })

  test('E2: a function that returns an async generator gives a promise of one, or with stream: true the generator', async () => {
    const { hooks, log } = scene()
    const make = (input: Input): AsyncIterable<number> => counter(log)(input)
    expect(await all(await guard(hooks, 'Count', make)({ to: 2 }))).toEqual([1, 2])
    expect(log).toEqual(['pre {"to":2}', 'begun', 'cleaned up', 'post 2'])
    const arrow = (input: Input): AsyncGenerator<number, string> => counter(log)(input)
    const streamed = guard(hooks, 'Count', arrow, { stream: true })({ to: 2 })
    expect(Symbol.asyncIterator in streamed).toBe(true)
    expect(await all(streamed)).toEqual([1, 2])
  })

  test('E2: a ReadableStream stays one, and its end is told', async () => {
    const { hooks, log } = scene()
    const run = guard(hooks, 'Count', async ({ to }: Input) => ReadableStream.from(counter(log)({ to })))
    const reader = (await run({ to: 1 })).getReader()
    expect(await reader.read()).toEqual({ done: false, value: 1 })
    expect(await reader.read()).toMatchObject({ done: true })
    expect(log.at(-1)).toBe('post 1')
  })

  test('E2: lists, texts and sets are plain results', async () => {
    const { hooks } = scene()
    for (const result of [[1, 2], 'text', new Set([1])]) expect(await guard(hooks, 'T', () => result)({})).toBe(result)
  })
})

describe('a generator that returns its result', () => {
  const returned = async <T>(values: AsyncGenerator<unknown, T>): Promise<readonly [unknown[], T]> => {
    const yielded: unknown[] = []
    for (;;) {
      const step = await values.next()
      if (step.done === true) return [yielded, step.value]
      yielded.push(step.value)
    }
  }

  test('E2: hooks judge what it returns, and its reader gets it', async () => {
    const { hooks, log } = scene()
    expect(await returned(guard(hooks, 'Count', counter(log), { returns: true })({ to: 2 }))).toEqual([[1, 2], 'done'])
    expect(log).toEqual(['pre {"to":2}', 'begun', 'cleaned up', 'post done'])
    const arrow = (input: Input): AsyncGenerator<number, string> => counter(log)(input)
    expect(await returned(guard(hooks, 'Count', arrow, { returns: true })({ to: 0 }))).toEqual([[], 'done'])
  })

  test('E2: a refusal and a replaced result are returned, and not yielded', async () => {
    const { hooks, log } = scene()
    hooks.on('PostToolUse', () => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'new' } }))
    const run = guard(hooks, 'Count', counter(log), { returns: true, onDeny: refusal => refusal.message })
    expect(await returned(run({ to: 1 }))).toEqual([[1], 'new'])
    hooks.on('PreToolUse', () => deny('no'), { name: 'gate' })
    expect(await returned(run({ to: 1 }))).toEqual([[], 'Count was refused by gate: no'])
  })

  test('E2: a reader that stops early ends it, and the failure is told; so is one that throws', async () => {
    const { hooks, log } = scene()
    for await (const value of guard(hooks, 'Count', counter(log), { returns: true })({ to: 3 })) if (value === 2) break
    expect(log.slice(1)).toEqual(['begun', 'cleaned up', 'failed its reader stopped before the end'])
    const failing = async function* ({ to }: Input): AsyncGenerator<number, string> {
      yield to
      throw new Error('out of numbers')
    }
    const run = guard(hooks, 'Count', failing, { returns: true })
    await expect(returned(run({ to: 3 }))).rejects.toThrow('out of numbers')
    expect(log.at(-1)).toBe('failed out of numbers')
  })
})

describe('guard() called wrongly', () => {
  const hooks = new HookRegistry()
  const run = (): string => 'ran'
  const wrong: readonly (readonly [string, readonly unknown[], RegExp])[] = [
    [
      'no registry',
      [undefined, 'T', run],
      /hooks of guard\(\) cannot be .*; use a HookRegistry or another object with fire\(\)/
    ],
    ['something else for a registry', [{}, 'T', run], /hooks of guard\(\) cannot be \{\}; use a HookRegistry/],
    ['no name', [hooks, '', run], /toolName of guard\(\)/],
    ['a number for a name', [hooks, 7, run], /toolName of guard\(\) cannot be 7/],
    ['no function', [hooks, 'T'], /execute of guard\(\)/],
    ['a result for a function', [hooks, 'T', 'ran'], /execute of guard\(\) cannot be "ran"; use a function/],
    [
      'a misspelt option',
      [hooks, 'T', run, { onask: () => true }],
      /an option of guard\(\) cannot be "onask"; use onAsk/
    ],
    ['an answer for onAsk', [hooks, 'T', run, { onAsk: true }], /onAsk of guard\(\) cannot be true; use a function/]
  ]

  test.each(wrong)('E2: %s is an error at once', (_, args, words) => {
    const call = (): unknown => (guard as (...given: readonly unknown[]) => unknown)(...args)
    expect(call).toThrow(CarabinerError)
    expect(call).toThrow(words)
  })

  test('E2: options that are undefined are left out', async () => {
    const options: GuardOptions<[], string> = { onAsk: undefined, signal: undefined, stream: undefined }
    expect(await guard(hooks, 'T', run, options)({})).toBe('ran')
  })
})
