/** The programs of docs/sdks.md and what tests add to them compile with the types of the SDKs. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY, tsc } from '../support/built-package.ts'
import { sdksMissing } from './driver.ts'

test.skipIf(sdksMissing !== undefined)('programs, drivers and type tests compile', () => {
  expect(() => tsc('-p', join(REPOSITORY, 'test/sdks/installed'))).not.toThrow()
})
