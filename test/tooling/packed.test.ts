import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as agentSdkEntry from '../../src/agent-sdk.ts'
import * as aiSdkEntry from '../../src/ai-sdk.ts'
import * as externalEntry from '../../src/external.ts'
import * as hooksEntry from '../../src/hooks.ts'
import * as rootEntry from '../../src/index.ts'
import * as settingsEntry from '../../src/settings.ts'
import * as testingEntry from '../../src/testing.ts'
import * as workerEntry from '../../src/worker.ts'
import { copyDist } from '../support/built-package.ts'

/** A program that has the package installed: built here, packed by npm, unpacked there. */
const folder = mkdtempSync(join(tmpdir(), 'carabiner-packed-'))
const app = join(folder, 'app')
const installed = join(app, 'node_modules', 'carabiner')

interface Ran {
  readonly code: number | null
  readonly output: string
}

const run = (program: string, args: readonly string[], cwd = '.'): Promise<Ran> =>
  new Promise(done => {
    const child = execFile(program, args, { cwd }, (_, stdout, stderr) => {
      done({ code: child.exitCode, output: `${stdout}${stderr}` })
    })
  })

async function must(program: string, args: readonly string[], cwd?: string): Promise<void> {
  const { code, output } = await run(program, args, cwd)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}`)
}

beforeAll(async () => {
  const source = join(folder, 'source')
  mkdirSync(join(app, 'node_modules'), { recursive: true })
  mkdirSync(source)
  for (const file of ['package.json', 'LICENSE']) cpSync(file, join(source, file))
  copyDist(join(source, 'dist'))
  await must('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], source)
  const tarball = readdirSync(folder).find(file => file.endsWith('.tgz'))
  await must('tar', ['-xzf', tarball!], folder)
  renameSync(join(folder, 'package'), installed)
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }')
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(app, 'node_modules', name)), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(app, 'node_modules', name), 'junction')
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const STRICT = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true, target: 'ES2023' }
/** Programs for Node, and programs that a bundler makes for the web, with nothing of Node in sight. */
const SETTINGS = {
  nodenext: { module: 'nodenext', lib: ['ES2023'], types: ['node'], typeRoots: [resolve('node_modules/@types')] },
  bundler: { module: 'esnext', moduleResolution: 'bundler', lib: ['ES2023', 'DOM'], types: [] }
}

type Setting = keyof typeof SETTINGS

const compile = (name: string, text: string, setting: Setting): Promise<Ran> =>
  compileAll(name, { 'main.ts': text }, setting, 'typescript')

function compileAll(
  name: string,
  files: Readonly<Record<string, string>>,
  setting: Setting,
  compiler: 'typescript' | 'typescript-5'
): Promise<Ran> {
  const project = join(app, `${name}-${setting}`)
  mkdirSync(project)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text)
  const compilerOptions = { ...STRICT, ...SETTINGS[setting] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }))
  return run(process.execPath, [resolve('node_modules', compiler, 'bin/tsc'), '-p', project])
}

const consumer = (name: string): string => readFileSync(`test/types/consumer/${name}.ts`, 'utf8')
const FINE: Ran = { code: 0, output: '' }
const WRONG = `import { HookRegistry } from 'carabiner/hooks'\nnew HookRegistry().on('PreToolUze', () => {})\n`

describe.each(['nodenext', 'bundler'] as const)('the packed package, resolved by %s', setting => {
  test('takes options that are explicitly undefined', async () => {
    expect(await compile('options', consumer('options'), setting)).toEqual(FINE)
  })

  test('takes base fields of an input that are explicitly undefined', async () => {
    expect(await compile('base-fields', consumer('base-fields'), setting)).toEqual(FINE)
  })

  test('lets users describe their tools to carabiner/hooks', async () => {
    expect(await compile('extend-hooks', consumer('extend-hooks'), setting)).toEqual(FINE)
  })

  test('lets users describe their tools to carabiner', async () => {
    expect(await compile('extend-root', consumer('extend-root'), setting)).toEqual(FINE)
  })

  test('is typed: what is wrong is an error', async () => {
    const { code, output } = await compile('wrong', WRONG, setting)
    expect(code).not.toBe(0)
    expect(output).toContain('main.ts(2,')
    expect(output).toContain('PreToolUze')
  })

  test('makes the first example of the README compile', async ({ skip }) => {
    skip(!readme(), 'there is no README.md yet')
    expect(await compile('readme', readme()!, setting)).toEqual(FINE)
  })

  test('is the same to TypeScript 5.9', async () => {
    const names = ['options', 'base-fields', 'extend-hooks', 'extend-root']
    const files = Object.fromEntries(names.map(name => [`${name}.ts`, consumer(name)]))
    const all = { ...files, 'readme.ts': readme() ?? '', 'wrong.ts': WRONG }
    const { output } = await compileAll('older', all, setting, 'typescript-5')
    // The one error is where it should be.
    expect(output.trim().split(/\n(?! )/)).toEqual([expect.stringMatching(/^\S*wrong\.ts\(2,.*PreToolUze/s)])
  })
})

/** The first block of TypeScript in the README. */
function readme(): string | undefined {
  if (!existsSync('README.md')) {
    console.warn('README.md is missing, so its first example is not compiled')
    return undefined
  }
  const block = /^```ts\n(.*?)^```$/ms.exec(readFileSync('README.md', 'utf8'))
  if (block === null) throw new Error('README.md has no block of ```ts')
  return block[1]
}

test('the first example of the README runs from the packed package, offline', async ({ skip }) => {
  skip(!readme(), 'there is no README.md yet')
  writeFileSync(join(app, 'readme.ts'), readme()!)
  const { code, output } = await run(process.execPath, ['readme.ts'], app)
  expect(code, output).toBe(0)
  // The line below the example says what it prints.
  expect(readFileSync('README.md', 'utf8')).toContain(`prints \`${output.trim()}\``)
})

test('the packed command line has the tour, and ends it with commands of the installed package', async () => {
  const { code, output } = await run(process.execPath, [join(installed, 'dist/cli.js'), 'demo'], app)
  expect(code, output).toBe(0)
  expect(output).toContain('outbox.txt: invoice-1 once, invoice-2 once, invoice-3 once\n')
  expect(output.match(/^ {2}npx carabiner .*$/gm)).toHaveLength(3)
})

test('the packed package exports what src exports, from each entry', async () => {
  const entries = {
    carabiner: rootEntry,
    'carabiner/agent-sdk': agentSdkEntry,
    'carabiner/ai-sdk': aiSdkEntry,
    'carabiner/external': externalEntry,
    'carabiner/hooks': hooksEntry,
    'carabiner/settings': settingsEntry,
    'carabiner/testing': testingEntry,
    'carabiner/worker': workerEntry
  }
  const program = `
    const names = {}
    for (const entry of ${JSON.stringify(Object.keys(entries))}) names[entry] = Object.keys(await import(entry)).sort()
    console.log(JSON.stringify(names))
  `
  writeFileSync(join(app, 'entries.js'), program)
  const { code, output } = await run(process.execPath, ['entries.js'], app)
  expect(code, output).toBe(0)
  expect(JSON.parse(output)).toEqual(
    Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, Object.keys(entry).toSorted()]))
  )
})

test.each(['agent-sdk', 'ai-sdk', 'hooks', 'testing', 'worker'])(
  'carabiner/%s can be bundled into one file, without the agent',
  async name => {
    const program = `import * as entry from 'carabiner/${name}'\nconsole.log(Object.keys(entry).length > 0)`
    const outfile = join(folder, 'elsewhere', `${name}.mjs`)
    const { metafile } = await build({
      stdin: { contents: program, resolveDir: app },
      bundle: true,
      format: 'esm',
      platform: 'node',
      metafile: true,
      // A peer: programs that use it have it.
      external: ['ai'],
      outfile
    })
    expect(await run(process.execPath, [outfile])).toEqual({ code: 0, output: 'true\n' })
    expect(Object.keys(metafile.inputs).filter(input => /(agent|external|settings)\.js$/.test(input))).toEqual([])
  }
)

// F196
test('the engine runs where there are only the globals of the web', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(installed, 'dist/hooks.js')],
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'carabiner',
    platform: 'browser',
    metafile: true,
    write: false
  })
  expect(Object.keys(metafile.inputs).filter(input => !input.includes('carabiner/dist/'))).toEqual([])

  const web = { AbortController, setTimeout, clearTimeout, performance, queueMicrotask, crypto, console }
  const context = createContext(web)
  runInContext(outputFiles[0]!.text, context)
  const program = `(async () => {
    const { HookRegistry, deny, guard } = carabiner
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', 'Bash', ctx => {
      if (/rm -rf/.test(ctx.toolInput.command)) return deny('Dangerous command')
    })
    hooks.on('PreToolUse', 'Slow', () => new Promise(() => {}), { timeout: 0.01, name: 'slow' })
    hooks.on('PreToolUse', 'Read', async ctx => { ctx.toolInput.path = '/safe' + ctx.toolInput.path })
    const call = (tool, input) => guard(hooks, tool, given => JSON.stringify(given))(input).catch(error => error.message)
    return JSON.stringify({
      node: typeof process + typeof require + typeof Buffer,
      denied: await call('Bash', { command: 'rm -rf /' }),
      allowed: await call('Bash', { command: 'ls' }),
      late: await call('Slow', {}),
      changed: await call('Read', { path: '/a' })
    })
  })()`
  const told: unknown = JSON.parse((await runInContext(program, context)) as string)
  expect(told).toEqual({
    node: 'undefinedundefinedundefined',
    denied: expect.stringMatching(/^Bash was refused by .+: Dangerous command$/),
    allowed: '{"command":"ls"}',
    late: expect.stringContaining('Slow was refused'),
    changed: '{"path":"/safe/a"}'
  })
})
