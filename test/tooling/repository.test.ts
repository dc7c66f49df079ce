import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly scripts: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly overrides: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest

/** Every file of the repository: tracked by git, or untracked and not ignored. */
const files = listFiles().filter(file => existsSync(file) && statSync(file).isFile())

function listFiles(): readonly string[] {
  const { status, stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8'
  })
  if (status === 0) return stdout.split('\n').filter(file => file !== '')
  // A copy without its history.
  return globSync(['*', '.*', '{.ci,bench,docs,examples,scripts,src,test}/**'], { exclude: ['**/node_modules'] })
}

describe('the public API', () => {
  const entries = Object.entries(manifest.exports).filter(([name]) => name !== './package.json')

  test('each entry is one file of src, and each file of src is an entry', () => {
    const names = entries.map(([name]) => (name === '.' ? 'src/index.ts' : `src/${name.slice(2)}.ts`))
    const commands = Object.values(manifest.bin).map(file => file.replace('./dist/', 'src/').replace(/js$/, 'ts'))
    expect([...names, ...commands].toSorted()).toEqual(globSync('src/*.ts', { exclude: ['src/*.test.ts'] }).toSorted())
  })

  test.each(entries)('%s leads to its file in dist, types first', (name, target) => {
    const file = name === '.' ? 'index' : name.slice(2)
    expect(Object.entries(target)).toEqual([
      ['types', `./dist/${file}.d.ts`],
      ['default', `./dist/${file}.js`]
    ])
  })

  // F196
  test('few packages are installed with it, and the engine reaches none of them', () => {
    expect(Object.keys(manifest.dependencies).toSorted()).toEqual([
      '@ai-sdk/anthropic',
      '@ai-sdk/openai-compatible',
      '@ai-sdk/provider',
      '@modelcontextprotocol/client',
      '@types/json-schema',
      '@vscode/ripgrep',
      'ajv',
      'chokidar',
      'commander',
      'diff',
      'jsonc-parser',
      're2js',
      'unbash',
      'yaml',
      'zod'
    ])
  })
})

test('versions of tools are exact', () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.overrides })
  expect(versions.length).toBeGreaterThan(5)
  expect(versions.filter(([, version]) => !/^(npm:[a-z-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([])
})

// Written so that it does not find itself.
const leadsOut = new RegExp(String.raw`\.\./share[d]|(?<![\w.])/(?:wor[k]|roo[t])/`)

test('the repository stands alone: no file leads out of it, or to one machine', () => {
  expect(files).toContain('package.json')
  expect(files.length).toBeGreaterThan(50)
  const found = files.flatMap(file =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (leadsOut.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []))
  )
  expect(found).toEqual([])
})

test.each([
  ['..', 'shared', 'notes.md'],
  ['', 'work', 'main'],
  ['', 'root', '.cache']
])('a path such as %s/%s would be found', (...parts) => {
  expect(leadsOut.test(parts.join('/'))).toBe(true)
  expect(leadsOut.test('./shared/work/src')).toBe(false)
})

test('what npm and .ci/run start is there', () => {
  for (const script of Object.values(manifest.scripts)) {
    for (const [file] of script.matchAll(/\b(?:scripts|examples)\/[\w./-]+/g)) expect(existsSync(file), file).toBe(true)
  }
  expect(statSync('.ci/run').mode & 0o111).not.toBe(0)
})
