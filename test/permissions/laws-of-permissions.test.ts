import type { Behavior, CallFacts, Policy, Rule } from '../../src/lib/permissions/policy.ts'
import * as fc from '../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/lib/permissions/decide.ts'
import { MODES } from '../../src/lib/permissions/modes.ts'
import { parseRule } from '../../src/lib/permissions/rule.ts'
import { suggestionsFor } from '../../src/lib/permissions/suggestions.ts'
import { onlyReads } from '../../src/lib/shell/only-reads.ts'
import { freezeDeep } from '../../src/lib/util/plain.ts'
import { bashFacts, fetching, HOME, other, read, WORKSPACE, ruleOf, write } from './permission-kit.ts'
import { repetitions } from '../support/seed.ts'

const STRENGTH: Readonly<Record<Behavior, number>> = { allow: 0, ask: 1, deny: 2 }

const command = fc
  .array(
    fc.constantFrom(
      'git',
      'status',
      'rm',
      'x',
      '-rf',
      ';',
      '&&',
      '|',
      '$(',
      ')',
      '"',
      "'",
      '`',
      '>',
      'env',
      'sudo',
      '$X',
      '\n',
      '*',
      '.git/hooks/a'
    ),
    { maxLength: 8 }
  )
  .map(words => words.join(' '))
const path = fc.constantFrom(
  `${WORKSPACE}/src/a.ts`,
  `${WORKSPACE}/.env`,
  `${WORKSPACE}/keys/k`,
  `${WORKSPACE}/../x`,
  `${WORKSPACE}/.git/hooks/a`,
  `${HOME}/.bashrc`,
  '/etc/passwd',
  WORKSPACE
)
const call: fc.Arbitrary<CallFacts> = fc.oneof(
  command.map(bashFacts),
  path.map(each => read(each)),
  fc.tuple(path, fc.constantFrom('Grep', 'Glob')).map(([each, tool]) => read(each, tool)),
  fc.tuple(path, fc.constantFrom('Edit', 'Write', 'NotebookEdit')).map(([each, tool]) => write(each, tool)),
  fc.constantFrom('https://example.com/', 'https://evil.test/', 'x').map(fetching),
  fc
    .tuple(fc.constantFrom('Agent', 'mcp__a__t', 'mcp__a__b__t', 'ExitPlanMode'), fc.boolean())
    .map(([tool, readOnly]) => other(tool, { subagent_type: 'x' }, readOnly))
)
const anyRule = (behavior: fc.Arbitrary<Behavior>): fc.Arbitrary<Rule> =>
  fc
    .tuple(
      behavior,
      fc.constantFrom(
        ...[
          'Bash',
          'Bash(git *)',
          'Bash(rm *)',
          'Bash(rm -rf *)',
          'Bash(* x)',
          'Read',
          'Read(.env)',
          'Read(./keys/**)'
        ],
        ...[
          'Read(//etc/**)',
          'Edit',
          'Write',
          'Edit(src/**)',
          'Edit(**)',
          'Write(*.ts)',
          'Edit(.git/**)',
          'Edit(~/**)'
        ],
        ...['WebFetch', 'WebFetch(domain:example.com)', 'Task', 'Agent(x)', 'mcp__a', 'mcp__*', 'ExitPlanMode', 'Grep']
      ),
      fc.boolean()
    )
    .map(([each, text, ofProject]) => ruleOf(each, text, { ofProject }))
const anyBehavior = fc.constantFrom<Behavior>('allow', 'ask', 'deny')
const policy: fc.Arbitrary<Policy> = fc.record({
  rules: fc.array(anyRule(anyBehavior), { maxLength: 6 }),
  mode: fc.constantFrom(...MODES),
  roots: fc.constantFrom([WORKSPACE], [WORKSPACE, '/etc'], []),
  home: fc.constantFrom(HOME, undefined),
  leavesOut: fc.boolean(),
  hook: fc.option(fc.record({ decision: anyBehavior, by: fc.constant('h') }), { nil: undefined })
})

const RUNS = { numRuns: repetitions(5_000) }

describe('permissions', () => {
  test('the order of rules does not count', () => {
    fc.assert(
      fc.property(call, policy, fc.infiniteStream(fc.nat()), (each, now, numbers) => {
        const rules = now.rules
          .map(one => ({ one, key: numbers.next().value as number }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ one }) => one)
        expect(decide(each, { ...now, rules }).decision).toBe(decide(each, now).decision)
      }),
      RUNS
    )
  })

  test('a further rule that refuses or asks never makes an answer weaker', () => {
    fc.assert(
      fc.property(call, policy, anyRule(fc.constantFrom<Behavior>('ask', 'deny')), fc.nat(6), (each, now, more, at) => {
        const before = decide(each, now).decision
        const after = decide(each, { ...now, rules: now.rules.toSpliced(at, 0, more) }).decision
        expect(STRENGTH[after]).toBeGreaterThanOrEqual(STRENGTH[before])
      }),
      RUNS
    )
  })

  test('a further rule that allows overrides no rule and no hook that refuses or asks', () => {
    fc.assert(
      fc.property(call, policy, anyRule(fc.constant('allow')), fc.nat(6), (each, now, more, at) => {
        const before = decide(each, now)
        const after = decide(each, { ...now, rules: now.rules.toSpliced(at, 0, more) })
        if (before.kind === 'rule' || before.kind === 'hook')
          expect(STRENGTH[after.decision]).toBeGreaterThanOrEqual(STRENGTH[before.decision])
        // S5: and one of the project does not lift what protects a path.
        if (before.kind === 'safety' && more.ofProject === true) expect(after.decision).toBe(before.decision)
      }),
      RUNS
    )
  })

  test('what a rule, a hook or a protected path refuses is refused in every mode', () => {
    fc.assert(
      fc.property(call, policy, fc.constantFrom(...MODES), (each, now, mode) => {
        const { decision, kind } = decide(each, now)
        if (decision === 'deny' && kind !== 'mode')
          expect(decide(each, { ...now, mode })).toMatchObject({ decision, kind })
      }),
      RUNS
    )
  })

  test('a hook that refuses is obeyed; one that allows lifts no rule; mode dontAsk never asks', () => {
    fc.assert(
      fc.property(call, policy, (each, now) => {
        expect(decide(each, { ...now, hook: { decision: 'deny', by: 'h' } }).decision).toBe('deny')
        const without = decide(each, { ...now, hook: undefined })
        const allowed = decide(each, { ...now, hook: { decision: 'allow', by: 'h' } })
        if (without.kind === 'rule' && without.decision !== 'allow') expect(allowed).toEqual(without)
        expect(decide(each, { ...now, mode: 'dontAsk' }).decision).not.toBe('ask')
      }),
      RUNS
    )
  })

  test('in plan mode only reading is allowed', () => {
    fc.assert(
      fc.property(call, policy, (each, now) => {
        const { decision } = decide(each, { ...now, mode: 'plan' })
        const isReading = each.subject?.kind === 'command' ? onlyReads(each.subject.command) : each.readOnly
        if (!isReading && each.tool !== 'ExitPlanMode') expect(decision).toBe('deny')
      }),
      RUNS
    )
  })

  test('nothing is changed, and the same question has the same answer', () => {
    fc.assert(
      fc.property(call, call, policy, (each, between, now) => {
        const first = decide(freezeDeep(each), freezeDeep(now))
        decide(between, now)
        expect(decide(each, now)).toEqual(first)
      })
    )
  })

  test('no text makes it throw, and each answer names what decided', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), command)
    const tool = fc.oneof(fc.constantFrom('Bash', 'Read', 'Edit', 'Grep', 'WebFetch', '__proto__', 'mcp__a__b'), text)
    const subject = fc.oneof(
      fc.constant(undefined),
      fc.record({ kind: fc.constant('command' as const), command: text }),
      fc.record({ kind: fc.constant('file' as const), path: text, access: fc.constantFrom('read' as const, 'write') }),
      fc.record({ kind: fc.constant('url' as const), url: text })
    )
    const input = fc.dictionary(
      fc.constantFrom('command', 'file_path', 'path', 'url', 'query'),
      fc.oneof(text, fc.integer())
    )
    const someRule = fc.tuple(fc.oneof(tool, fc.constant('Bash')), text, anyBehavior)
    fc.assert(
      fc.property(
        fc.record({ tool, input, subject, readOnly: fc.boolean() }),
        fc.array(someRule, { maxLength: 4 }),
        policy,
        (each, given, now) => {
          const rules = given.flatMap(([name, specifier, behavior]) => {
            const parsed = parseRule(`${name}(${specifier})`, behavior, 'x')
            return 'problem' in parsed ? [] : [parsed]
          })
          const all = { ...now, rules: [...now.rules, ...rules] }
          expect(decide(each, all).by).not.toBe('')
          expect(Array.isArray(suggestionsFor(each, all))).toBe(true)
        }
      ),
      RUNS
    )
  })
})
