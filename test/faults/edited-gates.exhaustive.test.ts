import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandHook, type CommandSpec } from '../../src/external.ts'
import { HookRegistry, type Reported } from '../../src/hooks.ts'
import { manualClock } from '../../src/testing.ts'
import { hasProgram, isRoot } from '../support/host.ts'
import { fireFault, inTurn, faultScene, type FaultScene } from './scene.ts'
import { there } from '../support/waiting.ts'

/** Reads first, so that it can be started in advance, and runs slowly, so that it can be changed in the meantime. */
const gate = (reason: string): string => `#!/bin/sh\nread -r event\nsleep 0.02\necho ${reason} >&2\nexit 2\n`

const TIMINGS = Array.from({ length: 20 }, (_, index) => index * 4)

interface Gate {
  readonly here: FaultScene
  readonly file: string
  ask(): Promise<Reported>
  /** Puts another in its place at once, as editors and package managers do. */
  replace(text: string): void
}

function gateIn(spec: Pick<CommandSpec, 'command' | 'args' | 'env' | 'prewarm'>): Gate {
  // On a stopped clock a process is ready as soon as it exists.
  const here = faultScene({ clock: manualClock() })
  chmodSync(here.folder, 0o755)
  const file = join(here.folder, 'gate')
  const replace = (text: string): void => {
    writeFileSync(`${file}.new`, text, { mode: 0o755 })
    renameSync(`${file}.new`, file)
  }
  replace(gate('old'))
  const hooks = new HookRegistry()
  hooks.register(commandHook({ name: 'gate', events: 'PreToolUse', timeout: 30, ...spec }, here.place))
  return { here, file, replace, ask: async () => fireFault(hooks) }
}

const later = (ms: number, act: () => void): Promise<void> =>
  new Promise(resolve => {
    setTimeout(() => {
      act()
      resolve()
    }, ms)
  })

const WAYS: readonly (readonly [string, (gate: Gate) => void])[] = [
  ['replaced', ({ replace }) => replace(gate('new'))],
  ['deleted', ({ file }) => rmSync(file)],
  ['made unreadable', ({ file }) => chmodSync(file, 0)],
  ['turned into a folder', ({ file }) => (rmSync(file), mkdirSync(file))],
  ['turned into nonsense', ({ replace }) => replace('#!/no/such/interpreter\nexit 2\n')]
]

/** Root may read everything, so the hook runs as another user there. */
const asAnother = isRoot ? 'setpriv --reuid=64322 --regid=64322 --clear-groups ' : ''
const skipped = isRoot && !hasProgram('setpriv')
const why = skipped ? ' (needs setpriv, since root may read everything)' : ''

// FM29
describe.each([{ prewarm: false }, { prewarm: true }])(
  'a gate that is changed while it is used, with %o',
  ({ prewarm }) => {
    test.skipIf(skipped).each(WAYS)(`%s, at twenty times: every call is refused${why}`, async (_, change) => {
      const outcomes = await inTurn(TIMINGS, 4, async ms => {
        const changing = gateIn({ command: `${asAnother}./gate`, prewarm })
        const before = await changing.ask()
        if (prewarm) await there(changing.here.running)
        const [during] = await Promise.all([changing.ask(), later(ms, () => change(changing))])
        const after = await Promise.all([changing.ask(), changing.ask()])
        return [before, during, ...after].map(({ blocked }) => blocked)
      })
      expect(outcomes.flat().filter(blocked => !blocked)).toEqual([])
      expect(outcomes.length).toBe(20)
    })

    test.each([
      './gate',
      'sh ./gate',
      'sh "$CLAUDE_PROJECT_DIR/gate"',
      'sh ${CLAUDE_PROJECT_DIR}/gate',
      'PATH=.:$PATH; gate'
    ])('the next call is judged by the new one: %s', async command => {
      for (const round of [1, 2, 3]) {
        const changing = gateIn({ command, prewarm })
        expect(await changing.ask()).toMatchObject({ reason: 'old', failures: [] })
        if (prewarm) await there(changing.here.running)
        changing.replace(gate(`new${round}`))
        expect(await changing.ask()).toMatchObject({ reason: `new${round}`, failures: [] })
        if (prewarm) await there(changing.here.running)
        expect(await changing.ask()).toMatchObject({ reason: `new${round}`, failures: [] })
      }
    })

    test('as a program that is found on the PATH', async () => {
      const folder = faultScene().folder
      const changing = gateIn({
        command: 'sh',
        args: ['-c', 'exec gate'],
        env: { PATH: `${folder}:${process.env['PATH']}` },
        prewarm
      })
      const file = join(folder, 'gate')
      renameSync(changing.file, file)
      expect(await changing.ask()).toMatchObject({ reason: 'old', failures: [] })
      if (prewarm) await there(changing.here.running)
      writeFileSync(`${file}.new`, gate('new'), { mode: 0o755 })
      renameSync(`${file}.new`, file)
      expect(await changing.ask()).toMatchObject({ reason: 'new', failures: [] })
    })

    test('a gate that comes back works again', async () => {
      const changing = gateIn({ command: './gate', prewarm })
      await changing.ask()
      rmSync(changing.file)
      expect(await changing.ask()).toMatchObject({ blocked: true, failures: [{ kind: 'spawn' }] })
      changing.replace(gate('back'))
      expect(await changing.ask()).toMatchObject({ reason: 'back', failures: [] })
    })
  }
)
