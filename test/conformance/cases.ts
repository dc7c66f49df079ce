/**
 * What a hook returns, and the expected outcome: the hook contract as a table. Every kind of hook that can
 * return it runs through it, in both profiles; docs/conformance.md is printed from it.
 */
import type { EventName, Profile } from '../../src/hooks.ts'
import type { Behaviour } from '../support/external-kit.ts'
import type { Expected } from './expected.ts'
import { COMMON } from './common-cases.ts'
import { GATE_CASES } from './gate-cases.ts'
import { OTHER_CASES } from './other-cases.ts'

export interface Case extends Readonly<Record<Profile, Expected>> {
  readonly name: string
  readonly event: EventName
  readonly gives: Behaviour
}

export const CASES: readonly Case[] = [...COMMON, ...GATE_CASES, ...OTHER_CASES]
