/** Links that a confined command puts in the place of a folder, which the next one would have as its own. */
import { chmodSync, readdirSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { findProgram } from '../../src/lib/world/process/shell.ts'
import { callTurn, resultsIn } from '../support/agent-kit.ts'
import type { TurnOrMaker } from '../../src/testing.ts'
import { noSandbox } from '../support/host.ts'
import { askConfined, confined, neighbourhood, SECRET, type Neighbourhood } from './sandbox-kit.ts'

/** Exchanges two names all the time, until it is stopped. */
const EXCHANGE = `import ctypes, sys, time
exchange = ctypes.CDLL(None).renameat2
one, other = (name.encode() for name in sys.argv[1:])
open('ready', 'w').close()
while True:
  exchange(-100, one, -100, other, 2)
  time.sleep(0.003)`

const stopTurn: TurnOrMaker = ({ messages }) =>
  callTurn('TaskStop', { task_id: /background as (\w+)/.exec(JSON.stringify(messages))?.[1] })

/** What the commands print that start while the folder and the link are exchanged. */
async function whileExchanging(place: Neighbourhood, [folder, link]: readonly string[], command: string) {
  place.write('exchange.py', EXCHANGE)
  place.write(
    'start.sh',
    `mkdir ${folder}; touch ${folder}/.env; ln -s ${link} link; python3 exchange.py ${folder} link`
  )
  const turns = [
    callTurn('Bash', { command: 'bash start.sh', run_in_background: true }),
    callTurn('Bash', { command: 'until [ -e ready ]; do :; done' }),
    ...Array.from({ length: 30 }, () => callTurn('Bash', { command })),
    stopTurn,
    'done'
  ]
  const settings = { permissions: { deny: ['Read(.env)', 'Edit(./kept)'] } }
  const { sent } = await askConfined(turns, place, { settings })
  return resultsIn(sent.at(-1) ?? [])
    .map(({ text }) => text)
    .join('\n')
}

describe.skipIf(noSandbox !== undefined)('a folder of the project becomes a link', () => {
  test('while a command starts that would have the folder as a mount, to be written', async () => {
    const place = neighbourhood()
    const text = await whileExchanging(place, ['x', '../outside'], 'echo x > ../outside/new')
    expect(text).toContain('Read-only file system')
    expect(readdirSync(place.outside)).toEqual(['canary'])
  })

  test('while a command starts that would have the folder as a mount, to be read', async () => {
    const place = neighbourhood()
    const text = await whileExchanging(place, ['kept', '../home/.ssh'], 'cat ../home/.ssh/* kept/* link/*')
    expect(text).not.toContain(SECRET)
  })

  test('before there is a folder that settings name', async () => {
    const place = neighbourhood()
    const link = 'ln -s ../outside build; ln -s ../home/.ssh/id_ed25519 key'
    const read = 'echo x > build/new; echo x > ../outside/new; cat key'
    const sandbox = { allowWrite: ['build'], allowRead: ['key'] }
    const [, result] = await confined(place, [link, read], { sandbox })
    expect(result?.text).not.toContain(SECRET)
    expect(readdirSync(place.outside)).toEqual(['canary'])
  })

  test('a folder that settings name and a command creates can be written', async () => {
    const place = neighbourhood()
    const commands = ['mkdir "a b"', 'echo x > "a b/new"; mv "a b" c; cat "a b/new"']
    const [, result] = await confined(place, commands, { sandbox: { allowWrite: ['a b'] } })
    expect(result?.text).toContain('x')
    expect(result?.text).toContain('busy')
  })
})

test('a program of the project is not taken for one of the system', () => {
  const place = neighbourhood()
  const program = 'node_modules/.bin/carabiner-planted'
  place.write(program, '#!/bin/sh\n')
  chmodSync(place.path(program), 0o755)
  vi.stubEnv('PATH', `node_modules/.bin:${place.path('node_modules/.bin')}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(findProgram('carabiner-planted')).toBeUndefined()
})
