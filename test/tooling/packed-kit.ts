/** The package as npm installs it, and programs that are compiled with it. */
import { execFile } from 'node:child_process'
import {
  cpSync,
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
import { copyDist } from '../support/built-package.ts'

interface Ran {
  readonly code: number | null
  readonly output: string
}

export const runProgram = (program: string, args: readonly string[], cwd = '.'): Promise<Ran> =>
  new Promise(done => {
    const child = execFile(program, args, { cwd }, (_, stdout, stderr) => {
      done({ code: child.exitCode, output: `${stdout}${stderr}` })
    })
  })

async function must(program: string, args: readonly string[], cwd?: string): Promise<void> {
  const { code, output } = await runProgram(program, args, cwd)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}`)
}

/** A program that has the package installed: packed by npm, unpacked there. */
export interface PackedApp {
  readonly folder: string
  readonly app: string
  readonly installed: string
}

export async function packApp(): Promise<PackedApp> {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-packed-'))
  const [app, source] = [join(folder, 'app'), join(folder, 'source')]
  const installed = join(app, 'node_modules', 'carabiner')
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
  return { folder, app, installed }
}

export const removeApp = ({ folder }: PackedApp): void => rmSync(folder, { recursive: true, force: true })

const STRICT = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true, target: 'ES2023' }
/** Programs for Node, and programs that a bundler makes for the web, with nothing of Node in sight. */
const SETTINGS = {
  nodenext: { module: 'nodenext', lib: ['ES2023'], types: ['node'], typeRoots: [resolve('node_modules/@types')] },
  bundler: { module: 'esnext', moduleResolution: 'bundler', lib: ['ES2023', 'DOM'], types: [] }
}

export type CompilerSetting = keyof typeof SETTINGS

/** Compiles these files with the package, and returns what the compiler says. */
export function compileAll(
  { app }: PackedApp,
  files: Readonly<Record<string, string>>,
  setting: CompilerSetting,
  compiler: 'typescript' | 'typescript-5' = 'typescript'
): Promise<Ran> {
  const project = mkdtempSync(join(app, `${setting}-`))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text)
  const compilerOptions = { ...STRICT, ...SETTINGS[setting] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }))
  return runProgram(process.execPath, [resolve('node_modules', compiler, 'bin/tsc'), '-p', project])
}

/** The first block of TypeScript in the README. */
export function readmeExample(): string {
  const block = /^```ts\n(.*?)^```$/ms.exec(readFileSync('README.md', 'utf8'))
  if (block?.[1] === undefined) throw new Error('README.md has no block of ```ts')
  return block[1]
}

const consumer = (name: string): string => readFileSync(`test/types/consumer/${name}.ts`, 'utf8')

/** Programs that compile: with options and fields that are explicitly undefined, with tools that users describe. */
export const FINE_PROGRAMS: Readonly<Record<string, string>> = {
  'options.ts': consumer('options'),
  'base-fields.ts': consumer('base-fields'),
  'extend-hooks.ts': consumer('extend-hooks'),
  'extend-root.ts': consumer('extend-root'),
  'readme.ts': readmeExample()
}
/** One with a mistake in its second line. */
export const WRONG_PROGRAM = `import { HookRegistry } from 'carabiner/hooks'\nnew HookRegistry().on('PreToolUze', () => {})\n`
/** What the compiler says about all of them. */
export const ONE_ERROR = /^\S*wrong\.ts\(2,.*PreToolUze/s
