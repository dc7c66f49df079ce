import { ERRORS, faultsIn, type Sentences } from './errors.ts'

/** The faults that users of the rest can meet. The engine carries its own, so that it is small where it is alone. */
export const FAULTS = {
  E_URL_REFUSED: (url: string, why: string, next: string) => [`no hook can be at ${url}: ${why}`, next],
  E_MODEL: (why: string, next: string) => [why, next],
  E_UNTRUSTED: (root: string, what: string) => [
    `the project ${root} brings hooks, rules, modules, agents, commands, skills or servers that are not trusted: ${what}`,
    'look at them with `carabiner hooks trust`, or give { trust: "sha256:…" }, { trust: true } or { projectHooks: false }'
  ],
  E_TRUST_STORE: (folder: string, why: string) => [
    `trust cannot be kept in ${folder}: ${why}`,
    'make that folder writable, or name another with CARABINER_HOME; for one run, give --trust with the digest of `carabiner hooks trust --print`'
  ],
  E_SETTINGS: (problems: string) => [
    `the settings have errors, and a gate might be missing: ${problems}`,
    'see `carabiner hooks check`; the compat profile goes on without what is wrong'
  ],
  E_RULE: (rule: string, where: string) => [`${rule} (${where})`, ''],
  E_TRANSCRIPT: (path: string, why: string, saved: string) =>
    saved === '0'
      ? [
          `the transcript ${path} cannot be written: ${why}`,
          'nothing of this run was saved; see to the disk and to the rights on that folder, or name another with CARABINER_HOME'
        ]
      : [
          `nothing more can be written to the transcript ${path}: ${why}`,
          'what was written before is safe; see to the disk, then go on with --resume'
        ],
  E_SESSION_BUSY: (id: string, holder: string) => [
    `session ${id} is running: ${holder}`,
    'end it first, or go on from a copy with --fork-session'
  ],
  E_SESSION_UNKNOWN: (id: string, near: string) => [
    `there is no session ${id}`,
    near === '' ? 'see `carabiner sessions list`' : `did you mean ${near}?`
  ],
  E_SESSION_NEWER: (id: string, what: string) => [
    `session ${id} was written by a newer Carabiner (${what}), and is not written to`,
    'use that version, or go on from a copy with --fork-session'
  ],
  E_SESSION_FOREIGN: (id: string) => [
    `session ${id} was written by another program, and is not written to`,
    'go on from a copy with --fork-session (forkSession)'
  ],
  E_REPAIR: (path: string, why: string) => [
    `${path} cannot be repaired: ${why}`,
    'what was there is there still: in its place, or beside it with the ending .bak'
  ],
  E_CLOSED: (what: string) => [`${what} came after the query had ended`, 'begin a new one'],
  E_USAGE: (why: string) => [why, 'see --help'],
  E_EXPECTATION: (why: string) => [why, '']
} satisfies Sentences

export const fault = faultsIn({ ...ERRORS, ...FAULTS })
