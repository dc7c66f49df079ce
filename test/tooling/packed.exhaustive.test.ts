/** Each program alone, and all of them with an older compiler. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  compileAll,
  FINE_PROGRAMS,
  ONE_ERROR,
  packApp,
  removeApp,
  WRONG_PROGRAM,
  type PackedApp
} from './packed-kit.ts'

let packed: PackedApp
beforeAll(async () => {
  packed = await packApp()
})
afterAll(() => removeApp(packed))

describe.each(['nodenext', 'bundler'] as const)('the packed package, resolved by %s', setting => {
  test.each(Object.entries(FINE_PROGRAMS))('compiles with %s', async (_, text) => {
    expect(await compileAll(packed, { 'main.ts': text }, setting)).toEqual({ code: 0, output: '' })
  })

  test('is the same to TypeScript 5.9', async () => {
    const files = { ...FINE_PROGRAMS, 'wrong.ts': WRONG_PROGRAM }
    const { output } = await compileAll(packed, files, setting, 'typescript-5')
    // The one error is where it should be.
    expect(output.trim().split(/\n(?! )/)).toEqual([expect.stringMatching(ONE_ERROR)])
  })
})
