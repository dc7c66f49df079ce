import { expect, test } from 'vitest'
import { problemsIn, sourceFiles } from '../../scripts/check-imports.ts'

const problems = (files: Record<string, string>): readonly string[] => problemsIn(new Map(Object.entries(files)))

// F196
test('imports of src go one way', async () => {
  const files = await sourceFiles('.')
  expect(files.size).toBeGreaterThan(10)
  expect(problemsIn(files)).toEqual([])
})

test('a lower module must not know a higher one, not even its types', () => {
  expect(
    problems({
      'src/lib/util/plain.ts': `import type { Hook } from '../hooks/hook.ts'`,
      'src/lib/hooks/hook.ts': ''
    })
  ).toEqual(['src/lib/util/plain.ts imports src/lib/hooks/hook.ts: util is below hooks and must not know it'])
  expect(
    problems({ 'src/lib/hooks/hook.ts': `export {\n  a,\n  type B\n} from '../../index.ts'`, 'src/index.ts': '' })
  ).toEqual(['src/lib/hooks/hook.ts imports src/index.ts: hooks is below src/*.ts and must not know it'])
})

test('siblings must not know each other', () => {
  expect(
    problems({
      'src/lib/tools/bash.ts': `import { fire } from '../hooks/registry.ts'`,
      'src/lib/hooks/registry.ts': ''
    })
  ).toEqual([
    'src/lib/tools/bash.ts imports src/lib/hooks/registry.ts: tools and hooks stand side by side and must not know each other'
  ])
})

test('what may be imported may be imported', () => {
  expect(
    problems({
      'src/lib/util/plain.ts': `import { fault } from '../errors.ts'`,
      'src/lib/errors.ts': '',
      'src/lib/message.ts': `import type { Plain } from './util/plain.ts'`,
      'src/lib/hooks/run.ts': `import { a } from './a.ts'\nimport type { Message } from '../message.ts'`,
      'src/lib/hooks/a.ts': `/**\n * import { x } from '../agent/loop.ts'\n */`,
      'src/lib/agent/loop.ts': `import * as run from '../hooks/run.ts'\nimport { spawn } from 'node:child_process'`,
      'src/hooks.ts': `export * from './lib/hooks/run.ts'`,
      'src/index.ts': `export * from './hooks.ts'\nexport { loop } from './lib/agent/loop.ts'`
    })
  ).toEqual([])
})

test('a cycle is an error that names its files; types may go in circles', () => {
  const cycle = (statement: string): readonly string[] =>
    problems({
      'src/lib/hooks/a.ts': `import { b } from './b.ts'`,
      'src/lib/hooks/b.ts': `import c from './c.ts'`,
      'src/lib/hooks/c.ts': statement
    })
  const words =
    'src/lib/hooks/a.ts → src/lib/hooks/b.ts → src/lib/hooks/c.ts → src/lib/hooks/a.ts: ' +
    'a cycle; only `import type` may go in circles'
  expect(cycle(`import { a } from './a.ts'`)).toEqual([words])
  expect(cycle(`import './a.ts'`)).toEqual([words])
  expect(cycle(`const a = await import('./a.ts')`)).toEqual([words])
  // What is imported only as inline types is still imported at run time.
  expect(cycle(`import { type A } from './a.ts'`)).toEqual([words])
  expect(cycle(`import type { A } from './a.ts'`)).toEqual([])
  expect(cycle(`export type { A } from './a.ts'`)).toEqual([])
})

// F196
test('the engine alone reaches neither Node nor packages', () => {
  const rule = 'src/hooks.ts reaches it, and that needs no Node and no packages'
  expect(
    problems({
      'src/hooks.ts': `export { on } from './lib/hooks/on.ts'`,
      'src/lib/hooks/on.ts': `import { join } from 'node:path'\nimport { wait } from '../util/wait.ts'`,
      'src/lib/util/wait.ts': `import type { Schema } from 'zod'`
    })
  ).toEqual([`src/lib/hooks/on.ts imports node:path: ${rule}`, `src/lib/util/wait.ts imports zod: ${rule}`])
})

test('a file that is not there, or outside src, and a module without a place are errors', () => {
  expect(problems({ 'src/lib/hooks/a.ts': `import './gone.ts'\nimport x from '../../../package.json'` })).toEqual([
    'src/lib/hooks/a.ts imports src/lib/hooks/gone.ts, which is not a file of src/',
    'src/lib/hooks/a.ts imports ./package.json, which is not a file of src/'
  ])
  expect(problems({ 'src/lib/helpers/a.ts': '' })).toEqual([
    'src/lib/helpers/a.ts: module "helpers" has no place yet; add it to LAYERS in scripts/check-imports.ts'
  ])
})
