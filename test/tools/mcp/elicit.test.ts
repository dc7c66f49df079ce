/** Servers that request input: hooks answer, or else a person, or else the request is declined. */
import { expect, test, vi } from 'vitest'
import { deny, type HookRegistry, type QueryOptions } from '../../../src/index.ts'
import { callTurn, informed, inputsOf, registry } from '../../support/agent-kit.ts'
import { askServers, everything, logged } from './mcp-kit.ts'

const SCHEMA = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const FORM = { message: 'Your name?', requestedSchema: SCHEMA }
const accepted = { action: 'accept', content: { name: 'Ada' } } as const

/** The answer to a server that requests a name, and the events that fired in the meantime. */
async function told(params: object, more: QueryOptions = {}) {
  const { server, place } = logged()
  const asked = await askServers([callTurn('mcp__own__elicit', params)], { own: server }, { in: place, ...more })
  return { ...asked, answer: JSON.parse(asked.results[0]!.text) as unknown }
}

const answering = (fill: (hooks: HookRegistry) => unknown): QueryOptions => ({ hooks: registry(fill) })

test('no one is there: the server is told no, and hooks have seen all of it', async () => {
  const { answer, names, events } = await told(FORM)
  expect(answer).toEqual({ action: 'decline' })
  expect(names.slice(names.indexOf('PreToolUse'), names.indexOf('PostToolBatch'))).toEqual([
    'PreToolUse',
    'Elicitation',
    'ElicitationResult',
    'Notification',
    'PostToolUse'
  ])
  expect(inputsOf({ events }, 'Elicitation')).toMatchObject([
    { mcp_server_name: 'own', message: 'Your name?', mode: 'form', requested_schema: SCHEMA }
  ])
  expect(inputsOf({ events }, 'ElicitationResult')).toMatchObject([
    { mcp_server_name: 'own', mode: 'form', action: 'decline' }
  ])
  expect(inputsOf({ events }, 'Notification')).toMatchObject([
    { message: 'Elicitation response for server "own": decline', notification_type: 'elicitation_response' }
  ])
})

test('a hook answers, and no one else is asked', async () => {
  const onElicitation = vi.fn(async () => ({ action: 'cancel' as const }))
  const { answer } = await told(FORM, {
    ...answering(hooks => hooks.on('Elicitation', 'own', () => accepted)),
    onElicitation
  })
  expect(answer).toEqual(accepted)
  expect(onElicitation).not.toHaveBeenCalled()
})

test('a person answers', async () => {
  const requests: unknown[] = []
  const { answer } = await told(FORM, {
    onElicitation: async (request, { signal, requestId }) => {
      requests.push(request)
      expect(signal.aborted).toBe(false)
      expect(requestId).not.toBe('')
      return accepted
    }
  })
  expect(answer).toEqual(accepted)
  expect(requests).toEqual([{ serverName: 'own', message: 'Your name?', mode: 'form', requestedSchema: SCHEMA }])
})

test.each<[string, QueryOptions, object]>([
  ['a person who cancels', { onElicitation: async () => ({ action: 'cancel' }) }, { action: 'cancel' }],
  ['a person who says nothing', { onElicitation: async () => null }, { action: 'decline' }],
  ['a question that breaks', { onElicitation: () => Promise.reject(new Error('no')) }, { action: 'decline' }],
  ['an answer that is none', { onElicitation: async () => ({ action: 'yes' }) as never }, { action: 'decline' }],
  ['a hook that refuses', answering(hooks => hooks.on('Elicitation', () => deny('no'))), { action: 'decline' }],
  [
    'a hook that fails',
    {
      ...answering(hooks => hooks.on('Elicitation', () => Promise.reject(new Error('broken')))),
      onElicitation: async () => accepted
    },
    { action: 'decline' }
  ],
  [
    'a hook that has the last word',
    {
      ...answering(hooks => hooks.on('ElicitationResult', () => ({ content: { name: 'Grace' } }))),
      onElicitation: async () => accepted
    },
    { action: 'accept', content: { name: 'Grace' } }
  ],
  [
    'a hook that takes a yes back',
    {
      ...answering(hooks => hooks.on('ElicitationResult', () => ({ action: 'cancel' }))),
      onElicitation: async () => accepted
    },
    { action: 'cancel' }
  ],
  [
    'a hook that refuses what was said',
    { ...answering(hooks => hooks.on('ElicitationResult', () => deny('no'))), onElicitation: async () => accepted },
    { action: 'decline' }
  ]
])('%s', async (_, options, expected) => {
  expect((await told(FORM, options)).answer).toEqual(expected)
})

test('a hook that speaks as files do is understood', async () => {
  const { answer } = await told(FORM, {
    hooks: {
      Elicitation: [
        {
          matcher: 'own',
          hooks: [async () => ({ hookSpecificOutput: { hookEventName: 'Elicitation', ...accepted } })]
        }
      ]
    }
  })
  expect(answer).toEqual(accepted)
})

// M7
test.each(['javascript:alert(1)', 'file:///etc/passwd', '$(x)', 'http', ''])('no web address: %j', async url => {
  const onElicitation = vi.fn(async () => ({ action: 'accept' as const }))
  const asked = await told({ mode: 'url', message: 'Sign in', url, elicitationId: 'e1' }, { onElicitation })
  expect(onElicitation).not.toHaveBeenCalled()
  expect(asked.names).not.toContain('Elicitation')
  expect(asked.answer).not.toMatchObject({ action: 'accept' })
})

// M1, M7
test('a web address is handed on as it is, and no one opens it', async () => {
  const url = 'https://example.org/sign-in?a=1'
  const { answer, events } = await told(
    { mode: 'url', message: 'Sign\u200b in', url, elicitationId: 'e1' },
    { onElicitation: async request => ({ action: request.url === url ? 'accept' : 'cancel' }) }
  )
  expect(answer).toEqual({ action: 'accept' })
  expect(inputsOf({ events }, 'Elicitation')).toMatchObject([
    { mode: 'url', url, elicitation_id: 'e1', message: 'Sign\\u200b in' }
  ])
})

test('a real server', async () => {
  const asked = await askServers(
    [
      callTurn('mcp__every__trigger-elicitation-request'),
      callTurn('mcp__every__trigger-url-elicitation', { url: 'https://example.org/', message: 'Look' })
    ],
    { every: everything },
    { onElicitation: async ({ mode }) => (mode === 'url' ? { action: 'accept' } : accepted) }
  )
  expect(asked.results[0]!.text).toContain('Name: Ada')
  expect(asked.results[1]!.isError).toBe(false)
  expect(informed(asked)).toEqual([])
})
