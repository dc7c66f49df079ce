import { expect, test, vi } from 'vitest'
import { contextOf, hookScene } from '../../../support/external-scene.ts'
import { HANG } from '../../../support/waiting.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

const CHECK = `#!/bin/bash\n${contextOf('ran from the plugin')}\n`

/** Folders that a shell could take for something else. */
const ODD = [
  'plain',
  'a b',
  "it's",
  'say "hi"',
  '$(touch executed)',
  '`touch executed`',
  ';touch executed;',
  '$HOME',
  'a\\b',
  '*',
  '&& touch executed',
  'ü-ñ',
  "a'$(touch executed)'b",
  'a"$(touch executed)"b',
  '-rf',
  '#no',
  '{x,y}',
  '!x',
  '~'
]

test.each(ODD)('a plugin in a folder %j runs, in double quotes', async odd => {
  const { hooks, command, write, path, has, folder } = hookScene()
  write(`${odd}/check.sh`, CHECK)
  command({ command: '"${CLAUDE_PLUGIN_ROOT}/check.sh"', plugin: { root: path(odd), data: folder } })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({
    additionalContext: 'ran from the plugin',
    failures: []
  })
  expect(has('executed')).toBe(false)
})

test.each(['plain', 'a b'])('a plugin in a folder %j runs, in single quotes', async odd => {
  const { hooks, command, write, path, has, folder } = hookScene()
  write(`${odd}/check.sh`, CHECK)
  command({ command: "'${CLAUDE_PLUGIN_ROOT}/check.sh'", plugin: { root: path(odd), data: folder } })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({
    additionalContext: 'ran from the plugin',
    failures: []
  })
  expect(has('executed')).toBe(false)
})

test.each(ODD)('a folder %j is never a piece of program, wherever it stands', async odd => {
  const { hooks, command, path, has } = hookScene()
  const plugin = { root: path(odd), data: path(`data ${odd}`) }
  const lines = [
    'true ${CLAUDE_PLUGIN_ROOT}',
    "true '${CLAUDE_PLUGIN_ROOT}'",
    'true "x${CLAUDE_PLUGIN_DATA}y"',
    'true $CLAUDE_PLUGIN_ROOT',
    'bash -c \'true "${CLAUDE_PLUGIN_ROOT}"\''
  ]
  lines.forEach((line, index) => command({ name: `line ${index}`, command: line, plugin }))
  await hooks.fire('PreToolUse', bash())
  expect(has('executed')).toBe(false)
})

test.each(ODD)('in exec form a folder %j is filled in as it is', async odd => {
  const { hooks, command, write, path, has, folder } = hookScene()
  write(`${odd}/check.sh`, CHECK)
  command({ command: 'bash', args: ['${CLAUDE_PLUGIN_ROOT}/check.sh'], plugin: { root: path(odd), data: folder } })
  command({
    name: 'program',
    command: '${CLAUDE_PLUGIN_ROOT}/check.sh',
    args: [],
    plugin: { root: path(odd), data: folder }
  })
  const outcome = await hooks.fire('PreToolUse', bash())
  expect(outcome.failures).toEqual([])
  expect(outcome.contexts).toHaveLength(2)
  expect(has('executed')).toBe(false)
})

test.each([
  'bash "${CLAUDE_PROJECT_DIR}/check.sh"',
  'bash "$CLAUDE_PROJECT_DIR"/check.sh',
  "bash '${CLAUDE_PROJECT_DIR}/check.sh'"
])('the root of the project is found in the same way: %s', async line => {
  const around = hookScene()
  around.write('my project/check.sh', contextOf('ran'))
  const { hooks, command } = hookScene({ cwd: '/' }, { projectDir: around.path('my project') })
  command({ command: line })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ additionalContext: 'ran', failures: [] })
})

test('variables of the shell stay what they are', async () => {
  const { hooks, command } = hookScene()
  command({ command: `MINE=yes; ${contextOf('${MINE} ${OTHER:-default} ${CLAUDE_NOT_OURS}')}`, env: { OTHER: '' } })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ additionalContext: 'yes default ' })
})
