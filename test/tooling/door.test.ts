import { expect, test } from 'vitest'
import { problemsIn } from '../../scripts/check-door.ts'
import { sourceFiles } from '../../scripts/check-imports.ts'

const DOOR = 'src/lib/agent/call/call-tool.ts'
const GOOD = {
  [DOOR]: 'const running = tool.run(input, call)',
  'src/lib/tools/bash/bash.ts': 'export const bashTool: Tool = {\n  async run(input, call) {}\n}',
  'src/lib/tools/custom.ts': 'export async function customTool(given: Given): Promise<Tool> {\n}',
  'src/lib/query/setup/tools.ts': `import { bashTool } from '../tools/bash.ts'\nimport { customTool } from '../tools/custom.ts'`
}
const problems = (more: Record<string, string>): readonly string[] =>
  problemsIn(new Map(Object.entries({ ...GOOD, ...more })))

// FM35
test('in src there is one place that runs a tool', async () => {
  const files = await sourceFiles('.')
  expect(files.has(DOOR)).toBe(true)
  expect(problemsIn(files)).toEqual([])
  expect(problems({})).toEqual([])
})

test.each([
  'tool.run(input, call)',
  'tool?.run(input, call)',
  'tool\n  .run(input, call)',
  'session.tools.get(name)!.run(input, call)',
  'const start = tool.run.bind(tool)',
  `tool['run'](input, call)`,
  'const { run } = tool',
  'const { name, run: start } = tool'
])('another is found: %j', text => {
  for (const path of [
    'src/lib/agent/loop.ts',
    'src/lib/query/open.ts',
    'src/lib/tools/tasks/tasks.ts',
    'src/lib/cli/run/run.ts',
    'src/index.ts'
  ])
    expect(problems({ [path]: text })).toEqual([expect.stringContaining(`${path} mentions run`)])
  expect(problems({ [DOOR]: `${GOOD[DOOR]}\n${text}` })).toEqual([expect.stringContaining('in 2')])
})

test('a door that runs nothing is no door', () => {
  expect(problems({ [DOOR]: '// tool.run(input)' })).toEqual([expect.stringContaining('in 0')])
})

test('what is no tool may run, in the places that are known', () => {
  expect(
    problems({
      'src/lib/cli/main.ts': 'code = await row.run(argument, flags)',
      'src/lib/hooks/dispatch/run.ts': 'hook.run(ctx)',
      'src/lib/agent/loop.ts': '/** Calls tool.run(input). */\n// tool.run()\nrunCalls(calls)\nsession.running = true'
    })
  ).toEqual([])
  expect(problems({ 'src/lib/cli/main.ts': 'tool.run(argument)' })).toHaveLength(1)
})

const EVENTS = 'src/lib/agent/session/session-hooks.ts'

test.each([
  `const outcome = await session.options.hooks.fire('Stop', input)`,
  'registry?.fire(event, input)',
  'hooks\n  .fire(event, input)',
  `hooks['fire'](event, input)`,
  'const fire = hooks.fire.bind(hooks)',
  'const { fire } = session.options.hooks',
  'const { list, fire: start } = hooks'
])('an outcome that is obtained any other way is found: %j', text => {
  for (const path of ['src/lib/agent/loop.ts', 'src/lib/agent/call/permit.ts', 'src/lib/query/open.ts'])
    expect(problems({ [path]: text })[0]).toContain(`${path} mentions fire`)
  const port = `return hooks.fire(event, input, about)`
  expect(problems({ [EVENTS]: port })).toEqual([])
  expect(problems({ [EVENTS]: `${port}\n${text}` })[0]).toContain('in 2')
  expect(problems({ [EVENTS]: '// hooks.fire(event)' })).toEqual([expect.stringContaining('in 0')])
})

test('hooks of a session are run, and tools offer an event by its name', () => {
  const text = `await session.hooks.run('Stop', end)\nthis.#session.hooks.run('Stop', end)\nconst call = { fire: (event, input) => session.hooks.runByName(event, input) }`
  expect(problems({ 'src/lib/agent/stop.ts': text })).toEqual([])
  expect(problems({ 'src/lib/agent/stop.ts': 'tool.hooks.run(input)' })).toHaveLength(1)
  expect(problems({ 'src/lib/settings/active/live-reload.ts': 'this.#hooks.fire(event, input)' })).toEqual([])
})

test('only one file imports what makes tools', () => {
  const named = [expect.stringContaining('src/lib/agent/loop.ts imports bashTool of tools')]
  expect(problems({ 'src/lib/agent/loop.ts': `import { bashTool } from '../tools/bash.ts'` })).toEqual(named)
  expect(problems({ 'src/lib/agent/loop.ts': `import {\n  bashTool as b\n} from '../tools/bash.ts'` })).toEqual(named)
  const whole = [expect.stringContaining('imports a whole module of tools')]
  expect(problems({ 'src/lib/cli/run/run.ts': `import * as bash from '../tools/bash.ts'` })).toEqual(whole)
  expect(problems({ 'src/lib/cli/run/run.ts': `const bash = await import('../tools/bash.ts')` })).toEqual(whole)
  expect(problems({ 'src/index.ts': `export * from './lib/tools/bash.ts'` })).toEqual(whole)
  expect(problems({ 'src/index.ts': `export { tool } from './lib/tools/custom.ts'` })).toEqual([])
  expect(problems({ 'src/lib/agent/call/permit.ts': `import type { Tool } from '../tools/tool.ts'` })).toEqual([])
})

test('a check that finds no tools says so', () => {
  expect(problemsIn(new Map([[DOOR, 'tool.run(x)']]))).toEqual([expect.stringContaining('wrong place')])
})
