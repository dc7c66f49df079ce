/** Folders that are added to the workspace while a session runs: /add-dir and addDirectory(). */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PromptStream } from '../../src/index.ts'
import { ask, callTurn, inputsOf, project, prompted, resultsIn, type Project } from '../support/agent-kit.ts'
import { noSandbox } from '../support/host.ts'
import { neighbourhood } from '../sandbox/sandbox-kit.ts'

/** A project with a folder beside it. */
function beside(): { place: Project; folder: string } {
  const place = project()
  const folder = join(place.home, '../library')
  mkdirSync(join(folder, 'sub'), { recursive: true })
  return { place, folder: join(place.cwd, '../library') }
}

const thenWrites = (file: string) => [callTurn('Write', { file_path: file, content: 'x' }), 'Done.']

/** These prompts, one after the other. */
const prompts = (...texts: readonly string[]): PromptStream =>
  (async function* () {
    for (const text of texts) yield prompted(text)
  })()

test('/add-dir: tools may work there from then on, and hooks are told', async () => {
  const { place, folder } = beside()
  const file = join(folder, 'made')
  const mode = { permissionMode: 'acceptEdits' } as const
  const before = await ask(thenWrites(file), { in: place, ...mode })
  expect(resultsIn(before.sent.at(-1)!)).toMatchObject([{ isError: true }])
  const { events, messages, sent } = await ask(thenWrites(file), {
    in: place,
    ...mode,
    prompt: prompts('/add-dir ../library', 'go')
  })
  expect(inputsOf({ events }, 'DirectoryAdded')).toMatchObject([{ directory: folder, source: 'slash_command' }])
  expect(messages.find(({ type }) => type === 'result')).toMatchObject({
    is_error: false,
    result: '../library now belongs to the workspace.'
  })
  expect(resultsIn(sent.at(-1)!)).toMatchObject([{ isError: false }])
})

test('addDirectory(): the same for programs; a folder that belongs to the workspace already is no news', async () => {
  const { place, folder } = beside()
  const found: unknown[] = []
  const { events } = await ask(['Done.'], {
    in: place,
    steer: async running => {
      for (const name of [folder, join(folder, 'sub'), folder, '.']) found.push(await running.addDirectory(name))
    }
  })
  expect(found).toEqual([true, false, false, false])
  expect(inputsOf({ events }, 'DirectoryAdded')).toMatchObject([{ directory: folder, source: 'register_repo_root' }])
})

test('the folder is the real one, and ~ is the home of the user', async () => {
  const { place, folder } = beside()
  symlinkSync(folder, join(place.cwd, 'link'))
  const { events } = await ask(['Done.'], { in: place, prompt: prompts('/add-dir link', '/add-dir ~') })
  expect(inputsOf({ events }, 'DirectoryAdded').map(({ directory }) => directory)).toEqual([folder, place.home])
})

test.each([
  ['/add-dir', 'no directory was given'],
  ['/add-dir nowhere', '"nowhere" does not exist'],
  ['/add-dir a.txt', '"a.txt" is not a directory']
])('%s: %s', async (prompt, why) => {
  const { result, names } = await ask([], { in: project({ 'a.txt': '' }), prompt })
  expect(result).toMatchObject({ is_error: true, result: expect.stringContaining(why) })
  expect(names).not.toContain('DirectoryAdded')
})

test('folders from the start are no news', async () => {
  const { place, folder } = beside()
  const { names } = await ask(['Done.'], { in: place, additionalDirectories: [folder] })
  expect(names).not.toContain('DirectoryAdded')
})

describe.skipIf(noSandbox !== undefined)('in the sandbox', () => {
  test('commands may write in a folder that was added, and what is protected there stays protected', async () => {
    const place = neighbourhood()
    const call = (command: string) => callTurn('Bash', { command })
    const turns = [call(`echo a > ${place.outside}/a`), 'Done.']
    const { sent } = await ask([...turns, ...turns, call(`echo b > ${place.outside}/.mcp.json`), 'Done.'], {
      in: place,
      sandbox: true,
      allowedTools: ['Bash'],
      prompt: prompts('one', `/add-dir ${place.outside}`, 'two', 'three')
    })
    expect(resultsIn(sent.at(-1)!).map(({ isError }) => isError)).toEqual([true, false, true])
    expect(Object.keys(place.neighbours())).toContain(join(place.outside, 'a'))
  })
})
