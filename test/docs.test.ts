/** The code in the documentation compiles, runs, and prints what its comments say. */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPackage, REPOSITORY, tsc } from './support/built-package.ts'

interface CodeBlock {
  /** `docs/guide.md:40`. */
  readonly place: string
  readonly file: string
  readonly code: string
  /** What `// → …` comments say that it prints. */
  readonly prints: readonly string[]
}

/** Blocks that import nothing continue from this, as the pages say. */
const PRELUDE = `
import { allow, applyEdits, ask, block, defer, deny, goesOn, guard, HookRegistry, later, transform } from 'carabiner'
import { createSdkMcpServer, query, tool } from 'carabiner'
import { harness, manualClock, scriptedModel } from 'carabiner/testing'
import { z } from 'zod'
const hooks = new HookRegistry()
`

const PAGES = ['README.md', ...globSync('docs/*.md', { cwd: REPOSITORY }).toSorted()]
const BLOCK = /^```ts\n([\s\S]*?)^```/gm

const BLOCKS = PAGES.flatMap(page => {
  const text = readFileSync(join(REPOSITORY, page), 'utf8')
  return Array.from(text.matchAll(BLOCK), ({ 1: code = '', index }): CodeBlock => {
    const line = text.slice(0, index).split('\n').length
    return {
      place: `${page}:${line}`,
      file: `${page.replaceAll(/\W/g, '-')}-${line}.ts`,
      code: /^import /m.test(code) ? code : PRELUDE + code,
      prints: Array.from(code.matchAll(/\/\/ → (.*)$/gm), ({ 1: words = '' }) => words)
    }
  })
})

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    module: 'NodeNext',
    moduleDetection: 'force',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(REPOSITORY, 'node_modules/@types')]
  },
  include: ['*.ts']
}

let built: ReturnType<typeof buildPackage>
let pages: string

/** Blocks run in a folder and with a home of their own. */
const run = (file: string): string =>
  execFileSync(process.execPath, [join(pages, file)], {
    encoding: 'utf8',
    cwd: pages,
    env: { ...process.env, HOME: join(built.folder, 'home'), CARABINER_HOME: undefined }
  })

/** A project that has the package installed, with a file for each block. */
beforeAll(() => {
  built = buildPackage()
  pages = join(built.folder, 'pages')
  mkdirSync(join(pages, 'node_modules'), { recursive: true })
  symlinkSync(built.folder, join(pages, 'node_modules/carabiner'), 'junction')
  symlinkSync(join(REPOSITORY, 'node_modules/ai'), join(built.folder, 'node_modules/ai'), 'junction')
  writeFileSync(join(pages, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(pages, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  for (const { file, code } of BLOCKS) writeFileSync(join(pages, file), code)
})
afterAll(() => built.remove())

test('there are blocks to check', () => {
  expect(PAGES).toContain('docs/guide.md')
  expect(BLOCKS.length).toBeGreaterThan(20)
})

test('every block compiles, for users with strict settings', () => {
  expect(() => tsc('-p', pages)).not.toThrow()
})

test('every block runs and prints what its comments say', () => {
  const files = BLOCKS.map(block => block.file)
  writeFileSync(join(pages, 'run.mjs'), runner(files))
  const stdout = run('run.mjs')
  const runs = JSON.parse(stdout) as Record<string, { lines: string[]; error?: string }>
  for (const { place, file, prints } of BLOCKS) {
    expect.soft(runs[file]?.error, place).toBeUndefined()
    if (prints.length > 0) expect.soft(runs[file]?.lines, place).toEqual(prints)
  }
})

/** One process that imports all, and tells what each printed. */
const runner = (files: readonly string[]): string => `
import { format } from 'node:util'
const runs = {}
const log = console.log
for (const file of ${JSON.stringify(files)}) {
  const run = (runs[file] = { lines: [] })
  console.log = (...words) => run.lines.push(...format(...words).split('\\n'))
  await import('./' + file).catch(error => (run.error = String(error)))
}
log(JSON.stringify(runs))
process.exit()
`

test('the README’s first example is a dozen lines, runs on its own, and prints a hook saying no', () => {
  const [first] = BLOCKS
  expect(first?.place).toMatch(/^README\.md/)
  expect(first?.code.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
  const stdout = run(first!.file)
  expect(stdout).toBe('Bash was refused by no-deleting: ask a person first\n')
  expect(readFileSync(join(REPOSITORY, 'README.md'), 'utf8')).toContain(`prints \`${stdout.trim()}\``)
})
