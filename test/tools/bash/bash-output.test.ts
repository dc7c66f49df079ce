import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { bashTool } from '../../../src/lib/tools/bash/bash.ts'
import { Output, SHOWN } from '../../../src/lib/tools/bash/bash-output.ts'
import { startDriver } from '../../faults/process/drive.ts'
import { shellScene, type ShellScene } from './shell-scene.ts'
import { gone } from '../../support/waiting.ts'

/** A stage with a folder for long output. */
function withFolder(): ShellScene & { readonly folder: string } {
  const folder = join(shellScene().root, 'made/when/needed')
  return { ...shellScene({ outputFolder: folder }), folder }
}

describe('long output', () => {
  test('is shown without its middle, and is in a file', async () => {
    const { call, folder } = withFolder()
    const { content, output } = await call(bashTool, { command: 'seq 20000' })
    const file = String(output['persistedOutputPath'])
    expect(content.length).toBeLessThan(SHOWN + 500)
    expect(content).toMatch(/^1\n2\n3\n[^]*characters left out; everything is in [^]*\n19999\n20000$/)
    expect(content).toContain(file)
    expect(readdirSync(folder).map(name => join(folder, name))).toEqual([file])
    const whole = readFileSync(file, 'utf8')
    expect(whole).toBe(Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join(''))
    expect(output['persistedOutputSize']).toBe(whole.length)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('also where there is no folder for it', async () => {
    const { content, output } = await shellScene().call(bashTool, { command: 'seq 20000' })
    expect(content).toMatch(/characters left out …\]/)
    expect(output['persistedOutputPath']).toBeUndefined()
  })

  test('a file that cannot be written is no reason to fail', async () => {
    const { content, error } = await shellScene({ outputFolder: '/dev/null/none' }).call(bashTool, {
      command: 'seq 20000'
    })
    expect(error).toBeUndefined()
    expect(content).toContain('could not be kept in a file: ENOTDIR')
  })

  test('what fits makes no file', async () => {
    const { call, folder } = withFolder()
    await call(bashTool, { command: 'head -c 29999 /dev/zero | tr "\\0" x' })
    expect(existsSync(folder)).toBe(false)
  })

  test('standard error is not pushed out by standard output, nor the other way round', async () => {
    const both = await shellScene().call(bashTool, { command: 'seq 100000; echo why >&2; exit 1' })
    expect(both.error).toMatch(/^Exit code 1\n1\n2\n[^]*\n100000\nwhy$/)
    const flooded = await shellScene().call(bashTool, { command: 'echo first; seq 100000 >&2' })
    expect(flooded.output['stdout']).toBe('first')
    expect(flooded.content.length).toBeLessThan(SHOWN + 500)
  })
})

describe('whatever comes in pieces', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes)))

  test('is the same text as the whole', () => {
    fc.assert(
      fc.property(pieces, chunks => {
        const output = new Output(undefined)
        for (const chunk of chunks) output.stdout(chunk)
        output.close()
        expect(output.take()).toBe(Buffer.concat(chunks).toString())
      })
    )
  })

  test('of any length is cut to its beginning and its end', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 8 })
    fc.assert(
      fc.property(lengths, sizes => {
        const output = new Output(undefined)
        let whole = ''
        for (const size of sizes) {
          const text = `${whole.length}|`.repeat(size).slice(0, size)
          whole += text
          output.stdout(Buffer.from(text))
        }
        const { stdout } = output.excerpts()
        if (whole.length <= SHOWN) expect(stdout).toBe(whole)
        else {
          const [head = '', tail = ''] = stdout.split(/\n\[… .* characters left out …\]\n/)
          expect(head.length + tail.length).toBe(SHOWN)
          expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true)
        }
      }),
      { numRuns: 50 }
    )
  })

  test('characters of two halves are not cut through', () => {
    const output = new Output(undefined)
    output.stdout(Buffer.from(`x${'😀'.repeat(SHOWN)}`))
    expect(output.excerpts().stdout.isWellFormed()).toBe(true)
  })
})

// FM47
test.each([
  ['yes', 0],
  ['yes', 250],
  ['cat /dev/zero >&2', 0]
])('%s ends, in a process with %i MB, and memory does not grow with it', async (command, ballast) => {
  const { ended, told, running } = startDriver('../../../tools/bash/drivers/flood', [command, ballast])
  expect(await ended).toEqual({ end: 0, stderr: '' })
  const [facts] = told
  expect(facts).toMatchObject({ error: expect.stringMatching(/^The command printed more than 64 MB and was ended/) })
  expect(facts!['file']).toBeGreaterThan(64 * 1024 * 1024)
  expect(facts!['file']).toBeLessThan(66 * 1024 * 1024)
  expect(Number(facts!['grown'])).toBeLessThan(150)
  await gone(running)
})
