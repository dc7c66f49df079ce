/** Stacks that the built command line prints name lines of src/, not of the bundle. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/built-package.ts'
import { cliStage, escaped } from '../support/cli-stage.ts'

/** A hook that fails, and prints its own stack first. */
const FAILING = `export default hooks =>
  hooks.on('PreToolUse', 'Bash', () => {
    const error = new TypeError('broken hook')
    console.error(error.stack)
    throw error
  })
`

/** The lines of src/ that a stack names, as they are written there. */
function sourceLines(stack: string): readonly string[] {
  const places = stack.matchAll(/\(file:\/\/(\S+\/src\/\S+\.ts):(\d+):\d+\)/g)
  return Array.from(places, ([, file = '', line]) => readFileSync(file, 'utf8').split('\n')[Number(line) - 1] ?? '')
}

test('the stack of a failing hook names its own line and lines of src', async () => {
  const here = cliStage()
  const module = here.write('project/failing.mjs', FAILING)
  const { stderr, stdout } = await here.run(['fire', 'PreToolUse', '--hooks', module])
  expect(stdout).toContain('failed (threw): broken hook')
  expect(stderr).toContain(`TypeError: broken hook\n    at `)
  expect(stderr).toMatch(new RegExp(`${escaped(module)}:3:19`))
  expect(stderr).toContain(`${join(REPOSITORY, 'src/lib/hooks/dispatch/run.ts')}:`)
  expect(stderr).not.toContain(join(REPOSITORY, 'dist'))
  // Each line calls the one before it.
  expect(sourceLines(stderr)).toEqual(
    expect.arrayContaining([expect.stringContaining('hooks.fire('), expect.stringContaining('await row.run(')])
  )
})

test('the stack of an error of Node has its code', async () => {
  const here = cliStage()
  const module = here.write(
    'project/reading.mjs',
    `export default () => { console.error(caught().stack) }
function caught() { try { return Buffer.alloc('many') } catch (error) { return error } }
`
  )
  const { stderr } = await here.run(['fire', 'Stop', '--hooks', module])
  expect(stderr).toContain('TypeError [ERR_INVALID_ARG_TYPE]: The "size" argument')
})

test('an unexpected error in a command is printed with lines of src', async () => {
  const here = cliStage()
  const breaks = `export default () => { JSON.stringify = () => { throw new RangeError('broken') } }\n`
  const module = here.write('project/breaks.mjs', breaks)
  const { code, stderr } = await here.run(['fire', 'Stop', '--hooks', module, '--json'])
  expect(code).toBe(1)
  expect(stderr).toContain('carabiner: RangeError: broken\n    at ')
  expect(stderr).not.toContain(join(REPOSITORY, 'dist'))
  expect(sourceLines(stderr)).toContainEqual(expect.stringContaining('JSON.stringify('))
})
