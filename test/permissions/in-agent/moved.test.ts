/** What is judged by the root of the project stays so after `cd`, after new directories, and in subagents. */
import { linkSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CanUseTool } from '../../../src/index.ts'
import { ask, bashTurn, callTurn, project, resultsIn } from '../../support/agent-kit.ts'

const gateIf = (tool: string, condition: string): object => ({
  hooks: {
    PreToolUse: [{ matcher: tool, hooks: [{ type: 'command', command: 'echo no >&2; exit 2', if: condition }] }]
  }
})

test('a condition with a path is about the project, whatever the current folder', async () => {
  const place = project({ 'docs/a': 'a\n', 'src/a': 'a\n' })
  const write = (name: string) => callTurn('Write', { file_path: place.path(name), content: 'x\n' })
  await ask([write('src/x'), bashTurn('cd docs'), write('src/y'), write('docs/z'), 'done'], {
    in: place,
    permissionMode: 'acceptEdits',
    settings: gateIf('Write', 'Write(src/**)')
  })
  expect(['src/x', 'src/y', 'docs/z'].map(name => place.has(name))).toEqual([false, false, true])
})

test('a condition with a path holds for every name of the file', async () => {
  const place = project({ 'secrets/k': 'hidden\n', open: 'plain\n' })
  linkSync(place.path('secrets/k'), place.path('hl'))
  const turns = ['secrets/k', 'hl', 'open'].map(name => callTurn('Read', { file_path: place.path(name) }))
  const { sent } = await ask([...turns, 'done'], { in: place, settings: gateIf('Read', 'Read(secrets/k)') })
  expect(resultsIn(sent.at(-1)!).map(({ isError }) => isError)).toEqual([true, true, false])
})

test('a hard link in a directory that was added later is known', async () => {
  const place = project({ 'src/a': 'a\n' })
  const added = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-added-')))
  writeFileSync(join(added, '.env'), 'hidden=1\n')
  linkSync(join(added, '.env'), join(added, 'hl'))
  linkSync(place.path('src/a'), place.path('src/b'))
  const canUseTool: CanUseTool = async () => ({
    behavior: 'allow',
    updatedPermissions: [{ type: 'addDirectories', directories: [added], destination: 'session' }]
  })
  const turns = [place.path('src/b'), join(added, 'nothing'), join(added, 'hl')].map(file_path =>
    callTurn('Read', { file_path })
  )
  const { sent } = await ask([...turns, 'done'], { in: place, canUseTool, disallowedTools: ['Read(.env)'] })
  expect(resultsIn(sent.at(-1)!).at(-1)).toMatchObject({ isError: true, text: expect.stringContaining('Read(.env)') })
})

test('a subagent of a run that never asks does not ask either', async () => {
  const place = project({ 'src/a': 'a\n' })
  mkdirSync(place.path('out'))
  await ask(
    [
      callTurn('Agent', { subagent_type: 'w', description: 'd', prompt: 'p' }),
      callTurn('Write', { file_path: place.path('out/x'), content: 'x' }),
      'done',
      'done'
    ],
    {
      in: place,
      permissionMode: 'dontAsk',
      allowedTools: ['Agent'],
      agents: { w: { description: 'd', prompt: 'p', permissionMode: 'acceptEdits' } }
    }
  )
  expect(place.has('out/x')).toBe(false)
})
