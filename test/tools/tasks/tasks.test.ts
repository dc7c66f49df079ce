import { expect, test } from 'vitest'
import { bashTool } from '../../../src/lib/tools/bash/bash.ts'
import { taskOutputTool, taskStopTool } from '../../../src/lib/tools/tasks/tasks.ts'
import { shellScene, type ShellScene } from '../bash/shell-scene.ts'
import { gone, POLL } from '../../support/waiting.ts'

async function begin({ call }: ShellScene, command: string, more: object = {}): Promise<string> {
  const { output, error } = await call(bashTool, { command, run_in_background: true, ...more })
  expect(error).toBeUndefined()
  return String(output['backgroundTaskId'])
}

test('a command in the background, from its beginning to its end', POLL, async () => {
  const stage = shellScene()
  const { call, session, root } = stage
  const task_id = await begin(stage, 'echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 3', {
    description: 'count'
  })
  const ask = (input: object = {}) => call(taskOutputTool, { task_id, ...input })
  const task = session.background.get(task_id)!
  expect(task).toMatchObject({ id: task_id, type: 'local_bash', description: 'count', status: 'running' })
  await expect
    .poll(async () => (await ask({ block: false })).output, POLL)
    .toMatchObject({
      retrieval_status: 'not_ready',
      task: { status: 'running', output: 'one\n', exitCode: null }
    })
  expect(await ask({ timeout: 10 })).toMatchObject({
    content: `${task_id} is still running.\n(nothing new was printed)`,
    output: { retrieval_status: 'timeout', task: { output: '' } }
  })
  const end = ask()
  await call(bashTool, { command: `touch ${root}/go` })
  expect(await end).toEqual({
    content: `${task_id} has failed with exit code 3.\ntwo\n`,
    output: {
      retrieval_status: 'success',
      task: { task_id, task_type: 'local_bash', status: 'failed', description: 'count', output: 'two\n', exitCode: 3 }
    }
  })
  expect((await ask()).output).toMatchObject({ retrieval_status: 'success', task: { output: '' } })
})

test('it is read in pieces that are all of it', POLL, async () => {
  const stage = shellScene()
  const task_id = await begin(stage, 'for i in $(seq 200); do echo $i; echo $i >&2; done')
  const task = stage.session.background.get(task_id)!
  let text = ''
  await expect
    .poll(() => {
      text += task.read()
      return task.status
    }, POLL)
    .toBe('completed')
  await task.done
  text += task.read()
  expect(
    text
      .split('\n')
      .filter(Boolean)
      .map(Number)
      .toSorted((a, b) => a - b)
  ).toEqual(Array.from({ length: 400 }, (_, at) => Math.floor(at / 2) + 1))
})

test('it can be ended, once', POLL, async () => {
  const stage = shellScene()
  const { call, running } = stage
  const task_id = await begin(stage, "trap '' TERM; while :; do sleep 1; done")
  expect(await call(taskStopTool, { shell_id: task_id })).toMatchObject({
    output: { task_id, task_type: 'local_bash', command: expect.stringContaining('trap'), message: expect.any(String) }
  })
  await gone(running)
  expect((await call(taskStopTool, { task_id })).error).toBe(`${task_id} is not running: it has been ended.`)
  expect((await call(taskOutputTool, { task_id })).output).toMatchObject({ task: { status: 'killed' } })
})

test('it has a time limit of its own', POLL, async () => {
  const stage = shellScene()
  const task_id = await begin(stage, 'echo begun; sleep 300', { timeout: 300 })
  const { content, output } = await stage.call(taskOutputTool, { task_id })
  expect(content).toMatch(/has failed.*\nbegun\n[^]*ended after 300 ms/)
  expect(output).toMatchObject({ task: { status: 'failed' } })
  await gone(stage.running)
})

test('it moves no one, and ends with the session', POLL, async () => {
  const stage = shellScene()
  const task_id = await begin(stage, 'cd /; sleep 300')
  expect(stage.session.cwd).toBe(stage.root)
  await stage.close()
  expect(stage.session.background.get(task_id)!.status).toBe('killed')
  await gone(stage.running)
})

test('whoever waits for it can be given up', POLL, async () => {
  const stage = shellScene()
  const task_id = await begin(stage, 'sleep 300')
  const stop = new AbortController()
  const waiting = stage.call(taskOutputTool, { task_id, timeout: 600_000 }, { signal: stop.signal })
  stop.abort()
  expect((await waiting).output).toMatchObject({ task: { status: 'running' } })
})

test('one that there is not', async () => {
  const stage = shellScene()
  const none = await stage.call(taskOutputTool, { task_id: 'constructor' })
  expect(none.error).toBe('Nothing in the background is named "constructor"; nothing runs in the background.')
  const id = await begin(stage, 'true')
  expect((await stage.call(taskStopTool, { task_id: 'x' })).error).toContain(`there are ${id}`)
  await expect(stage.call(taskStopTool, {})).rejects.toThrow('task_id')
})

test('one that could not be started', async () => {
  const stage = shellScene()
  const task_id = await begin(stage, `: ${'x'.repeat(200_000)}`)
  const { content, output } = await stage.call(taskOutputTool, { task_id })
  expect(content).toContain('could not be started: it is too long')
  expect(output).toMatchObject({ task: { status: 'failed' } })
})
