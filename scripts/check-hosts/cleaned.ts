import { isObject } from '../../src/lib/util/plain.ts'

/** Longer texts are of the host, not of the payload's form. */
const LONGEST = 300

/** Values that differ from run to run, and what stands for the first, the second and so on. */
const VARYING: readonly (readonly [pattern: RegExp, name: (number: number) => string])[] = [
  [
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
    n => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  ],
  [/\ba[0-9a-f]{16}\b/g, n => `a${String(n).padStart(16, '0')}`],
  [/toolu_\d{13}_\w+/g, n => `toolu_${n}`]
]

/** The same from run to run: moments and numbers of processes. */
const FIXED: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/\d{4}-\d\d-\d\dT[\d:]{8}\.\d+Z/g, '2026-01-02T03:04:05.000Z'],
  [/\d{4}-\d\d-\d\dT\d\d-\d\d-[0-9a-f]{8}\b/g, '2026-01-02T03-04-00000000'],
  [/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d/g, '2026-01-02T03-04-05'],
  [/-\d{3}Z_/g, '-000Z_'],
  [/\/tmp\/claude-\d+\//g, '/tmp/claude-1000/'],
  [/\/\d{4}\/\d\d\/\d\d\//g, '/2026/01/02/'],
  [/\b1[789]\d{11}\b/g, '1767323045000'],
  [/(PGID: |"duration_ms":|"durationMs":)\d+/g, '$11']
]

/** Payloads without anything of this machine and of this moment. `paths` are replaced first, the longest first. */
export function cleaned<T>(recorded: T, paths: Readonly<Record<string, string>>): T {
  let text = JSON.stringify(shortened(recorded))
  const byLength = Object.entries(paths).toSorted(([a], [b]) => b.length - a.length)
  for (const [path, name] of byLength) {
    text = text.replaceAll(path, name).replaceAll(path.replaceAll(/[/.]/g, '-'), name.replaceAll('/', '-'))
  }
  for (const [pattern, replacement] of FIXED) text = text.replaceAll(pattern, replacement)
  for (const [pattern, name] of VARYING) {
    const seen = [...new Set(text.match(pattern))]
    text = text.replaceAll(pattern, found => name(seen.indexOf(found) + 1))
  }
  return JSON.parse(text) as T
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > LONGEST ? '…' : value
  if (Array.isArray(value)) return value.map(shortened)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]))
}
