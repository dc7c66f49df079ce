import { HookRegistry } from '../../src/hooks.ts'

const hooks = new HookRegistry()

// The prompt can be changed where there is one.
hooks.on('UserPromptSubmit', ctx => {
  ctx.prompt = ctx.prompt.trim()
  ctx.prompt += '!'
  // @ts-expect-error not text
  ctx.prompt = 7
})
hooks.on('PreToolUse', ctx => {
  // @ts-expect-error there is none
  ctx.prompt = 'Hello'
})
hooks.on('Stop', ctx => {
  // @ts-expect-error there is none
  ctx.prompt = 'Hello'
})

// The input of a tool can be changed before it runs, in place or as a whole.
hooks.on('PreToolUse', 'Bash', ctx => {
  ctx.toolInput.command = `nice ${ctx.toolInput.command}`
  ctx.toolInput = { command: 'ls' }
  delete ctx.toolInput.description
  // @ts-expect-error not text
  ctx.toolInput.command = 7
  // @ts-expect-error Bash has no file
  ctx.toolInput = { file_path: '/tmp/a' }
  // @ts-expect-error the tool stays the same
  ctx.toolName = 'Bash'
})
hooks.on('PermissionRequest', 'Bash', ctx => {
  ctx.toolInput.command = 'ls'
  ctx.toolInput = { command: 'ls' }
})
hooks.on('PreToolUse', ctx => {
  ctx.toolInput['anything'] = { goes: true }
})

// Afterwards it cannot.
hooks.on('PostToolUse', 'Bash', ctx => {
  // @ts-expect-error
  ctx.toolInput.command = 'ls'
  // @ts-expect-error
  ctx.toolInput = { command: 'ls' }
  // @ts-expect-error
  ctx.toolResponse = 'nothing'
})
hooks.on('PostToolUseFailure', ctx => {
  // @ts-expect-error
  ctx.toolInput['command'] = 'ls'
  // @ts-expect-error
  ctx.error = 'nothing'
})
hooks.on('PermissionDenied', 'Bash', ctx => {
  // @ts-expect-error
  ctx.toolInput.command = 'ls'
})

// Messages can be exchanged, not edited; metadata can be written.
hooks.on('Stop', ctx => {
  ctx.messages.push({ role: 'user', content: 'Go on.' })
  ctx.messages = ctx.messages.filter(message => message.role !== 'system')
  // @ts-expect-error
  ctx.messages[0]!.content = 'something else'
  // @ts-expect-error no one has that role
  ctx.messages.push({ role: 'tool', content: '' })
  ctx.metadata['seen'] = true
  ctx.setMetadata('seen', true)
  // @ts-expect-error
  ctx.sessionId = 'another'
})
