import { describe, expect, it } from 'vitest'
import { block, EVENT_NAMES, EVENTS, HookRegistry, parseEvent, snakeName } from '../../../src/hooks.ts'
import type { EventName } from '../../../src/hooks.ts'
import { harness } from '../../../src/testing.ts'
import { bash, TEN } from '../../support/hook-inputs.ts'

const CANONICAL = [
  ...TEN,
  'PermissionRequest',
  'Notification',
  'Setup',
  'TeammateIdle',
  'TaskCompleted',
  'AgentStart',
  'AgentStop',
  'Iteration'
] as const

describe('event names', () => {
  // F1
  it('all canonical events can be enumerated, with those that were added', () => {
    expect(EVENT_NAMES).toEqual(expect.arrayContaining([...CANONICAL]))
    expect(EVENT_NAMES).toEqual(
      expect.arrayContaining(['PostToolBatch', 'StopFailure', 'PostCompact', 'PermissionDenied'])
    )
    expect(new Set(EVENT_NAMES).size).toBe(EVENT_NAMES.length)
  })

  // F2
  it('print in snake case', () => {
    expect(snakeName('PreToolUse')).toBe('pre_tool_use')
    expect(snakeName('PostToolUseFailure')).toBe('post_tool_use_failure')
    expect(snakeName('Stop')).toBe('stop')
    expect(new Set(EVENT_NAMES.map(snakeName)).size).toBe(EVENT_NAMES.length)
  })

  // F3
  it.each(EVENT_NAMES)('%s parses from Pascal, camel and snake spellings', event => {
    const camel = event[0]!.toLowerCase() + event.slice(1)
    expect([event, camel, snakeName(event)].map(parseEvent)).toEqual([event, event, event])
  })

  // F3
  it.each(['PreToolUsed', 'pre_tool_us', 'preToolUsee'])(
    'an unknown name is an error that suggests the nearest: %s',
    name => {
      expect(() => parseEvent(name)).toThrow(/did you mean PreToolUse\?/)
    }
  )

  // F3
  it.each([
    '',
    ' ',
    'constructor',
    '__proto__',
    'toString',
    'pre tool use',
    '_PreToolUse',
    'PreToolUse_',
    'nothing at all'
  ])('%j is no event', name => {
    expect(() => parseEvent(name)).toThrow(expect.objectContaining({ code: 'E_EVENT_UNKNOWN' }))
  })

  // F3
  it('hooks and fires take any spelling', async () => {
    const hooks = new HookRegistry()
    const seen: string[] = []
    hooks.on('pre_tool_use' as 'PreToolUse', ctx => void seen.push(ctx.event))
    hooks.on('preToolUse' as 'PreToolUse', ctx => void seen.push(ctx.input.hook_event_name))
    await hooks.fire('PRE_TOOL_USE' as 'PreToolUse', bash('ls'))
    expect(seen).toEqual(['PreToolUse', 'PreToolUse'])
  })
})

// F4
describe('blocking', () => {
  const blockedBy = async (events: readonly EventName[]): Promise<readonly EventName[]> => {
    const hooks = new HookRegistry().register({ events, run: () => block('no') })
    const outcomes = await Promise.all(events.map(event => harness(hooks).fire(event)))
    return outcomes.filter(outcome => outcome.blocked).map(outcome => outcome.event)
  }

  it('of ten events, a block refuses exactly what begins something; on the stops it means go on', async () => {
    const blocked = await blockedBy(TEN)
    const isStop = (event: EventName): boolean => EVENTS[event].answer === 'stop'
    expect(blocked.filter(event => !isStop(event))).toEqual([
      'PreToolUse',
      'UserPromptSubmit',
      'SessionStart',
      'SubagentStart'
    ])
    expect(blocked.filter(isStop)).toEqual(['Stop', 'SubagentStop'])
  })

  it('permission requests and agent starts are refused too', async () => {
    expect(await blockedBy(['PreModelRequest', 'PostModelResponse'])).toHaveLength(2)
    expect(await blockedBy(['PermissionRequest', 'AgentStart', 'AgentStop', 'Iteration', 'Notification'])).toEqual([
      'PermissionRequest',
      'AgentStart'
    ])
  })
})
