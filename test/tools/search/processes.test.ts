/** How many processes a search needs: one, and another only for files that do not have the lines that it found. */
import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, onTestFinished, test } from 'vitest'
import { globTool } from '../../../src/lib/tools/search/glob.ts'
import { grepTool } from '../../../src/lib/tools/search/grep.ts'
import type { Tool } from '../../../src/lib/tools/tool.ts'
import { shellScene } from '../bash/shell-scene.ts'

const LONG = 'x'.repeat(5_000)
const FILES = {
  'a.ts': 'one foo\ntwo\nfoo foo\n',
  'b/c.ts': 'x\r\nfoo\r\n',
  'b/empty-line': '\n',
  'b/last': 'bar\nfoo'
}
const ENCODED = {
  'bom.txt': Buffer.from('\ufefffoo one\n\nfoo two\n'),
  'long.txt': Buffer.from(`${LONG}foo\n`),
  'wide.txt': Buffer.from('\ufefffoo wide\n', 'utf16le')
}

/** What a search in these files answers, and how many processes it started. */
async function searched(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string | Buffer>>
): Promise<readonly [content: readonly string[], processes: number]> {
  const { call, write } = shellScene()
  for (const [name, text] of Object.entries(files)) write(name, text)
  let started = 0
  const count = (message: unknown): void =>
    void ((message as { process: ChildProcess }).process.spawnfile.endsWith('rg') && started++)
  const listen = (message: unknown): void => process.nextTick(count, message)
  subscribe('child_process', listen)
  onTestFinished(() => void unsubscribe('child_process', listen))
  const { content } = await call(tool, input)
  return [content.split('\n').toSorted(), started]
}

test.each([
  [grepTool, { pattern: 'foo' }, ['Found 3 files', 'a.ts', 'b/c.ts', 'b/last']],
  [grepTool, { pattern: '^$' }, ['Found 1 file', 'b/empty-line']],
  [grepTool, { pattern: 'none' }, ['No files found']],
  [
    grepTool,
    { pattern: 'foo', output_mode: 'content' },
    ['a.ts:1:one foo', 'a.ts:3:foo foo', 'b/c.ts:2:foo', 'b/last:2:foo']
  ],
  [
    grepTool,
    { pattern: 'foo', output_mode: 'content', '-B': 1, path: 'b' },
    ['--', 'b/c.ts-1-x', 'b/c.ts:2:foo', 'b/last-1-bar', 'b/last:2:foo']
  ],
  [grepTool, { pattern: 'foo\ntwo', output_mode: 'content', multiline: true }, ['a.ts:1:one foo', 'a.ts:2:two']],
  [grepTool, { pattern: 'foo', output_mode: 'content', path: 'b/last' }, ['b/last:2:foo']],
  [grepTool, { pattern: 'foo', path: 'a.ts' }, ['Found 1 file', 'a.ts']],
  [globTool, { pattern: '**/*.ts' }, ['a.ts', 'b/c.ts']]
] as const)('one: %o %j', async (tool, input, lines) => {
  expect(await searched(tool, input, FILES)).toEqual([lines, 1])
})

test.each([
  [{ pattern: 'foo' }, ['Found 6 files', 'a.ts', 'b/c.ts', 'b/last', 'bom.txt', 'long.txt', 'wide.txt']],
  [
    { pattern: 'foo', output_mode: 'content', '-o': true, path: '.', glob: '*.txt' },
    ['bom.txt:1:foo', 'bom.txt:3:foo', 'long.txt:1:foo', 'wide.txt:1:foo']
  ],
  [{ pattern: 'foo\ntwo', multiline: true }, ['Found 1 file', 'a.ts']],
  [{ pattern: 'foo', output_mode: 'count', path: 'b' }, ['2 lines match in 2 files', 'b/c.ts:1', 'b/last:1']]
])('two, since lines of the file are encoded or long, or not known: %j', async (input, lines) => {
  expect(await searched(grepTool, input, { ...FILES, ...ENCODED })).toEqual([lines, 2])
})
