/** The workers in docs/workers.md, exactly as they are printed there. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildPackage, REPOSITORY, tsc } from '../../../support/built-package.ts'
import { workerStage, type WorkerStage, workerFolder } from './worker-kit.ts'
import { POLL } from '../../../support/waiting.ts'

vi.setConfig({ testTimeout: POLL.timeout, hookTimeout: 60_000 })

const PAGE = readFileSync(join(REPOSITORY, 'docs/workers.md'), 'utf8')

/** The one block of a language. */
function block(language: string): string {
  const blocks = Array.from(
    PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm')),
    ({ 1: code = '' }) => code
  )
  expect(blocks, language).toHaveLength(1)
  return blocks[0]!
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    console.warn('python3 is missing, so the worker in Python is not run')
    return false
  }
}

const fire = ({ hooks }: WorkerStage, command: string) =>
  Promise.resolve(hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: 'call' }))

/** All three do the same. */
async function behaves(command: string, file: string): Promise<void> {
  const setting = workerStage({ command, args: [file] })
  const [bad, good] = await Promise.all([fire(setting, 'rm -rf /'), fire(setting, 'ls "ü"')])
  expect(bad).toMatchObject({ decision: 'deny', reason: 'not with rm -rf', failures: [] })
  expect(good).toMatchObject({ decision: undefined, failures: [] })
  expect(setting.hook.status()).toMatchObject({ state: 'running', restarts: 0, strays: 0 })
  const pong = execFileSync(command, [file], { input: '{"id":18,"ping":true}\n', encoding: 'utf8' })
  expect(JSON.parse(pong)).toEqual({ id: 18 })
}

/** A file with the block of a language. */
function recipe(language: string, name: string): string {
  const file = join(workerFolder(), name)
  writeFileSync(file, block(language))
  return file
}

test('the worker in shell', async () => {
  await behaves('sh', recipe('sh', 'policy.sh'))
})

test.skipIf(!hasPython())('the worker in Python (skipped where python3 is missing)', async () => {
  await behaves('python3', recipe('python', 'policy.py'))
})

test.each(['sh', 'python'])('the worker in %s has about ten lines', language => {
  expect(block(language).trim().split('\n').length).toBeLessThanOrEqual(11)
})

describe('the worker in TypeScript', () => {
  let built: ReturnType<typeof buildPackage>
  let file: string

  beforeAll(() => {
    built = buildPackage()
    const folder = join(built.folder, 'author')
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    symlinkSync(built.folder, join(folder, 'node_modules/carabiner'), 'junction')
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    file = join(folder, 'policy.ts')
    writeFileSync(file, block('typescript'))
  })
  afterAll(() => built.remove())

  test('compiles, for users with strict settings', () => {
    const types = { types: ['node'], typeRoots: [join(REPOSITORY, 'node_modules/@types')] }
    const compilerOptions = {
      strict: true,
      noPropertyAccessFromIndexSignature: true,
      ...types,
      target: 'ES2023',
      module: 'NodeNext',
      noEmit: true
    }
    writeFileSync(join(dirname(file), 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['policy.ts'] }))
    expect(() => tsc('-p', dirname(file))).not.toThrow()
  })

  test('does as the others', async () => {
    await behaves(process.execPath, file)
  })

  test('fails an event that it throws on', async () => {
    const { hooks } = workerStage({ command: process.execPath, args: [file], events: ['UserPromptSubmit'] })
    const { failures } = await hooks.fire('UserPromptSubmit', { prompt: ' ' })
    expect(failures).toMatchObject([{ kind: 'threw', message: 'the prompt is empty' }])
    expect(await hooks.fire('UserPromptSubmit', { prompt: 'hello' })).toMatchObject({ failures: [] })
  })
})
