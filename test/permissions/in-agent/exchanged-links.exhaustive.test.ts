/** File tools show what was judged, although another process exchanges it for links to denied files all the time. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { ask, project, resultsIn, type Project } from '../../support/agent-kit.ts'

const DRIVER = fileURLToPath(new URL('drivers/exchange-links.ts', import.meta.url))

/** Starts to exchange links; the result ends that, and says how often it was done. */
async function exchanging({ cwd, path, has }: Project): Promise<() => Promise<number>> {
  const child = spawn(process.execPath, [DRIVER, cwd], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = child.stdout.setEncoding('utf8').toArray()
  await expect.poll(() => has('tree/folder/k') && has('tree/plain'), { message: path('tree') }).toBe(true)
  return async () => {
    child.stdin.end()
    await once(child, 'close')
    return Number((await output).join(''))
  }
}

const search = (tool: 'Grep' | 'Glob', input: object) => ({ name: tool, input })
const grep = (path: string, output_mode = 'content') => search('Grep', { pattern: 'hidden|visible', path, output_mode })
const read = (file_path: string) => ({ name: 'Read', input: { file_path } })
const edit = (file_path: string) => ({
  name: 'Edit',
  input: { file_path, old_string: ' common', new_string: ' changed' }
})

const READS = [
  read('plain'),
  read('folder/k'),
  read('tree/plain'),
  read('tree/folder/k'),
  read('folder/name-of-denied')
]
const SEARCHES = [
  grep('plain'),
  grep('folder'),
  grep('tree'),
  grep('tree', 'count'),
  grep('tree', 'files_with_matches'),
  search('Glob', { pattern: 'folder/*' }),
  search('Glob', { pattern: 'tree/**/*' })
]
const CHANGES = [edit('plain'), read('plain'), edit('tree/folder/k'), read('tree/folder/k')]

// P6, P7
test.each([
  ['Read', READS, 2_000],
  ['Grep and Glob', SEARCHES, 300],
  ['Edit', CHANGES, 2_000]
])('%s', async (_, calls, rounds) => {
  const place = project({
    'secrets/k': 'hidden common\n',
    'secrets/name-of-denied': 'hidden common\n',
    'tree/other': 'visible\n'
  })
  const stop = await exchanging(place)
  const leaks: string[] = []
  let shown = 0
  for (let round = 0; round < rounds; round += 100) {
    const turns = Array.from({ length: 100 }, () => ({ calls }))
    const { sent, events } = await ask([...turns, 'done'], {
      in: place,
      permissionMode: 'acceptEdits',
      maxTurns: 1_000,
      disallowedTools: ['Read(./secrets/**)']
    })
    const results = resultsIn(sent.at(-1)!).map(({ text }) => text)
    const outputs = events.map(({ input }) => JSON.stringify(input['tool_response'] ?? input['error'] ?? ''))
    leaks.push(...[...results, ...outputs].filter(text => /hidden common|name-of-denied(?!")/.test(text)))
    shown += results.filter(text => text.includes('visible')).length
  }
  expect(await stop()).toBeGreaterThan(100)
  expect(shown).toBeGreaterThan(rounds / 10)
  expect(leaks.slice(0, 3)).toEqual([])
  expect(leaks).toHaveLength(0)
})
