import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as agentSdkEntry from '../../src/agent-sdk.ts'
import * as aiSdkEntry from '../../src/ai-sdk.ts'
import * as externalEntry from '../../src/external.ts'
import * as hooksEntry from '../../src/hooks.ts'
import * as rootEntry from '../../src/index.ts'
import * as settingsEntry from '../../src/settings.ts'
import * as testingEntry from '../../src/testing.ts'
import * as workerEntry from '../../src/worker.ts'
import {
  compileAll,
  FINE_PROGRAMS,
  ONE_ERROR,
  packApp,
  readmeExample,
  removeApp,
  runProgram,
  WRONG_PROGRAM,
  type PackedApp
} from './packed-kit.ts'

let packed: PackedApp
beforeAll(async () => {
  packed = await packApp()
})
afterAll(() => removeApp(packed))

test.each(['nodenext', 'bundler'] as const)(
  'the packed package is typed, resolved by %s: programs compile, and what is wrong is an error',
  async setting => {
    const { output } = await compileAll(packed, { ...FINE_PROGRAMS, 'wrong.ts': WRONG_PROGRAM }, setting)
    expect(output.trim().split(/\n(?! )/)).toEqual([expect.stringMatching(ONE_ERROR)])
  }
)

test('the first example of the README runs from the packed package, offline', async () => {
  writeFileSync(join(packed.app, 'readme.ts'), readmeExample())
  const { code, output } = await runProgram(process.execPath, ['readme.ts'], packed.app)
  expect(code, output).toBe(0)
  // The line below the example says what it prints.
  expect(readFileSync('README.md', 'utf8')).toContain(`prints \`${output.trim()}\``)
})

test('the packed command line has the tour, and ends it with commands of the installed package', async () => {
  const { code, output } = await runProgram(
    process.execPath,
    [join(packed.installed, 'dist/cli.js'), 'demo'],
    packed.app
  )
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
  writeFileSync(join(packed.app, 'entries.js'), program)
  const { code, output } = await runProgram(process.execPath, ['entries.js'], packed.app)
  expect(code, output).toBe(0)
  expect(JSON.parse(output)).toEqual(
    Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, Object.keys(entry).toSorted()]))
  )
})

test.each(['agent-sdk', 'ai-sdk', 'hooks', 'testing', 'worker'])(
  'carabiner/%s can be bundled into one file, without the agent',
  async name => {
    const program = `import * as entry from 'carabiner/${name}'\nconsole.log(Object.keys(entry).length > 0)`
    const outfile = join(packed.folder, 'elsewhere', `${name}.mjs`)
    const { metafile } = await build({
      stdin: { contents: program, resolveDir: packed.app },
      bundle: true,
      format: 'esm',
      platform: 'node',
      metafile: true,
      // A peer: programs that use it have it.
      external: ['ai'],
      outfile
    })
    expect(await runProgram(process.execPath, [outfile])).toEqual({ code: 0, output: 'true\n' })
    expect(Object.keys(metafile.inputs).filter(input => /(agent|external|settings)\.js$/.test(input))).toEqual([])
  }
)

// F196
test('the engine runs where there are only the globals of the web', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(packed.installed, 'dist/hooks.js')],
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
