// Stop hook: the agent may end its turn when the project's tests pass for the files as they are.
// Settings name the command of the tests: node .claude/hooks/tests-before-stop.mjs npm test
// On SessionStart it remembers the files as they are, so that a session that changes nothing needs no tests.
import { spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const cwd = process.env.CLAUDE_PROJECT_DIR ?? process.cwd()
const { hook_event_name: event } = JSON.parse(readFileSync(0, 'utf8'))
const command = process.argv.slice(2).join(' ')
const files = state()

if (event === 'SessionStart') remember()
else if (files === undefined || !known().includes(files)) test()

/** Holds the agent back, unless the tests pass. A test run that cannot be started has not passed. */
function test() {
  const { status, stdout, stderr, error } = spawnSync(command, {
    cwd,
    shell: true,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 570_000
  })
  if (status === 0 && command !== '') return remember()
  const output = `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim().slice(-4000)
  process.stderr.write(`Before you end: "${command}" does not pass. Correct the cause, not the tests.\n${output}\n`)
  process.exitCode = 2
}

/** The files of the project as one hash: all that git tracks or would add. Undefined without git: then tests always run. */
function state() {
  const folder = mkdtempSync(join(tmpdir(), 'tests-before-stop-'))
  const [index, objects] = [gitPath('index'), gitPath('objects')]
  // Nothing is written to the repository. With a copy of the index, git only reads files that have changed.
  const env = {
    ...process.env,
    GIT_INDEX_FILE: join(folder, 'index'),
    GIT_OBJECT_DIRECTORY: folder,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: objects
  }
  try {
    if (index !== undefined && existsSync(index)) copyFileSync(index, env.GIT_INDEX_FILE)
    return git(['add', '--all'], env) === undefined ? undefined : git(['write-tree'], env)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function git(args, env = process.env) {
  const { status, stdout } = spawnSync('git', args, { cwd, env, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** Where git keeps a file of this repository. */
function gitPath(name) {
  const path = git(['rev-parse', '--git-path', name])
  return path === undefined ? undefined : resolve(cwd, path)
}

/** The states that need no test run, one per line. */
function known() {
  const path = gitPath('tests-passed')
  return path !== undefined && existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
}

function remember() {
  const path = gitPath('tests-passed')
  if (path !== undefined && files !== undefined && !known().includes(files)) appendFileSync(path, `${files}\n`)
}
