import { expectTypeOf } from 'vitest'
import { guard, HookRegistry, type HookContext, type HookFunction, type ToolInputs } from '../../src/hooks.ts'

const hooks = new HookRegistry()
type Anything = Record<string, unknown>

// A name.
hooks.on('PreToolUse', 'Bash', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<ToolInputs['Bash']>()
  expectTypeOf(ctx.toolInput.command).toEqualTypeOf<string>()
  expectTypeOf(ctx.toolName).toEqualTypeOf<'Bash'>()
  // @ts-expect-error Bash has no file
  ctx.toolInput.file_path
})
hooks.on('PostToolUse', 'Bash', ctx => {
  expectTypeOf(ctx.toolInput.command).toEqualTypeOf<string>()
})
hooks.on('PostToolUseFailure', 'Read', ctx => {
  expectTypeOf(ctx.toolInput.offset).toEqualTypeOf<number | undefined>()
})
hooks.on('PermissionRequest', 'WebFetch', ctx => {
  expectTypeOf(ctx.toolInput.url).toEqualTypeOf<string>()
})

// Names joined by a bar or a comma: a union.
type EditOrWrite = ToolInputs['Edit'] | ToolInputs['Write']
hooks.on('PreToolUse', 'Edit|Write', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<EditOrWrite>()
  expectTypeOf(ctx.toolInput.file_path).toEqualTypeOf<string>()
  expectTypeOf(ctx.toolName).toEqualTypeOf<'Edit' | 'Write'>()
  // @ts-expect-error only Write has it
  ctx.toolInput.content
  if ('content' in ctx.toolInput) expectTypeOf(ctx.toolInput).toEqualTypeOf<ToolInputs['Write']>()
  else expectTypeOf(ctx.toolInput.new_string).toEqualTypeOf<string>()
})
hooks.on('PreToolUse', 'Edit, Write', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<EditOrWrite>()
  expectTypeOf(ctx.toolName).toEqualTypeOf<'Edit' | 'Write'>()
})
hooks.on('PreToolUse', ' Edit | Write , Bash', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<EditOrWrite | ToolInputs['Bash']>()
})

// A list.
hooks.on('PreToolUse', ['Edit', 'Write'], ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<EditOrWrite>()
  expectTypeOf(ctx.toolName).toEqualTypeOf<'Edit' | 'Write'>()
})
hooks.on('PreToolUse', ['Edit|Write', 'Bash'], ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<EditOrWrite | ToolInputs['Bash']>()
})

// Patterns say nothing about the input, and a list with one in it neither.
hooks.on('PreToolUse', /^(Edit|Write)$/, ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<Anything>()
  expectTypeOf(ctx.toolInput['file_path']).toEqualTypeOf<unknown>()
  expectTypeOf(ctx.toolName).toEqualTypeOf<string>()
})
hooks.on('PreToolUse', 'mcp__*', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<Anything>()
  expectTypeOf(ctx.toolName).toEqualTypeOf<string>()
})
hooks.on('PreToolUse', '^Bash$', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<Anything>()
})
hooks.on('PreToolUse', ['Edit', /^mcp__/], ctx => {
  expectTypeOf(ctx.toolName).toEqualTypeOf<string>()
  // @ts-expect-error it may be any tool
  ctx.toolInput['file_path'].length
})

// No matcher, an empty one, or one that is known only later.
hooks.on('PreToolUse', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<Anything>()
  expectTypeOf(ctx.toolName).toEqualTypeOf<string>()
})
hooks.on('PreToolUse', '*', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<Anything>()
})
hooks.on('PreToolUse', '', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<Anything>()
})
hooks.on('PreToolUse', process.argv[2] ?? 'Bash', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<Anything>()
})
// A tool without a declaration, alone and beside a declared one.
hooks.on('PreToolUse', 'Deploy', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<Anything>()
})
hooks.on('PreToolUse', 'Bash|Deploy', ctx => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<ToolInputs['Bash'] | Anything>()
})
// @ts-expect-error a number is no matcher
hooks.on('PreToolUse', 7, () => {})
// @ts-expect-error a list of numbers neither
hooks.on('PreToolUse', [7], () => {})

// Hook objects and groups narrow in the same way.
hooks.register({
  name: 'object',
  events: 'PreToolUse',
  matcher: 'Edit|Write',
  run: ctx => {
    expectTypeOf(ctx.toolInput).toEqualTypeOf<EditOrWrite>()
  }
})
hooks.register({
  name: 'method',
  events: ['PreToolUse', 'PostToolUse'],
  matcher: ['Edit', 'Write'],
  run(ctx) {
    expectTypeOf(ctx.toolInput.file_path).toEqualTypeOf<string>()
    if (ctx.event === 'PreToolUse') ctx.toolInput.file_path = '/tmp/elsewhere'
    // @ts-expect-error what has happened cannot be changed
    else ctx.toolInput.file_path = '/tmp/elsewhere'
  }
})
hooks.group('PreToolUse', 'Bash', [
  ctx => {
    expectTypeOf(ctx.toolInput.command).toEqualTypeOf<string>()
  },
  {
    name: 'member',
    run: ctx => {
      expectTypeOf(ctx.toolInput.command).toEqualTypeOf<string>()
    }
  }
])

// A hook can be written apart from where it is registered.
const apart: HookFunction<'PreToolUse', 'Bash'> = ctx => {
  expectTypeOf(ctx.toolInput.command).toEqualTypeOf<string>()
}
hooks.on('PreToolUse', 'Bash', apart)
const shared = (ctx: HookContext<'PreToolUse'>): void => {
  expectTypeOf(ctx.toolInput).toEqualTypeOf<Anything>()
}
hooks.on('PreToolUse', shared)
hooks.on('PreToolUse', /^mcp__/, shared)

// A guarded tool keeps its own types.
const read = guard(hooks, 'Read', async (input: { path: string }, limit: number) => `${input.path}${limit}`)
expectTypeOf(read).toEqualTypeOf<(input: { path: string }, limit: number) => Promise<string>>()
// @ts-expect-error the path is missing
void read({}, 1)
