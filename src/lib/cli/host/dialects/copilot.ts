import type { Dialect } from '../dialect.ts'
export const COPILOT: Dialect = { title: 'Copilot CLI', verifiedWith: '1.0.102', events: {}, tools: {}, config: { at: e => ['hooks', e], entry: line => ({ line }) }, answer: () => ({}), limits: [] }
