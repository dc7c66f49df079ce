import { event } from './fields.ts'

/** What a switch of the model is about. `pricing` is `default` if no price is known; then there is no estimate. */
const SWITCH = {
  from_model: 'string',
  to_model: 'string',
  requested_model: 'string | null',
  source: 'command | picker | sdk',
  context_tokens: 'number',
  prompt_cache_warm: 'boolean',
  cache_ttl: '5m | 1h',
  'estimated_cache_write_usd?': 'number',
  pricing: 'configured | catalog | default'
} as const
const SWITCHED = {
  from_model: 'claude-opus-5-5',
  to_model: 'claude-haiku-5-5',
  requested_model: 'haiku',
  source: 'command',
  context_tokens: 0,
  prompt_cache_warm: false,
  cache_ttl: '5m',
  estimated_cache_write_usd: 0,
  pricing: 'catalog'
} as const

export const EVENTS_OF_MODELS = {
  PreModelSwitch: event({
    when: 'the model of the session is about to be changed on request',
    fields: SWITCH,
    target: 'to_model',
    answer: 'switch',
    failure: 'closed',
    fileTimeout: 30,
    sample: SWITCHED
  }),
  PostModelSwitch: event({
    when: 'the model of the session was changed, or the session is resumed with another model',
    fields: { ...SWITCH, source: 'command | picker | sdk | resume' },
    target: 'to_model',
    answer: 'inform',
    failure: 'open',
    fileTimeout: 30,
    sample: SWITCHED
  }),
  MessageDisplay: event({
    when: 'a text of the agent is about to be displayed',
    fields: { turn_id: 'string', message_id: 'string', index: 'number', final: 'boolean', delta: 'string' },
    answer: 'display',
    failure: 'open',
    fileTimeout: 10,
    sample: { turn_id: 'prompt-1', message_id: 'message-1', index: 0, final: true, delta: 'The build folder is tidy.' }
  })
} as const
