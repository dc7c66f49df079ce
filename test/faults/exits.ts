/** What exit codes and signals mean: the tables that docs/failures.md prints and tests go through. */
import type { Effect } from './row.ts'
import type { Profile } from '../../src/hooks.ts'

/** What a command may print before it ends, and the reason that a refusal then has. */
export const OUTPUTS = {
  nothing: '',
  'an allow': '{"decision":"allow"}',
  'a refusal': '{"decision":"deny","reason":"not today"}',
  text: 'all is well',
  'broken JSON': '{"decision":"deny","rea'
} as const

export type Output = keyof typeof OUTPUTS
export const OUTPUT_NAMES = Object.keys(OUTPUTS) as readonly Output[]

export type Codes = '0' | '2' | 'any other'
export const CODES = ['0', '2', 'any other'] as const

type Line = Readonly<Record<Output, Effect>>

const REFUSED: Line = {
  nothing: 'refused',
  'an allow': 'refused',
  'a refusal': 'refused',
  text: 'refused',
  'broken JSON': 'refused'
}

/** On a gate. */
export const EXITS: Readonly<Record<Profile, Readonly<Record<Codes, Line>>>> = {
  strict: {
    '0': {
      nothing: 'no opinion',
      'an allow': 'allowed',
      'a refusal': 'refused',
      text: 'no opinion',
      'broken JSON': 'closed: reply'
    },
    '2': REFUSED,
    'any other': {
      nothing: 'closed: exit',
      'an allow': 'closed: exit',
      'a refusal': 'refused',
      text: 'closed: exit',
      'broken JSON': 'closed: exit'
    }
  },
  compat: {
    '0': {
      nothing: 'no opinion',
      'an allow': 'allowed',
      'a refusal': 'refused',
      text: 'no opinion',
      'broken JSON': 'open, marked: reply'
    },
    '2': REFUSED,
    'any other': {
      nothing: 'open, marked: exit',
      'an allow': 'allowed, marked',
      'a refusal': 'refused',
      text: 'open, marked: exit',
      'broken JSON': 'open, marked: exit'
    }
  }
}

/** What a signal does to a command that has not asked for it. */
export type Fate = 'ends it' | 'stops it' | 'does nothing'

const ENDS =
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT XCPU XFSZ VTALRM PROF IO PWR SYS'
/** The last three stop only processes that have a terminal, which can resume them; a hook has none. */
const NOTHING = 'CHLD CONT URG WINCH TSTP TTIN TTOU'

const signals = (names: string, fate: Fate): readonly (readonly [string, Fate])[] =>
  names.split(' ').map(name => [`SIG${name}`, fate])

/** All 31 of Linux. */
export const SIGNALS: ReadonlyMap<string, Fate> = new Map([
  ...signals(ENDS, 'ends it'),
  ...signals('STOP', 'stops it'),
  ...signals(NOTHING, 'does nothing')
])

/** Strict and compat, on a gate. */
export const FATES: Readonly<Record<Fate, Readonly<Record<Profile, Effect>>>> = {
  'ends it': { strict: 'closed: signal', compat: 'open, marked: signal' },
  'stops it': { strict: 'closed: timeout', compat: 'open, marked: timeout' },
  'does nothing': { strict: 'no opinion', compat: 'no opinion' }
}
