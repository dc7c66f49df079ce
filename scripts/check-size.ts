/** What users download: the engine alone, bundled for a browser, and the package as npm packs it. */
import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * In bytes. Raise a limit only with a reason that users would accept.
 * Without a single sentence for people the engine would still be over 20,000.
 */
const LIMITS = {
  'carabiner/hooks, minified and gzipped': 26_000,
  'the package, packed': 740_000,
  'the package, unpacked': 2_550_000
}

async function gzippedEngine(): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: ['dist/hooks.js'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

function packedSizes(): { size: number; unpackedSize: number } {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore']
  })
  const [pack] = Object.values(JSON.parse(text) as Record<string, { size: number; unpackedSize: number }>)
  return pack!
}

const { size, unpackedSize } = packedSizes()
const sizes: Record<keyof typeof LIMITS, number> = {
  'carabiner/hooks, minified and gzipped': await gzippedEngine(),
  'the package, packed': size,
  'the package, unpacked': unpackedSize
}
const format = (bytes: number): string => bytes.toLocaleString('en')

for (const [what, limit] of Object.entries(LIMITS)) {
  const bytes = sizes[what as keyof typeof LIMITS]
  console.log(`${what}: ${format(bytes)} of ${format(limit)} bytes${bytes > limit ? ', too much' : ''}`)
  if (bytes > limit) process.exitCode = 1
}
