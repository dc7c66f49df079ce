import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandHook } from '../../src/external.ts'
import { HookRegistry } from '../../src/hooks.ts'
import { manualClock } from '../../src/testing.ts'
import { effectOf, fireFault, inTurn, faultScene } from './scene.ts'
import { there } from '../support/waiting.ts'

// FM26
test.each([
  ['reads one line and answers', 'read -r event'],
  ['reads to the end and answers', 'event=$(cat)']
])('a hook that %s runs once for each event, started ahead or not', async (_, reads) => {
  const rounds = Array.from({ length: 15 }, (_ignored, round) => round)
  const counts = await inTurn(rounds, 4, async round => {
    const { place, folder, notices, running } = faultScene({ clock: manualClock() })
    const log = join(folder, 'log')
    const hooks = new HookRegistry()
    const command = `${reads}; echo ${round} >> ${log}; exit 2`
    hooks.register(commandHook({ name: 'gate', events: 'PreToolUse', command, prewarm: true, timeout: 30 }, place))
    const effects: string[] = []
    const isOff = (): boolean => notices.some(text => text.includes('prewarm is off'))
    for (let event = 0; event < 5; event++) {
      effects.push(effectOf(await fireFault(hooks)))
      await there(() => (isOff() ? [0] : running()))
    }
    const ran = readFileSync(log, 'utf8').trim().split('\n').length
    return { effects: [...new Set(effects)], ran, off: isOff() }
  })
  expect(counts).toEqual(rounds.map(() => ({ effects: ['refused'], ran: 5, off: false })))
})
