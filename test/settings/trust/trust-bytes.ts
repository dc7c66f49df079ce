/** Every byte counts: flipping any of them invalidates trust. Each `step`th is flipped. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { giveTrust, trustOf, type Loaded } from '../../../src/settings.ts'
import { settingsScene, type SettingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'

/** A small project that has something of each kind. */
function small(): SettingsScene {
  const here = settingsScene()
  here.ofProject({
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [{ type: 'command', command: '.claude/hooks/a.sh', timeout: 5, name: 'n' }] }
      ],
      Stop: [{ hooks: [{ type: 'http', url: 'https://x.example/h', headers: { A: 'b' } }] }]
    },
    permissions: { allow: ['Read'] },
    carabiner: { modules: ['m/own.mjs'] }
  })
  here.write('project/.claude/hooks/a.sh', '#!/bin/sh\nexit 0\n')
  here.write('project/.claude/hooks/lib.py', 'x = 1\n')
  here.write('project/m/own.mjs', 'export default () => {}\n')
  here.write(
    'project/.claude/skills/s/SKILL.md',
    '---\nhooks:\n  Stop:\n    - hooks:\n        - { type: command, command: w }\n---\nx\n'
  )
  giveTrust(here.load(), here.where)
  expect(trustOf(here.load(), here.where).state).toBe('trusted')
  return here
}

/** Calls back with each file that has one byte flipped, and puts it back. */
function eachFlip(file: string, { flip, step }: { flip: number; step: number }, look: (at: number) => void): number {
  const bytes = readFileSync(file)
  let flips = 0
  for (let at = flip % step; at < bytes.length; at += step, flips++) {
    const other = Buffer.from(bytes)
    other[at]! ^= flip
    writeFileSync(file, other)
    look(at)
  }
  writeFileSync(file, bytes)
  return flips
}

/** Everything that a settings file can cause, without its position. */
const effects = ({ hooks, rules, modules }: Loaded): string =>
  JSON.stringify([
    hooks
      .filter(({ ofProject }) => ofProject)
      .map(({ event, matcher, name, spec, owner }) => [event, matcher, name, spec, owner]),
    rules.filter(({ behaviour }) => behaviour === 'allow').map(({ rule }) => rule),
    modules.map(({ file }) => file)
  ])

export function trustByteTests(step: number): void {
  vi.setConfig({ testTimeout: 5 * HANG })

  test.each(['.claude/hooks/a.sh', '.claude/hooks/lib.py', 'm/own.mjs'])('bytes of %s, each of their bits', name => {
    const { load, where, path } = small()
    let flips = 0
    for (const flip of [1, 2, 4, 8, 16, 32, 64, 128, 255])
      flips += eachFlip(path(`project/${name}`), { flip, step }, at =>
        expect(trustOf(load(), where), `byte ${at}`).toMatchObject({
          state: 'changed',
          changes: [`changed: file ${name}`]
        })
      )
    expect(flips).toBeGreaterThan(40 / step)
    expect(trustOf(load(), where).state).toBe('trusted')
  })

  test.each(['.claude/settings.json', '.claude/skills/s/SKILL.md'])('bytes of %s that change what it brings', name => {
    const { load, where, path } = small()
    const before = effects(load())
    let [voided, without] = [0, 0]
    for (const flip of [1, 2, 4, 32]) {
      eachFlip(path(`project/${name}`), { flip, step }, at => {
        const loaded = load()
        const { state } = trustOf(loaded, where)
        if (effects(loaded) === before) without++
        else {
          expect(state, `byte ${at}`).not.toBe('trusted')
          voided++
        }
      })
    }
    expect(voided).toBeGreaterThan(without)
    expect(trustOf(load(), where).state).toBe('trusted')
  })
}
