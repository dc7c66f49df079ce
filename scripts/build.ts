/**
 * Builds the package: JavaScript by rolldown, types by tsc.
 *
 *     node scripts/build.ts [--out dist] [--no-types]
 *
 * Each entry is a file in dist/, and what entries share is in dist/chunks/. Packages stay outside, and dynamic imports
 * stay dynamic. Nothing is minified, so that traces are readable without source maps as well.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * What is loaded together is one chunk: a chunk has these modules and all that they import, except for what an earlier
 * chunk has. All other modules are in chunks by which entries and dynamic imports need them.
 */
const CHUNKS = {
  engine: /src\/hooks\.ts$/,
  base: /src\/lib\/(util\/(attempt|bounded|credentials|escape)|version)\.ts$/,
  names: /src\/lib\/(util\/near|permissions\/tool-names|tools\/content)\.ts$/,
  checks: /src\/lib\/(schema\/(check|table)|model\/(failure|stream-events|usage))\.ts$/,
  'command-line': /src\/lib\/cli\/main\.ts$/,
  external: /src\/external\.ts$/,
  settings: /src\/settings\.ts$/,
  agent: /src\/index\.ts$/
}

/** Files that are started by their path, from a chunk beside them. */
const PROGRAMS = { 'helper-main': 'src/lib/world/process/helper-main.ts' }

interface SourceMap {
  readonly sources: readonly string[]
  readonly mappings: string
}

async function writeScripts(out: string): Promise<void> {
  const names = readdirSync(join(ROOT, 'src')).filter(name => name.endsWith('.ts'))
  const entries = Object.fromEntries(names.map(name => [name.slice(0, -3), join(ROOT, 'src', name)]))
  const bundle = await rolldown({
    cwd: ROOT,
    input: { ...entries, ...PROGRAMS },
    platform: 'node',
    external: id => !/^[./]/.test(id)
  })
  const groups = Object.entries(CHUNKS).map(([name, test], index, all) => ({
    name,
    test,
    priority: all.length - index
  }))
  const { output } = await bundle.generate({
    // Maps name sources relative to the folder of the output.
    dir: join(ROOT, 'dist'),
    entryFileNames: ({ name }) => (Object.hasOwn(PROGRAMS, name) ? 'chunks/[name].js' : '[name].js'),
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: { groups },
    comments: { annotation: true, legal: false, jsdoc: false },
    sourcemap: true,
    sourcemapExcludeSources: true
  })
  await bundle.close()
  mkdirSync(join(out, 'chunks'), { recursive: true })
  for (const file of output) {
    const text = file.type === 'chunk' ? codeOf(file.name, file.code) : thinMap(String(file.source))
    writeFileSync(join(out, file.fileName), text)
  }
  if (readFileSync(join(out, 'chunks/base.js'), 'utf8').includes('package.json'))
    throw new Error('withVersion() found no version to replace')
  const written = new Set(output.map(({ fileName }) => fileName))
  for (const file of globSync('{*,chunks/*}.js{,.map}', { cwd: out })) if (!written.has(file)) rmSync(join(out, file))
}

/** Before tests that start the command line: builds its JavaScript if a source is newer. */
export async function setup(): Promise<void> {
  const built = statSync(join(ROOT, 'dist/cli.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  // A folder is newer when a file of it was removed.
  const sources = globSync(['package.json', 'scripts/build.ts', 'src/**'], { cwd: ROOT })
  if (sources.some(file => statSync(join(ROOT, file)).mtimeMs > built)) await writeScripts(join(ROOT, 'dist'))
}

/** The command line must start on a Node that is too old for that, to say so. */
const codeOf = (name: string, code: string): string =>
  name === 'cli' ? code : inAscii(withBuiltins(withVersion(code)))

/** With one other character, V8 keeps the whole text of a file with two bytes per character, and takes longer to load it. */
function inAscii(code: string): string {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error('an escape in String.raw would be another text')
  return code.replaceAll(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The version is in the code: a program that is bundled into one file has no package.json of ours beside it. */
function withVersion(code: string): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  return code.replace(
    'JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))',
    JSON.stringify({ version })
  )
}

/**
 * Takes modules of Node without importing them: an import evaluates all that they load on demand, which is 7 ms for
 * `node:crypto` alone. The number of lines stays as it is.
 */
const withBuiltins = (code: string): string =>
  code
    .replaceAll(/^import \{(.*)\} from "(node:.+)";$/gm, (_, names: string, id: string) => {
      return `const {${names.replaceAll(' as ', ': ')}} = globalThis.process.getBuiltinModule("${id}");`
    })
    .replaceAll(
      /^import (?:\* as )?([\w$]+) from "(node:.+)";$/gm,
      'const $1 = globalThis.process.getBuiltinModule("$2");'
    )

/** A map that tells the line, and not the column within it: a fifth of the size. */
function thinMap(text: string): string {
  const { sources, mappings } = JSON.parse(text) as SourceMap
  const lines = decode(mappings).map(line => line.filter(isNewLine))
  return JSON.stringify({ version: 3, sources, names: [], mappings: encode(lines) })
}

/** Whether a segment tells of another line than the one before it. */
function isNewLine(segment: SourceMapSegment, index: number, line: readonly SourceMapSegment[]): boolean {
  const before = line[index - 1]
  return before === undefined || before[1] !== segment[1] || before[2] !== segment[2]
}

function writeTypes(out: string): void {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', out]
  execFileSync(process.execPath, args, { stdio: 'inherit' })
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, types: { type: 'boolean' } },
    allowNegative: true
  })
  const out = resolve(values.out ?? join(ROOT, 'dist'))
  if (values.types !== false) {
    rmSync(out, { recursive: true, force: true })
    writeTypes(out)
  }
  await writeScripts(out)
}
