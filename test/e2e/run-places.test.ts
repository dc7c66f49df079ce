/** Places that go away, or cannot be written to: a clear word before the model is asked, and a transcript that is whole. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { replay } from '../../src/lib/agent/session/replay.ts'
import { projectKeyOf } from '../../src/lib/query/session-choice.ts'
import { JsonlStore } from '../../src/index.ts'
import { CLI } from '../support/built-package.ts'
import { ended, type Ran, type CliStage } from '../support/cli-stage.ts'
import { isRoot } from '../support/host.ts'
import { agent, callReply, textReply, type Agent } from './agent.ts'
import { gone, HANG } from '../support/waiting.ts'
import { rule } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const works = (...words: readonly string[]): boolean => spawnSync(words[0]!, words.slice(1)).status === 0
/** In a user namespace root is an ordinary user that owns what root owns. */
const canBeOrdinary = !isRoot || works('unshare', '--user', 'true')
const canMount = works('unshare', '-Ur', '--mount', 'sh', '-c', 'mount -t tmpfs none /mnt')
const hasTerminal = works('script', '-qec', 'test -t 1', '/dev/null')
const because = (can: boolean, what: string): string => (can ? '' : ` (skipped: ${what} is not possible here)`)

/** The transcript of the only session in this home: no gaps, and nothing open. */
async function wholeTranscript({ project, path }: CliStage, home = path('home')) {
  const store = new JsonlStore(join(home, '.carabiner/projects'))
  const projectKey = projectKeyOf(project)
  const [sessionId] = store.idsIn(projectKey)
  const { entries, gaps } = (await store.load({ projectKey, sessionId: sessionId! }))!
  expect(gaps).toEqual([])
  return { sessionId: sessionId!, entries, ...replay(entries)! }
}

async function refusedBeforeAsking(run: Agent, ran: Ran, ...words: readonly string[]): Promise<void> {
  expect(ran).toMatchObject({ code: 4, stdout: '' })
  for (const word of words) expect(ran.stderr).toContain(word)
  expect(ran.stderr).not.toContain('    at ')
  expect(run.server.requests).toHaveLength(0)
}

/** The same words in a shell, with what comes before and after them. */
const shell = (run: Agent, script: string, args: readonly string[], prefix: readonly string[] = []): Promise<Ran> => {
  const [program, ...rest] = [...prefix, 'sh', '-c', script, process.execPath, CLI, 'run', '-p', ...args]
  const keys = { ANTHROPIC_API_KEY: 'key-of-a-test', ANTHROPIC_BASE_URL: run.server.url }
  return ended(spawn(program!, rest, { cwd: run.project, env: { ...run.env, ...keys } }))
}

// FM40
test.each([
  ['ENOTDIR', (run: Agent) => run.write('home/.carabiner', 'a file')],
  ['ENOTDIR', (run: Agent) => run.write(`home/.carabiner/projects/${projectKeyOf(run.project)}`, 'a file')],
  ['ELOOP', (run: Agent) => spawnSync('ln', ['-s', 'loop', run.path('home/loop')])]
])('%s where the transcript would be: a clear word before the model is asked', async (code, spoil) => {
  const run = await agent([textReply('never')])
  spoil(run)
  const env = code === 'ELOOP' ? { CARABINER_HOME: run.path('home/loop') } : {}
  const ran = await run.run(['run', '-p', 'Hi'], {
    env: { ANTHROPIC_API_KEY: 'key-of-a-test', ANTHROPIC_BASE_URL: run.server.url, ...env }
  })
  await refusedBeforeAsking(run, ran, code)
})

// FM40
test('ENAMETOOLONG: a name that no disk takes', async () => {
  const run = await agent([textReply('never')])
  const env = { ANTHROPIC_API_KEY: 'key-of-a-test', ANTHROPIC_BASE_URL: run.server.url }
  const CARABINER_HOME = run.path(`home/${'x'.repeat(300)}`)
  await refusedBeforeAsking(
    run,
    await run.run(['run', '-p', 'Hi'], { env: { ...env, CARABINER_HOME } }),
    'ENAMETOOLONG'
  )
})

// FM40, FM49
test.skipIf(!canBeOrdinary)(
  `EACCES: a home that may only be read${because(canBeOrdinary, 'to be an ordinary user')}`,
  async () => {
    const run = await agent([textReply('never')])
    chmodSync(run.home, 0o555)
    onTestFinished(() => chmodSync(run.home, 0o755))
    const ran = await shell(run, 'exec "$0" "$@"', ['Hi'], isRoot ? ['unshare', '--user'] : [])
    await refusedBeforeAsking(run, ran, 'EACCES', 'the transcript')
  }
)

/** Runs with a disk of its own, of this kind, for the home; the resulting files are copied to `kept`. */
const onDisk = (run: Agent, options: string, script: string, args: readonly string[]): Promise<Ran> =>
  shell(run, `mount -t tmpfs -o ${options} none "$HOME" && ${script}`, args, ['unshare', '-Ur', '--mount'])

// FM40
test.skipIf(!canMount)(`EROFS: a disk that may only be read${because(canMount, 'to mount a disk')}`, async () => {
  const run = await agent([textReply('never')])
  await refusedBeforeAsking(run, await onDisk(run, 'ro', 'exec "$0" "$@"', ['Hi']), 'EROFS', 'the transcript')
})

const FILL = 'head -c 2000000 /dev/zero > "$HOME/full" 2> /dev/null; true'

// FM40, FM38
test.skipIf(!canMount)(`ENOSPC: a disk that is full${because(canMount, 'to mount a disk')}`, async () => {
  const run = await agent([textReply('never')])
  const ran = await onDisk(run, 'size=1m', `{ ${FILL}; exec "$0" "$@"; }`, ['Hi'])
  await refusedBeforeAsking(run, ran, 'ENOSPC', 'the transcript')
})

// FM38
test.skipIf(!canMount)(
  `a disk that becomes full: nothing begins that was not written down, and it continues later${because(canMount, 'to mount a disk')}`,
  async () => {
    const append = (n: number) => callReply(['Bash', { command: `echo token-${n}. >> effects # ${'x'.repeat(2000)}` }])
    const run = await agent([callReply(['Bash', { command: FILL }]), ...[1, 2, 3, 4, 5, 6].map(append)])
    const script = `{ "$0" "$@"; first=$?; cp -R "$HOME/.carabiner" before; touch effects; cp effects effects-before; rm "$HOME/full"
      "$0" "$1" run -p 'And now?' --resume full --allowedTools Bash; second=$?; cp -R "$HOME/.carabiner" after; echo $first $second; }`
    const args = ['Go', '--session-id', 'full', '--allowedTools', 'Bash']
    run.server.reply(...Array.from({ length: 4 }, () => textReply('Done.')))
    const ran = await onDisk(run, 'size=1m', script, args)
    expect(ran.stderr).toContain('ENOSPC')
    expect(ran.stdout.trim().split('\n').at(-1)).toMatch(/^[1-9]\d* 0$/)
    const key = { projectKey: projectKeyOf(run.project), sessionId: 'full' }
    const [before, after] = await Promise.all(
      ['before', 'after'].map(name => new JsonlStore(run.path(`project/${name}/projects`)).load(key))
    )
    const tokensIn = (text: string): readonly string[] => text.match(/token-\d\./g) ?? []
    const [first, all] = ['effects-before', 'effects'].map(name => tokensIn(run.read(`project/${name}`)))
    const intended = JSON.stringify(before!.entries.filter(({ type }) => type === 'tool-intent'))
    expect(first!.filter(token => !intended.includes(token))).toEqual([])
    expect(first!.length).toBeLessThan(6)
    expect(new Set(all).size).toBe(all!.length)
    expect(after!.entries.slice(0, before!.entries.length)).toEqual(before!.entries)
    expect(after!.gaps.filter(({ why }) => why !== 'damaged')).toEqual([])
    expect(replay(after!.entries)!.open).toBeUndefined()
  }
)

// FM49
test('a folder that is gone before it begins', async () => {
  const run = await agent([textReply('never')])
  const ran = await shell(run, 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"', ['Hi'])
  await refusedBeforeAsking(run, ran, 'the working directory no longer exists')
})

// FM49
test('a folder that goes away meanwhile: the model hears of it, and the transcript is whole', async () => {
  const run = await agent([
    callReply(['Bash', { command: 'cd / && rm -rf "$OLDPWD"' }]),
    callReply(['Bash', { command: 'echo there' }]),
    textReply('Then not.')
  ])
  const ran = await run.ask(['Go', '--allowedTools', 'Bash'])
  expect(ran).toMatchObject({ code: 0, stdout: 'Then not.\n' })
  const { entries, open } = await wholeTranscript(run)
  expect(open).toBeUndefined()
  expect(JSON.stringify(entries.findLast(({ type }) => type === 'user'))).toMatch(/is gone/)
})

const appears = (file: string): Promise<unknown> =>
  vi.waitUntil(() => existsSync(file), { timeout: HANG / 2, interval: 20 })

// FM49
test('a transcript that is moved elsewhere meanwhile is whole there', async () => {
  const run = await agent()
  run.server.reply(
    callReply(['Bash', { command: 'touch running; until [ -e moved ]; do sleep 0.02; done' }]),
    callReply(['Bash', { command: 'echo once >> effects' }]),
    textReply('Done.')
  )
  const end = ended(run.begin(['Go', '--allowedTools', 'Bash']))
  await appears(run.path('project/running'))
  renameSync(run.path('home/.carabiner'), run.path('elsewhere'))
  run.write('home/.carabiner', 'a file')
  run.write('project/moved', '')
  expect(await end).toMatchObject({ code: 0, stdout: 'Done.\n' })
  renameSync(run.path('home/.carabiner'), run.path('file'))
  renameSync(run.path('elsewhere'), run.path('home/.carabiner'))
  expect((await wholeTranscript(run)).open).toBeUndefined()
})

const LINGERS = (file: string): string => `echo $$ > ${file}.new; mv ${file}.new ${file}; sleep 600`

// FM49, FM62
test.skipIf(!hasTerminal || process.platform !== 'linux')(
  `a terminal that goes away: it ends in good order${because(hasTerminal, 'to have a terminal')} (Linux)`,
  async () => {
    const run = await agent()
    const [running, over] = [run.path('home/running'), run.path('home/over')]
    run.server.reply(callReply(['Bash', { command: LINGERS(running) }]), textReply('never'))
    run.user({ hooks: { SessionEnd: [rule(`cat > ${over}.new; mv ${over}.new ${over}`)] } })
    const words = [process.execPath, CLI, 'run', '-p', 'Go', '--allowedTools', 'Bash', '--verbose']
    const keys = { ANTHROPIC_API_KEY: 'key-of-a-test', ANTHROPIC_BASE_URL: run.server.url }
    const terminal = spawn('script', ['-qec', words.join(' '), '/dev/null'], {
      cwd: run.project,
      env: { ...run.env, ...keys }
    })
    const end = ended(terminal)
    await appears(running)
    terminal.kill('SIGKILL')
    await end
    await appears(over)
    const pid = Number(readFileSync(running, 'utf8'))
    await gone([pid])
    await vi.waitUntil(async () => (await wholeTranscript(run)).open === undefined, { timeout: HANG / 2, interval: 20 })
    expect(run.server.requests).toHaveLength(1)
  }
)

// FM49
test.skipIf(process.platform !== 'linux')(
  'a reader that goes away: nothing is lost, and no one is left (Linux)',
  async () => {
    const run = await agent()
    const running = run.path('home/running')
    run.server.reply(
      callReply(['Bash', { command: 'echo once >> effects' }]),
      callReply(['Bash', { command: LINGERS(running), run_in_background: true }]),
      callReply(['Bash', { command: `until [ -e ${running} ]; do sleep 0.02; done` }]),
      textReply('Done.')
    )
    const child = run.begin(['Go', '--allowedTools', 'Bash', '--output-format', 'stream-json'])
    child.stdout!.once('data', () => child.stdout!.destroy())
    const { stderr } = await ended(child)
    expect(stderr).not.toContain('    at ')
    const { open } = await wholeTranscript(run)
    expect(open).toBeUndefined()
    if (existsSync(running)) {
      const pid = Number(readFileSync(running, 'utf8'))
      await gone([pid])
    }
  }
)

test('what is kept is for the user alone', async () => {
  const run = await agent([textReply('Hello.')])
  await run.ask(['Hi'])
  const folder = run.path(`home/.carabiner/projects/${projectKeyOf(run.project)}`)
  expect(statSync(join(folder, readdirSync(folder)[0]!)).mode & 0o777).toBe(0o600)
})
