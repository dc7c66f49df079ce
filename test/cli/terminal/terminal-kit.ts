/** A terminal of its own, with `carabiner run` in it: keys are typed, and the screen is read back. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Turn } from '../../../src/testing.ts'
import { CLI } from '../../support/built-package.ts'
import { type CliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'

/** Tests that need a terminal are skipped where there is no tmux. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0
if (!hasTmux) console.warn('there is no tmux here: the tests of the terminal are skipped')

const POLL = 40

export interface Terminal {
  /** The process that runs in it. */
  pid(): number
  /** Keys by the names that tmux has for them, after which it does not wait. */
  keys(...names: string[]): void
  /** Text, and Enter. */
  line(text: string): void
  /** Text as from a clipboard. */
  paste(text: string): void
  /** All that can be seen or scrolled back to, lines as they are on the screen. */
  screen(): string
  /** The same, with colours. */
  coloured(): string
  /** Every byte that the program sent. */
  raw(): string
  /** Waits until the screen shows this. */
  shows(what: string | RegExp): Promise<string>
  /** Waits for an empty prompt at the bottom. */
  ready(): Promise<string>
  /** Waits for its end, and gives the exit code. */
  ended(): Promise<number>
  /** The terminal goes away. */
  close(): void
}

interface Choice {
  readonly columns?: number
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

let opened = 0

/** Opens one, with a model that says these turns. */
export function terminal(here: CliStage, turns: readonly Turn[], choice: Choice = {}): Terminal {
  const { columns = 100, args = [], env = {} } = choice
  const script = here.write('script.json', { turns, price: { input: 3, output: 15, cacheWrite: 4, cacheRead: 0.3 } })
  const config = here.write(
    'tmux.conf',
    'set -g remain-on-exit on\nset -g history-limit 5000\nset -g default-shell /bin/sh\n'
  )
  const number = ++opened
  const place = (name: string): string => here.path(`terminal-${number}-${name}`)
  const [socket, raw] = [place('tmux'), place('raw')]
  const variables = Object.entries({ ...here.env, LC_ALL: 'C.UTF-8', TERM: 'tmux-256color', ...env })
  const words = [process.execPath, CLI, 'run', '--model', `script:${script}`, ...args]
  const program = ['env', '-i', ...variables.map(([name, value]) => `${name}=${value}`), ...words].map(quoted).join(' ')
  // tmux forgets now and then how a program ended: the shell around it writes it down.
  const [pidFile, codeFile] = [place('pid'), place('code')]
  const command = `sh -c 'echo $$ > ${pidFile}; exec "$@"' sh ${program}; echo $? > ${codeFile}`
  const tmux = (...given: string[]): string =>
    execFileSync('tmux', ['-u', '-S', socket, '-f', config, ...given], {
      encoding: 'utf8',
      env: { ...here.env, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' }
    })
  const size = ['-x', String(columns), '-y', '50', '-c', here.project]
  tmux('new-session', '-d', '-s', 'run', ...size, command, ';', 'pipe-pane', `cat > ${quoted(raw)}`)
  const numberIn = (file: string): number => Number(existsSync(file) ? readFileSync(file, 'utf8') || NaN : NaN)
  const pid = (): number => numberIn(pidFile)
  let isOpen = true
  const close = (): void => {
    if (isOpen) tmux('kill-server')
    isOpen = false
  }
  onTestFinished(async () => {
    close()
    await until(() => isGone(pid()), 'the session is still there')
  })

  const screen = (): string => tmux('capture-pane', '-p', '-t', 'run', '-S', '-').trimEnd()
  const shows = async (what: string | RegExp): Promise<string> => {
    const seen = (): boolean => (typeof what === 'string' ? screen().includes(what) : what.test(screen()))
    await until(seen, () => `nowhere on the screen: ${what}\n${screen()}`)
    return screen()
  }
  return {
    pid,
    keys: (...names) => void tmux('send-keys', '-t', 'run', ...names),
    line: text => void tmux('send-keys', '-t', 'run', '-l', text, ';', 'send-keys', '-t', 'run', 'Enter'),
    paste(text) {
      tmux('set-buffer', '-b', 'clip', text)
      tmux('paste-buffer', '-p', '-b', 'clip', '-t', 'run')
    },
    screen,
    coloured: () => tmux('capture-pane', '-p', '-e', '-t', 'run', '-S', '-').trimEnd(),
    raw: () => (existsSync(raw) ? readFileSync(raw, 'utf8') : ''),
    shows,
    ready: () => shows(/(?:^|\n)(?:\w+ )?>$/),
    async ended() {
      await until(
        () => !Number.isNaN(numberIn(codeFile)),
        () => `it has not ended:\n${screen()}`
      )
      return numberIn(codeFile)
    },
    close
  }
}

/** Waits for something, with a limit at which it counts as hanging. */
export async function until(holds: () => boolean, why: string | (() => string)): Promise<void> {
  for (const begun = performance.now(); !holds();) {
    if (performance.now() - begun > HANG / 2) throw new Error(typeof why === 'string' ? why : why())
    await new Promise(resolve => setTimeout(resolve, POLL))
  }
}

export function isGone(pid: number): boolean {
  if (Number.isNaN(pid)) return true
  if (existsSync(`/proc/${pid}/stat`)) return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

/** What the transcript of the only session has of these: texts that the model was given. */
export function toldModel(here: CliStage): string {
  const folder = here.path('home/.carabiner/projects')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.jsonl'))
  return files
    .flatMap(name => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map(line => JSON.parse(line) as { type: string; message?: { content: unknown } })
    .filter(({ type }) => type === 'user')
    .map(({ message }) => JSON.stringify(message?.content))
    .join('\n')
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
