/** A gate whose name only looks like that of a guarded tool would protect nothing. */
import { expect, test } from 'vitest'
import { deny, guard, HookRegistry } from '../../src/hooks.ts'

const guardedBy = (matcher: string | RegExp | readonly string[], options?: { observe: true }): unknown => {
  const hooks = new HookRegistry()
  hooks.on('PreToolUse', matcher as string, () => deny('no'), { name: 'gate', ...options })
  return guard(hooks, 'write_note', async () => 'written')
}

test.each(['Write_Note', 'writenote', 'write-note', 'Read|WriteNote', ['read', 'WRITE_NOTE']])(
  'a gate for %j is an error of guard()',
  matcher => {
    expect(() => guardedBy(matcher)).toThrow(
      /the matcher of gate cannot be "[\w-]+", because no tool has this name; use write_note$/
    )
  }
)

test('so is a hook for results, which would hide nothing', () => {
  const hooks = new HookRegistry()
  hooks.on('PostToolUse', 'WriteNote', () => ({ suppressOutput: true }), { name: 'hides' })
  expect(() => guard(hooks, 'write_note', async () => 'written')).toThrow(/the matcher of hides cannot be "WriteNote"/)
})

// Another call of guard() may be about a tool that is called so.
test.each(['write_note', 'write_notes', 'WriteNote|write_note', 'Bash', 'write.*', /^writenote$/, '*'])(
  'a gate for %s is accepted',
  async matcher => {
    expect(guardedBy(matcher)).toBeTypeOf('function')
  }
)

test('so is one that only observes, and an object that fires events', async () => {
  expect(guardedBy('writenote', { observe: true })).toBeTypeOf('function')
  const { fire } = new HookRegistry()
  expect(guard({ fire }, 'write_note', async () => 'written')).toBeTypeOf('function')
  expect(() => guard(undefined as never, 'write_note', async () => 'written')).toThrow('hooks of guard()')
})
