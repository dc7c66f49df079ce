import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bashTool } from '../../../src/lib/tools/bash/bash.ts'
import { shellScene, type ShellScene } from './shell-scene.ts'

async function run({ call, session, root }: ShellScene, command: string): Promise<{ said: string; cwd: string }> {
  const { content } = await call(bashTool, { command })
  return { said: content, cwd: session.cwd.replace(root, '.') }
}

test.each([
  ['cd a', './a'],
  ['cd a; exit 3', './a'],
  ['cd a; false', './a'],
  ['cd a && trap "true" EXIT && cd b', './a/b'],
  ['set -eu; cd a/b; false; cd ..', './a/b'],
  ['(cd a)', '.'],
  ['cd a | cat', '.'],
  ['cd a; cd -', '.'],
  ['cd link', './a/b'],
  ['pushd a/b', './a/b'],
  ['cd "with space"', './with space'],
  ['cd "it\'s"', "./it's"],
  ["cd $'new\\nline'", './new\nline'],
  ['pwd() { echo /; }; cd a', './a'],
  ['exec 1>&- 2>&-; cd a', './a']
])('%s', async (command, cwd) => {
  const stage = shellScene()
  for (const name of ['a/b', 'with space', "it's", 'new\nline']) mkdirSync(join(stage.root, name), { recursive: true })
  symlinkSync('a/b', join(stage.root, 'link'))
  expect(await run(stage, command)).toMatchObject({ cwd })
  const moved = cwd !== '.'
  expect(stage.fired).toEqual(
    moved ? [{ event: 'CwdChanged', input: { old_cwd: stage.root, new_cwd: stage.session.cwd } }] : []
  )
})

test('the next command runs there', async () => {
  const stage = shellScene()
  await run(stage, 'mkdir a && cd a')
  expect((await run(stage, 'pwd')).said).toBe(join(stage.root, 'a'))
  expect(stage.fired).toHaveLength(1)
})

test('outside of the project it goes back to where that begins, and says so', async () => {
  const stage = shellScene()
  await run(stage, 'mkdir a && cd a')
  expect(await run(stage, 'cd /; pwd')).toEqual({
    said: `/\n/ is outside of the project; the next command runs in ${stage.root}.`,
    cwd: '.'
  })
  symlinkSync('/', join(stage.root, 'away'))
  expect(await run(stage, 'cd away')).toMatchObject({ said: expect.stringContaining('outside'), cwd: '.' })
})

test('further folders belong to the work', async () => {
  const other = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-other-')))
  onTestFinished(() => rmSync(other, { recursive: true }))
  const stage = shellScene({ directories: [other] })
  expect(await run(stage, `cd ${other}`)).toEqual({ said: 'Done', cwd: other })
})

test('a project that is reached by a link stays where it is written', async () => {
  const stage = shellScene()
  mkdirSync(join(stage.root, 'real/in'), { recursive: true })
  const link = join(stage.root, 'project')
  symlinkSync('real', link)
  const through = shellScene({ root: link, cwd: link })
  await run(through, 'cd in')
  expect(through.session.cwd).toBe(join(link, 'in'))
  await run(through, 'cd ..')
  expect(through.session.cwd).toBe(link)
})

// FM49
test('a folder that is gone: the command runs where the project begins, and says so', async () => {
  const stage = shellScene()
  await run(stage, 'mkdir a && cd a')
  rmSync(join(stage.root, 'a'), { recursive: true })
  expect(await run(stage, 'pwd')).toEqual({
    said: `${stage.root}\nThe working directory ${stage.root}/a is gone; this ran in ${stage.root}.`,
    cwd: '.'
  })
  expect(stage.fired).toHaveLength(2)
  expect((await run(stage, 'pwd')).said).toBe(stage.root)
})

// FM49
test('a command may remove the folder that it runs in', async () => {
  const stage = shellScene()
  await run(stage, 'mkdir a && cd a')
  expect(await run(stage, 'rm -r ../a')).toMatchObject({ said: expect.stringContaining('is gone'), cwd: '.' })
  expect((await run(stage, 'pwd')).said).toBe(stage.root)
})

// FM49
test('without a project there is nowhere to run', async () => {
  const stage = shellScene()
  rmSync(stage.root, { recursive: true })
  const { error } = await stage.call(bashTool, { command: 'pwd' })
  expect(error).toContain(`There is no folder to run commands in: ${stage.root} is gone.`)
})

test('no home, and one that is a file', async () => {
  expect((await run(shellScene({ env: { HOME: '' } }), 'cd; pwd; echo fine')).said).toContain('fine')
  expect((await run(shellScene({ env: { HOME: '/dev/null' } }), 'echo fine')).said).toBe('fine')
})
