/** The guided tour, ended by a signal in each of its scenes. */
import { test } from 'vitest'
import { endsBy } from './demo-kit.ts'

test.each([
  ['SIGINT', 'Read total', 130],
  ['SIGINT', 'Bash rm draft', 130],
  ['SIGTERM', 'I am done', 143],
  ['SIGINT', '--resume', 130]
] as const)('%s after “%s” ends it, and leaves neither process nor file', endsBy)
